#include "view/banks_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/text.hpp"
#include "smem/access.hpp"
#include "view/figure.hpp"

namespace swz {

namespace {

using enum Column::Align;

// ---- lanes

// "0-3,8": the lanes of a mask.
std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  while (lanes != 0) {
    const int first = std::countr_zero(lanes), count = std::countr_one(lanes >> first);
    text += (text.empty() ? "" : ",") + range_text(first, count);
    lanes = first + count == warp_lanes ? 0 : lanes >> (first + count) << (first + count);
  }
  return text;
}

Json lane_list(std::uint32_t lanes) {
  Json list = Json::array();
  for (int lane = 0; lane < warp_lanes; ++lane)
    if ((lanes >> lane & 1) != 0) list.push_back(lane);
  return list;
}

Json banks_of(const WavefrontGroup& group) {
  Json banks = Json::array();
  for (const BankUse& bank : group.banks) {
    Json words = Json::array();
    for (const WordUse& word : bank.words)
      words.push_back({{"byte", std::int64_t{word.word} * 4}, {"lanes", lane_list(word.lanes)}});
    banks.push_back({{"bank", bank.bank}, {"words", std::move(words)}});
  }
  return banks;
}

Json groups_of(const WavefrontReport& report) {
  Json groups = Json::array();
  for (const WavefrontGroup& group : report.groups)
    groups.push_back({{"lanes", lane_list(group.active)},
                      {"passes", group.passes},
                      {"words", group.words},
                      {"ideal", group.ideal},
                      {"banks", banks_of(group)}});
  return groups;
}

Json lanes_of(const ShownInstruction& shown) {
  Json lanes = Json::array();
  for (std::size_t g = 0; g < shown.report.groups.size(); ++g)
    for (const LaneUse& use : shown.report.groups[g].lanes) {
      std::optional<TileCoordinate> at;
      if (!shown.coordinates.empty()) at = shown.coordinates.at(static_cast<std::size_t>(use.lane));
      lanes.push_back({{"lane", use.lane},
                       {"row", at ? Json(at->row) : Json()},
                       {"k", at ? Json(at->k) : Json()},
                       {"byte", use.address.count},
                       {"bank", use.bank},
                       {"banks", use.banks},
                       {"group", g},
                       {"pass", use.pass},
                       {"collides_with", lane_list(use.collides_with)}});
    }
  return lanes;
}

std::string instruction_title(const ShownInstruction& shown) {
  const WavefrontCount& c = shown.report.count;
  std::string title = shown.access;
  if (shown.count > 1)
    title = fmt::format("{}: {} {} of {}", c.excess() > 0 ? "worst instruction" : "one instruction", shown.access,
                        shown.index, shown.count);
  return fmt::format("{}, {}, ideal {}", title, plural(c.wavefronts, "wavefront"), c.ideal);
}

// Text only.
Table lane_table(const ShownInstruction& shown) {
  struct Lane {
    LaneUse use;
    std::size_t group;
    TileCoordinate at;
    Tone tone;
  };
  const bool has_coordinates = !shown.coordinates.empty(), has_groups = shown.report.groups.size() > 1;
  std::vector<Lane> lanes;
  for (std::size_t g = 0; g < shown.report.groups.size(); ++g)
    for (const LaneUse& use : shown.report.groups[g].lanes)
      lanes.push_back(
          {use, g, has_coordinates ? shown.coordinates.at(static_cast<std::size_t>(use.lane)) : TileCoordinate{},
           use.collides_with != 0 ? Tone::bad : Tone::plain});
  const auto collisions = [](const Lane& l) {
    return Cell(lanes_text(l.use.collides_with), l.use.collides_with == 0 ? " " : "", l.tone);
  };
  return table_of<Lane>(
      "", instruction_title(shown), lanes,
      {{"", "lane", [](const Lane& l) { return l.use.lane; }, right},
       {"", has_coordinates ? "row" : "", [](const Lane& l) { return l.at.row; }, right},
       {"", has_coordinates ? "k" : "", [](const Lane& l) { return l.at.k; }, right},
       {"", "byte", [](const Lane& l) { return fmt::format("{:#x}", l.use.address.count); }, right},
       {"", "banks", [](const Lane& l) { return Cell(range_text(l.use.bank, l.use.banks), "", l.tone); }, right},
       {"", has_groups ? "group" : "", &Lane::group, right},
       {"", "pass", [](const Lane& l) { return l.use.pass; }, right},
       {"", "collides with lanes", collisions}});
}

std::int64_t quantity_of(CounterQuantity quantity, const CountedAccess& a) {
  switch (quantity) {
    case CounterQuantity::wavefronts: return a.sums.wavefronts;
    case CounterQuantity::ideal: return a.sums.ideal;
    case CounterQuantity::excess: return a.sums.excess();
    case CounterQuantity::instructions: return a.instructions;
  }
  return 0;
}

// ---- the figure

constexpr std::size_t longest_cell = 7;
constexpr std::int64_t most_lines = 32;  // lines in between that are drawn although nothing touches them

// The lanes that touch a cell, and those of them that collide.
struct CellUse {
  std::uint32_t lanes = 0, colliding = 0;
};

// What an instruction touches: cells by their number in shared memory.
struct TouchedCells {
  std::int64_t bytes = 4, in_line = 32;
  std::map<std::int64_t, CellUse> uses;
  std::vector<std::int64_t> lines;  // of 128 bytes, to draw
  bool skips_lines = false;
};

TouchedCells touched_cells(const WavefrontReport& report) {
  TouchedCells cells;
  cells.bytes = std::max(4, report.pattern.instruction->bytes);
  cells.in_line = bank_row.count / cells.bytes;
  for (const WavefrontGroup& group : report.groups)
    for (const LaneUse& lane : group.lanes) {
      CellUse& use = cells.uses[lane.address.count / cells.bytes];
      use.lanes |= std::uint32_t{1} << lane.lane;
      if (lane.collides_with != 0) use.colliding |= std::uint32_t{1} << lane.lane;
    }
  for (const auto& [cell, use] : cells.uses) {
    const std::int64_t line = cell / cells.in_line;
    if (cells.lines.empty() || cells.lines.back() != line) cells.lines.push_back(line);
  }
  if (cells.lines.empty()) return cells;
  const std::int64_t first = cells.lines.front(), count = cells.lines.back() - first + 1;
  cells.skips_lines = count > most_lines && count != std::ssize(cells.lines);
  if (count > most_lines) return cells;
  cells.lines.clear();
  for (std::int64_t line = first; line < first + count; ++line) cells.lines.push_back(line);
  return cells;
}

Grid::Square square_of(const CellUse& use, std::int64_t byte, std::int64_t bytes) {
  const std::string lanes = lanes_text(use.lanes);
  const int first = std::countr_zero(use.lanes);
  return {lanes.size() <= longest_cell ? lanes : fmt::format("{},…", first), tint_of_thread(first),
          use.colliding != 0 ? Mark::colliding : Mark::none,
          fmt::format("byte {:#x}, banks {}\nlane {}{}", byte, range_text(byte / 4 % bank_count, bytes / 4), lanes,
                      use.colliding != 0 ? "\ncollides" : "")};
}

Grid grid_of(const std::string& title, const TouchedCells& cells) {
  Grid grid = smem_lines(title, "line\\bank", cells.lines, cells.bytes * 8);
  for (std::size_t row = 0; row < cells.lines.size(); ++row)
    for (std::int64_t column = 0; column < cells.in_line; ++column) {
      const std::int64_t cell = cells.lines[row] * cells.in_line + column;
      if (const auto use = cells.uses.find(cell); use != cells.uses.end())
        grid.squares[row][static_cast<std::size_t>(column)] =
            square_of(use->second, cell * cells.bytes, cells.bytes);
    }
  return grid;
}

}  // namespace

