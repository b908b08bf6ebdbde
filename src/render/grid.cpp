// SPDX-License-Identifier: Apache-2.0
// Grids and figures as lines.
//
//   m\k │  0  1  │  2  3       a line between groups of columns, a rule between groups of rows
//   ────┼────────┼───────
//     0 │  0  1* │  2  3!      * is highlighted, ! collides: a file would lose the colour

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "render/display.hpp"
#include "render/figure_shape.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Lines = std::vector<std::string>;

constexpr int blank_columns = 4;

std::string label_at(const std::vector<std::string>& labels, std::size_t i) {
  return i < labels.size() ? printable(labels[i]) : std::string();
}

// The square; rows may be shorter than others.
const Grid::Square& square_at(const Grid& grid, std::size_t row, std::size_t column) {
  static const Grid::Square none;
  return column < grid.squares[row].size() ? grid.squares[row][column] : none;
}

// A cell is one line of text.
std::string text_in(const Grid::Square& square) {
  std::string text = printable(square.text, true);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool has_sign(Mark mark) { return mark == Mark::highlighted || mark == Mark::colliding; }

bool begins_group(int group, std::size_t i) { return group > 0 && i > 0 && i % static_cast<std::size_t>(group) == 0; }

// What all parts of one grid share.
struct Measure {
  std::size_t columns;
  int heading;   // of the row labels
  int cell = 1;  // of a cell, without the blank before it
  bool has_signs = false;
};

int widest_label(const std::vector<std::string>& labels, int at_least) {
  for (const std::string& label : labels) at_least = std::max(at_least, display_width(printable(label)));
  return at_least;
}

Measure measure(const Grid& grid) {
  int rows = widest_label(grid.row_labels, 0);
  for (const Grid::Level& level : grid.row_levels) rows += widest_label(level.labels, 0) + 1;
  Measure m{grid.column_labels.size(), std::max(rows, display_width(printable(grid.corner)))};
  int text = 1;
  for (const auto& row : grid.squares) {
    m.columns = std::max(m.columns, row.size());
    for (const Grid::Square& square : row) {
      text = std::max(text, display_width(text_in(square)));
      m.has_signs |= has_sign(square.mark);
    }
  }
  m.cell = widest_label(grid.column_labels, text + (m.has_signs ? 1 : 0));
  return m;
}

// The width of a part with this many columns.
int width_of(const Grid& grid, const Measure& m, std::size_t columns) {
  const int lines = grid.column_group > 0 ? static_cast<int>(columns - 1) / grid.column_group : 0;
  return m.heading + 2 + static_cast<int>(columns) * (m.cell + 1) + 2 * lines;
}

// The headings of a row, those that begin there.
std::string row_heading(const Grid& grid, std::size_t row) {
  std::string text = pad_left(label_at(grid.row_labels, row), widest_label(grid.row_labels, 0));
  for (const Grid::Level& level : grid.row_levels)
    text =
        pad_left(level.begins(row) ? label_at(level.labels, level.heading(row)) : "", widest_label(level.labels, 0)) +
        " " + text;
  return text;
}

// A level of headings over the columns [begin, end), each over the first column that it spans, if it has room.
std::string level_line(const Grid& grid, const Measure& m, const Grid::Level& level, std::size_t begin,
                       std::size_t end) {
  std::string line = repeated(" ", m.heading) + " │";
  for (std::size_t x = begin, next = begin; x < end; x = next) {
    int room = 0;
    for (next = x; next < end && (next == x || !level.begins(next)); ++next)
      room += m.cell + 1 + (next > x && begins_group(grid.column_group, next) ? 2 : 0);
    if (x > begin && begins_group(grid.column_group, x)) line += " │";
    const std::string label = " " + label_at(level.labels, level.heading(x));
    const int width = display_width(label);
    line += width <= room ? label + repeated(" ", room - width) : repeated(" ", room);
  }
  return line;
}

// Appends the columns [begin, end) of a grid with the row headings before them.
void append_part(Lines& out, const Grid& grid, const Measure& m, std::size_t begin, std::size_t end,
                 const TextStyle& style) {
  const bool color = style.color;
  std::string head = pad_left(printable(grid.corner), m.heading) + " │";
  std::string line = repeated("─", m.heading + 1) + "┼";
  for (std::size_t x = begin; x < end; ++x) {
    if (x > begin && begins_group(grid.column_group, x)) {
      head += " │";
      line += "─┼";
    }
    head += pad_left(label_at(grid.column_labels, x), m.cell + 1);
    line += repeated("─", m.cell + 1);
  }
  if (style.width == 0 || display_width(line) < style.width) line += "─";
  for (std::size_t i = grid.column_levels.size(); i-- > 0;)
    out.push_back(paint(level_line(grid, m, grid.column_levels[i], begin, end), Tone::strong, color));
  out.push_back(paint(head, Tone::strong, color));
  out.push_back(line);
  for (std::size_t y = 0; y < grid.squares.size(); ++y) {
    if (begins_group(grid.row_group, y)) out.push_back(line);
    std::string text = paint(pad_left(row_heading(grid, y), m.heading), Tone::strong, color) + " │";
    for (std::size_t x = begin; x < end; ++x) {
      if (x > begin && begins_group(grid.column_group, x)) text += " │";
      const Grid::Square& square = square_at(grid, y, x);
      const int room = m.cell + (m.has_signs ? 0 : 1);
      // In a coloured cell the text is in the middle, clear of the next colour.
      const bool is_centred = color && square.tint.hue >= 0 && !m.has_signs;
      const int after = is_centred ? (room - display_width(text_in(square))) / 2 : 0;
      const std::string cell = pad_left(text_in(square), room - after) + repeated(" ", after);
      text += square.mark == Mark::faint                              ? paint(cell, Tone::faint, color)
              : square.mark == Mark::colliding && square.tint.hue < 0 ? paint(cell, Tone::bad, color)
                                                                      : paint_tint(cell, square.tint, color);
      if (m.has_signs)
        text += has_sign(square.mark) ? paint_sign(square.mark, color)
                                      : paint_tint(" ", square.mark == Mark::faint ? Tint{} : square.tint, color);
    }
    out.push_back(std::move(text));
  }
}

// Appends how a pattern continues of which one period is shown, as a picture says it: "every 8 rows: chunk + 512".
void append_repeats(Lines& out, const Grid& grid, const Measure& m, bool color) {
  for (const bool is_rows : {true, false}) {
    const Grid::Repeat& repeat = is_rows ? grid.row_repeat : grid.column_repeat;
    if (repeat.period == 0) continue;
    const std::string words = printable(in_one_line(words_of_repeat(grid, is_rows)));
    out.push_back(paint(fmt::format("{} │ {}", pad_left("…", m.heading), words), Tone::strong, color));
  }
}

int visible_width(const std::string& line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') i = std::min(line.find('m', i), line.size());
    else plain += line[i];
  }
  return display_width(plain);
}

