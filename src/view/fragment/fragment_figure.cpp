// SPDX-License-Identifier: Apache-2.0
// The picture of a fragment: the matrix with the thread and value of each element, and the registers of each thread
// with the row and column of each value. The fragments of one instruction are arranged as CuTe draws them.
//
//   m16n8k16, operand a: element (1, 4) is "T6 V0"; in the registers, thread 6, r0 V0 is "1,4"
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <type_traits>

#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/fragment/fragment.hpp"
#include "view/fragment/fragment_caption.hpp"
#include "view/fragment/operand_panels.hpp"
#include "view/fragment/register_cells.hpp"

namespace swz {

std::string operand_title(const Fragment& f) {
  switch (f.operand) {
    case Operand::a:
      return f.name.starts_with("movmatrix") ? "what a thread gives" : f.kept > 0 ? "A (M x kept k)" : "A (M x K)";
    case Operand::b: return "B (K x N)";
    case Operand::c: return "C (M x N)";
    case Operand::d: return f.name.starts_with("movmatrix") ? "what a thread gets" : "D (M x N)";
    case Operand::memory: return "memory (rows x elements)";
    case Operand::tmem: return "tensor memory (lanes x columns)";
    case Operand::sfa: return "SFA (M x blocks)";
    case Operand::sfb: return "SFB (blocks x N)";
    case Operand::e: return f.kept_of == 8 ? "E (M x kept pairs)" : "E (M x kept k)";
  }
  return {};
}

namespace {

constexpr int lanes_in_warp = 32;
// A panel of at most this many cells is drawn whole on a terminal; of a larger one, a corner.
constexpr int whole_cells = 1024;
constexpr int matrix_rows = 16, matrix_columns = 16;
constexpr int many_columns = 8;
constexpr int few_registers_cells = 512;  // 16 values of a warp

// Whether a panel of this fragment shows only a corner.
bool is_cut(const Fragment& f, const FragmentDrawing& drawing) {
  const Fragment drawn = without_gap(f);
  return drawing.extent == FragmentDrawing::Extent::corner && drawing.highlight.empty() &&
         (drawn.rows * drawn.columns > whole_cells || f.threads() * f.values() > whole_cells);
}

// The largest number of rows, values, … of any of them.
int most_of(const std::vector<Fragment>& fragments, const std::function<int(const Fragment&)>& count) {
  int most = 0;
  for (const Fragment& f : fragments) most = std::max(most, count(f));
  return most;
}

// Hues repeat after 8; shades distinguish the repetitions.
Tint tint_of_index(int index) { return {index & 7, index >> 3 & 3}; }

Tint tint(const FragmentDrawing& drawing, const Fragment& f, Holder holder, Coordinate at) {
  switch (drawing.colors) {
    case FragmentColors::thread: return tint_of_thread(holder.thread);
    case FragmentColors::value: return tint_of_index(holder.value);
    case FragmentColors::reg: return tint_of_index(f.slot(holder.value).index);
    case FragmentColors::column: return tint_of_index(at.column);
  }
  return {};
}

Mark mark(const Highlight& highlight, const Fragment& f, Holder holder, Coordinate at) {
  const bool named = !highlight.empty() && highlight.contains("rows", at.row) &&
                     highlight.contains("columns", at.column) &&
                     highlight.contains("lanes", f.operand == Operand::tmem ? at.row : holder.thread % lanes_in_warp) &&
                     highlight.contains("threads", holder.thread) && highlight.contains("values", holder.value) &&
                     highlight.contains("registers", f.slot(holder.value).index);
  return named ? Mark::highlighted : Mark::none;
}

Grid::Square square(const Fragment& f, Holder holder, Coordinate at, std::string text, const FragmentDrawing& drawing) {
  const bool is_of_d = !drawing.element_of_d || drawing.element_of_d(at);
  return {std::move(text), tint(drawing, f, holder, at), is_of_d ? mark(drawing.highlight, f, holder, at) : Mark::faint,
          tip_of(point_of(f, holder, drawing))};
}

struct Extents {
  int rows = 0, columns = 0;
};

Extents shown(int rows, int columns, int most_rows, const FragmentDrawing& drawing) {
  // What is highlighted may be anywhere; a terminal shows the part that contains it (render/part.hpp).
  const bool is_whole = drawing.extent == FragmentDrawing::Extent::whole || !drawing.highlight.empty();
  if (is_whole || rows * columns <= whole_cells) return {rows, columns};
  return {std::min(rows, most_rows), std::min(columns, matrix_columns)};
}

std::string part_of(const Extents& part, int rows, int columns, std::string_view row_word,
                    std::string_view column_word) {
  if (part.rows == rows && part.columns == columns) return {};
  return fmt::format(", {} 0-{} of {} and {} 0-{} of {}", row_word, part.rows - 1, rows, column_word, part.columns - 1,
                     columns);
}

// The number of columns that the last registers repeat, 8 if they are consecutive: 4 for 16x128b, 8 for 32x32b.
int tmem_block(const Fragment& f) {
  const int apart = f.value_steps.empty() ? 0 : f.value_steps.back().move.column;
  const int run = has_gap(f) ? without_gap(f).columns / 2 : 8;
  return apart > 32 / f.bits ? apart : std::min(8, run);
}

// How many elements along a line fill a register: 8 lines of 4 such pieces are the block that fragments repeat.
int line_block(const Fragment& f) {
  if (f.operand == Operand::tmem) return tmem_block(f);
  const bool is_result = f.operand == Operand::c || f.operand == Operand::d;
  return is_result ? 8 : 4 * (f.register_bits() / f.bits);
}

// Headings over groups of a window: the rows or columns of D that they hold, "rows 16-23".
Grid::Level level_of_d(std::size_t size, const std::vector<std::optional<Coordinate>>& elements,
                       int Coordinate::*direction, std::string_view word) {
  Grid::Level level{static_cast<int>(size), {}};
  for (std::size_t first = 0; first < elements.size(); first += size) {
    std::vector<int> held;
    for (std::size_t i = first; i < std::min(first + size, elements.size()); ++i)
      if (elements[i]) held.push_back((*elements[i]).*direction);
    level.labels.push_back(held.empty() ? "" : fmt::format("{} {}", word, range_text(held.front(), std::ssize(held))));
  }
  return level;
}

bool is_scales(const Fragment& f) { return f.operand == Operand::sfa || f.operand == Operand::sfb; }

// "T5 V2"; for whole cells of tensor memory "T5 r2", for scale factors "T5 s0".
std::string holder_text(const Fragment& f, Holder holder) {
  return fmt::format("T{} {}{}", holder.thread, has_whole_cells(f) ? 'r' : is_scales(f) ? 's' : 'V', holder.value);
}

// The axes of the matrix in one letter each.
std::string axes_of(Operand operand) {
  switch (operand) {
    case Operand::a: return "m\\k";
    case Operand::b: return "k\\n";
    case Operand::c:
    case Operand::d: return "m\\n";
    case Operand::tmem: return "lane\\column";
    default: return "row\\col";
  }
}

// The second half of a fragment with a gap is drawn beside the first, under its own columns.
Grid matrix_panel(const Fragment& f, const std::string& title, const FragmentDrawing& drawing) {
  const Fragment drawn = without_gap(f);
  const FragmentInverse holder_of(drawn);
  const Extents part = shown(drawn.rows, drawn.columns, matrix_rows, drawing);
  const auto place = [&](std::int64_t row, std::int64_t column) {
    const Holder holder = holder_of({static_cast<int>(row), static_cast<int>(column)});
    return f.at(holder.thread, holder.value);
  };
  const auto row_label = [&](std::int64_t row) {
    return has_row_addresses(f) ? fmt::format("{0} <- lane {0}", row) : std::to_string(row);
  };
  const auto column_label = [&](std::int64_t column) { return std::to_string(place(0, column).column); };
  Grid grid =
      grid_of(title + part_of(part, drawn.rows, drawn.columns, fmt::format("{}s", row_word(f.operand)), "columns"),
              axes_of(f.operand), labels_of(part.rows, 1, row_label), labels_of(part.columns, 1, column_label),
              [&](std::int64_t row, std::int64_t column) {
                const Holder holder = holder_of({static_cast<int>(row), static_cast<int>(column)});
                std::string text = holder_text(f, holder);
                // On a page of many columns a register of tensor memory is below its thread.
                if (has_whole_cells(f) && drawing.joins_registers && part.columns > many_columns)
                  text.replace(text.find(' '), 1, "\n");
                return square(f, holder, f.at(holder.thread, holder.value), std::move(text), drawing);
              });
  grid.row_group = is_k_by_n(f.operand) ? line_block(f) : 8;
  grid.column_group = is_k_by_n(f.operand) ? 8 : line_block(f);
  // Each warp of a wgmma has its rows.
  if (const int warps = f.threads() / lanes_in_warp; warps > 1 && f.operand != Operand::tmem && part.rows == drawn.rows)
    grid.row_levels = {
        {drawn.rows / warps, labels_of(warps, 1, [](std::int64_t w) { return fmt::format("warp {}", w); })}};
  if (drawing.element_of_d) {
    std::vector<std::optional<Coordinate>> rows, columns;
    for (int row = 0; row < part.rows; ++row) rows.push_back(drawing.element_of_d(place(row, 0)));
    for (int column = 0; column < part.columns; ++column) columns.push_back(drawing.element_of_d(place(0, column)));
    grid.row_levels = {level_of_d(static_cast<std::size_t>(grid.row_group), rows, &Coordinate::row, "rows")};
    grid.column_levels = {
        level_of_d(static_cast<std::size_t>(grid.column_group), columns, &Coordinate::column, "cols")};
  }
  return grid;
}

Grid register_panel(const Fragment& f, const FragmentDrawing& drawing) {
  const Extents part = shown(f.threads(), f.values(), lanes_in_warp, drawing);
  // If each value has its own register, r and V are the same number.
  const auto value_label = [&](std::int64_t value) {
    if (has_whole_cells(f)) return fmt::format("r{}", value);
    return f.registers() == f.values() ? fmt::format("V{}", value)
                                       : fmt::format("r{} V{}", f.slot(static_cast<int>(value)).index, value);
  };
  const std::string what =
      drawing.element_of_d ? "row,column of D" : fmt::format("{},column of each value", row_word(f.operand));
  const auto place_text = [&](Coordinate at) {
    const std::optional<Coordinate> shown = drawing.element_of_d ? drawing.element_of_d(at) : at;
    return shown ? fmt::format("{},{}", shown->row, shown->column) : "-";
  };
  Grid grid = grid_of(fmt::format("registers: {}{}", what, part_of(part, f.threads(), f.values(), "threads", "values")),
                      has_whole_cells(f) ? "T\\r" : "T\\V",
                      labels_of(part.rows, 1, [](std::int64_t thread) { return fmt::format("T{}", thread); }),
                      labels_of(part.columns, 1, value_label), [&](std::int64_t thread, std::int64_t value) {
                        const Holder holder{static_cast<int>(thread), static_cast<int>(value)};
                        if (!f.is_read(holder.thread)) return Grid::Square{"-", {}, Mark::faint, ""};
                        const Coordinate at = f.at(holder.thread, holder.value);
                        return square(f, holder, at, place_text(at), drawing);
                      });
  grid.row_group = 4;
  grid.column_group = f.register_bits() / f.bits;
  grid.number = drawing.element_of_d ? "row,column" : fmt::format("{},column", row_word(f.operand));
  return grid;
}

std::vector<LegendEntry> legend_of(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  const auto counted = [](std::string_view what, int count) {
    return hue_legend(count, [&](int i) {
      return count > 8 ? fmt::format("{} {}, {}{}", what, i, i + 8, count > 16 ? ", ..." : "")
                       : fmt::format("{} {}", what, i);
    });
  };
  switch (drawing.colors) {
    case FragmentColors::thread:
      return hue_legend(8, [&](int group) { return fmt::format("{}-{}", 4 * group, 4 * group + 3); });
    case FragmentColors::value: return counted("value", most_of(fragments, &Fragment::values));
    case FragmentColors::reg: return counted("register", most_of(fragments, &Fragment::registers));
    case FragmentColors::column: return counted("column", most_of(fragments, &Fragment::columns));
  }
  return {};
}

// The matrices of ldmatrix as the operand of an mma has them, in one grid: 0 above 1, and 2 and 3 beside them. A cell is
// the register of a thread, a row is named by the lanes that give its addresses. None of a form with other matrices.
//
//   3, 19     T12 r0  T13 r0 …    T12 r2  T13 r2 …
std::optional<Grid> matrix_block(const Fragment& f, const Grid& all) {
  constexpr int rows_of_one = 8, most = 4;
  const int count = f.rows / rows_of_one;
  if (!has_row_addresses(f) || f.columns != rows_of_one || f.rows % rows_of_one != 0 || count > most) return {};
  const auto matrices = static_cast<std::size_t>(count), rows = all.squares.size() / matrices,
             columns = all.column_labels.size();
  Grid grid = all;
  const auto below = std::min<std::size_t>(matrices, 2);  // each other
  grid.title.clear();
  grid.corner = "lane";
  grid.squares.assign(rows * below, {});
  grid.row_labels.assign(rows * below, {});
  grid.column_labels.clear();
  grid.column_levels = {{static_cast<int>(columns), {}}};
  for (std::size_t i = 0; i < matrices; ++i) {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::string& label = all.row_labels[i * rows + r];
      grid.row_labels[i % 2 * rows + r] += (i > 1 ? " | " : "") + label.substr(0, label.find(' '));
      for (Grid::Square square : all.squares[i * rows + r]) {
        square.text = fmt::format("{} r{}", square.text.substr(0, square.text.find(' ')), i);
        square.brief.clear();
        grid.squares[i % 2 * rows + r].push_back(std::move(square));
      }
    }
    if (i % 2 == 1) continue;
    grid.column_labels.insert(grid.column_labels.end(), all.column_labels.begin(), all.column_labels.end());
    grid.column_levels[0].labels.push_back(i + 1 < matrices ? fmt::format("matrix {} above {}", i, i + 1)
                                                            : fmt::format("matrix {}", i));
  }
  grid.row_group = static_cast<int>(rows);
  grid.column_group = static_cast<int>(columns);
  for (std::size_t r = 0; r < grid.squares.size(); ++r) grid.key_rows.push_back(r);
  return grid;
}

// Of the registers of a warp a page shows those of the threads that are asked for.
void keep_asked_threads(Grid& registers, const std::vector<Holder>& asked) {
  constexpr std::size_t few_threads = 16;
  if (asked.empty() || registers.squares.size() <= few_threads) return;
  std::set<std::size_t> threads;
  for (const Holder holder : asked) threads.insert(static_cast<std::size_t>(holder.thread));
  Grid kept = registers;
  kept.squares.clear();
  kept.row_labels.clear();
  kept.row_group = 0;
  for (const std::size_t thread : threads) {
    kept.squares.push_back(std::move(registers.squares[thread]));
    kept.row_labels.push_back(registers.row_labels[thread]);
  }
  if (threads.size() == 1)
    kept.title.replace(0, kept.title.find(':'), fmt::format("registers of thread {}", *threads.begin()));
  registers = std::move(kept);
}

// Of a large matrix a page shows the rows that the threads that are asked for have, and the columns around the asked
// values, 8 for each: the registers of the threads, below it, say where their others are.
void keep_asked_part(Grid& matrix, const Fragment& f, const std::vector<Holder>& asked) {
  constexpr std::int64_t few_cells = 256, columns_around = 8;
  if (asked.empty() || std::int64_t{f.rows} * f.columns <= few_cells) return;
  std::set<std::size_t> rows, columns;
  for (const Holder holder : asked) {
    for (int value = 0; value < f.values(); ++value)
      rows.insert(static_cast<std::size_t>(without_gap(f).at(holder.thread, value).row));
    const std::int64_t first = without_gap(f).at(holder.thread, holder.value).column / columns_around * columns_around;
    for (std::int64_t column = first; column < std::min<std::int64_t>(first + columns_around, f.columns); ++column)
      columns.insert(static_cast<std::size_t>(column));
  }
  matrix.key_rows.assign(rows.begin(), rows.end());
  matrix.key_columns.assign(columns.begin(), columns.end());
}

// Whether the part of the matrix has one hue, which then says nothing.
bool has_part_of_one_hue(const Grid& matrix) {
  std::set<int> hues;
  for (const std::size_t row : matrix.key_rows)
    for (const std::size_t column : matrix.key_columns) hues.insert(matrix.squares[row][column].tint.hue);
  return hues.size() == 1;
}

// The panels of one fragment; panel: what draws its matrix under a title.
template <class PanelOf>
void add_panels(Figure& figure, const Fragment& f, const FragmentDrawing& drawing, const std::vector<Holder>& asked,
                PanelOf panel) {
  using enum FragmentDrawing::Panels;
  if (shows_registers(drawing) && drawing.panels != registers) {
    if (std::optional<Grid> block = matrix_block(f, panel(f, ""))) {
      figure.panels = {{std::move(*block)}};
      figure.caption = "T5 r0 is register 0 of thread 5, two elements.";
      if (f.name == "ldmatrix.x4") figure.caption += " Registers r0 to r3 are a0,a1 to a6,a7 of A of mma.m16n8k16.";
      figure.brief_caption.clear();
      return;
    }
  }
  const bool is_on_page = has_whole_cells(f) && drawing.joins_registers;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  const bool has_few = f.threads() * f.values() <= few_registers_cells;
  if (drawing.panels != registers)
    panels.push_back(panel(
        f, is_on_page ? fmt::format("tensor memory: {} lanes x {} columns", f.rows, f.columns) : operand_title(f)));
  if (is_on_page && !panels.empty()) {
    keep_asked_part(panels.back(), f, asked);
    // The title names the one that is framed.
    if (asked.size() == 1) std::erase_if(figure.legend, [](const LegendEntry& e) { return e.mark != Mark::none; });
    if (has_part_of_one_hue(panels.back())) {
      std::erase_if(figure.legend, [](const LegendEntry& entry) { return entry.tint.hue >= 0; });
      figure.legend_title.clear();
      figure.about_shades.clear();
    }
  }
  if (drawing.panels == both || drawing.panels == registers || (drawing.panels == few_registers && has_few)) {
    panels.push_back(register_panel(f, drawing));
    for (const Holder holder : asked) panels.back().at(holder.thread, holder.value).mark = Mark::highlighted;
    if (drawing.joins_registers) keep_asked_threads(panels.back(), asked);
    // The registers of one thread are a line: it is below the matrix.
    if (panels.size() > 1 && panels.back().squares.size() == 1) {
      std::vector<Grid> below{std::move(panels.back())};
      panels.pop_back();
      figure.panels.push_back(std::move(below));
    }
  }
}

// The fragments of one instruction as CuTe draws them; panel: what draws the matrix of one under a title.
template <class PanelOf>
void add_operands(Figure& figure, const std::vector<Fragment>& fragments, const FragmentDrawing& drawing,
                  PanelOf panel) {
  const Fragment &a = *find(fragments, Operand::a), &d = *find(fragments, Operand::d);
  const Fragment *b = find(fragments, Operand::b), *c = find(fragments, Operand::c);
  const Fragment *sfa = find(fragments, Operand::sfa), *sfb = find(fragments, Operand::sfb),
                 *e = find(fragments, Operand::e);
  const bool c_is_d = c != nullptr && tv_layout(*c) == tv_layout(d) && c->bits == d.bits;
  const bool joins_scales = sfa != nullptr && b != nullptr && shows_registers(drawing);
  const auto panel_of = [&](const Fragment& f) {
    Grid grid = panel(f, &f == &d && c_is_d ? "C and D (M x N)" : operand_title(f));
    // Those of B and D are along n; a cell may be two neighbours.
    const bool has_n = f.operand != Operand::a && f.operand != Operand::sfa && f.operand != Operand::e;
    if (has_n && !grid.column_labels.empty())
      grid.column_units = f.columns / static_cast<int>(ssize(grid.column_labels));
    return joins_scales && is_scales(f) ? scale_panel(std::move(grid), f) : grid;
  };
  const bool has_scales = sfa != nullptr;
  const auto row_of = [&](std::initializer_list<const Fragment*> row) {
    std::vector<Grid>& panels = figure.panels.emplace_back();
    if (has_scales && *row.begin() != sfa) panels.emplace_back();
    for (const Fragment* f : row) panels.push_back(f == nullptr ? Grid{} : panel_of(*f));
  };
  if (has_scales) row_of({nullptr, sfb});
  if (b != nullptr) row_of({nullptr, b});
  if (has_scales) row_of({sfa, &a, &d});
  else row_of({&a, &d});
  if (c != nullptr && !c_is_d) figure.panels.back().push_back(panel_of(*c));
  if (e != nullptr) row_of({e});
}

// The figure. For one fragment, matrix and registers side by side: matrix (1, 4) "T6 V0"; registers, thread 6, r0 V0:
// "1,4". Of one instruction: B (K x N) top right, A (M x K) bottom left, C and D (M x N) bottom right. C has its own
// panel only if its map differs from that of D. Scale factors are beside their operand, SFB above B and SFA left of A;
// the metadata of A are below it.
Figure fragment_figure(const std::vector<Fragment>& fragments, FragmentDrawing drawing) {
  drawing.names_operand = fragments.size() > 1;
  const std::vector<std::vector<Holder>> asked = asked_values(drawing.query, fragments);
  std::int64_t squares = 0;
  for (const Fragment& f : fragments)
    squares += std::int64_t{f.rows} * without_gap(f).columns + std::int64_t{f.threads()} * f.values();
  require_drawable(squares, fragments.front().name, "name one operand");
  const auto panel = [&](const Fragment& f, const std::string& title) {
    Grid grid = matrix_panel(f, title, drawing);
    for (const Holder holder : asked[static_cast<std::size_t>(&f - fragments.data())]) {
      const Coordinate at = without_gap(f).at(holder.thread, holder.value);
      grid.at(at.row, at.column).mark = Mark::highlighted;
    }
    if (shows_registers(drawing))
      join_registers(grid, f, letter_of(f), [&](Holder first, Coordinate extent) {
        Point point = point_of(f, first, drawing);
        point.at[0].count = extent.row;
        point.at[1].count = extent.column;
        return tip_of(point);
      });
    return grid;
  };
  Figure figure;
  figure.legend = legend_of(fragments, drawing);
  if (drawing.colors == FragmentColors::thread)
    figure.legend_title = fmt::format("colour: {}", thread_words(fragments[0]));
  if (!drawing.highlight.empty() || !drawing.query.empty())
    figure.legend.push_back({legend_of(drawing.query), {}, Mark::highlighted});
  set_caption(figure, fragments, drawing);
  if (fragments.size() == 1) add_panels(figure, fragments[0], drawing, asked[0], panel);
  else add_operands(figure, fragments, drawing, panel);
  if (fragments.size() > 1 && shows_registers(drawing) && find(fragments, Operand::e) == nullptr)
    if (std::optional<Figure> narrow = narrow_operands(figure, narrow_scales_text(fragments)))
      figure.narrow.push_back(std::move(*narrow));
  return figure;
}

// Every value in a cell of its own, the registers of a large matrix, too. The title of a panel that shows a part names
// it; the paragraph tells how to see the rest.
Document every_value(const std::vector<Fragment>& fragments, FragmentDrawing drawing) {
  if (drawing.panels == FragmentDrawing::Panels::few_registers) drawing.panels = FragmentDrawing::Panels::both;
  Document d;
  d.add(in_full(fragment_figure(fragments, drawing)));
  if (std::ranges::any_of(fragments, [&](const Fragment& f) { return is_cut(f, drawing); }))
    d.add(in_full(Paragraph{"--table draws all of it", Tone::faint}));
  return d;
}

// The figure of a short text, whose legend explains the colours, if there are any.
Figure short_figure(const std::vector<Fragment>& fragments, FragmentDrawing drawing) {
  if (drawing.panels == FragmentDrawing::Panels::few_registers) drawing.panels = FragmentDrawing::Panels::matrix;
  Figure figure = fragment_figure(fragments, drawing);
  put_scales_below(figure);
  // What has brief texts is shortened: so is a matrix whose texts are brief already.
  for (auto& panels : figure.panels)
    for (Grid& grid : panels)
      for (auto& row : grid.squares)
        for (Grid::Square& square : row)
          if (square.brief.empty()) square.brief = square.text;
  for (std::string* caption : {&figure.caption, &figure.brief_caption})
    if (!caption->empty()) *caption += " --full shows every value.";
  figure.about_shades.clear();
  return figure;
}

}  // namespace

