#include <fmt/format.h>

#include <algorithm>

#include "view/figure.hpp"
#include "view/fragment.hpp"

namespace swz {

namespace {

constexpr int lanes = 32;
// A panel of at most this many cells is drawn whole on a terminal; of a larger one a corner.
constexpr int whole_cells = 1024;
constexpr int corner_rows = 16, corner_columns = 16;

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
  const bool named =
      !highlight.empty() && highlight.contains("rows", at.row) && highlight.contains("columns", at.column) &&
      highlight.contains("lanes", holder.thread % lanes) && highlight.contains("threads", holder.thread) &&
      highlight.contains("values", holder.value) && highlight.contains("registers", f.slot(holder.value).index);
  return named ? Mark::highlighted : Mark::none;
}

std::string tip(const Fragment& f, Holder holder, Coordinate at) {
  std::string text = fmt::format("row {}, column {}: thread {}", at.row, at.column, holder.thread);
  if (f.threads() > lanes) text += fmt::format(" (warp {}, lane {})", holder.thread / lanes, holder.thread % lanes);
  text += fmt::format(", value {}, {}", holder.value, slot_text(f, holder.value));
  if (has_row_addresses(f)) text += fmt::format("; lane {} supplies the address of the row", at.row);
  return text;
}

Grid::Square square(const Fragment& f, Holder holder, Coordinate at, std::string text,
                    const FragmentDrawing& drawing) {
  return {std::move(text), tint(drawing, f, holder, at), mark(drawing.highlight, f, holder, at),
          tip(f, holder, at)};
}

struct Extents {
  int rows = 0, columns = 0;
};

Extents shown(int rows, int columns, int most_rows, const FragmentDrawing& drawing) {
  if (drawing.extent == FragmentDrawing::Extent::whole || rows * columns <= whole_cells) return {rows, columns};
  return {std::min(rows, most_rows), std::min(columns, corner_columns)};
}

std::string part_of(const Extents& part, int rows, int columns, std::string_view row_word,
                    std::string_view column_word) {
  if (part.rows == rows && part.columns == columns) return {};
  return fmt::format(", {} 0-{} of {} and {} 0-{} of {}", row_word, part.rows - 1, rows, column_word,
                     part.columns - 1, columns);
}

// How many elements along a line fill a register: 8 lines of 4 such pieces are the block that fragments repeat.
int line_block(const Fragment& f) {
  const bool is_result = f.operand == Operand::c || f.operand == Operand::d;
  return is_result ? 8 : 4 * (f.register_bits() / f.bits);
}

Grid matrix_panel(const Fragment& f, const std::string& title, const FragmentDrawing& drawing) {
  const Extents part = shown(f.rows, f.columns, corner_rows, drawing);
  Grid grid;
  grid.title = title + part_of(part, f.rows, f.columns, "rows", "columns");
  grid.corner = "row\\column";
  grid.row_group = f.operand == Operand::b ? line_block(f) : 8;
  grid.column_group = f.operand == Operand::b ? 8 : line_block(f);
  grid.column_labels = number_labels(part.columns);
  grid.row_labels = labels_of(part.rows, 1, [&](std::int64_t row) {
    return has_row_addresses(f) ? fmt::format("{0} <- lane {0}", row) : std::to_string(row);
  });
  const FragmentInverse holder_of(f);
  grid.squares = squares_of(part.rows, part.columns, [&](std::int64_t row, std::int64_t column) {
    const Coordinate at{static_cast<int>(row), static_cast<int>(column)};
    const Holder holder = holder_of(at);
    return square(f, holder, at, fmt::format("T{} V{}", holder.thread, holder.value), drawing);
  });
  return grid;
}

Grid register_panel(const Fragment& f, const FragmentDrawing& drawing) {
  const Extents part = shown(f.threads(), f.values(), lanes, drawing);
  Grid grid;
  grid.title = "registers: row,column of each value" + part_of(part, f.threads(), f.values(), "threads", "values");
  grid.corner = "thread\\value";
  grid.row_group = 4;
  grid.column_group = f.register_bits() / f.bits;
  // Where each value has a register of its own, r and V are the same number.
  grid.column_labels = labels_of(part.columns, 1, [&](std::int64_t value) {
    return f.registers() == f.values() ? fmt::format("V{}", value)
                                       : fmt::format("r{} V{}", f.slot(static_cast<int>(value)).index, value);
  });
  grid.row_labels = labels_of(part.rows, 1, [](std::int64_t thread) { return fmt::format("T{}", thread); });
  grid.squares = squares_of(part.rows, part.columns, [&](std::int64_t thread, std::int64_t value) {
    const Holder holder{static_cast<int>(thread), static_cast<int>(value)};
    const Coordinate at = f.at(holder.thread, holder.value);
    return square(f, holder, at, fmt::format("{},{}", at.row, at.column), drawing);
  });
  return grid;
}

std::vector<LegendEntry> counted_legend(std::string_view what, int count) {
  std::vector<LegendEntry> legend;
  for (int i = 0; i < std::min(count, 8); ++i)
    legend.push_back({count > 8 ? fmt::format("{} {}, {}{}", what, i, i + 8, count > 16 ? ", ..." : "")
                                : fmt::format("{} {}", what, i),
                      {i, 0}});
  return legend;
}

std::vector<LegendEntry> legend_of(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  std::vector<LegendEntry> legend;
  int values = 0, registers = 0, columns = 0;
  for (const Fragment& f : fragments) {
    values = std::max(values, f.values());
    registers = std::max(registers, f.registers());
    columns = std::max(columns, f.columns);
  }
  switch (drawing.colors) {
    case FragmentColors::thread:
      for (int group = 0; group < 8; ++group)
        legend.push_back({fmt::format("lanes {}-{}", 4 * group, 4 * group + 3), {group, 0}});
      break;
    case FragmentColors::value: legend = counted_legend("value", values); break;
    case FragmentColors::reg: legend = counted_legend("register", registers); break;
    case FragmentColors::column: legend = counted_legend("column", columns); break;
  }
  if (!drawing.highlight.empty()) legend.push_back({"highlighted", {}, Mark::highlighted});
  return legend;
}

std::string caption_of(const Fragment& f) {
  std::string text = "T5 V2 is value 2 of thread 5";
  if (has_row_addresses(f)) text += "; \"3 <- lane 3\": lane 3 supplies the address of row 3";
  if (f.tiles > 1)
    text += fmt::format("; of the {} MMAs of a warp the first is shown, thread t + {}q does the same for MMA q",
                        f.tiles, 4);
  return text;
}

void require_drawable_fragments(const std::vector<Fragment>& fragments) {
  std::int64_t squares = 0;
  for (const Fragment& f : fragments)
    squares += std::int64_t{f.rows} * f.columns + std::int64_t{f.threads()} * f.values();
  require_drawable(squares, fragments.front().name, "name one operand");
}

const Fragment* find(const std::vector<Fragment>& fragments, Operand operand) {
  for (const Fragment& f : fragments)
    if (f.operand == operand) return &f;
  return nullptr;
}

}  // namespace