int widest(const Lines& lines) {
  int columns = 0;
  for (const std::string& line : lines) columns = std::max(columns, visible_width(line));
  return columns;
}

// Whether a grid is wider than the page, which cuts its columns in parts.
bool is_cut(const Figure& figure, const TextStyle& style) {
  return style.width > 0 && std::ranges::any_of(figure.panels, [&](const auto& row) {
           return std::ranges::any_of(row, [&](const Grid& grid) {
             const Measure m = measure(grid);
             return m.columns > 0 && width_of(grid, m, m.columns) > style.width;
           });
         });
}

// Matrices of registers are long: of two groups of 8 rows, and of many of 4 columns, only the first is drawn; in brief
// texts where the whole ones are too wide.
Figure registers_part(const Figure& figure, const TextStyle& style) {
  DrawnPart part = *style.part;
  part.is_short = true;
  part.fewest_columns = 4;
  Figure drawn = part_of(figure, part);
  if (is_cut(drawn, style)) drawn = part_of(with_brief_texts(figure), part);
  for (std::vector<Grid>& row : drawn.panels)
    for (Grid& grid : row)
      if (const std::size_t period = grid.row_repeat.period; period > 0 && period < grid.squares.size()) {
        grid.squares.resize(period);
        grid.row_labels.resize(period);
      }
  return drawn;
}