void add_sums(Document& d, const Target& target, WavefrontTotal sums) {
  const bool is_ideal = sums.excess() == 0;
  d.json("arch", target.name);
  d.field("wavefronts", "wavefronts", sums.wavefronts,
          is_ideal ? fmt::format("{}, the ideal: no bank conflict", sums.wavefronts)
                   : fmt::format("{} where {} would do: {} too many", sums.wavefronts, sums.ideal, sums.excess()),
          is_ideal ? Tone::good : Tone::bad);
  d.json("ideal", sums.ideal).json("excess", sums.excess());
}

void add_instruction(Document& d, const ShownInstruction& shown) {
  const WavefrontReport& r = shown.report;
  d.json("groups", groups_of(r));
  d.json("worst", {{"access", shown.access},
                   {"instruction", shown.index},
                   {"wavefronts", r.count.wavefronts},
                   {"ideal", r.count.ideal},
                   {"excess", r.count.excess()},
                   {"ways", r.count.ways()},
                   {"pairs", r.count.pairs},
                   {"pairing", r.pairing.empty() ? Json() : Json(r.pairing)},
                   {"evidence", to_string(r.source.evidence)},
                   {"source", r.source.where},
                   {"lanes", lanes_of(shown)}});
  d.add(lane_table(shown));
}

