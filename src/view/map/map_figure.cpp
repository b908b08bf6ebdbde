// SPDX-License-Identifier: Apache-2.0
// The picture of swz map: the operand with the address of each 16-byte chunk, beside the lines of shared memory, which
// show whose chunk they contain. A chunk has the same text in both, so that a page highlights both together.
//
//   one word                colour is the k of its chunk, if MN-major its rows
//   against a placement     what the MMA reads beside what lies there; red where that is another element
//   several words, K-major  colour is the MMA that reads it; each is a step, "k 16-31"
//   several, MN-major       colour is the rows; a line has one k, so the lines of each word are a panel of their own
//
// Invariant (tested): for a correct k loop, each chunk belongs to the step whose k it has; a chunk that two MMAs read
// belongs to none.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/map/map.hpp"

namespace swz {

namespace {

// Neighbours differ in hue, and 32 steps in hue or shade.
constexpr Tint tint_of_step(int step) { return {step % 8, step / 8 % 4}; }

// The place of a chunk along its line: its k, if MN-major its rows.
Tint tint_of_chunk(const OperandMap& map, TileCoordinate at) {
  return {static_cast<int>(at.along(map.major) / chunk_extents(map).along(map.major) % 8)};
}

// A word of the picture.
struct ShownWord {
  const MapAnswer* answer = nullptr;
  std::int64_t first_k = 0;
  int step = -1;                 // -1: the picture is of one word
  std::vector<Mark> marks = {};  // of its chunks

  const OperandMap& map() const { return answer->report.map; }
  Tint tint(const ReadChunk& c) const {
    return step >= 0 && map().major == Major::K ? tint_of_step(step) : tint_of_chunk(map(), {c.row, c.k});
  }
};

// The words, and what is known of all of them.
struct Shown {
  std::vector<ShownWord> words;
  std::int64_t rows = 0;                     // how many rows of the operand are drawn, from the first on
  std::map<std::int64_t, int> readers = {};  // how many words read a byte

  std::optional<OperandRole> role() const { return words.front().answer->role; }

