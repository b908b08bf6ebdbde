// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "base/text.hpp"
#include "smem/access.hpp"
#include "view/banks/banks.hpp"
#include "view/banks/fold.hpp"
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
// Of more touched lines than `most`, the first ones are drawn, and the last.
struct LineLimit {
  std::size_t most = 0, first = 0;
};
constexpr LineLimit usual_lines{16, 8}, compared_lines{9, 8}, compared_narrow_lines{7, 6}, lines_in_short_text{12, 6};
constexpr std::int64_t few_columns = 8;  // panels that are compared have all of them, to one scale
constexpr std::int64_t most_lines = 32;  // lines in between that are drawn although no lane touches them

// The lanes that touch a cell, those of them that collide, and the wavefront of the instruction that serves the first.
struct CellUse {
  std::uint32_t lanes = 0, colliding = 0;
  int wavefront = -1;
};

// A row of the figure: a line of 128 bytes; for the lanes of an atomic that share a word, which are served one at a
// time, one of the rows of that line.
struct CellRow {
  std::int64_t line = 0;
  std::size_t turn = 0;
};

// The cells that an instruction touches, by their number in shared memory.
struct TouchedCells {
  std::int64_t bytes = 4, in_line = 32;
  bool is_atomic = false;
  std::map<std::int64_t, std::vector<CellUse>> uses;  // of an atomic one for each lane, in turn
  std::vector<CellRow> rows;
  bool skips_lines = false;
  // For each bank: how many words it serves, of an atomic how often it serves a lane; the most of them for one group;
  // and whether a group takes more wavefronts because of it than it must.
  std::array<int, bank_count> served = {}, most = {};
  std::array<bool, bank_count> exceeds = {};
};

// Counts what the banks serve of a group. Several words of one bank are a conflict; an atomic conflicts where a bank
// needs more wavefronts than the lanes of any one word do.
void count_banks(TouchedCells& cells, const WavefrontGroup& group, int lane_passes) {
  for (const BankUse& use : group.banks) {
    const auto bank = static_cast<std::size_t>(use.bank);
    int count = static_cast<int>(use.words.size());
    if (cells.is_atomic) {
      count = 0;
      for (const WordUse& word : use.words) count += lane_passes * std::popcount(word.lanes);
    }
    cells.served[bank] += count;
    cells.most[bank] = std::max(cells.most[bank], count);
    cells.exceeds[bank] = cells.exceeds[bank] || count > (cells.is_atomic ? group.ideal : 1);
  }
}

// The lines of the touched cells, with those in between if they are few and asked for; a line has as many rows as turns.
void set_rows(TouchedCells& cells, bool has_lines_between) {
  std::map<std::int64_t, std::size_t> turns;
  for (const auto& [cell, uses] : cells.uses) {
    std::size_t& most = turns[cell / cells.in_line];
    most = std::max(most, uses.size());
  }
  if (turns.empty()) return;
  const std::int64_t first = turns.begin()->first, count = turns.rbegin()->first - first + 1;
  const bool fills = has_lines_between && count <= most_lines;
  cells.skips_lines = !fills && count != std::ssize(turns);
  if (fills)
    for (std::int64_t line = first; line < first + count; ++line) turns.emplace(line, 1);
  for (const auto& [line, most] : turns)
    for (std::size_t turn = 0; turn < most; ++turn) cells.rows.push_back({line, turn});
}

