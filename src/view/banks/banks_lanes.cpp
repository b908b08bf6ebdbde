// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>

#include "base/text.hpp"
#include "smem/access.hpp"
#include "view/banks/banks.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"

namespace swz {

std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  while (lanes != 0) {
    const int first = std::countr_zero(lanes), count = std::countr_one(lanes >> first);
    text += (text.empty() ? "" : ",") + range_text(first, count);
    lanes = first + count == warp_lanes ? 0 : lanes >> (first + count) << (first + count);
  }
  return text;
}

namespace {

using enum Column::Align;

// ---- lanes

Json lane_list(std::uint32_t lanes) {
  Json list = Json::array();
  for (int lane = 0; lane < warp_lanes; ++lane)
    if ((lanes >> lane & 1) != 0) list.push_back(lane);
  return list;
}

Json groups_of(const WavefrontReport& report) {
  const auto word = [](const WordUse& use) -> Json {
    return {{"byte", std::int64_t{use.word} * 4}, {"lanes", lane_list(use.lanes)}};
  };
  const auto bank = [&](const BankUse& use) -> Json {
    return {{"bank", use.bank}, {"words", json_list(use.words, word)}};
  };
  return json_list(report.groups, [&](const WavefrontGroup& group) -> Json {
    return {{"lanes", lane_list(group.active)},
            {"passes", group.passes},
            {"words", group.words},
            {"ideal", group.ideal},
            {"banks", json_list(group.banks, bank)}};
  });
}

// A lane of the instruction. at: the element that it accesses.
struct ShownLane {
  LaneUse use;
  std::size_t group;
  std::optional<TileCoordinate> at;
};

std::vector<ShownLane> lanes_of(const ShownInstruction& shown) {
  std::vector<ShownLane> lanes;
  for (std::size_t g = 0; g < shown.report.groups.size(); ++g)
    for (const LaneUse& use : shown.report.groups[g].lanes) {
      lanes.push_back({use, g, std::nullopt});
      if (!shown.coordinates.empty()) lanes.back().at = shown.coordinates.at(static_cast<std::size_t>(use.lane));
    }
  return lanes;
}

Json lanes_json(const std::vector<ShownLane>& lanes) {
  return json_list(lanes, [](const ShownLane& l) -> Json {
    return {{"lane", l.use.lane},
            {"row", l.at ? Json(l.at->row) : Json()},
            {"k", l.at ? Json(l.at->k) : Json()},
            {"byte", l.use.address.count},
            {"bank", l.use.bank},
            {"banks", l.use.banks},
            {"group", l.group},
            {"pass", l.use.pass},
            {"collides_with", lane_list(l.use.collides_with)},
            {"waits_with", lane_list(l.use.waits_with)}};
  });
}

// Text only: first the lanes that collide; the others are folded.
Table lane_table(const ShownInstruction& shown, std::vector<ShownLane> lanes) {
  using Lane = ShownLane;
  const auto collides = [](const Lane& l) { return l.use.collides_with != 0 || l.use.waits_with != 0; };
  const bool has_waits = std::ranges::any_of(lanes, [](const Lane& l) { return l.use.waits_with != 0; });
  const auto others = std::stable_partition(lanes.begin(), lanes.end(), collides);
  std::uint32_t rest = 0;
  for (auto lane = others; lane != lanes.end(); ++lane) rest |= std::uint32_t{1} << lane->use.lane;
  const bool has_coordinates = !shown.coordinates.empty(), has_groups = shown.report.groups.size() > 1;
  const auto tone = [](const Lane& l) { return l.use.collides_with != 0 ? Tone::bad : Tone::plain; };
  const auto banks = [&](const Lane& l) { return Cell(range_text(l.use.bank, l.use.banks), "", tone(l)); };
  const auto collisions = [&](const Lane& l) {
    return Cell(lanes_text(l.use.collides_with), l.use.collides_with == 0 ? " " : "", tone(l));
  };
  const auto waits = [](const Lane& l) { return Cell(lanes_text(l.use.waits_with), l.use.waits_with == 0 ? " " : ""); };
  Table table = table_of<Lane>(
      "", instruction_title(shown), lanes,
      {{"", "lane", [](const Lane& l) { return l.use.lane; }, right},
       {"", has_coordinates ? "row" : "", [](const Lane& l) { return l.at ? Cell(l.at->row) : nullptr; }, right},
       {"", has_coordinates ? "k" : "", [](const Lane& l) { return l.at ? Cell(l.at->k) : nullptr; }, right},
       {"", "byte", [](const Lane& l) { return fmt::format("{:#x}", l.use.address.count); }, right},
       {"", "banks", banks, right},
       {"", has_groups ? "group" : "", &Lane::group, right},
       {"", "pass", [](const Lane& l) { return l.use.pass; }, right},
       {"", "collides with lanes", collisions},
       {"", has_waits ? "waits with lanes (one word)" : "", waits}});
  if (rest != 0)
    table.fold = {static_cast<std::size_t>(std::popcount(rest)),
                  fmt::format("{} without a collision: {}; --full lists {}", plural(std::popcount(rest), "lane"),
                              lanes_text(rest), std::popcount(rest) == 1 ? "it" : "them")};
  return table;
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

constexpr int hues = 8;
constexpr std::size_t longest_cell = 7;
constexpr std::int64_t most_lines = 32;  // lines in between that are drawn although no lane touches them

// The lanes that touch a cell, those of them that collide, and the wavefront of the instruction that serves the first.
struct CellUse {
  std::uint32_t lanes = 0, colliding = 0;
  int wavefront = -1;
};

// The cells that an instruction touches, by their number in shared memory.
struct TouchedCells {
  std::int64_t bytes = 4, in_line = 32;
  std::map<std::int64_t, CellUse> uses;
  std::vector<std::int64_t> lines;  // of 128 bytes, to draw
  bool skips_lines = false;
  // For each bank: the words that it serves, and the most of them that one group asks for.
  std::array<int, bank_count> words = {}, most = {};
};

TouchedCells touched_cells(const WavefrontReport& report) {
  TouchedCells cells;
  cells.bytes = std::max(4, report.pattern.instruction->bytes);
  cells.in_line = bank_row.count / cells.bytes;
  int wavefront = 0;  // the first of the group
  for (const WavefrontGroup& group : report.groups) {
    for (const LaneUse& lane : group.lanes) {
      CellUse& use = cells.uses[lane.address.count / cells.bytes];
      use.lanes |= std::uint32_t{1} << lane.lane;
      if (lane.collides_with != 0) use.colliding |= std::uint32_t{1} << lane.lane;
      if (use.wavefront < 0) use.wavefront = wavefront + lane.pass;
    }
    for (const BankUse& use : group.banks) {
      const auto bank = static_cast<std::size_t>(use.bank);
      const int count = static_cast<int>(use.words.size());
      cells.words[bank] += count;
      cells.most[bank] = std::max(cells.most[bank], count);
    }
    wavefront += group.passes;
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

// Eight hues, then the same in lighter shades.
Tint tint_of_wavefront(int wavefront) { return {wavefront & 7, wavefront >> 3 & 3}; }

bool is_highlighted(const Highlight& highlight, const CellUse& use, std::int64_t first_bank, std::int64_t banks) {
  bool has_lane = false;
  for (int lane = 0; lane < warp_lanes; ++lane)
    has_lane = has_lane || ((use.lanes >> lane & 1) != 0 && highlight.contains("lanes", lane));
  return has_lane && highlight.contains_any("banks", first_bank, banks) &&
         highlight.contains("wavefronts", use.wavefront);
}

Grid::Square square_of(const CellUse& use, std::int64_t byte, std::int64_t bytes, const Highlight& highlight) {
  const std::string lanes = lanes_text(use.lanes);
  const std::int64_t bank = byte / 4 % bank_count;
  const Mark mark = !highlight.empty() && !is_highlighted(highlight, use, bank, bytes / 4) ? Mark::faint
                    : use.colliding != 0                                                   ? Mark::colliding
                    : highlight.empty()                                                    ? Mark::none
                                                                                           : Mark::highlighted;
  return {lanes.size() <= longest_cell ? lanes : fmt::format("{},…", std::countr_zero(use.lanes)),
          tint_of_wavefront(use.wavefront), mark,
          fmt::format("byte {:#x}, banks {}\nlane {}\nwavefront {}{}", byte, range_text(bank, bytes / 4), lanes,
                      use.wavefront, use.colliding != 0 ? "\ncollides" : ""),
          use.wavefront};
}

// Adds a last row: how many words the banks of each column serve.
void add_word_counts(Grid& grid, const TouchedCells& cells) {
  grid.row_group = static_cast<int>(cells.lines.size());
  grid.row_labels.emplace_back("words");
  std::vector<Grid::Square>& row = grid.squares.emplace_back();
  const std::int64_t banks = cells.bytes / 4;
  for (std::int64_t first = 0; first < bank_count; first += banks) {
    const auto most_of = [&](const std::array<int, bank_count>& counts) {
      return std::ranges::max(
          std::span(counts).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(banks)));
    };
    const int words = most_of(cells.words), most = most_of(cells.most);
    row.push_back({words == 0 ? "" : std::to_string(words),
                   {},
                   most > 1 ? Mark::colliding : Mark::none,
                   fmt::format("banks {}: {} to serve\nat most {} for one group of lanes", range_text(first, banks),
                               plural(words, "word"), most)});
  }
}

Grid touched_grid(const std::string& title, const TouchedCells& cells, const Highlight& highlight) {
  Grid grid = smem_lines(title, "line\\bank", cells.lines, cells.bytes * 8);
  for (const auto& [cell, use] : cells.uses) {
    const auto line = std::ranges::find(cells.lines, cell / cells.in_line);
    grid.at(line - cells.lines.begin(), cell % cells.in_line) =
        square_of(use, cell * cells.bytes, cells.bytes, highlight);
  }
  add_word_counts(grid, cells);
  // Lines that no lane touches are left out of a picture; the words of the banks are always shown.
  constexpr std::size_t fewest_left_out = 3;
  const auto is_touched = [](const Grid::Square& square) { return !square.text.empty(); };
  for (std::size_t row = 0; row < grid.squares.size(); ++row)
    if (row + 1 == grid.squares.size() || std::ranges::any_of(grid.squares[row], is_touched))
      grid.key_rows.push_back(row);
  if (grid.key_rows.size() + fewest_left_out > grid.squares.size()) grid.key_rows.clear();
  return grid;
}

// "wavefronts 1, 9, 17": those of one hue.
std::string wavefronts_text(int first, int count) {
  std::string text = fmt::format("wavefront{} {}", first + hues < count ? "s" : "", first);
  for (int wavefront = first + hues; wavefront < count; wavefront += hues) text += fmt::format(", {}", wavefront);
  return text;
}

}  // namespace

void add_instruction(Document& d, const ShownInstruction& shown) {
  const WavefrontReport& r = shown.report;
  const std::vector<ShownLane> lanes = lanes_of(shown);
  d.json("groups", groups_of(r));
  d.json("worst", {{"access", shown.access},
                   {"instruction", shown.index},
                   {"wavefronts", r.count.wavefronts},
                   {"ideal", r.count.ideal},
                   {"excess", r.count.excess()},
                   {"ways", r.count.ways()},
                   {"pairs", r.count.pairs},
                   {"pairing", or_null(r.pairing)},
                   {"evidence", to_string(r.source.evidence)},
                   {"source", r.source.where},
                   {"lanes", lanes_json(lanes)}});
  d.add(lane_table(shown, lanes));
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

std::string instruction_title(const ShownInstruction& shown) {
  const WavefrontCount& c = shown.report.count;
  std::string title = shown.access;
  if (shown.count > 1)
    title = fmt::format("{}: {} {} of {}", c.excess() > 0 ? "worst instruction" : "one instruction", shown.access,
                        shown.index, shown.count);
  return fmt::format("{}, {}, ideal {}", title, plural(c.wavefronts, "wavefront"), c.ideal);
}

Figure banks_figure(const std::vector<ShownInstruction>& instructions, const Highlight& highlight) {
  Figure figure;
  figure.panels.emplace_back();
  figure.caption =
      "The numbers are lanes, a colour is the wavefront that serves them. Words: how many each bank serves; red "
      "where lanes that are served together need several words of one bank.";
  bool skips = false, collides = false;
  int wavefronts = 0;
  for (const ShownInstruction& shown : instructions) {
    const TouchedCells cells = touched_cells(shown.report);
    figure.panels.front().push_back(touched_grid(shown.panel, cells, highlight));
    collides = collides || shown.report.count.colliding != 0;
    skips = skips || cells.skips_lines;
    wavefronts = std::max(wavefronts, shown.report.count.wavefronts);
  }
  figure.legend = hue_legend(wavefronts, [&](int hue) { return wavefronts_text(hue, wavefronts); });
  if (collides) figure.legend.push_back({"conflict: another word in these banks", {}, Mark::colliding});
  if (!highlight.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  if (wavefronts > hues) figure.caption += " A hue fades with each further wavefront that it stands for.";
  if (skips) figure.caption += " Lines that are not touched are left out.";
  figure.steps = labels_of(wavefronts, 1, [](std::int64_t i) { return fmt::format("wavefront {}", i); });
  return figure;
}

void add_target_lint(Notes& lints, const AccessInstruction& instruction, const Target& target) {
  if (runs_on(instruction.availability, target)) return;
  lints.lint("target-lacks-instruction", fmt::format("{} has no {}", target.name, instruction.name),
             fmt::format("it exists on {}", to_string(instruction.availability)), "PTX ISA 9.1, 9.7 (documented)");
}

void add_element_lint(Notes& lints, const AccessInstruction& instruction, const DType& dtype, int element_bits) {
  constexpr int register_bits = 32;
  constexpr const char *rule = "element-size", *source = "PTX ISA 9.1, 9.7.14.5 (documented)";
  const int unit = instruction.transposed_bits();
  if (unit != 0 && element_bits != unit)
    lints.lint(
        rule,
        fmt::format("{} transposes elements of {} bits; {} of {} bits: {}", instruction.name, unit, dtype.name,
                    element_bits, element_bits > unit ? "it tears them apart" : "it moves several of them as one"),
        element_bits == 8 ? "ldmatrix.m16n16.x1.trans and stmatrix.m16n8.x1.trans transpose 8-bit elements, where "
                            "the target has them"
                          : "the form without .trans, or ld.shared and st.shared",
        source);
  else if (instruction.is_matrix() && element_bits > register_bits)
    lints.lint(rule,
               fmt::format("{} gives each thread 4 B of a row; {} of {} bits is split between threads",
                           instruction.name, dtype.name, element_bits),
               "ld.shared and st.shared move whole elements", source);
}

void add_evidence_note(Notes& notes, const AccessInstruction& instruction, const Target& target) {
  const Source source = wavefront_source(instruction, target);
  if (source.evidence == Evidence::measured) return;
  notes.note("evidence", fmt::format("{} on {}: {}", instruction.name, target.name, to_string(source)));
}

}  // namespace swz