  // Calls `visit` with each chunk of these rows that a word reads, and its mark.
  template <class Visit>
  void each_chunk(const ShownWord& word, Visit visit) const {
    const MapAnswer& answer = *word.answer;
    const bool is_asked = !answer.query.empty() || !answer.highlight.empty();
    for (std::size_t i = 0; i < word.marks.size(); ++i) {
      const ReadChunk& c = answer.report.chunks[i];
      const bool is_shared = readers.at(c.byte.count) > 1;
      if (c.row < rows) visit(c, is_shared && !is_asked ? Mark::colliding : word.marks[i]);
    }
  }
};

Shown shown_of(std::vector<ShownWord> words, std::int64_t rows) {
  Shown shown{std::move(words), rows};
  for (ShownWord& word : shown.words) {
    word.marks = marks_of(*word.answer);
    std::map<std::int64_t, int> own;
    for (const ReadChunk& c : word.answer->report.chunks) own[c.byte.count] = 1;
    for (const auto& [byte, one] : own) shown.readers[byte] += one;
  }
  return shown;
}

std::string tip_of(const ShownWord& word, const ReadChunk& c) {
  Point point =
      point_of(*word.answer, {c.row, c.k}, run_extents(word.map().major, c.size.count * 8 / word.map().element_bits));
  // With several words k continues, and the chunks are not numbered.
  point.at.back().first += word.first_k;
  if (word.step >= 0) point.chunk.reset();
  return tip_of(point);
}

// Rows run downwards; K-major, a row is a row of chunks; MN-major, a chunk is as many rows high. The words are beside
// each other.
Grid operand_grid(const Shown& shown) {
  const OperandMap& map = shown.words.front().map();
  const TileExtents size = chunk_extents(map);
  const std::int64_t columns = map.extents.k / size.k;  // of one word
  std::vector<std::string> labels;
  for (const ShownWord& word : shown.words)
    for (std::int64_t i = 0; i < columns; ++i) labels.push_back(std::to_string(word.first_k + i * size.k));
  Grid grid = grid_of("operand: byte of each 16-byte chunk", fmt::format("{}\\k", row_word(shown.role())),
                      number_labels(shown.rows, size.mn), std::move(labels),
                      [](std::int64_t, std::int64_t) { return Grid::Square(); });
  grid.number = "byte";
  for (const ShownWord& word : shown.words)
    shown.each_chunk(word, [&](const ReadChunk& c, Mark mark) {
      grid.at(c.row / size.mn, (&word - shown.words.data()) * columns + c.k / size.k) = {
          fmt::format("{:#x}", c.byte.count), word.tint(c), mark, tip_of(word, c), word.step};
    });
  if (map.major == Major::K) grid.row_group = 8;
  grid.column_group = map.major == Major::MN ? 8 : shown.words.size() > 1 ? static_cast<int>(columns) : 0;
  return grid;
}

std::string smem_title(std::optional<OperandRole> role) {
  return fmt::format("shared memory: {},k of each chunk", row_word(role));
}

// The lines of shared memory that these words read, named if they are not all; one extra row represents the lines
// between them.
Grid smem_grid(const Shown& shown, const std::vector<ShownWord>& words, const std::string& which = {}) {
  constexpr std::size_t chunks_per_line = 8;
  std::map<std::int64_t, std::vector<Grid::Square>> lines;
  for (const ShownWord& word : words)
    shown.each_chunk(word, [&](const ReadChunk& c, Mark mark) {
      auto& squares = lines.try_emplace(c.line(), chunks_per_line).first->second;
      Grid::Square& square = squares[static_cast<std::size_t>(c.position())];
      const std::string tip = tip_of(word, c);
      if (square.text.empty())
        square = {fmt::format("{},{}", c.row, word.first_k + c.k), word.tint(c), {}, tip, word.step};
      else square.tip += "\n" + tip;
      if (square.step != word.step) square.step = -1;
      if (square.mark != Mark::colliding) square.mark = mark;
    });
  Grid grid = smem_lines(which.empty() ? smem_title(shown.role()) : "shared memory, " + which, "byte\\bank", 0, 0);
  grid.number = fmt::format("{},k", row_word(shown.role()));
  std::int64_t next = lines.begin()->first;
  for (auto& [line, squares] : lines) {
    if (line != next) {
      grid.row_labels.emplace_back("...");
      grid.squares.emplace_back(chunks_per_line);
    }
    next = line + 1;
    grid.row_labels.push_back(fmt::format("{:#x}", line * bank_row.count));
    grid.squares.push_back(std::move(squares));
  }
  return grid;
}

// Consecutive words that begin in one line, as the k steps inside an atom do, read the same lines.
std::vector<std::vector<ShownWord>> words_by_lines(const std::vector<ShownWord>& words) {
  std::vector<std::vector<ShownWord>> parts;
  const auto line = [](const ShownWord& word) { return word.answer->report.lowest.count / bank_row.count; };
  for (const ShownWord& word : words) {
    if (parts.empty() || line(parts.back().back()) != line(word)) parts.emplace_back();
    parts.back().push_back(word);
  }
  return parts;
}

std::vector<LegendEntry> legend_of_marks(const MapAnswer& answer, const Figure& figure) {
  std::vector<LegendEntry> legend;
  const auto add = [&](Mark mark, const std::string& text) {
    const auto is_marked = [mark](const Grid::Square& square) { return square.mark == mark; };
    const auto row_is = [&](const auto& row) { return std::ranges::any_of(row, is_marked); };
    const auto grid_is = [&](const Grid& grid) { return std::ranges::any_of(grid.squares, row_is); };
    const auto panels_are = [&](const auto& grids) { return std::ranges::any_of(grids, grid_is); };
    if (std::ranges::any_of(figure.panels, panels_are)) legend.push_back({text, {}, mark});
  };
  add(Mark::colliding, "read more than once");
  add(Mark::highlighted, !answer.query.empty() || !answer.highlight.empty() ? legend_of(answer.query)
                                                                            : "read, but the element lies elsewhere");
  return legend;
}

// The operand beside the lines of all words, or of those that read the same; if every word has its own lines, only
// those.
std::vector<std::vector<Grid>> loop_panels(Shown& shown, const std::vector<std::string>& names,
                                           std::int64_t most_rows) {
  const auto name = [&](const ShownWord& word) { return names[static_cast<std::size_t>(word.step)]; };
  const bool is_shared = std::ranges::any_of(shown.readers, [](const auto& byte) { return byte.second > 1; });
  const std::vector<std::vector<ShownWord>> parts = words_by_lines(shown.words);
  std::vector<std::vector<Grid>> panels;
  if (shown.words.front().map().major == Major::MN || (!is_shared && parts.size() == shown.words.size())) {
    for (const ShownWord& word : shown.words) {
      if (word.step % 2 == 0) panels.emplace_back();
      panels.back().push_back(smem_grid(shown, {word}, name(word)));
    }
    return panels;
  }
  if (is_shared || parts.size() == 1) {
    // With words that overlap, the groups of 8 rows are not alike, and the picture of all of them would not repeat.
    if (is_shared) shown.rows = std::min(shown.rows, most_rows);
    return {{operand_grid(shown), smem_grid(shown, shown.words)}};
  }
  panels = {{operand_grid(shown)}};
  for (const std::vector<ShownWord>& part : parts)
    panels.front().push_back(smem_grid(
        shown, part, part.size() == 1 ? name(part.front()) : name(part.front()) + " to " + name(part.back())));
  return panels;
}

std::vector<LegendEntry> loop_legend(const Shown& shown, const std::vector<std::string>& names) {
  const OperandMap& map = shown.words.front().map();
  const std::int64_t rows = chunk_extents(map).mn;
  if (map.major == Major::MN)
    return hue_legend(map.extents.mn / rows, [&](std::int64_t i) {
      return fmt::format("{} {}", rows_word(shown.role()), range_text(i * rows, rows));
    });
  std::vector<LegendEntry> legend;
  for (const ShownWord& word : shown.words)
    legend.push_back({names[static_cast<std::size_t>(word.step)], tint_of_step(word.step)});
  return legend;
}

// "start 0x400, mode 128B, SBO 0x400", in the base of the addresses that are drawn; a stride that is not used is left out.
std::string word_text(const SmemDescriptor& word, Major major) {
  const StrideRoles& roles = stride_roles(major, word.swizzle()->family);
  std::string text = fmt::format("start {:#x}, mode {}", word.start_address().count, word.swizzle()->name);
  if (!roles.leading.empty()) text += fmt::format(", LBO {:#x}", word.leading_byte_offset().count);
  if (!roles.stride.empty()) text += fmt::format(", SBO {:#x}", word.stride_byte_offset().count);
  return text;
}

std::string word_text(const MapAnswer& answer) { return word_text(answer.report.word, answer.report.map.major); }

}  // namespace

namespace {

// "0-7", "8-15", …: the k of a hue, or its rows.
std::vector<LegendEntry> legend_of_chunks(const OperandMap& map, std::int64_t length) {
  const std::int64_t size = chunk_extents(map).along(map.major);
  return hue_legend(length / size, [&](std::int64_t hue) {
    return range_text(hue * size, size) + (hue * size + 8 * size < length ? ", …" : "");
  });
}

void name_colours(Figure& figure, const MapAnswer& answer) {
  const OperandMap& map = answer.report.map;
  figure.legend_title = fmt::format("colour: {}", map.major == Major::K ? "k" : rows_word(answer.role));
  // What lies there may be from anywhere in what was stored.
  const TileExtents& all = answer.stored ? answer.stored->extents : map.extents;
  const std::int64_t length = std::max(all.along(map.major), map.extents.along(map.major));
  const std::vector<LegendEntry> chunks = legend_of_chunks(map, length);
  figure.legend.insert(figure.legend.begin(), chunks.begin(), chunks.end());
}

// Whether all elements of the chunk are read where they were stored.
bool is_right(const MapAnswer& answer, const ReadChunk& c) {
  const OperandMap& map = answer.report.map;
  const TileExtents size = chunk_extents(map), all = map.extents;
  for (std::int64_t row = c.row; row < std::min(c.row + size.mn, all.mn); ++row)
    for (std::int64_t k = c.k; k < std::min(c.k + size.k, all.k); ++k)
      if (answer.comparison->differs[static_cast<std::size_t>(row * all.k + k)]) return false;
  return true;
}

// "Read: start 0x480, mode 128B; the right word: start 0x400, mode 64B. Stored: bf16 128x64 K-major, mode 64B."
std::string against_caption(const MapAnswer& answer) {
  const Comparison& c = *answer.comparison;
  std::string text = "Read: " + word_text(answer);
  if (c.right) text += "; the right word: " + word_text(c.right->descriptor, answer.report.map.major);
  text += fmt::format(". Stored: {}", to_string(*answer.stored));
  if (c.block != TileCoordinate{0, 0}) text += fmt::format(", the block from ({},{})", c.block.row, c.block.k);
  return text + ".";
}

// The block as the word reads it, beside the elements that lie in these bytes, and where the block was stored.
Figure against_figure(const MapAnswer& answer) {
  const OperandMap& map = answer.report.map;
  const TileExtents size = chunk_extents(map);
  const TileCoordinate block = answer.comparison->block;
  const Shown shown = shown_of({{&answer}}, map.extents.mn);
  Grid read = operand_grid(shown), lies = read, stored = read;
  read.title = "byte that the MMA reads";
  lies.title = fmt::format("{},k that lies there", row_word(answer.role));
  stored.title = fmt::format("stored byte of {},k", row_word(answer.role));
  bool has_nothing = false;
  for (const ReadChunk& c : answer.report.chunks) {
    const Grid::Place at{c.row / size.mn, c.k / size.k};
    const std::optional<TileCoordinate> found = answer.stored->at(c.byte.count * 8);
    Grid::Square& square = lies.at(at.row, at.column);
    square.tint = {};
    square.mark = Mark::none;
    square.text = found ? fmt::format("{},{}", found->row, found->k) : "-";
    has_nothing = has_nothing || !found;
    if (found) square.tint = tint_of_chunk(map, *found);
    if (!is_right(answer, c)) square.mark = Mark::colliding;
    // Only what lies there has colours.
    for (Grid* bytes : {&read, &stored}) {
      bytes->at(at.row, at.column).mark = Mark::none;
      bytes->at(at.row, at.column).tint = {};
    }
    stored.at(at.row, at.column).text =
        fmt::format("{:#x}", answer.stored->place(block.row + c.row, block.k + c.k) / 8);
  }
  // The first group of rows, the first difference, and the end.
  const std::int64_t rows = std::ssize(read.squares), first = answer.comparison->first->at.row / size.mn;
  std::set<std::size_t> key_rows{static_cast<std::size_t>(rows - 1)};
  for (const std::int64_t from : {std::int64_t{0}, first / 8 * 8})
    for (std::int64_t row = from; row < std::min(from + 8, rows); ++row) key_rows.insert(static_cast<std::size_t>(row));
  read.key_rows.assign(key_rows.begin(), key_rows.end());
  lies.key_rows = stored.key_rows = read.key_rows;
  Figure figure;
  figure.panels = {{std::move(read), std::move(lies), std::move(stored)}};
  figure.legend = {
      {has_nothing ? "another element lies there, or none (-)" : "another element lies there", {}, Mark::colliding}};
  name_colours(figure, answer);
  figure.caption = against_caption(answer);
  return figure;
}

}  // namespace

Figure map_figure(const MapAnswer& answer) {
  if (answer.comparison && !answer.comparison->is_same() && answer.query.empty() && answer.highlight.empty())
    return against_figure(answer);
  const Shown shown = shown_of({{&answer}}, answer.report.map.extents.mn);
  Figure figure;
  figure.panels = {{operand_grid(shown), smem_grid(shown, shown.words)}};
  figure.legend = legend_of_marks(answer, figure);
  name_colours(figure, answer);
  figure.caption = fmt::format("The word says: {}. Empty cells are not read.", word_text(answer));
  return figure;
}

namespace {

// Few K-major words beside their colours, "k 16-31: 0x4000004000010042", and how far the second start is from the first,
// where that is in the first line; whether the words are said.
bool add_words(Figure& figure, const MapLoopAnswer& answer) {
  constexpr std::size_t most_words = 4;
  const MapAnswer& first = answer.steps.front();
  if (answer.steps.size() > most_words || first.report.map.major != Major::K) return false;
  for (std::size_t i = 0; i < answer.steps.size(); ++i)
    figure.legend[i].text += ": " + hex64(answer.steps[i].report.word.word());
  const std::int64_t start = first.report.word.start_address().count, begin = first.report.lowest.count,
                     advance = answer.loop.advances.front(), line = begin / bank_row.count;
  const bool is_in_line = advance > 0 && start / bank_row.count == line && (start + advance) / bank_row.count == line;
  Grid& lines = figure.panels.front().back();
  if (is_in_line && lines.title == smem_title(first.role))
    lines.arrows.push_back({Grid::Arrow::Kind::distance,
                            {0, start % bank_row.count / chunk.count},
                            {0, (start + advance) % bank_row.count / chunk.count},
                            fmt::format("k step +{:#x}", advance)});
  return true;
}

// For a column: the addresses in the cells without "0x", so that their letters are as large as those of shared memory, of
// the first group of rows and the last row.
Figure with_short_addresses(Figure figure) {
  constexpr std::size_t group = 8;
  Grid& operand = figure.panels.front().front();
  const std::size_t rows = operand.squares.size();
  for (std::size_t row = 0; row < rows; row += row + 1 < group || rows <= 2 * group ? 1 : rows - group)
    operand.key_rows.push_back(row);
  operand.title += ", in hex";
  for (auto& row : operand.squares)
    for (Grid::Square& square : row)
      if (square.text.starts_with("0x")) square.text.erase(0, 2);
  return figure;
}

}  // namespace

Figure map_loop_figure(const MapLoopAnswer& answer, std::int64_t most_rows) {
  const MapAnswer& first = answer.steps.front();
  const OperandMap& map = first.report.map;
  const std::int64_t k = map.extents.k;
  // Words of several blocks of rows, or with the last step first, are not consecutive along K.
  const bool are_k_steps = answer.loop.are_in_order();
  std::vector<ShownWord> words;
  Figure figure;
  for (const MapAnswer& step : answer.steps) {
    const std::int64_t i = std::ssize(words);
    words.push_back({&step, are_k_steps ? i * k : 0, static_cast<int>(i)});
    figure.steps.push_back(are_k_steps ? "k " + range_text(i * k, k)
                                       : fmt::format("word {}: {}", i + 1, hex64(step.report.word.word())));
  }
  Shown shown = shown_of(std::move(words), map.extents.mn);
  figure.panels = loop_panels(shown, figure.steps, most_rows);
  figure.legend = loop_legend(shown, figure.steps);
  const bool has_words = are_k_steps && add_words(figure, answer);
  const std::vector<LegendEntry> marks = legend_of_marks(first, figure);
  figure.legend.insert(figure.legend.end(), marks.begin(), marks.end());
  figure.caption = has_words ? fmt::format("The first word says: {}.", word_text(first))
                             : fmt::format("{} MMAs read {}, each through a word of its own; the first is {}: {}.",
                                           answer.steps.size(), operand_text(first), hex64(first.report.word.word()),
                                           word_text(first));
  if (shown.rows < map.extents.mn)
    figure.caption += fmt::format(" Drawn: {} 0-{}.", rows_word(first.role), shown.rows - 1);
  if (figure.panels.front().back().title != smem_title(first.role))
    figure.caption += fmt::format(" Cells of shared memory show {},k of their first element.", row_word(first.role));
  // The words beside the colours say that these are MMAs.
  figure.legend_title =
      has_words ? "" : fmt::format("colour: {}", map.major == Major::K ? "MMA" : rows_word(first.role));
  if (figure.panels.size() == 1) figure.narrow = {with_short_addresses(figure)};
  return figure;
}

}  // namespace swz
