#include "smem/access.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using enum AccessOp;

using available::byte_matrices, available::sm_70, available::sm_75, available::sm_80, available::sm_90;

// Those of `counted` were timed as well.
constexpr Source counted{"Nsight Compute counts on H200, 2,750 of 2,750 patterns", Evidence::measured};
constexpr Source timed{"time on H200, 3,000 of 3,000 patterns of swz verify", Evidence::measured};
constexpr Source byte_rows{"8 rows of 16 bytes a group, as ldmatrix.m8n8 measured on H200", Evidence::derived};
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
};
// clang-format on

static_assert(std::ranges::all_of(rows, [](const AccessInstruction& row) {
  return row.addresses % row.group_lanes == 0 && row.group_lanes * row.bytes <= bank_row.count &&
         (row.matrix_rows == 0 || row.addresses % row.matrix_rows == 0);
}));

// Qualifiers that change neither width nor addresses.
bool is_silent(const std::string& word) {
  static constexpr std::array<std::string_view, 11> silent{
      "sync", "aligned", "m8n8", "shared", "shared::cta", "b16", "cg", "ca", "global", "weak", "volatile"};
  return std::ranges::find(silent, word) != silent.end();
}

// The shapes of byte matrices, and the types that only these have.
bool is_byte_shape(std::string_view word) { return word == "m16n16" || word == "m8n16" || word == "m16n8"; }
bool is_byte_type(std::string_view word) {
  return word == "b8" || word == "b8x16" || word == "b6x16_p32" || word == "b4x16_p64";
}

// Bits of "f32", of "v4" the number; 0: neither.
int number_after(const std::string& word, std::string_view letters) {
  if (word.size() < 2 || word.size() > 4 || letters.find(word[0]) == std::string_view::npos) return 0;
  int n = 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(word[i])) == 0) return 0;
    n = n * 10 + (word[i] - '0');
  }
  return n;
}

// ld.shared.v4.f32, lds.128
const AccessInstruction* find_plain(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  const bool is_ptx = first == "ld" || first == "st", is_sass = first == "lds" || first == "sts";
  if (!is_ptx && !is_sass) return nullptr;
  int count = 1, bits = is_sass ? 32 : 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const int n = number_after(words[i], "v")) count = n;
    else if (const int b = number_after(words[i], "busf"); b != 0 && !is_sass) bits = b;
    else if (const int s = number_after("." + words[i], "."); s != 0 && is_sass) bits = s;
    else if (!is_silent(words[i])) return nullptr;
  }
  if (bits <= 0 || bits > 128 || bits % 8 != 0) return nullptr;
  return find_access(first.starts_with("ld") ? load : store, count * bits / 8);
}

std::string lane_text(int lane, std::uint32_t address) {
  return fmt::format("lane {}: address {:#x}", lane, address);
}

using Mask = std::uint32_t;

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Addresses are multiples of the width, so accesses that differ have no word in common and those of one column of
// banks have all their banks in common: a group is counted in units of the width, of a word at least.
struct Units {
  int shift = 0;    // address >> shift is the unit
  int columns = 0;  // units in a line of 32 banks
  explicit Units(const AccessInstruction& i)
      : shift(std::max(2, std::countr_zero(static_cast<unsigned>(i.bytes)))) {
    columns = static_cast<int>(bank_row.count) >> shift;
  }
  int words() const { return 1 << (shift - 2); }
};

// The distinct units of one group by column, in the order of the lanes. Of fixed size, so that the loops over all
// columns are a few vector instructions; those that an access does not have stay empty.
struct Columns {
  std::array<std::uint8_t, bank_count> count = {};
  std::array<Mask, bank_count> lanes = {};
  std::array<std::array<std::uint32_t, warp_lanes>, bank_count> units;  // the first count[column] of each

