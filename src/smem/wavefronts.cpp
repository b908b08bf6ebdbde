// SPDX-License-Identifier: Apache-2.0
// The number of wavefronts of an access, by the rule of smem/access.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "smem/access.hpp"

namespace swz {

namespace {

using Mask = std::uint32_t;

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Addresses are multiples of the width. So different accesses have no word in common, and those of one column of banks
// have all their banks in common: a group is counted in units of the width, at least one word.
struct Units {
  int shift = 0;    // address >> shift is the unit
  int columns = 0;  // units in a line of 32 banks
  explicit Units(const AccessInstruction& i) : shift(std::max(2, std::countr_zero(static_cast<unsigned>(i.bytes)))) {
    columns = static_cast<int>(bank_row.count) >> shift;
  }
  int words() const { return 1 << (shift - 2); }
  std::uint32_t of(std::uint32_t address) const { return address >> shift; }
  std::size_t column(std::uint32_t address) const { return of(address) % static_cast<std::uint32_t>(columns); }
};

// The distinct units of one group by column, in the order of the lanes. The size is fixed, so that the loops over all
// columns are a few vector instructions; columns that an access does not have stay empty.
struct Columns {
  std::array<std::uint8_t, bank_count> count = {};
  std::array<Mask, bank_count> lanes = {};
  std::array<std::array<std::uint32_t, warp_lanes>, bank_count> units;  // the first count[column] of each are valid

  Columns() {}  // NOLINT: units are written before they are read
  // Adds the lane's unit; returns its place among those of its column.
  int add(const Units& units_of, std::uint32_t address, int lane) {
    const std::uint32_t unit = units_of.of(address);
    const std::size_t column = units_of.column(address);
    lanes[column] |= Mask{1} << lane;
    auto& seen = units[column];
    std::uint8_t place = 0;
    while (place < count[column] && seen[place] != unit) ++place;
    if (place == count[column]) seen[count[column]++] = unit;
    return place;
  }
};

// The distance of the partners, 1 or 2; 0 if the warp does not pair.
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

// The largest number of lanes of an atomic in one word: they wait for each other wherever the word is.
int most_of_one_word(const AccessPattern& p, Mask active) {
  int most = 0;
  for (Mask rest = active; rest != 0;) {
    const std::uint32_t address = p.address[index(std::countr_zero(rest))];
    Mask same = 0;
    for (Mask left = rest; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (p.address[index(lane)] == address) same |= Mask{1} << lane;
    }
    most = std::max(most, std::popcount(same));
    rest &= ~same;
  }
  return most;
}

// The words and lanes of each bank: what a unit touches, bank by bank.
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

// The active lanes of a group, in their order. Two lanes of one column are in the same pass exactly if they touch the
// same words; for an atomic they never are.
std::vector<LaneUse> lanes_of(const AccessPattern& p, Mask active) {
  const Units units(*p.instruction);
  Columns columns;
  std::vector<LaneUse> lanes;
  for (Mask rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t address = p.address[index(lane)];
    int pass = columns.add(units, address, lane);
    if (const int each = p.instruction->lane_passes; each != 0)
      pass = each * (std::popcount(columns.lanes[units.column(address)]) - 1);
    lanes.push_back({lane, Bytes{address}, static_cast<int>(address / 4 % bank_count), units.words(), pass, 0});
  }
  for (LaneUse& use : lanes)
    for (const LaneUse& other : lanes) {
      const bool is_same = units.of(p.address[index(use.lane)]) == units.of(p.address[index(other.lane)]);
      if (use.bank == other.bank && !is_same) use.collides_with |= Mask{1} << other.lane;
      if (p.instruction->lane_passes != 0 && is_same && use.lane != other.lane) use.waits_with |= Mask{1} << other.lane;
    }
  return lanes;
}

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
    const Mask group = pattern.lanes() & mask_of(g * lane_count, lane_count);
    for (Mask rest = group; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      columns.add(units, pattern.address[index(lane)], lane);
    }
    int passes = 0, distinct = 0;
    for (std::size_t c = 0; c < bank_count; ++c) {
      passes = std::max<int>(passes, columns.count[c]);
      distinct += columns.count[c];
      out.colliding |= columns.count[c] > 1 ? columns.lanes[c] : 0;
    }
    out.words[index(g)] = distinct * units.words();
    int ideal = ideal_of(out.words[index(g)]);
    if (const int each = instruction.lane_passes; each != 0) {
      int fullest = 0;
      for (const Mask lanes : columns.lanes) fullest = std::max(fullest, std::popcount(lanes));
      const int most = most_of_one_word(pattern, group);
      out.sharing = std::max(out.sharing, most);
      out.combined += each * passes;  // for its distinct words
      passes = each * fullest;
      ideal = each * most;
    }
    out.passes[index(g)] = passes;
    out.ideals[index(g)] = ideal;
    out.wavefronts += passes;
    out.ideal += ideal;
  }
  // An instruction passes even if no lane requests anything.
  if (pattern.lanes() == 0) out.wavefronts = out.ideal = out.combined = 1;
  return out;
}

std::vector<WavefrontGroup> wavefront_groups(const AccessPattern& pattern) {
  const WavefrontCount count = count_wavefronts(pattern);
  const int lane_count = lanes_of_group(*pattern.instruction, count.pairs);
  std::vector<WavefrontGroup> groups;
  for (int g = 0; g < count.groups; ++g) {
    const Mask active = pattern.lanes() & mask_of(g * lane_count, lane_count);
    std::vector<LaneUse> lanes = lanes_of(pattern, active);
    std::vector<BankUse> banks = banks_of(lanes);
    groups.push_back({active, count.passes[index(g)], count.words[index(g)], count.ideals[index(g)], std::move(lanes),
                      std::move(banks)});
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
        "lanes l and l^{} give the same address whenever both are active, so two groups of {} lanes are served as "
        "one of {}",
        report.count.pairs, pattern.instruction->group_lanes, 2 * pattern.instruction->group_lanes);
  return report;
}

}  // namespace swz
