#include "smem/wavefront.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/checked.hpp"

namespace swz {

namespace {

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
  // Its place among the units of the column.
  int add(std::size_t column, std::uint32_t unit, int lane) {
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

std::string pairing_text(const AccessPattern& p, int distance, int group_lanes) {
  return fmt::format(
      "lanes l and l^{} give the same address wherever both are active, so two groups of {} lanes are served as "
      "one of {}",
      distance, p.instruction->group_lanes, group_lanes);
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

WavefrontGroup group_of(const AccessPattern& p, const Units& units, int first_lane, int lane_count) {
  WavefrontGroup group{first_lane, lane_count, p.lanes() & mask_of(first_lane, lane_count), 0, 0, 0, {}, {}};
  Columns columns;
  for (Mask rest = group.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t address = p.address[index(lane)], unit = address >> units.shift;
    const std::size_t column = unit % static_cast<std::uint32_t>(units.columns);
    const int pass = columns.add(column, unit, lane);
    group.lanes.push_back(
        {lane, Bytes{address}, static_cast<int>(address / 4 % bank_count), units.words(), pass, 0});
  }
  for (LaneUse& use : group.lanes) {
    const std::uint32_t unit = static_cast<std::uint32_t>(use.address.count) >> units.shift;
    for (const LaneUse& other : group.lanes) {
      const std::uint32_t other_unit = static_cast<std::uint32_t>(other.address.count) >> units.shift;
      const bool same_banks = (unit ^ other_unit) % static_cast<std::uint32_t>(units.columns) == 0;
      if (same_banks && unit != other_unit) use.collides_with |= Mask{1} << other.lane;
    }
  }
  group.banks = banks_of(group.lanes);
  return group;
}

// ---- counters

using enum CounterQuantity;
using enum AccessOp;

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
      const std::uint32_t unit = pattern.address[index(lane)] >> units.shift;
      columns.add(unit % static_cast<std::uint32_t>(units.columns), unit, lane);
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

WavefrontReport wavefront_report(const AccessPattern& pattern, const Target& target) {
  require_no_fault(pattern, target);
  const Units units(*pattern.instruction);
  WavefrontReport report{
      pattern, count_wavefronts(pattern), {}, {}, wavefront_source(*pattern.instruction, target)};
  const int lane_count = lanes_of_group(*pattern.instruction, report.count.pairs);
  for (int g = 0; g < report.count.groups; ++g) {
    WavefrontGroup& group = report.groups.emplace_back(group_of(pattern, units, g * lane_count, lane_count));
    group.passes = report.count.passes[index(g)];
    group.words = report.count.words[index(g)];
    group.ideal = ideal_of(group.words);
  }
  if (report.count.pairs != 0) report.pairing = pairing_text(pattern, report.count.pairs, lane_count);
  return report;
}

std::span<const Counter> counters() { return counter_rows; }

std::span<const CounterCaveat> counter_caveats() { return caveats; }

}  // namespace swz