  Columns() {}  // NOLINT: units are written before they are read
  // The place of the lane's unit among those of its column.
  int add(const Units& of, std::uint32_t address, int lane) {
    const std::uint32_t unit = address >> of.shift;
    const std::size_t column = unit % static_cast<std::uint32_t>(of.columns);
    lanes[column] |= Mask{1} << lane;
    auto& seen = units[column];
    std::uint8_t place = 0;
    while (place < count[column] && seen[place] != unit) ++place;
    if (place == count[column]) seen[count[column]++] = unit;
    return place;
  }
};

// 1, 2 or 0.
int pairing_of(const AccessPattern& p) {
  const Mask active = p.lanes();
  if (!p.instruction->may_pair || active == 0) return 0;
  for (const int distance : {1, 2}) {
    bool agrees = true;
    for (Mask rest = active; rest != 0 && agrees; rest &= rest - 1) {
      const int lane = std::countr_zero(rest), partner = lane ^ distance;
      agrees = (active >> partner & 1) == 0 || p.address[index(lane)] == p.address[index(partner)];
    }
    if (agrees) return distance;
  }
  return 0;
}

int ideal_of(int words) { return static_cast<int>(ceil_div(words, bank_count)); }

int lanes_of_group(const AccessInstruction& i, int pairs) { return pairs != 0 ? 2 * i.group_lanes : i.group_lanes; }

Mask mask_of(int first_lane, int count) {
  const Mask ones = count == warp_lanes ? ~Mask{0} : (Mask{1} << count) - 1;
  return ones << first_lane;
}

// Words and lanes of each bank: what a unit touches, bank by bank.
std::vector<BankUse> banks_of(const std::vector<LaneUse>& lanes) {
  std::array<std::vector<WordUse>, bank_count> by_bank;
  for (const LaneUse& use : lanes)
    for (int i = 0; i < use.banks; ++i) {
      std::vector<WordUse>& words = by_bank[index(use.bank + i)];
      const auto word = static_cast<std::uint32_t>(use.address.count / 4 + i);
      const auto known = std::ranges::find(words, word, &WordUse::word);
      if (known == words.end()) words.push_back({word, Mask{1} << use.lane});
      else known->lanes |= Mask{1} << use.lane;
    }
  std::vector<BankUse> banks;
  for (int bank = 0; bank < bank_count; ++bank)
    if (!by_bank[index(bank)].empty()) banks.push_back({bank, std::move(by_bank[index(bank)])});
  return banks;
}

// The lanes of a group that are active, in their order. Two of one column take the same pass exactly when they touch
// the same words.
std::vector<LaneUse> lanes_of(const AccessPattern& p, Mask active) {
  const Units units(*p.instruction);
  Columns columns;
  std::vector<LaneUse> lanes;
  for (Mask rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t address = p.address[index(lane)];
    const int pass = columns.add(units, address, lane);
    lanes.push_back({lane, Bytes{address}, static_cast<int>(address / 4 % bank_count), units.words(), pass, 0});
  }
  for (LaneUse& use : lanes)
    for (const LaneUse& other : lanes)
      if (use.bank == other.bank && use.pass != other.pass) use.collides_with |= Mask{1} << other.lane;
  return lanes;
}

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
     "the same banks; the two columns of the source page tell the excess of an instruction",
     {"kernels without conflicts that count some; public profiles", Evidence::claimed}},
    {"not-in-lsu",
     "TMA and what wgmma and tcgen05 read of shared memory do not pass through the LSU and are in none of these",
     {"NVIDIA forum", Evidence::claimed}},
};

}  // namespace

std::span<const AccessInstruction> access_instructions() { return rows; }

const AccessInstruction* find_access(std::string_view name) {
  if (name.empty() || name.size() > 80) return nullptr;
  std::vector<std::string> words = split(lower_case(name), '.');
  if (const AccessInstruction* plain = find_plain(words)) return plain;
  const bool has_byte_shape = std::ranges::any_of(words, is_byte_shape);
  std::string wanted;
  for (const std::string& word : words)
    if (!is_silent(word) && !(has_byte_shape && is_byte_type(word))) wanted += (wanted.empty() ? "" : ".") + word;
  if (wanted == "cp.async") wanted = "cp.async.16";
  const auto found = std::ranges::find(rows, wanted, &AccessInstruction::name);
  return found == std::end(rows) ? nullptr : &*found;
}