TouchedCells touched_cells(const WavefrontReport& report, bool has_lines_between) {
  TouchedCells cells;
  const AccessInstruction& instruction = *report.pattern.instruction;
  cells.bytes = std::max(4, instruction.bytes);
  cells.in_line = bank_row.count / cells.bytes;
  cells.is_atomic = instruction.lane_passes != 0;
  int wavefront = 0;  // the first of the group
  for (const WavefrontGroup& group : report.groups) {
    count_banks(cells, group, instruction.lane_passes);
    for (const LaneUse& lane : group.lanes) {
      std::vector<CellUse>& uses = cells.uses[lane.address.count / cells.bytes];
      if (uses.empty() || cells.is_atomic) uses.push_back({0, 0, wavefront + lane.pass});
      CellUse& use = uses.back();
      use.lanes |= std::uint32_t{1} << lane.lane;
      // Words of one bank cost nothing while the lanes of another word take turns as often.
      if (lane.collides_with != 0 && report.count.excess() > 0) use.colliding |= std::uint32_t{1} << lane.lane;
    }
    wavefront += group.passes;
  }
  set_rows(cells, has_lines_between);
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

// Adds a last row: how many words the banks of each column serve; of an atomic how many wavefronts.
void add_bank_counts(Grid& grid, const TouchedCells& cells) {
  grid.row_group = static_cast<int>(cells.rows.size());
  grid.row_labels.emplace_back(cells.is_atomic ? "passes" : "words");
  std::vector<Grid::Square>& row = grid.squares.emplace_back();
  const std::int64_t banks = cells.bytes / 4;
  for (std::int64_t first = 0; first < bank_count; first += banks) {
    const auto of = [&](const auto& counts) {
      return std::span(counts).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(banks));
    };
    const int served = std::ranges::max(of(cells.served)), most = std::ranges::max(of(cells.most));
    const bool exceeds = std::ranges::any_of(of(cells.exceeds), [](bool e) { return e; });
    row.push_back({served == 0 ? "" : std::to_string(served),
                   {},
                   exceeds ? Mark::colliding : Mark::none,
                   fmt::format("banks {}: {} to serve\nat most {} for one group of lanes", range_text(first, banks),
                               plural(served, cells.is_atomic ? "lane" : "word"), most)});
  }
}

// Where lanes touch few banks with others between them, or where panels share the width, only the touched ones are
// drawn: 0, 4, 8, …, 28.
void keep_touched_columns(Grid& grid, bool has_neighbours) {
  constexpr std::size_t most_columns = 16;
  const std::size_t columns = grid.column_labels.size();
  const auto is_touched = [&](std::size_t c) {
    return std::ranges::any_of(grid.squares, [c](const auto& row) { return !row[c].text.empty(); });
  };
  std::vector<std::size_t> touched;
  for (std::size_t c = 0; c < columns; ++c)
    if (is_touched(c)) touched.push_back(c);
  const bool is_scattered = columns > most_columns && 2 * touched.size() <= columns;
  if (touched.empty() || touched.size() == columns || !(is_scattered || has_neighbours)) return;
  Grid kept = grid;
  kept.column_labels.clear();
  for (const std::size_t c : touched) kept.column_labels.push_back(grid.column_labels[c]);
  for (std::size_t r = 0; r < grid.squares.size(); ++r) {
    kept.squares[r].clear();
    for (const std::size_t c : touched) kept.squares[r].push_back(grid.squares[r][c]);
  }
  grid = std::move(kept);
}

// Lines that no lane touches are left out, and of too many touched lines those between the first and the last.
// The counts of the banks are always shown.
std::vector<std::size_t> key_rows_of(const Grid& grid, LineLimit limit) {
  std::vector<std::size_t> rows;
  const auto is_touched = [](const Grid::Square& square) { return !square.text.empty(); };
  for (std::size_t row = 0; row + 1 < grid.squares.size(); ++row)
    if (std::ranges::any_of(grid.squares[row], is_touched)) rows.push_back(row);
  if (rows.size() > limit.most) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(limit.first), rows.end() - 1);
  rows.push_back(grid.squares.size() - 1);
  return rows;
}

// Of many banks those that the drawn lines touch.
std::vector<std::size_t> key_columns_of(const Grid& grid) {
  constexpr std::size_t most_columns = 16;
  if (grid.key_rows.empty() || grid.column_labels.size() <= most_columns) return {};
  std::set<std::size_t> columns;
  for (const std::size_t row : std::span(grid.key_rows).first(grid.key_rows.size() - 1))
    for (std::size_t c = 0; c < grid.squares[row].size(); ++c)
      if (!grid.squares[row][c].text.empty()) columns.insert(c);
  return {columns.begin(), columns.end()};
}

// Placements that are compared are drawn to one scale: banks are folded only where lines have many columns.
enum class Neighbours { none, compared, accesses };

LineLimit line_limit(const TouchedCells& cells, Neighbours neighbours, bool is_short) {
  if (is_short) return lines_in_short_text;
  if (neighbours == Neighbours::none) return usual_lines;
  // Few lines of many banks: where a line goes to another bank each time, as many columns are drawn.
  return cells.in_line > few_columns ? compared_narrow_lines : compared_lines;
}

