#include "smem/counters.hpp"

namespace swz {

namespace {

using enum CounterQuantity;

constexpr Source compared{"compared on H200, 2,750 of 2,750 patterns", Evidence::measured};
constexpr Source mapping{"Nsight Compute documentation, comparison with nvprof"};
constexpr Source source_page{"Nsight Compute documentation, source page"};
constexpr Source lists{"public metric lists and forum posts", Evidence::claimed};

// clang-format off
//                                                                               quantity   ld   st   ldm  stm
constexpr Counter rows[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",                           wavefronts, true,  true,  true,  true,
     "all accesses through the LSU", compared},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",                     wavefronts, true,  false, false, false,
     "its loads", mapping},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",                     wavefronts, false, true,  false, false,
     "its stores", mapping},
    {"memory_l1_wavefronts_shared",                                              wavefronts, true,  true,  true,  true,
     "source page, sum of these instructions", source_page},
    {"memory_l1_wavefronts_shared_ideal",                                        ideal,      true,  true,  true,  true,
     "source page, sum of these instructions", source_page},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",                       excess,     true,  true,  true,  true,
     "other traffic adds to it", lists},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",       excess,     false, false, true,  false,
     "by instruction, ldmatrix", lists},
    {"smsp__inst_executed_op_shared_ld.sum",                                     instructions, true, false, false, false,
     "warp instructions", mapping},
    {"smsp__inst_executed_op_shared_st.sum",                                     instructions, false, true, false, false,
     "warp instructions", mapping},
    {"smsp__inst_executed_op_ldsm.sum",                                          instructions, false, false, true, false,
     "warp instructions, ldmatrix", mapping},
};
// clang-format on

constexpr CounterCaveat caveats[] = {
    {"conflict-counter",
     "l1tex__data_bank_conflicts… can be above 0 without a conflict: other traffic, L1 lines included, meets in "
     "the "
     "same banks; the two columns of the source page tell the excess of an instruction",
     {"kernels without conflicts that count some; public profiles", Evidence::claimed}},
    {"not-in-lsu",
     "TMA and what wgmma and tcgen05 read of shared memory do not pass through the LSU and are in none of these",
     {"NVIDIA forum", Evidence::claimed}},
};

}  // namespace

std::span<const Counter> counters() { return rows; }

std::span<const CounterCaveat> counter_caveats() { return caveats; }

}  // namespace swz