void add_counters(Document& d, const std::vector<CountedAccess>& accesses) {
  Table table{"counters",
              "in Nsight Compute, for one warp that executes this once",
              {{"value", "value", right}, {"what", "what"}, {"evidence", "evidence"}, {"counter", "counter"}},
              {}};
  for (const Counter& counter : counters()) {
    std::optional<std::int64_t> value;
    for (const CountedAccess& a : accesses)
      if (counter.counts(a.instruction->op)) value = value.value_or(0) + quantity_of(counter.quantity, a);
    if (value)
      table.rows.push_back(
          {*value, counter.remark, Cell(to_string(counter.source.evidence), "", Tone::faint), counter.name});
  }
  d.add(std::move(table));
}

Figure banks_figure(const std::vector<BanksPanel>& panels) {
  Figure figure;
  figure.panels.emplace_back();
  bool collides = false, skips = false;
  for (const BanksPanel& panel : panels) {
    const TouchedCells cells = touched_cells(panel.report);
    figure.panels.front().push_back(grid_of(panel.title, cells));
    collides = collides || panel.report.count.colliding != 0;
    skips = skips || cells.skips_lines;
  }
  if (collides) figure.legend.push_back({"conflict: another word in these banks", {}, Mark::colliding});
  figure.caption = "The numbers are lanes; a colour is four of them.";
  if (skips) figure.caption += " Lines that are not touched are left out.";
  return figure;
}

Finding conflict_lint(const Conflict& c) {
  return lint("bank-conflict",
              fmt::format("{}: {} wavefronts where {} would do, {}-way{}", c.access, c.sums.wavefronts,
                          c.sums.ideal, c.ways, c.where),
              c.hint, to_string(c.source));
}

void add_target_lint(Notes& lints, const AccessInstruction& instruction, const Target& target) {
  if (runs_on(instruction.availability, target)) return;
  lints.add(lint("target-lacks-instruction", fmt::format("{} has no {}", target.name, instruction.name),
                 fmt::format("it exists on {}", to_string(instruction.availability)),
                 "PTX ISA 9.1, 9.7 (documented)"));
}

void add_element_lint(Notes& lints, const AccessInstruction& instruction, const DType& dtype, int element_bits) {
  constexpr int register_bits = 32;
  const int unit = instruction.transposed_bits();
  std::string message, hint;
  if (unit != 0 && element_bits != unit) {
    message =
        fmt::format("{} transposes elements of {} bits; {} of {} bits: {}", instruction.name, unit, dtype.name,
                    element_bits, element_bits > unit ? "it tears them apart" : "it moves several of them as one");
    hint = element_bits == 8
               ? "ldmatrix.m16n16.x1.trans and stmatrix.m16n8.x1.trans transpose 8-bit elements, where "
                 "the target has them"
               : "the form without .trans, or ld.shared and st.shared";
  } else if (instruction.is_matrix() && element_bits > register_bits) {
    message = fmt::format("{} gives each thread 4 B of a row; {} of {} bits is split between threads",
                          instruction.name, dtype.name, element_bits);
    hint = "ld.shared and st.shared move whole elements";
  } else {
    return;
  }
  lints.add(lint("element-size", message, hint, "PTX ISA 9.1, 9.7.14.5 (documented)"));
}

void add_evidence_note(Notes& notes, const AccessInstruction& instruction, const Target& target) {
  const Source source = wavefront_source(instruction, target);
  if (source.evidence == Evidence::measured) return;
  notes.add(note("evidence", fmt::format("{} on {}: {}", instruction.name, target.name, to_string(source))));
}

void add_counter_notes(Notes& notes) {
  for (const CounterCaveat& caveat : counter_caveats())
    notes.add(note(caveat.rule, std::string(caveat.message), "", to_string(caveat.source)));
}

}  // namespace swz
