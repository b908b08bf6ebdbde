// SPDX-License-Identifier: Apache-2.0
// The picture of a placement: the operand by row and k, beside the lines of shared memory.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/tile/column_banks.hpp"
#include "view/tile/place.hpp"

namespace swz {

namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;

// What the panels of one figure share: numbers and colours come from the first operand.
struct PlaceScene {
  PlaceScene(const PlaceOptions& o, const PlacedOperand& front)
      : options(o),
        first(front.placement),
        is_k_major(first.major() == Major::K),
        group_lines(front.tile ? front.tile->swizzle().lines : 8),
        // An element, or a chunk: its elements along the contiguous dimension.
        cell(run_extents(first.major(), o.elements ? 1 : first.chunk_elements())) {}

  const PlaceOptions& options;
  const Placement& first;
  bool is_k_major;
  std::int64_t group_lines;  // lines of a core matrix
  TileExtents cell;
  std::vector<bool> selected = {};    // a flag for each element, row by row; empty: nothing is highlighted
  std::vector<ChunkLook> looks = {};  // of every chunk of the first operand; empty: as the options ask for

  std::int64_t cell_bits() const { return cell.mn * cell.k * first.element_bits(); }
};

// ---- cells

std::int64_t atom_of(const SmemTile& tile, TileCoordinate c) {
  const std::int64_t mn = c.row / tile.atom().mn, k = c.k / tile.atom().k;
  return tile.major() == Major::K ? mn * tile.atoms().k + k : k * tile.atoms().mn + mn;
}

std::string text_of(const PlaceScene& s, const PlacedOperand& o, TileCoordinate c) {
  const Placement& p = o.placement;
  switch (s.options.label) {
    case Label::number: return std::to_string(s.first.chunk_of(c.row, c.k));
    case Label::bank: return std::to_string(p.value_bit(c.row, c.k).in_bytes().count / 4 % 32);
    case Label::byte: return fmt::format("{:#x}", p.value_bit(c.row, c.k).in_bytes().count);
    case Label::coordinate: return fmt::format("{},{}", c.row, c.k);
    case Label::offset: return std::to_string((p.bit(c.row, c.k).count - o.base.count * 8) / p.element_bits());
    case Label::atom: return std::to_string(atom_of(*o.tile, c));
  }
  return {};
}

Tint tint_of(const PlaceScene& s, const Placement& p, TileCoordinate c) {
  const std::int64_t line = s.is_k_major ? c.row : c.k;
  const std::int64_t column = (s.is_k_major ? c.k : c.row) / s.first.chunk_elements();
  const auto tint = [](std::int64_t hue, std::int64_t shade) {
    return Tint{static_cast<int>(hue & 7), static_cast<int>(shade & 3)};
  };
  switch (s.options.color) {
    case Color::position: return tint(p.byte(c.row, c.k).count / 16, 0);
    case Color::bank: return tint_of_bank(p.bank(c.row, c.k));
    case Color::column: return tint(column, column / 8);
    case Color::subtile: return tint(column, line / s.group_lines % 2 * 2);
  }
  return {};
}

Mark mark_of(const PlaceScene& s, TileCoordinate c, const std::vector<bool>& colliding) {
  bool selected = false;
  for (std::int64_t row = c.row; row < c.row + s.cell.mn && !s.selected.empty(); ++row)
    for (std::int64_t k = c.k; k < c.k + s.cell.k; ++k)
      selected = selected || s.selected[static_cast<std::size_t>(row * s.first.extents().k + k)];
  if (!selected) return Mark::none;
  const bool collides = !colliding.empty() && colliding[static_cast<std::size_t>(s.first.chunk_of(c.row, c.k))];
  return collides ? Mark::colliding : Mark::highlighted;
}

Grid::Square square_of(const PlaceScene& s, const PlacedOperand& o, TileCoordinate c,
                       const std::vector<bool>& colliding) {
  const ChunkLook look = s.looks.empty()
                             ? ChunkLook{text_of(s, o, c), tint_of(s, o.placement, c), mark_of(s, c, colliding)}
                             : s.looks[static_cast<std::size_t>(s.first.chunk_of(c.row, c.k))];
  Grid::Square square{look.text, look.tint, look.mark, {}, look.step, look.outside};
  if (s.options.tips)
    square.tip = tip_of(look.point ? *look.point : point_of(o, c, s.cell)) + (look.tip.empty() ? "" : "\n" + look.tip);
  return square;
}

// ---- panels

// The share of a chunk that is a gap.
double gap_share(const Placement& p) {
  return static_cast<double>(p.form()->gap_bytes()) / static_cast<double>(chunk.count);
}

std::int64_t logical_squares(const PlaceScene& s, const Placement& p) {
  return p.extents().mn * p.extents().k / (s.cell.mn * s.cell.k);
}

std::int64_t smem_squares(const PlaceScene& s, const Placement& p) {
  return line_count(p) * (bank_row.count * 8 / s.cell_bits());
}

// "k 64 = 128 B" along the columns, "8 rows" beside the rows.
void add_extents(Grid& grid, const Placement& p) {
  const TileExtents e = p.extents();
  const std::int64_t bits = e.along(p.major()) * p.element_bits();
  const std::string bytes = bits % 8 == 0 ? fmt::format(" = {} B", bits / 8) : "";
  const bool is_k = p.major() == Major::K;
  const auto add = [&](Grid::Place to, std::string text) {
    grid.arrows.push_back({Grid::Arrow::Kind::extent, {0, 0}, to, std::move(text)});
  };
  add({0, std::ssize(grid.column_labels)}, fmt::format("k {}{}", e.k, is_k ? bytes : ""));
  add({std::ssize(grid.row_labels), 0}, fmt::format("{} rows{}", e.mn, is_k ? "" : bytes));
}

// What the number in a cell counts.
std::string number_word(Label label) {
  switch (label) {
    case Label::number: return "chunk";
    case Label::bank: return "bank";
    case Label::byte: return "byte";
    case Label::coordinate: return "row,k";
    case Label::offset: return "offset";
    case Label::atom: return "atom";
  }
  return "";
}

// What a panel without shared memory beside it shows of it.
std::string logical_title(const PlaceScene& s, const Placement& p) {
  const char* const what = s.options.elements ? "element" : "chunk";
  if (s.options.smem) return gmem_title(p);
  if (s.options.label == Label::bank) return fmt::format("SMEM bank of each {}", what);
  if (s.options.label == Label::byte) return fmt::format("SMEM address of each {}", what);
  return gmem_title(p);
}

// colliding: of the operand's chunks, as PhaseReading has it; may be empty.
Grid logical_grid(const PlaceScene& s, const PlacedOperand& o, const std::vector<bool>& colliding) {
  const TileExtents e = o.placement.extents(), cell = s.cell;
  Grid grid = grid_of(logical_title(s, o.placement), "row\\k",
                      labels_of(e.mn, cell.mn, [&](std::int64_t row) { return range_text(row, cell.mn); }),
                      labels_of(e.k, cell.k, [&](std::int64_t k) { return range_text(k, cell.k); }),
                      [&](std::int64_t row, std::int64_t column) {
                        return square_of(s, o, {row * cell.mn, column * cell.k}, colliding);
                      });
  add_extents(grid, o.placement);
  grid.number = number_word(s.options.label);
  if (o.tile) {
    grid.row_group = static_cast<int>(o.tile->atom().mn / cell.mn);
    grid.column_group = static_cast<int>(o.tile->atom().k / cell.k);
  }
  return grid;
}

// "0,36-37": the elements whose bits are in one byte, from the first to the last.
std::string text_of_byte(const PlaceScene& s, const PlacedOperand& o, TileCoordinate first, TileCoordinate last) {
  const std::string text = text_of(s, o, first), end = text_of(s, o, last);
  if (text == end) return text;
  if (s.options.label != Label::coordinate) return text + "-" + end;
  return s.is_k_major ? fmt::format("{}-{}", text, last.k) : fmt::format("{}-{},{}", first.row, last.row, first.k);
}

// For elements with gaps a cell is a byte: it shows the elements whose bits it contains, or that it is in a gap.
void draw_bytes(const PlaceScene& s, const PlacedOperand& o, const std::vector<bool>& colliding, Grid& grid) {
  const Placement& p = o.placement;
  const std::int64_t begin = first_line(p) * bank_row.count;
  const auto square_at = [&](std::int64_t byte) -> Grid::Square& {
    return grid.at((byte - begin) / bank_row.count, (byte - begin) % bank_row.count);
  };
  std::vector<std::optional<TileCoordinate>> firsts(static_cast<std::size_t>(line_count(p) * bank_row.count));
  for (std::int64_t line = 0; line < p.lines(); ++line)
    for (std::int64_t along = 0; along < p.extents().along(p.major()); ++along) {
      const TileCoordinate c = TileCoordinate::of(p.major(), line, along);
      const std::int64_t bit = p.value_bit(c.row, c.k).count, slot = p.byte(c.row, c.k).count;
      for (std::int64_t byte = bit / 8; byte <= (bit + p.value_bits() - 1) / 8; ++byte) {
        std::optional<TileCoordinate>& first = firsts[static_cast<std::size_t>(byte - begin)];
        if (!first) square_at(byte) = square_of(s, o, c, colliding);
        else if (square_at(byte).mark == Mark::none) square_at(byte).mark = mark_of(s, c, colliding);
        first = first.value_or(c);
        square_at(byte).text = text_of_byte(s, o, *first, c);
      }
      if (slot % chunk.count < chunk.count - p.form()->gap_bytes()) continue;
      square_at(slot) = {"gap", {}, Mark::faint};
      square_at(slot).outside = 1;
    }
}

// The row of the picture that has an element.
std::int64_t row_of(const Placement& p, TileCoordinate c) {
  return p.byte(c.row, c.k).count / bank_row.count - first_line(p);
}

// Of a tile that is several atoms wide, the lines of its first atom and those where the next ones begin: one period
// would not show where the second half of a row is.
//
//   bf16 128x128, 128B    lines 0x0 to 0x380, "next 8 rows +0x400", "next k 64 +0x4000" to chunk 8, and the last line
void show_next_atoms(Grid& grid, const PlacedOperand& o) {
  const Placement& p = o.placement;
  constexpr std::size_t few_lines = 16;
  if (!o.tile || o.tile->atoms().along(p.major()) < 2 || grid.squares.size() <= few_lines) return;
  const TileExtents atom = o.tile->atom(), all = p.extents();
  const std::int64_t begin = row_of(p, {0, 0}), lines = o.tile->swizzle().atom().count / bank_row.count;
  std::set<std::int64_t> rows{0, std::ssize(grid.squares) - 1};
  for (std::int64_t line = 0; line < std::max<std::int64_t>(lines, 1); ++line) rows.insert(begin + line);
  const auto add = [&](const std::string& what, TileCoordinate next) {
    if (next.row >= all.mn || next.k >= all.k) return;
    const std::int64_t to = row_of(p, next);
    rows.insert(to);
    grid.arrows.push_back({Grid::Arrow::Kind::distance,
                           {begin, 0},
                           {to, 0},
                           fmt::format("{} +{:#x}", what, (to - begin) * bank_row.count)});
  };
  add(fmt::format("row {}:", atom.mn), {atom.mn, 0});
  add(fmt::format("k {}:", atom.k), {0, atom.k});
  for (const std::int64_t row : rows)
    if (row >= 0 && row < std::ssize(grid.squares)) grid.key_rows.push_back(static_cast<std::size_t>(row));
}

// Beside the marked cells: where they are.
void call_out(Grid& grid, const PlacedOperand& o, const std::vector<TileCoordinate>& elements) {
  constexpr std::size_t most = 3;
  const Placement& p = o.placement;
  for (const TileCoordinate c : std::span(elements).first(std::min(most, elements.size()))) {
    const std::int64_t byte = p.value_bit(c.row, c.k).in_bytes().count;
    grid.arrows.push_back({Grid::Arrow::Kind::call_out,
                           {row_of(p, c), 0},
                           {row_of(p, c), 0},
                           fmt::format("({},{})\n{:#x}\nbank {}", c.row, c.k, byte, byte / 4 % 32)});
  }
}

// The lines from the first byte of the operand to its last. If several elements share bytes, the first is shown.
Grid smem_grid(const PlaceScene& s, const PlacedOperand& o, const std::vector<bool>& colliding) {
  const Placement& p = o.placement;
  const std::int64_t bits = s.cell_bits(), columns = bank_row.count * 8 / bits;
  const std::int64_t length = s.is_k_major ? p.extents().k : p.extents().mn;
  Grid grid = smem_lines("shared memory", "byte\\bank", first_line(p), line_count(p), bits);
  grid.number = number_word(s.options.label);
  const bool draws_bytes = p.has_gaps() && s.options.elements;
  if (draws_bytes) draw_bytes(s, o, colliding, grid);
  for (std::int64_t line = 0; line < s.first.lines() && !draws_bytes; ++line)
    for (std::int64_t along = 0; along < length; along += s.cell.mn * s.cell.k) {
      const TileCoordinate c = s.is_k_major ? TileCoordinate{line, along} : TileCoordinate{along, line};
      const std::int64_t cell = p.bit(c.row, c.k).count / bits - first_line(p) * columns;
      Grid::Square& square = grid.at(cell / columns, cell % columns);
      if (!square.text.empty()) continue;
      square = square_of(s, o, c, colliding);
      if (p.has_gaps()) square.outside = std::max(square.outside, gap_share(p));
    }
  if (o.tile && o.base.is_multiple_of(o.tile->swizzle().atom()))
    grid.row_group = static_cast<int>(std::max<std::int64_t>(1, o.tile->swizzle().atom().count / bank_row.count));
  return grid;
}

std::vector<LegendEntry> place_legend(const PlaceScene& s) {
  if (s.options.color == Color::position || s.options.color == Color::bank) {
    std::vector<LegendEntry> legend = hue_legend(8, [](std::int64_t hue) { return range_text(4 * hue, 4); });
    for (LegendEntry& entry : legend) entry.has_shades = s.options.color == Color::bank;
    return legend;
  }
  const std::int64_t length = s.is_k_major ? s.first.extents().k : s.first.extents().mn;
  const std::int64_t elements = s.first.chunk_elements(), hues = 8 * elements;
  return hue_legend(std::max<std::int64_t>(1, length / elements), [&](std::int64_t hue) {
    const std::int64_t first = hue * elements;
    std::string text = range_text(first, std::min(elements, length - first));
    if (first + hues < length) text += ", " + range_text(first + hues, elements);
    return text + (first + 2 * hues < length ? ", …" : "");
  });
}

// What a colour means.
std::string legend_title(const PlaceScene& s) {
  if (s.options.color == Color::position || s.options.color == Color::bank) return "colour: banks";
  return s.is_k_major ? "colour: k" : "colour: rows";
}

// ---- words

std::string_view label_text(Label label) {
  switch (label) {
    case Label::number: return "the number of its chunk in the order of global memory";
    case Label::bank: return "its bank";
    case Label::byte: return "its shared-memory address";
    case Label::coordinate: return "its row and k";
    case Label::offset: return "its offset from the base in elements";
    case Label::atom: return "the number of its atom";
  }
  return "";
}

// The sentence about shades; empty where they mean nothing.
std::string shades_text(const PlaceScene& s) {
  if (s.options.color == Color::bank) return " The shades of a hue are its four banks.";
  if (s.options.color != Color::subtile || s.first.lines() <= s.group_lines) return "";
  return fmt::format(" Groups of {} {} are dark and light in turn.", s.group_lines, s.is_k_major ? "rows" : "k");
}

std::string reading_text(const PlacedOperand& operand, const PhaseReading& reading) {
  // One chunk per phase cannot collide.
  if (reading.chunks == reading.phases) return {};
  return reading.ways > 1 ? fmt::format("{}: {}-way bank conflict, {} would do. ", operand.name, reading.ways,
                                        plural(reading.phases, "wavefront"))
                          : std::string();
}

std::string gap_text(const NarrowForm& form, bool draws_bytes) {
  return fmt::format("{} The first {} B of every 16 hold 16 elements, the last {} are a gap.",
                     draws_bytes ? " In shared memory a cell is a byte." : "", chunk.count - form.gap_bytes(),
                     form.gap_bytes());
}

// In a column of a paper the banks of the first columns and of the last, in letters that can be read.
void add_few_columns(Figure& figure) {
  constexpr std::size_t first_columns = 14, last_columns = 2;
  Figure narrow = figure;
  Grid& grid = narrow.panels.front().front();
  const std::size_t columns = grid.squares.front().size();
  if (columns <= first_columns + last_columns) return;
  for (std::size_t at = 0; at < columns; ++at)
    if (at < first_columns || at + last_columns >= columns) grid.key_columns.push_back(at);
  figure.narrow.push_back(std::move(narrow));
}

// Where the title is about the banks of column 0, its rows that collide are red: drawn are the first of them, the last,
// and the last of all.
void mark_column(Figure& figure, const Placement& p, const PlaceOptions& options) {
  constexpr std::int64_t first_rows = 4;
  Grid& grid = figure.panels.front().front();
  const bool is_drawn = options.tips && options.elements && options.label == Label::bank && !options.smem &&
                        std::ssize(grid.squares) == p.extents().mn;
  const ColumnBanks column = is_drawn ? column_banks(p) : ColumnBanks();
  if (column.ways < 2) return;
  for (std::int64_t row = 0; row < column.rows; ++row) {
    if (column.collides[static_cast<std::size_t>(row)]) grid.at(row, 0).mark = Mark::colliding;
    if (row < first_rows || row + 1 == column.rows) grid.key_rows.push_back(static_cast<std::size_t>(row));
  }
  if (column.rows < p.extents().mn) grid.key_rows.push_back(static_cast<std::size_t>(p.extents().mn - 1));
  figure.legend.push_back({fmt::format("rows 0-{} of column 0: one access", column.rows - 1), {}, Mark::colliding});
  add_few_columns(figure);
}

// The title of a page speaks of marked cells.
LegendEntry marked_entry(const PointQuery& query, const PlaceOptions& options) {
  return {options.tips && query.empty() ? "marked" : legend_of(query), {}, Mark::highlighted};
}

// Few lines of shared memory of several placements as one panel, each placement under its name, so that little stays
// empty beside the operand, which is higher. panels: the operand, then each placement.
void stack_memory(std::vector<Grid>& panels, const std::vector<PlacedOperand>& operands) {
  constexpr std::size_t most_lines = 4;
  const std::size_t lines = panels[1].squares.size();
  for (std::size_t i = 1; i < panels.size(); ++i)
    if (panels[i].squares.size() != lines || lines > most_lines || !panels[i].arrows.empty()) return;
  Grid all = panels[1];
  all.title = "shared memory";
  all.row_group = static_cast<int>(lines);
  all.row_levels = {{all.row_group, {}}};
  for (const PlacedOperand& o : operands) all.row_levels.front().labels.push_back(o.name);
  for (std::size_t i = 2; i < panels.size(); ++i) {
    all.squares.insert(all.squares.end(), panels[i].squares.begin(), panels[i].squares.end());
    all.row_labels.insert(all.row_labels.end(), panels[i].row_labels.begin(), panels[i].row_labels.end());
  }
  for (std::size_t row = 0; row < all.squares.size(); ++row) all.key_rows.push_back(row);
  panels.resize(1);
  panels.push_back(std::move(all));
}

}  // namespace