Grid touched_grid(const std::string& title, const TouchedCells& cells, const Highlight& highlight, LineLimit limit,
                  Neighbours neighbours) {
  std::vector<std::int64_t> lines;
  for (const CellRow& row : cells.rows) lines.push_back(row.line);
  Grid grid = smem_lines(title, "line\\bank", lines, cells.bytes * 8);
  for (std::size_t r = 0; r < cells.rows.size(); ++r) {
    const CellRow& row = cells.rows[r];
    if (row.turn > 0) grid.row_labels[r] += fmt::format(", turn {}", row.turn + 1);
    for (std::int64_t c = 0; c < cells.in_line; ++c) {
      const auto found = cells.uses.find(row.line * cells.in_line + c);
      if (found != cells.uses.end() && row.turn < found->second.size())
        grid.squares[r][static_cast<std::size_t>(c)] =
            square_of(found->second[row.turn], found->first * cells.bytes, cells.bytes, highlight);
    }
  }
  add_bank_counts(grid, cells);
  if (neighbours != Neighbours::compared || cells.in_line > few_columns) fold_columns(grid, cells.bytes / 4);
  keep_touched_columns(grid, neighbours == Neighbours::accesses);
  grid.key_rows = key_rows_of(grid, limit);
  constexpr std::size_t fewest_left_out = 3;
  if (grid.key_rows.size() + fewest_left_out > grid.squares.size()) grid.key_rows.clear();
  return grid;
}

// "wavefronts 1, 9, …": those of one hue.
std::string wavefronts_text(int first, int count) {
  std::string text = fmt::format("wavefront{} {}", first + hues < count ? "s" : "", first);
  if (first + hues < count) text += fmt::format(", {}", first + hues);
  return text + (first + 2 * hues < count ? ", …" : "");
}

// Where placements are compared, the wavefronts in the titles of their panels are the counts that matter.
void drop_bank_counts(Grid& grid) {
  grid.squares.pop_back();
  grid.row_labels.pop_back();
  grid.row_group = 0;
  if (!grid.key_rows.empty()) grid.key_rows.pop_back();
}

// By how much the only number of a cell and its wavefront grow to the cell 8 lines below; none if they look otherwise.
using Growth = std::pair<int, int>;
std::optional<Growth> growth_of(const Grid::Square& from, const Grid::Square& to) {
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos && !text.empty();
  };
  if (!is_number(from.text) || !is_number(to.text) || from.mark != to.mark) return {};
  return Growth{std::stoi(to.text) - std::stoi(from.text), to.step - from.step};
}

// Where the second half of 16 lines goes on as the first half, 8 lines are drawn and the last; below them is how they go
// on: "lines 0x400-0x780: lane + 8, wavefront + 1".
void fold_lines(Grid& grid) {
  constexpr std::size_t half = 8;
  if (grid.squares.size() != 2 * half + 1 || !grid.key_rows.empty()) return;
  std::optional<Growth> growth;
  for (std::size_t r = 0; r < half; ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      const Grid::Square &from = grid.squares[r][c], &to = grid.squares[r + half][c];
      if (from.text.empty() && to.text.empty()) continue;
      const std::optional<Growth> next = growth_of(from, to);
      if (!next || (growth && *growth != *next)) return;
      growth = next;
    }
  if (!growth || growth->first < 0 || growth->second < 0) return;
  for (std::size_t r = 0; r < half; ++r) grid.key_rows.push_back(r);
  for (const std::size_t r : {2 * half - 1, 2 * half}) grid.key_rows.push_back(r);
  grid.below = fmt::format("lines {}-{}: lane + {}, wavefront + {}", grid.row_labels[half],
                           grid.row_labels[2 * half - 1], growth->first, growth->second);
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
  d.add(in_full(lane_table(shown, lanes)));
}

void add_counters(Document& d, const std::vector<CountedAccess>& accesses, bool are_asked) {
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
  d.add(are_asked ? Block(std::move(table)) : in_full(std::move(table)));
}

std::string ShownInstruction::wavefronts_text() const {
  const std::string one = plural(report.count.wavefronts, "wavefront");
  return count > 1 && is_even ? fmt::format("{} x {}", count, one) : one;
}

std::string instruction_title(const ShownInstruction& shown) {
  const WavefrontCount& c = shown.report.count;
  std::string title = shown.asked.empty() ? shown.access : shown.asked;
  if (shown.count > 1)
    title = fmt::format("the {} of {} {}", c.excess() > 0 ? "worst" : "first", shown.count, shown.access);
  return fmt::format("{}: {}{}", title, plural(c.wavefronts, "wavefront"),
                     c.excess() > 0  ? fmt::format(" where {} would do", c.ideal)
                     : c.sharing > 1 ? fmt::format(", the least for {} lanes of one word", c.sharing)
                                     : ", the ideal");
}

