// SPDX-License-Identifier: Apache-2.0
#include "arch/sparse_mma.hpp"

#include <algorithm>

namespace swz {
namespace {

using enum InstructionFamily;
using available::sm_80, available::sm_89, available::workstation;
constexpr Availability sm_90a{0, {"sm_90a"}};

constexpr std::array<Range, 2> n8{{{8, 8, 1}}};
constexpr std::array<Range, 2> every_8th{{{8, 256, 8}}};
constexpr std::array<Range, 2> integer_n{{{8, 32, 8}, {48, 256, 16}}};

constexpr Source ptx{"PTX ISA 9.1, 9.7.14.6.2; ptxas 13.5.37 for the targets"};
constexpr Source wg{"PTX ISA 9.1, 9.7.15.6; ptxas 13.5.37"};
constexpr Source f16_seen{"ptxas 13.5.37, which takes f16 with ordered metadata only"};
constexpr Source e_header{"CUTLASS 4.2, ELayout_64x16, 64x32 and 64x64 of mma_traits_sm90_gmma_sparse",
                          Evidence::header};
constexpr Source e_sm120{"CUTLASS 4.2, ELayout of mma_traits_sm120_sparse; PTX ISA 9.1, 9.7.14.6.2", Evidence::header};
constexpr Source e_seen{"H100, tests/gpu/record_sparse_metadata.py", Evidence::measured};

// clang-format off
//                                                                             kept of pair bits holders
constexpr SparseMma rows[] = {
    {{mma, 16, n8, 16, {"f16"}, 16, {"f32", "f16"}, sm_80, ptx},                  2, 4, 1, 2, 1, false, e_seen},
    {{mma, 16, n8, 16, {"bf16"}, 16, {"f32"}, sm_80, ptx},                        2, 4, 1, 2, 1, false, e_seen},
    {{mma, 16, n8, 32, {"f16"}, 16, {"f32", "f16"}, sm_80, ptx},                  2, 4, 1, 2, 2, false, e_seen},
    {{mma, 16, n8, 32, {"bf16"}, 16, {"f32"}, sm_80, ptx},                        2, 4, 1, 2, 2, false, e_seen},
    {{mma, 16, n8, 8, {"tf32"}, 32, {"f32"}, sm_80, ptx},                         1, 2, 1, 4, 1, false, e_seen},
    {{mma, 16, n8, 16, {"tf32"}, 32, {"f32"}, sm_80, ptx},                        1, 2, 1, 4, 2, false, e_seen},
    {{mma, 16, n8, 32, {"s8", "u8"}, 8, {"s32"}, sm_80, ptx},                     2, 4, 1, 2, 2, false, e_seen},
    {{mma, 16, n8, 64, {"s8", "u8"}, 8, {"s32"}, sm_80, ptx},                     2, 4, 1, 2, 4, false, e_seen},
    {{mma, 16, n8, 64, {"e4m3", "e5m2"}, 8, {"f32"}, sm_89, ptx},                 2, 4, 1, 2, 4, false, e_seen},
    {{mma, 16, n8, 64, {"e4m3", "e5m2"}, 8, {"f16"}, workstation, f16_seen},      2, 4, 1, 2, 4, true, e_sm120},
    {{mma, 16, n8, 64, {"e2m3", "e3m2", "e2m1"}, 8, {"f32", "f16"}, workstation, ptx},
                                                                                  2, 4, 1, 2, 4, true, e_sm120},
    {{mma, 16, n8, 64, {"s4", "u4"}, 4, {"s32"}, sm_80, ptx},                     4, 8, 2, 2, 2, false, e_seen},
    {{mma, 16, n8, 128, {"s4", "u4"}, 4, {"s32"}, sm_80, ptx},                    4, 8, 2, 2, 4, false, e_seen},
    {{wgmma, 64, every_8th, 16, {"tf32"}, 32, {"f32"}, sm_90a, wg},               1, 2, 1, 4, 2, false, e_header},
    {{wgmma, 64, every_8th, 32, {"f16"}, 16, {"f32", "f16"}, sm_90a, wg},         2, 4, 1, 2, 2, false, e_header},
    {{wgmma, 64, every_8th, 32, {"bf16"}, 16, {"f32"}, sm_90a, wg},               2, 4, 1, 2, 2, false, e_header},
    {{wgmma, 64, every_8th, 64, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_90a, wg}, 2, 4, 1, 2, 4, false, e_header},
    {{wgmma, 64, integer_n, 64, {"s8", "u8"}, 8, {"s32"}, sm_90a, wg},            2, 4, 1, 2, 4, false, e_header},
};
// clang-format on

// Indices of 2 or 4 bits for each row of A fill one register of each holder.
constexpr bool fills_registers(const SparseMma& row) {
  const int holders = row.mma.threads() / 4 * row.holders;
  return row.mma.m * row.indices_of_row() * row.index_bits == holders * 32;
}
static_assert(std::ranges::all_of(rows, [](const SparseMma& row) { return fills_registers(row); }));

}  // namespace

std::span<const SparseMma> sparse_mmas() { return rows; }

SparseMma sparse_form(const BlockScaledMma& form) {
  const bool is_packed = form.bits == 4;
  return {form.instruction(), is_packed ? 4 : 2, is_packed ? 8 : 4, is_packed ? 2 : 1, 2, 4, true, e_sm120};
}

}  // namespace swz
