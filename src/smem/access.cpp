// SPDX-License-Identifier: Apache-2.0
#include "smem/access.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/instruction_text.hpp"

namespace swz {

namespace {

using enum AccessOp;

using available::byte_matrices, available::sm_70, available::sm_75, available::sm_80, available::sm_90;

// Those of `counted` were also timed.
constexpr Source counted{"Nsight Compute counts on H200, 2,750 of 2,750 patterns", Evidence::measured};
constexpr Source timed{"time on H200, 3,000 of 3,000 patterns of swz verify", Evidence::measured};
constexpr Source byte_rows{"8 rows of 16 bytes per group, as ldmatrix.m8n8 measured on H200", Evidence::derived};
constexpr Source sites{"Nsight Compute counts on H100, 97 of 97 sites of atomics", Evidence::measured};
constexpr Source model{"a model: counted as st.shared of this width, not measured", Evidence::claimed};
constexpr Source bank_rule{"CUDA Programming Guide, shared memory", Evidence::documented};

// clang-format off
//   name                            op       bytes addresses group pairs rows
constexpr AccessInstruction rows[] = {
    {"ld.shared.b8",                 load,        1, 32, 32, false,  0, sm_70, counted},
    {"ld.shared.b16",                load,        2, 32, 32, false,  0, sm_70, counted},
    {"ld.shared.b32",                load,        4, 32, 32, false,  0, sm_70, counted},
    {"ld.shared.b64",                load,        8, 32, 16, true,   0, sm_70, counted},
    {"ld.shared.b128",               load,       16, 32,  8, true,   0, sm_70, counted},
    {"st.shared.b8",                 store,       1, 32, 32, false,  0, sm_70, counted},
    {"st.shared.b16",                store,       2, 32, 32, false,  0, sm_70, counted},
    {"st.shared.b32",                store,       4, 32, 32, false,  0, sm_70, counted},
    {"st.shared.b64",                store,       8, 32, 16, false,  0, sm_70, counted},
    {"st.shared.b128",               store,      16, 32,  8, false,  0, sm_70, counted},
    {"ldmatrix.x1",                  ldmatrix,   16,  8,  8, false,  8, sm_75, counted},
    {"ldmatrix.x2",                  ldmatrix,   16, 16,  8, false,  8, sm_75, counted},
    {"ldmatrix.x4",                  ldmatrix,   16, 32,  8, false,  8, sm_75, counted},
    {"ldmatrix.x1.trans",            ldmatrix,   16,  8,  8, false,  8, sm_75, timed},
    {"ldmatrix.x2.trans",            ldmatrix,   16, 16,  8, false,  8, sm_75, timed},
    {"ldmatrix.x4.trans",            ldmatrix,   16, 32,  8, false,  8, sm_75, counted},
    {"ldmatrix.m16n16.x1.trans",     ldmatrix,   16, 16,  8, false, 16, byte_matrices, byte_rows},
    {"ldmatrix.m16n16.x2.trans",     ldmatrix,   16, 32,  8, false, 16, byte_matrices, byte_rows},
    {"ldmatrix.m8n16.x1",            ldmatrix,   16,  8,  8, false,  8, byte_matrices, byte_rows},
    {"ldmatrix.m8n16.x2",            ldmatrix,   16, 16,  8, false,  8, byte_matrices, byte_rows},
    {"ldmatrix.m8n16.x4",            ldmatrix,   16, 32,  8, false,  8, byte_matrices, byte_rows},
    {"stmatrix.x1",                  stmatrix,   16,  8,  8, false,  8, sm_90, timed},
    {"stmatrix.x2",                  stmatrix,   16, 16,  8, false,  8, sm_90, timed},
    {"stmatrix.x4",                  stmatrix,   16, 32,  8, false,  8, sm_90, counted},
    {"stmatrix.x1.trans",            stmatrix,   16,  8,  8, false,  8, sm_90, timed},
    {"stmatrix.x2.trans",            stmatrix,   16, 16,  8, false,  8, sm_90, timed},
    {"stmatrix.x4.trans",            stmatrix,   16, 32,  8, false,  8, sm_90, timed},
    {"stmatrix.m16n8.x1.trans",      stmatrix,   16,  8,  8, false,  8, byte_matrices, byte_rows},
    {"stmatrix.m16n8.x2.trans",      stmatrix,   16, 16,  8, false,  8, byte_matrices, byte_rows},
    {"stmatrix.m16n8.x4.trans",      stmatrix,   16, 32,  8, false,  8, byte_matrices, byte_rows},
    {"cp.async.4",                   cp_async,    4, 32, 32, false,  0, sm_80, model},
    {"cp.async.8",                   cp_async,    8, 32, 16, false,  0, sm_80, model},
    {"cp.async.16",                  cp_async,   16, 32,  8, false,  0, sm_80, model},
    {"atom.shared.b32",              atomic,      4, 32, 32, false,  0, sm_70, sites, 1},
    {"atom.shared.cas.b32",          atomic,      4, 32, 32, false,  0, sm_70, sites, 2},
    {"atom.shared.cas.b64",          atomic,      8, 32, 16, false,  0, sm_70, sites, 2},
    {"atom.shared.exch.b64",         atomic,      8, 32, 16, false,  0, sm_70, sites, 1},
    {"atoms.popc.inc.32",            atomic,      4, 32, 32, false,  0, sm_70, sites, 0},
};
// clang-format on

static_assert(std::ranges::all_of(rows, [](const AccessInstruction& row) {
  return row.addresses % row.group_lanes == 0 && row.group_lanes * row.bytes <= bank_row.count &&
         (row.matrix_rows == 0 || row.addresses % row.matrix_rows == 0);
}));

// Whether this is ldmatrix or stmatrix by its SASS name, as swz frag reads them.
bool is_sass_matrix(std::string_view word) { return word == "ldsm" || word == "stsm"; }

// Whether a qualifier changes neither the width nor the addresses.
bool is_silent(const std::string& word) {
  static constexpr std::array<std::string_view, 18> silent{
      "sync",     "aligned", "m8n8",    "shared",  "shared::cta", "b16", "cg",      "ca",  "weak",
      "volatile", "relaxed", "acquire", "release", "acq_rel",     "cta", "cluster", "gpu", "sys"};
  return std::ranges::find(silent, word) != silent.end();
}

// The shapes of byte matrices, and the types that only these shapes have.
bool is_byte_shape(std::string_view word) { return word == "m16n16" || word == "m8n16" || word == "m16n8"; }
bool is_byte_type(std::string_view word) {
  return word == "b8" || word == "b8x16" || word == "b6x16_p32" || word == "b4x16_p64";
}

// The number after the letters: the bits of "f32", the count of "v4"; 0 if there is none.
int number_after(const std::string& word, std::string_view letters) {
  if (word.size() < 2 || word.size() > 4 || letters.find(word[0]) == std::string_view::npos) return 0;
  int n = 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(word[i])) == 0) return 0;
    n = n * 10 + (word[i] - '0');
  }
  return n;
}

