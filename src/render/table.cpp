// Tables and grids as lines.
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

std::string label_at(const std::vector<std::string>& labels, std::size_t i) {
  return i < labels.size() ? printable(labels[i]) : std::string();
}

const Grid::Square* square_at(const Grid& grid, std::size_t row, std::size_t column) {
  return column < grid.squares[row].size() ? &grid.squares[row][column] : nullptr;
}

std::string rule(int columns) {
  std::string out;
  for (int i = 0; i < columns; ++i) out += "─";
  return out;
}

// The columns [begin, end) of a grid with the row headings before them.
void append_panel(Lines& out, const Grid& grid, std::size_t begin, std::size_t end, int heading, int cell,
                  bool color) {
  std::string head = pad_left(printable(grid.corner), heading) + " │";
  for (std::size_t x = begin; x < end; ++x) head += pad_left(label_at(grid.column_labels, x), cell + 1);
  out.push_back(paint(head, Tone::strong, color));
  out.push_back(rule(heading + 1) + "┼" + rule(static_cast<int>(end - begin) * (cell + 1) + 1));
  for (std::size_t y = 0; y < grid.squares.size(); ++y) {
    std::string line = paint(pad_left(label_at(grid.row_labels, y), heading), Tone::strong, color) + " │";
    for (std::size_t x = begin; x < end; ++x) {
      const Grid::Square* square = square_at(grid, y, x);
      const std::string text = pad_left(square != nullptr ? printable(square->text) : std::string(), cell + 1);
      line += paint_hue(text, square != nullptr ? square->tint.hue : -1, color);
    }
    out.push_back(std::move(line));
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

std::vector<std::string> lines_of(const Grid& grid, const TextStyle& style) {
  std::size_t columns = grid.column_labels.size();
  int heading = display_width(printable(grid.corner));
  int cell = 1;
  for (const std::string& label : grid.column_labels) cell = std::max(cell, display_width(printable(label)));
  for (const std::string& label : grid.row_labels) heading = std::max(heading, display_width(printable(label)));
  for (const auto& row : grid.squares) {
    columns = std::max(columns, row.size());
    for (const Grid::Square& square : row) cell = std::max(cell, display_width(printable(square.text)));
  }
  if (columns == 0 || grid.squares.empty()) return {};

  Lines out;
  if (!grid.title.empty()) out.push_back(paint(printable(grid.title), Tone::strong, style.color));
  std::size_t per_panel = columns;
  if (style.width > 0) per_panel = static_cast<std::size_t>(std::max(1, (style.width - heading - 3) / (cell + 1)));
  // Panels of a power of two columns keep what belongs together (8 rows, 8 chunks) on one panel.
  if (per_panel < columns) {
    std::size_t rounded = 1;
    while (rounded * 2 <= per_panel) rounded *= 2;
    per_panel = rounded;
  }
  for (std::size_t begin = 0; begin < columns; begin += per_panel) {
    if (begin > 0) out.emplace_back();
    append_panel(out, grid, begin, std::min(begin + per_panel, columns), heading, cell, style.color);
  }
  return out;
}

std::vector<std::string> lines_of(const Figure& figure, const TextStyle& style) {
  Lines out;
  if (!figure.title.empty()) out.push_back(paint(printable(figure.title), Tone::strong, style.color));
  for (const auto& row : figure.panels)
    for (const Grid& panel : row) {
      const Lines lines = lines_of(panel, style);
      if (!out.empty() && !lines.empty()) out.emplace_back();
      out.insert(out.end(), lines.begin(), lines.end());
    }
  return out;
}

}  // namespace swz