// A page and a short text show matrices of registers.
Drawing fragment_drawing(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  return {[fragments, drawing](Medium medium) {
    FragmentDrawing drawn = drawing;
    drawn.joins_registers = true;
    drawn.extent = FragmentDrawing::Extent::whole;
    if (medium == Medium::page) {
      Figure figure = fragment_figure(fragments, drawn);
      // With scale factors there are so many panels that a number is all that a cell has room for.
      const bool is_narrow = find(fragments, Operand::sfa) != nullptr && !figure.narrow.empty();
      return Document().add(is_narrow ? std::move(figure.narrow.front()) : std::move(figure));
    }
    Document d = every_value(fragments, drawing);
    if (!shows_registers(drawn) || drawing.extent == FragmentDrawing::Extent::whole) {
      for (Block& block : d.blocks) block.shown = Block::Shown::always;
      return d;
    }
    return d.add(in_short(short_figure(fragments, drawn)));
  }};
}

std::vector<HighlightKind> highlight_kinds(const std::vector<Fragment>& fragments) {
  const auto most = [&](auto count) { return std::int64_t{most_of(fragments, count)}; };
  return {{"rows", most(&Fragment::rows)},
          {"columns", most(&Fragment::columns)},
          {"lanes", std::min<std::int64_t>(most(&Fragment::threads), 32)},
          {"threads", most(&Fragment::threads)},
          {"values", most(&Fragment::values)},
          {"registers", most(&Fragment::registers)}};
}

}  // namespace swz