// The row of a plain access: ld.shared.v4.f32, lds.128.
const AccessInstruction* find_plain(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  const bool is_ptx = first == "ld" || first == "st", is_sass = first == "lds" || first == "sts";
  if (!is_ptx && !is_sass) return nullptr;
  int count = 1, bits = is_sass ? 32 : 0, vectors = 0, widths = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const int n = number_after(words[i], "v")) count = n, ++vectors;
    else if (const int b = number_after(words[i], "busf"); b != 0 && !is_sass) bits = b, ++widths;
    else if (const int s = number_after("." + words[i], "."); s != 0 && is_sass) bits = s, ++widths;
    else if (!is_silent(words[i])) return nullptr;
  }
  if (vectors > 1 || widths > 1) return nullptr;
  if (bits <= 0 || bits > 128 || bits % 8 != 0) return nullptr;
  return find_access(first.starts_with("ld") ? load : store, count * bits / 8);
}

// The row of an atomic: red.relaxed.cta.shared.add.u32, atoms.add. It has those that were counted as one GPU
// instruction.
const AccessInstruction* find_atomic(const std::vector<std::string>& words) {
  static constexpr std::string_view each_lane[] = {"b32",     "add.u32", "add.s32", "min.u32", "min.s32",
                                                   "max.u32", "max.s32", "inc.u32", "dec.u32", "and.b32",
                                                   "or.b32",  "xor.b32", "exch.b32"};
  static constexpr std::string_view each_lane_in_sass[] = {"add", "add.s32", "min", "min.s32", "max", "max.s32",
                                                           "inc", "dec",     "and", "or",      "xor", "exch"};
  const bool is_sass = words.front() == "atoms";
  if (!is_sass && words.front() != "atom" && words.front() != "red") return nullptr;
  std::string what;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!is_silent(words[i])) what += (what.empty() ? "" : ".") + words[i];
  const auto row = [](std::string_view name) { return &*std::ranges::find(rows, name, &AccessInstruction::name); };
  const auto is_in = [&](const auto& names) { return std::ranges::find(names, what) != std::end(names); };
  if (is_sass ? is_in(each_lane_in_sass) : is_in(each_lane)) return row("atom.shared.b32");
  if (what == (is_sass ? "cas" : "cas.b32")) return row("atom.shared.cas.b32");
  if (what == (is_sass ? "cas.64" : "cas.b64")) return row("atom.shared.cas.b64");
  if (what == (is_sass ? "exch.64" : "exch.b64")) return row("atom.shared.exch.b64");
  return is_sass && what == "popc.inc.32" ? row("atoms.popc.inc.32") : nullptr;
}