// Blocks of lines next to each other.
Lines beside(const std::vector<Lines>& blocks) {
  Lines out;
  int left = 0;
  for (const Lines& block : blocks) {
    out.resize(std::max(out.size(), block.size()));
    for (std::size_t y = 0; y < block.size(); ++y) out[y] += repeated(" ", left - visible_width(out[y])) + block[y];
    left += widest(block) + blank_columns;
  }
  return out;
}

// The panels of one row: side by side if there is room, otherwise one below the other.
Lines lines_of_row(const std::vector<Grid>& panels, const TextStyle& style) {
  const bool has_titles = std::any_of(panels.begin(), panels.end(), [](const Grid& g) { return !g.title.empty(); });
  std::vector<Lines> blocks;
  int total = -blank_columns;
  for (const Grid& panel : panels) {
    Lines lines = lines_of(panel, {style.color, 0});
    if (lines.empty()) continue;
    if (has_titles && panel.title.empty()) lines.insert(lines.begin(), "");
    total += widest(lines) + blank_columns;
    blocks.push_back(std::move(lines));
  }
  if (total <= (style.width > 0 ? style.width : widest_page)) return beside(blocks);
  Lines out;
  for (const Grid& panel : panels) append_block(out, lines_of(panel, style));
  return out;
}

// The legend; entries for colours are left out if no colours are shown.
Lines lines_of_legend(const Figure& figure, const TextStyle& style) {
  Lines out;
  std::string line;
  for (const LegendEntry& entry : figure.legend) {
    const bool is_sign = has_sign(entry.mark);
    if (!is_sign && (!style.color || entry.tint.hue < 0)) continue;
    if (!is_sign && line.empty() && out.empty()) line = printable(figure.legend_title);
    std::string item = is_sign ? paint_sign(entry.mark, style.color) : paint_tint("  ", entry.tint, style.color);
    item += " " + printable(entry.text);
    if (!line.empty() && style.width > 0 && visible_width(line) + 3 + visible_width(item) > style.width) {
      out.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + item;
  }
  if (!line.empty()) out.push_back(std::move(line));
  return out;
}

}  // namespace

std::vector<std::string> lines_of(const Grid& grid, const TextStyle& style) {
  const Measure m = measure(grid);
  if (m.columns == 0 || grid.squares.empty()) return {};

  Lines out;
  if (!grid.title.empty()) out.push_back(paint(printable(grid.title), Tone::strong, style.color));
  std::size_t per_part = m.columns;
  if (style.width > 0)
    while (per_part > 1 && width_of(grid, m, per_part) > style.width) --per_part;
  // Parts with a power of two of columns keep together what belongs together (8 rows, 8 chunks).
  if (per_part < m.columns) {
    std::size_t rounded = 1;
    while (rounded * 2 <= per_part) rounded *= 2;
    per_part = rounded;
  }
  for (std::size_t begin = 0; begin < m.columns; begin += per_part) {
    if (begin > 0) out.emplace_back();
    append_part(out, grid, m, begin, std::min(begin + per_part, m.columns), style);
  }
  append_repeats(out, grid, m, style.color);
  return out;
}

std::vector<std::string> lines_of(const Figure& figure, const TextStyle& style) {
  if (style.part) {
    if (has_brief_texts(figure)) return lines_of(registers_part(figure, style), {style.color, style.width});
    return lines_of(part_of(figure, *style.part), {style.color, style.width});
  }
  Lines out;
  if (!figure.title.empty()) out = painted_lines(figure.title, style.width, Tone::strong, style.color);
  for (const std::vector<Grid>& row : figure.panels) append_block(out, lines_of_row(row, style));
  append_block(out, lines_of_legend(figure, style));
  if (!figure.caption.empty())
    append_block(out, wrap(printable(figure.caption + (style.color ? figure.about_shades : ""), true), style.width));
  return out;
}

}  // namespace swz
