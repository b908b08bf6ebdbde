// SPDX-License-Identifier: Apache-2.0
// A table as lines.
//
//   value  what                                counter           as wide as its cells need
//     128  all accesses through the LSU        l1tex__data…
//
// If that is too wide, three things are tried in turn: the widest texts are broken between words; columns that still
// have no room go on a line of their own below the others, headings and cells alike; and a word that is longer than the
// page exceeds it, because a number, a layout or a word is never cut.
//
//   value  what
//     counter
//     128  all accesses
//          through the LSU
//     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
#include <fmt/format.h>

#include <algorithm>

#include "render/display.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Lines = std::vector<std::string>;

constexpr int column_gap = 2;
constexpr int folded_indent = 4;
constexpr int narrowest_column = 16;
// On a terminal a longer table is cut to fewer rows, so that the text before it does not scroll away.
constexpr std::size_t longest_table = 32, shown_rows = 24;

struct ShownColumn {
  std::size_t index;  // in Table::columns
  int columns;        // display width
  int least;          // the length of its longest word; for numbers, of the longest line
  bool right;
};
// The columns that are side by side; those of the next strip are below them.
using Strip = std::vector<ShownColumn>;

std::string text_at(const Table& table, std::size_t row, std::size_t column) {
  if (column >= table.rows[row].size()) return {};
  const Cell& cell = table.rows[row][column];
  return printable(shown_text(cell), true);
}

int widest_line(std::string_view text, int width) {
  int widest = 0;
  for (const std::string& line : wrap(text, width)) widest = std::max(widest, display_width(line));
  return widest;
}

Strip shown_columns(const Table& table) {
  Strip shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.label.empty()) continue;
    const std::string label = printable(column.label);
    ShownColumn one{i, display_width(label), widest_line(label, 1), column.align == Column::Align::right};
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::string text = text_at(table, row, i);
      one.columns = std::max(one.columns, widest_line(text, 0));
      one.least = std::max(one.least, widest_line(text, one.right ? 0 : 1));
    }
    if (!one.right) one.least = std::max(one.least, std::min(one.columns, narrowest_column));
    shown.push_back(one);
  }
  return shown;
}

int total(const Strip& strip, int ShownColumn::*width) {
  int sum = -column_gap;
  for (const ShownColumn& column : strip) sum += column.*width + column_gap;
  return sum;
}

// Takes width from the column with the widest text until the strip fits.
void narrow(Strip& strip, int width) {
  for (int excess = total(strip, &ShownColumn::columns) - width; excess > 0; --excess) {
    ShownColumn* widest = nullptr;
    for (ShownColumn& column : strip)
      if (column.columns > column.least && (!widest || column.columns >= widest->columns)) widest = &column;
    if (widest == nullptr) return;
    --widest->columns;
  }
}

int indent_of(std::size_t strip) { return strip == 0 ? 0 : folded_indent; }

// The columns from left to right, with a new strip when the next has no room.
std::vector<Strip> strips_of(const Strip& shown, int width) {
  std::vector<Strip> strips(1);
  for (const ShownColumn& column : shown) {
    strips.back().push_back(column);
    const bool is_full = total(strips.back(), &ShownColumn::least) > width - indent_of(strips.size() - 1);
    if (!is_full || strips.back().size() == 1) continue;
    strips.back().pop_back();
    strips.push_back({column});
  }
  return strips;
}

struct ShownCell {
  std::string text;
  Tone tone = Tone::plain;
};

ShownCell heading(const Table& table, std::size_t column) {
  return {printable(table.columns[column].label), Tone::strong};
}

ShownCell cell_at(const Table& table, std::size_t row, std::size_t column) {
  const bool has_cell = column < table.rows[row].size();
  return {text_at(table, row, column), has_cell ? table.rows[row][column].tone : Tone::plain};
}

// A strip of a row is as high as its highest cell.
template <class CellOf>
void append_strip(Lines& out, const Strip& strip, int indent, bool color, CellOf cell_of) {
  std::vector<Lines> cells;
  std::vector<Tone> tones;
  std::size_t height = 1;
  for (const ShownColumn& column : strip) {
    const ShownCell cell = cell_of(column.index);
    cells.push_back(wrap(cell.text, column.columns));
    tones.push_back(cell.tone);
    height = std::max(height, cells.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::string line = repeated(" ", indent);
    for (std::size_t x = 0; x < cells.size(); ++x) {
      const std::string text = y < cells[x].size() ? cells[x][y] : std::string();
      const std::string padding = pad_left("", strip[x].columns - display_width(text));
      if (x > 0) line.append(column_gap, ' ');
      if (strip[x].right) line += padding;
      line += paint(text, tones[x], color);
      // The last column is not padded: no line ends in a space.
      if (!strip[x].right && x + 1 < cells.size()) line += padding;
    }
    out.push_back(std::move(line));
  }
}

// The headings and the first rows.
Lines rows_of(const Table& table, std::vector<Strip> strips, std::size_t rows, int width, bool color) {
  Lines out;
  for (std::size_t i = 0; i < strips.size(); ++i) narrow(strips[i], width - indent_of(i));
  const auto append = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < strips.size(); ++i) append_strip(out, strips[i], indent_of(i), color, cell_of);
  };
  append([&](std::size_t column) { return heading(table, column); });
  for (std::size_t row = 0; row < rows; ++row) append([&](std::size_t column) { return cell_at(table, row, column); });
  return out;
}

// Beside the others, the last column can become so narrow that it needs more lines than below them.
Lines rows_of(const Table& table, const Strip& shown, std::size_t rows, int width, bool color) {
  std::vector<Strip> strips = strips_of(shown, width);
  Lines beside = rows_of(table, strips, rows, width, color);
  if (total(shown, &ShownColumn::columns) <= width || strips.back().size() == 1) return beside;
  const ShownColumn last = strips.back().back();
  strips.back().pop_back();
  strips.push_back({last});
  Lines below = rows_of(table, std::move(strips), rows, width, color);
  return below.size() < beside.size() ? below : beside;
}

}  // namespace

std::vector<std::string> lines_of(const Table& table, const TextStyle& style) {
  const bool is_whole = style.part && style.part->is_whole;
  if (is_whole && table.later.rows > 0) {
    Table all = table;
    for (std::size_t i = 0; i < table.later.rows; ++i) all.rows.push_back(table.later.row(i));
    all.later = {};
    return lines_of(all, style);
  }
  const Strip shown = shown_columns(table);
  if (shown.empty() || table.rows.empty()) return {};
  Lines out;
  if (!table.title.empty()) out = painted_lines(table.title, style.width, Tone::strong, style.color);

  std::size_t rows = table.rows.size() - (is_whole ? 0 : std::min(table.fold.rows, table.rows.size()));
  const bool is_cut = style.part && !is_whole && rows > longest_table;
  const std::size_t cut = is_cut ? rows - shown_rows : 0;
  rows -= cut;

  if (rows > 0) {
    const int width = style.width > 0 ? style.width : widest_page;
    Lines lines = rows_of(table, shown, rows, width, style.color);
    out.insert(out.end(), lines.begin(), lines.end());
  }
  const auto say = [&](const std::string& text) {
    for (std::string& line : painted_lines(text, style.width, Tone::faint, style.color)) out.push_back(std::move(line));
  };
  if (cut > 0) say(fmt::format("… {} more rows; --full shows them", cut));
  if (!is_whole && !table.fold.text.empty()) say(table.fold.text);
  return out;
}

}  // namespace swz