// The state space other than shared memory that the name gives; empty if there is none.
std::string other_space(std::string_view name) {
  static constexpr std::string_view spaces[] = {"global", "local", "const", "param"};
  for (const std::string& word : split(lower_case(name), '.'))
    if (std::ranges::find(spaces, word.substr(0, word.find("::"))) != std::end(spaces)) return word;
  return {};
}

std::string lane_text(int lane, std::uint32_t address) { return fmt::format("lane {}: address {:#x}", lane, address); }

// ---- counters

using enum CounterQuantity;

constexpr Source compared{"compared on H200, 2,750 of 2,750 patterns", Evidence::measured};
constexpr Source mapping{"Nsight Compute documentation, comparison with nvprof"};
constexpr Source source_page{"Nsight Compute documentation, source page"};
constexpr Source lists{"public metric lists and forum posts", Evidence::claimed};

// clang-format off
//                                                                               quantity    of which accesses
constexpr Counter counter_rows[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",                           wavefronts, {},
     "all accesses through the LSU", compared},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",                     wavefronts, load,
     "its loads", mapping},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",                     wavefronts, store,
     "its stores", mapping},
    {"memory_l1_wavefronts_shared",                                              wavefronts, {},
     "source page, sum of these instructions", source_page},
    {"memory_l1_wavefronts_shared_ideal",                                        ideal,      {},
     "source page, sum of these instructions", source_page},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",                       excess,     {},
     "other traffic adds to it", lists},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",       excess,     ldmatrix,
     "by instruction, ldmatrix", lists},
    {"smsp__inst_executed_op_shared_ld.sum",                                     instructions, load,
     "warp instructions", mapping},
    {"smsp__inst_executed_op_shared_st.sum",                                     instructions, store,
     "warp instructions", mapping},
    {"smsp__inst_executed_op_ldsm.sum",                                          instructions, ldmatrix,
     "warp instructions, ldmatrix", mapping},
};
// clang-format on

constexpr CounterCaveat caveats[] = {
    {"conflict-counter",
     "l1tex__data_bank_conflicts… can be above 0 without a conflict: other traffic, L1 lines included, meets in "
     "the same banks; the two columns of the source page show the excess of an instruction",
     {"kernels without conflicts that count some; public profiles", Evidence::claimed}},
    {"not-in-lsu",
     "TMA, and what wgmma and tcgen05 read from shared memory, do not pass through the LSU and are not counted in any "
     "of these",
     {"NVIDIA forum", Evidence::claimed}},
};

}  // namespace

std::span<const AccessInstruction> access_instructions() { return rows; }

