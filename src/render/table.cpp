// Tables as lines.
#include <fmt/format.h>

#include <algorithm>

#include "render/display.hpp"
#include "render/ink.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Lines = std::vector<std::string>;

constexpr int column_gap = 2;
constexpr int narrowest_column = 16;

struct ShownColumn {
  std::size_t index;  // in Table::columns
  int columns;        // display width
  bool right;
};

std::string cell_text(const Table& table, std::size_t row, std::size_t column) {
  if (column >= table.rows[row].size()) return {};
  const Cell& cell = table.rows[row][column];
  return printable(cell.text.empty() ? text_of(cell.value) : cell.text, true);
}

Tone cell_tone(const Table& table, std::size_t row, std::size_t column) {
  return column < table.rows[row].size() ? table.rows[row][column].tone : Tone::plain;
}

int widest_line(std::string_view text) {
  int widest = 0;
  for (const std::string& line : wrap(text, 0)) widest = std::max(widest, display_width(line));
  return widest;
}

std::vector<ShownColumn> shown_columns(const Table& table) {
  std::vector<ShownColumn> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.label.empty()) continue;
    int widest = display_width(printable(column.label));
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      widest = std::max(widest, widest_line(cell_text(table, row, i)));
    shown.push_back({i, widest, column.align == Column::Align::right});
  }
  return shown;
}

// One row of a table: cells may have several lines; the row is as high as its highest cell.
void append_row(Lines& out, const std::vector<ShownColumn>& shown, const std::vector<Lines>& cells,
                const std::vector<Tone>& tones, bool color) {
  std::size_t height = 1;
  for (const Lines& cell : cells) height = std::max(height, cell.size());
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t x = 0; x < shown.size(); ++x) {
      const std::string text = y < cells[x].size() ? cells[x][y] : std::string();
      const int missing = std::max(0, shown[x].columns - display_width(text));
      const std::string padding(static_cast<std::size_t>(missing), ' ');
      if (x > 0) line.append(column_gap, ' ');
      if (shown[x].right) line += padding;
      line += paint(text, tones[x], color);
      // The last column is not padded: no line ends in a space.
      if (!shown[x].right && x + 1 < shown.size()) line += padding;
    }
    out.push_back(std::move(line));
  }
}

// Takes columns from the widest text until the table fits; wrap then breaks it between words. A word that is longer
// than its column stands out, because a number, a layout or a word is never cut.
void narrow(std::vector<ShownColumn>& shown, int width) {
  int total = -column_gap;
  for (const ShownColumn& column : shown) total += column.columns + column_gap;
  while (total > width) {
    ShownColumn* widest = nullptr;
    for (ShownColumn& column : shown)
      if (!column.right && column.columns > narrowest_column && (!widest || column.columns >= widest->columns))
        widest = &column;
    if (widest == nullptr) return;
    --widest->columns;
    --total;
  }
}

}  // namespace

std::vector<std::string> lines_of(const Table& table, const TextStyle& style) {
  std::vector<ShownColumn> shown = shown_columns(table);
  if (shown.empty() || table.rows.empty()) return {};
  Lines out;
  if (!table.title.empty())
    for (const std::string& line : wrap(printable(table.title, true), style.width))
      out.push_back(paint(line, Tone::strong, style.color));

  if (style.width > 0) narrow(shown, style.width);

  std::vector<Lines> cells;
  std::vector<Tone> tones;
  for (const ShownColumn& column : shown) {
    cells.push_back({printable(table.columns[column.index].label)});
    tones.push_back(Tone::strong);
  }
  append_row(out, shown, cells, tones, style.color);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t x = 0; x < shown.size(); ++x) {
      cells[x] = wrap(cell_text(table, row, shown[x].index), shown[x].right ? 0 : shown[x].columns);
      tones[x] = cell_tone(table, row, shown[x].index);
    }
    append_row(out, shown, cells, tones, style.color);
  }
  return out;
}

}  // namespace swz