std::string operand_title(const Fragment& f) {
  switch (f.operand) {
    case Operand::a: return f.name.starts_with("movmatrix") ? "what a thread gives" : "A (M x K)";
    case Operand::b: return "B (K x N)";
    case Operand::c: return "C (M x N)";
    case Operand::d: return f.name.starts_with("movmatrix") ? "what a thread gets" : "D (M x N)";
    case Operand::memory: return "memory (rows x elements)";
  }
  return {};
}

std::string slot_text(const Fragment& f, int value) {
  const RegisterSlot slot = f.slot(value);
  if (f.bits == f.register_bits()) return fmt::format("r{}", slot.index);
  if (f.bits == 1) return fmt::format("r{} bit {}", slot.index, slot.first_bit);
  return fmt::format("r{} bits {}-{}", slot.index, slot.first_bit, slot.first_bit + f.bits - 1);
}

bool is_cut(const Fragment& f, const FragmentDrawing& drawing) {
  return drawing.extent == FragmentDrawing::Extent::corner &&
         (f.rows * f.columns > whole_cells || f.threads() * f.values() > whole_cells);
}

bool has_row_addresses(const Fragment& f) { return f.operand == Operand::memory; }

Figure fragment_figure(const Fragment& f, const FragmentDrawing& drawing) {
  require_drawable_fragments({f});
  Figure figure;
  figure.panels = {{matrix_panel(f, operand_title(f), drawing), register_panel(f, drawing)}};
  figure.legend = legend_of({f}, drawing);
  figure.caption = caption_of(f);
  return figure;
}

Figure fragment_figure(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  require_drawable_fragments(fragments);
  const auto panel = [&](const Fragment& f) { return matrix_panel(f, operand_title(f), drawing); };
  const Fragment &a = *find(fragments, Operand::a), &d = *find(fragments, Operand::d);
  const Fragment *b = find(fragments, Operand::b), *c = find(fragments, Operand::c);
  const bool c_is_d = c != nullptr && tv_layout(*c) == tv_layout(d) && c->bits == d.bits;

  Figure figure;
  if (b != nullptr) figure.panels.push_back({Grid{}, panel(*b)});
  figure.panels.push_back({panel(a), c_is_d ? matrix_panel(d, "C and D (M x N)", drawing) : panel(d)});
  if (c != nullptr && !c_is_d) figure.panels.back().push_back(panel(*c));
  figure.legend = legend_of(fragments, drawing);
  figure.caption = caption_of(a);
  return figure;
}

}  // namespace swz