// What the cells and the last row say, and what is left out; the legend has what is marked.
static std::string banks_caption(const std::vector<TouchedCells>& all, const std::vector<Grid>& panels, int wavefronts,
                                 bool has_counts) {
  std::string text =
      all.front().is_atomic
          ? "Numbers: lanes; those of one word take turns, below each other. Passes: how many a bank takes."
      : has_counts ? "Numbers: lanes. Words: how many a bank serves."
                   : "Numbers: lanes.";
  if (wavefronts > hues) text += " Colour: the wavefront mod 8.";
  const bool lacks_lines = std::ranges::any_of(all, &TouchedCells::skips_lines);
  bool lacks_columns = false;
  for (std::size_t i = 0; i < all.size(); ++i)
    lacks_columns = lacks_columns || (!has_fold(panels[i]) && std::ssize(panels[i].column_labels) < all[i].in_line);
  if (lacks_lines) text += lacks_columns ? " Lines and banks" : " Lines that are not touched are left out.";
  else if (lacks_columns) text += " Banks";
  if (lacks_columns) text += " that no lane touches are left out.";
  return text;
}

// What the colours and marks mean.
static std::vector<LegendEntry> banks_legend(const std::vector<TouchedCells>& all, int wavefronts, bool is_short) {
  std::vector<LegendEntry> legend;
  if (is_short) legend = hue_legend(wavefronts, [&](int hue) { return wavefronts_text(hue, wavefronts); });
  // On a page the title of the legend has the word, and the caption is about more wavefronts than hues.
  else if (wavefronts <= hues) legend = hue_legend(wavefronts, [](int hue) { return std::to_string(hue); });
  const auto collides = [](const TouchedCells& cells) {
    return std::ranges::any_of(cells.uses, [](const auto& cell) {
      return std::ranges::any_of(cell.second, [](const CellUse& use) { return use.colliding != 0; });
    });
  };
  const char* const numbers = is_short ? "; the numbers are lanes" : "";
  if (std::ranges::any_of(all, collides))
    legend.push_back({fmt::format("{}{}",
                                  all.front().is_atomic ? "conflict: more passes than the lanes of one word need"
                                                        : "conflict: another word in these banks",
                                  numbers),
                      {},
                      Mark::colliding});
  return legend;
}

Figure banks_figure(const std::vector<ShownInstruction>& instructions, const Highlight& highlight, bool is_short,
                    bool is_beside) {
  const Neighbours neighbours = is_beside                  ? Neighbours::accesses
                                : instructions.size() == 1 ? Neighbours::none
                                                           : Neighbours::compared;
  const bool has_counts = neighbours != Neighbours::compared || is_short ||
                          instructions.front().report.pattern.instruction->lane_passes != 0;
  std::vector<TouchedCells> all;
  std::vector<Grid> panels;
  int wavefronts = 0;
  for (const ShownInstruction& shown : instructions) {
    const TouchedCells& cells = all.emplace_back(touched_cells(shown.report, !is_beside));
    Grid& grid = panels.emplace_back(
        touched_grid(shown.panel, cells, highlight, line_limit(cells, neighbours, is_short), neighbours));
    if (instructions.size() > 1) grid.key_columns = key_columns_of(grid);
    if (!has_counts) drop_bank_counts(grid);
    wavefronts = std::max(wavefronts, shown.report.count.wavefronts);
  }
  Figure figure;
  figure.caption = is_short ? "" : banks_caption(all, panels, wavefronts, has_counts);
  if (!is_short && wavefronts > hues) figure.about_shades = " Another shade: 8 wavefronts later.";
  figure.legend = banks_legend(all, wavefronts, is_short);
  if (!is_short) {
    if (wavefronts <= hues) figure.legend_title = "colour: wavefront";
    if (std::ranges::any_of(panels, has_fold)) figure.legend.push_back({"no lane", {}, Mark::none, 1});
  }
  if (!highlight.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  figure.steps = labels_of(wavefronts, 1, [](std::int64_t i) { return fmt::format("wavefront {}", i); });
  figure.is_comparison = neighbours == Neighbours::compared;
  if (neighbours == Neighbours::none && highlight.empty()) fold_lines(panels.front());
  figure.panels.push_back(std::move(panels));
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