std::string gmem_title(const Placement& p) {
  return fmt::format("global memory ({} contiguous)", direction_name(p.major()));
}

// The panels of the first operand, then those of the others in shared memory (or as the first, when it has one panel).
Figure place_figure(const PlaceReport& report, const PlaceOptions& options,
                    const std::vector<std::vector<std::int64_t>>& phases) {
  const PlacedOperand& front = report.operands.front();
  PlaceScene scene(options, front);
  const auto has_logical = [&](const PlacedOperand& o) { return options.logical && (&o == &front || !options.smem); };
  std::int64_t squares = 0;
  for (const PlacedOperand& o : report.operands) {
    if (has_logical(o)) squares += logical_squares(scene, o.placement);
    if (options.smem) squares += smem_squares(scene, o.placement);
  }
  require_drawable(squares, fmt::format("the figure of {} {}", to_string(scene.first.extents()), report.dtype->name),
                   options.elements ? "draw chunks (--cells chunk), a part of the operand, or take -f json"
                                    : "draw a part of the operand, or take -f json");

  if (!report.selection.empty()) scene.selected = selected_elements(report.selection, scene.first);
  if (!report.query.empty()) {
    scene.selected.resize(scene.first.bits().size());
    for (const TileCoordinate c : asked_elements(report.query, front).elements)
      scene.selected[static_cast<std::size_t>(c.row * scene.first.extents().k + c.k)] = true;
  }
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  const bool several = report.operands.size() > 1;
  bool any_collides = false;
  std::string readings;
  for (const PlacedOperand& o : report.operands) {
    std::vector<bool> colliding;
    if (!phases.empty() && o.placement.has_chunks()) {
      const PhaseReading reading = read(phases, o.placement);
      colliding = reading.colliding;
      any_collides = any_collides || reading.ways > 1;
      readings += reading_text(o, reading);
    }
    if (has_logical(o)) {
      // The place in GMEM is the same for all; which cells collide depends on shared memory.
      panels.push_back(logical_grid(scene, o, several && options.smem ? std::vector<bool>{} : colliding));
      if (!options.smem && several) panels.back().title = o.name;
    }
    if (options.smem) {
      panels.push_back(smem_grid(scene, o, colliding));
      if (report.selection.empty()) show_next_atoms(panels.back(), o);
      if (!report.query.empty()) call_out(panels.back(), o, asked_elements(report.query, o).elements);
      if (several) panels.back().title += ", " + o.name;
    }
  }
  if (several && options.tips && options.smem && options.logical) stack_memory(panels, report.operands);
  figure.legend = place_legend(scene);
  if (!scene.selected.empty()) figure.legend.push_back(marked_entry(report.query, options));
  if (scene.first.has_gaps() && options.smem) figure.legend.push_back({"gap: holds no element", {}, Mark::none, 1});
  if (any_collides) figure.legend.push_back({"conflict: another marked cell is in these banks", {}, Mark::colliding});
  figure.caption = fmt::format(
      "{}A cell is {} and shows {}.", readings,
      options.elements ? "an element" : fmt::format("16 bytes ({})", plural(scene.first.chunk_elements(), "element")),
      label_text(options.label));
  figure.legend_title = legend_title(scene);
  figure.about_shades = shades_text(scene);
  if (scene.first.has_gaps() && options.smem) figure.caption += gap_text(*scene.first.form(), options.elements);
  if (!several && scene.selected.empty()) mark_column(figure, front.placement, options);
  return figure;
}

Figure chunk_figure(const PlacedOperand& placed, const ChunkPicture& picture, bool has_tips) {
  PlaceOptions options;
  options.tips = has_tips;
  PlaceScene scene(options, placed);
  scene.looks = picture.looks;
  require_drawable(logical_squares(scene, placed.placement) + smem_squares(scene, placed.placement), picture.what,
                   picture.way_out);
  Figure figure;
  figure.panels = {{logical_grid(scene, placed, {}), smem_grid(scene, placed, {})}};
  figure.panels[0][0].title = picture.title;
  show_next_atoms(figure.panels[0][1], placed);
  if (scene.looks.empty()) {
    figure.legend = place_legend(scene);
    figure.legend_title = legend_title(scene);
    figure.about_shades = shades_text(scene);
  }
  return figure;
}

}  // namespace swz