const AccessInstruction* find_access(std::string_view name) {
  if (name.empty() || name.size() > 80) return nullptr;
  std::vector<std::string> words = split(lower_case(name), '.');
  if (is_sass_matrix(words.front())) {
    try {
      return find_access(read_sass_name(name)->name);
    } catch (const Error&) {
      return nullptr;  // require_access gives the reason
    }
  }
  if (const AccessInstruction* plain = find_plain(words)) return plain;
  if (const AccessInstruction* counted_lanes = find_atomic(words)) return counted_lanes;
  const bool has_byte_shape = std::ranges::any_of(words, is_byte_shape);
  if (words.front() == "cp") std::erase(words, "global");  // cp.async.shared.global: where the bytes come from
  std::string wanted;
  for (const std::string& word : words)
    if (!is_silent(word) && !(has_byte_shape && is_byte_type(word))) wanted += (wanted.empty() ? "" : ".") + word;
  if (wanted == "cp.async") wanted = "cp.async.16";
  const auto found = std::ranges::find(rows, wanted, &AccessInstruction::name);
  return found == std::end(rows) ? nullptr : &*found;
}

const AccessInstruction& require_access(std::string_view name) {
  if (const AccessInstruction* row = find_access(name)) return *row;
  if (name.size() <= 80 && is_sass_matrix(split(lower_case(name), '.').front())) read_sass_name(name);
  if (const AccessInstruction* row = find_access(fmt::format("{}.b32", name)))
    throw Error(fmt::format("{} does not give the type of what it accesses", quoted(name)),
                fmt::format("did you mean '{}'? that is its form for 32 bits", row->name));
  if (const std::string space = other_space(name); !space.empty())
    throw Error(fmt::format("{} accesses '{}', and only shared memory has banks", quoted(name), space),
                "'swz banks --access list' names the accesses; swz kernel reads those to global memory");
  throw Error(fmt::format("{} is not an access to shared memory that swz knows", quoted(name)),
              did_you_mean(name, names_of(rows), "'swz banks --access list' names them"));
}

const AccessInstruction* find_access(AccessOp op, int bytes) {
  const auto found =
      std::ranges::find_if(rows, [&](const AccessInstruction& row) { return row.op == op && row.bytes == bytes; });
  return found == std::end(rows) || found->is_matrix() ? nullptr : &*found;
}

Source wavefront_source(const AccessInstruction& instruction, const Target& target) {
  if (target.name == "sm_90a" || instruction.source.evidence == Evidence::claimed) return instruction.source;
  if (instruction.group_lanes == warp_lanes && instruction.op != atomic) return bank_rule;
  return {"the rule measured on sm_90a; not measured on this target", Evidence::claimed};
}

void require_no_fault(const AccessPattern& pattern, const Target& target) {
  const auto bytes = static_cast<std::uint32_t>(pattern.instruction->bytes);
  const auto window = static_cast<std::uint32_t>(target.smem_window().count);
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    const std::uint32_t address = pattern.address[static_cast<std::size_t>(lane)];
    if (address % bytes != 0)
      throw Error(fmt::format("{} is not a multiple of {}: {} faults (misaligned address)", lane_text(lane, address),
                              bytes, pattern.instruction->name),
                  "align the address, or take a narrower access");
    if (address > window - bytes)
      throw Error(fmt::format("{} lies beyond shared memory, which ends at {:#x} on {}", lane_text(lane, address),
                              window, target.name),
                  "addresses are those of the shared window, as __cvta_generic_to_shared gives them");
  }
}

AccessPattern access_pattern(const AccessInstruction& instruction, std::span<const std::int64_t> addresses,
                             std::uint32_t active, const Target& target) {
  if (addresses.size() > warp_lanes)
    throw Error(fmt::format("{} addresses are given; a warp has 32 lanes", addresses.size()),
                "give one address for each lane, lane 0 first");
  AccessPattern pattern{&instruction, active, {}};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    if (lane >= addresses.size())
      throw Error(fmt::format("lane {} is active and has no address; {} are given", lane, addresses.size()),
                  "give its address, or take it out of the active mask");
    if (addresses[lane] < 0 || addresses[lane] > UINT32_MAX)
      throw Error(fmt::format("lane {}: {} is not a shared-memory address", lane, addresses[lane]),
                  "shared-memory addresses have 32 bits");
    pattern.address[lane] = static_cast<std::uint32_t>(addresses[lane]);
  }
  require_no_fault(pattern, target);
  return pattern;
}

std::span<const Counter> counters() { return counter_rows; }

std::span<const CounterCaveat> counter_caveats() { return caveats; }

}  // namespace swz