const AccessInstruction& require_access(std::string_view name) {
  if (const AccessInstruction* row = find_access(name)) return *row;
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
  if (instruction.group_lanes == warp_lanes) return bank_rule;
  return {"the rule measured on sm_90a (H200); not measured on this target", Evidence::claimed};
}

void require_no_fault(const AccessPattern& pattern, const Target& target) {
  const auto bytes = static_cast<std::uint32_t>(pattern.instruction->bytes);
  const auto window = static_cast<std::uint32_t>(target.smem_window().count);
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    const std::uint32_t address = pattern.address[static_cast<std::size_t>(lane)];
    if (address % bytes != 0)
      throw Error(fmt::format("{} is not a multiple of {}: {} faults (misaligned address)",
                              lane_text(lane, address), bytes, pattern.instruction->name),
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

WavefrontCount count_wavefronts(const AccessPattern& pattern) {
  const AccessInstruction& instruction = *pattern.instruction;
  const Units units(instruction);
  WavefrontCount out;
  out.pairs = pairing_of(pattern);
  const int lane_count = lanes_of_group(instruction, out.pairs);
  out.groups = instruction.addresses / lane_count;
  for (int g = 0; g < out.groups; ++g) {
    Columns columns;
    for (Mask rest = pattern.lanes() & mask_of(g * lane_count, lane_count); rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      columns.add(units, pattern.address[index(lane)], lane);
    }
    int passes = 0, distinct = 0;
    for (std::size_t c = 0; c < bank_count; ++c) {
      passes = std::max<int>(passes, columns.count[c]);
      distinct += columns.count[c];
      out.colliding |= columns.count[c] > 1 ? columns.lanes[c] : 0;
    }
    out.passes[index(g)] = passes;
    out.words[index(g)] = distinct * units.words();
    out.wavefronts += passes;
    out.ideal += ideal_of(out.words[index(g)]);
  }
  // An instruction passes through even when no lane has anything to ask for.
  if (pattern.lanes() == 0) out.wavefronts = out.ideal = 1;
  return out;
}

std::vector<WavefrontGroup> wavefront_groups(const AccessPattern& pattern) {
  const WavefrontCount count = count_wavefronts(pattern);
  const int lane_count = lanes_of_group(*pattern.instruction, count.pairs);
  std::vector<WavefrontGroup> groups;
  for (int g = 0; g < count.groups; ++g) {
    const Mask active = pattern.lanes() & mask_of(g * lane_count, lane_count);
    const int words = count.words[index(g)];
    std::vector<LaneUse> lanes = lanes_of(pattern, active);
    std::vector<BankUse> banks = banks_of(lanes);
    groups.push_back({active, count.passes[index(g)], words, ideal_of(words), std::move(lanes), std::move(banks)});
  }
  return groups;
}

WavefrontReport wavefront_report(const AccessPattern& pattern, const Target& target) {
  require_no_fault(pattern, target);
  WavefrontReport report{pattern,
                         count_wavefronts(pattern),
                         wavefront_groups(pattern),
                         {},
                         wavefront_source(*pattern.instruction, target)};
  if (report.count.pairs != 0)
    report.pairing = fmt::format(
        "lanes l and l^{} give the same address wherever both are active, so two groups of {} lanes are served as "
        "one of {}",
        report.count.pairs, pattern.instruction->group_lanes, 2 * pattern.instruction->group_lanes);
  return report;
}

std::span<const Counter> counters() { return counter_rows; }

std::span<const CounterCaveat> counter_caveats() { return caveats; }

}  // namespace swz
