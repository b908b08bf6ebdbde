#include <fmt/format.h>

#include <algorithm>

#include "view/figure.hpp"
#include "view/place.hpp"

namespace swz {

namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;

constexpr std::int64_t line_bytes = bank_row.count;
constexpr std::int64_t chunks_in_line = line_bytes / 16;

// Elements that one cell stands for, along the contiguous dimension.
std::int64_t cell_elements(const PlaceScene& s) { return s.options->elements ? 1 : s.first->chunk_elements(); }

std::int64_t cell_bits(const PlaceScene& s) { return cell_elements(s) * s.first->element_bits(); }

bool is_k_major(const PlaceScene& s) { return s.first->major() == Major::K; }

std::int64_t atom_of(const SmemTile& tile, TileCoordinate c) {
  const std::int64_t mn = c.row / tile.atom().mn, k = c.k / tile.atom().k;
  return tile.major() == Major::K ? mn * tile.atoms().k + k : k * tile.atoms().mn + mn;
}

std::string text_of(const PlaceScene& s, const PlacedOperand& o, TileCoordinate c) {
  const Placement& p = o.placement;
  switch (s.options->label) {
    case Label::number: return fmt::format("{}", s.first->chunk_of(c.row, c.k));
    case Label::bank: return fmt::format("{}", p.bank(c.row, c.k));
    case Label::byte: return fmt::format("{:#x}", p.byte(c.row, c.k).count);
    case Label::coordinate: return fmt::format("{},{}", c.row, c.k);
    case Label::offset: return fmt::format("{}", (p.bit(c.row, c.k).count - o.base.count * 8) / p.element_bits());
    case Label::atom: return fmt::format("{}", atom_of(*o.tile, c));
  }
  return {};
}

Tint tint_of(const PlaceScene& s, const Placement& p, TileCoordinate c) {
  const std::int64_t line = is_k_major(s) ? c.row : c.k;
  const std::int64_t column = (is_k_major(s) ? c.k : c.row) / s.first->chunk_elements();
  const auto tint = [](std::int64_t hue, std::int64_t shade) {
    return Tint{static_cast<int>(hue & 7), static_cast<int>(shade & 3)};
  };
  switch (s.options->color) {
    case Color::position: return tint(p.byte(c.row, c.k).count / 16, 0);
    case Color::bank: return tint_of_bank(p.bank(c.row, c.k));
    case Color::column: return tint(column, column / 8);
    case Color::subtile: return tint(column, line / s.group_lines % 2 * 2);
  }
  return {};
}

Mark mark_of(const PlaceScene& s, TileCoordinate c, const std::vector<bool>& colliding) {
  if (s.selected.empty()) return Mark::none;
  bool selected = false;
  for (std::int64_t i = 0; i < cell_elements(s); ++i) {
    const std::int64_t row = is_k_major(s) ? c.row : c.row + i, k = is_k_major(s) ? c.k + i : c.k;
    selected = selected || s.selected[static_cast<std::size_t>(row * s.first->extents().k + k)];
  }
  if (!selected) return Mark::none;
  const bool collides = !colliding.empty() && colliding[static_cast<std::size_t>(s.first->chunk_of(c.row, c.k))];
  return collides ? Mark::colliding : Mark::highlighted;
}

std::string tip_of(const PlaceScene& s, const Placement& p, TileCoordinate c) {
  const std::int64_t n = cell_elements(s);
  const std::int64_t byte = p.byte(c.row, c.k).count;
  const std::int64_t words = std::max<std::int64_t>(1, cell_bits(s) / 32);
  const std::int64_t rows = is_k_major(s) ? 1 : n, k = is_k_major(s) ? n : 1;
  std::string tip = fmt::format("row{} {}, k {}\nbyte {:#x}, line {}, bank{} {}", rows == 1 ? "" : "s",
                                range_text(c.row, rows), range_text(c.k, k), byte, byte / line_bytes,
                                words == 1 ? "" : "s", range_text(byte / 4 % 32, words));
  if (s.first->has_chunks()) tip += fmt::format("\nchunk {}", s.first->chunk_of(c.row, c.k));
  return tip;
}

Grid::Square square_of(const PlaceScene& s, const PlacedOperand& o, TileCoordinate c,
                       const std::vector<bool>& colliding) {
  if (!s.looks.empty()) {
    const ChunkLook& look = s.looks[static_cast<std::size_t>(s.first->chunk_of(c.row, c.k))];
    Grid::Square square{look.text, look.tint, look.mark};
    if (s.options->tips) square.tip = tip_of(s, o.placement, c) + (look.tip.empty() ? "" : "\n" + look.tip);
    return square;
  }
  Grid::Square square{text_of(s, o, c), tint_of(s, o.placement, c), mark_of(s, c, colliding)};
  if (s.options->tips) square.tip = tip_of(s, o.placement, c);
  return square;
}

struct LineRange {
  std::int64_t first = 0, count = 0;
};

LineRange lines_of(const Placement& p) {
  const std::int64_t first = p.begin().count / line_bytes;
  return {first, (p.end().count - 1) / line_bytes - first + 1};
}

// Visits every cell by its first element, in GMEM order.
template <class Visit>
void for_each_cell(const PlaceScene& s, Visit visit) {
  const TileExtents e = s.first->extents();
  const std::int64_t step = cell_elements(s);
  for (std::int64_t line = 0; line < s.first->lines(); ++line)
    for (std::int64_t along = 0; along < (is_k_major(s) ? e.k : e.mn); along += step)
      visit(is_k_major(s) ? TileCoordinate{line, along} : TileCoordinate{along, line});
}

}  // namespace

std::int64_t logical_squares(const PlaceScene& scene, const Placement& placement) {
  return placement.extents().mn * placement.extents().k / cell_elements(scene);
}

std::int64_t smem_squares(const PlaceScene& scene, const Placement& placement) {
  return lines_of(placement).count * (line_bytes * 8 / cell_bits(scene));
}

Grid logical_grid(const PlaceScene& scene, const PlacedOperand& operand, const std::vector<bool>& colliding) {
  const TileExtents e = operand.placement.extents();
  const bool k_major = is_k_major(scene);
  const std::int64_t n = cell_elements(scene);
  const std::int64_t row_step = k_major ? 1 : n, k_step = k_major ? n : 1;
  Grid grid;
  grid.corner = "row\\k";
  grid.column_labels = labels_of(e.k, k_step, [&](std::int64_t k) { return range_text(k, k_step); });
  grid.row_labels = labels_of(e.mn, row_step, [&](std::int64_t row) { return range_text(row, row_step); });
  grid.squares =
      squares_of(std::ssize(grid.row_labels), std::ssize(grid.column_labels), [&](auto row, auto column) {
        return square_of(scene, operand, {row * row_step, column * k_step}, colliding);
      });
  if (operand.tile) {
    grid.row_group = static_cast<int>(operand.tile->atom().mn / row_step);
    grid.column_group = static_cast<int>(operand.tile->atom().k / k_step);
  }
  return grid;
}

Grid smem_grid(const PlaceScene& scene, const PlacedOperand& operand, const std::vector<bool>& colliding) {
  const Placement& p = operand.placement;
  const LineRange lines = lines_of(p);
  const std::int64_t bits = cell_bits(scene), columns = line_bytes * 8 / bits;
  Grid grid = smem_lines("", "byte\\bank", lines.first, lines.count, bits);
  for_each_cell(scene, [&](TileCoordinate c) {
    const std::int64_t cell = p.bit(c.row, c.k).count / bits - lines.first * columns;
    Grid::Square& square =
        grid.squares[static_cast<std::size_t>(cell / columns)][static_cast<std::size_t>(cell % columns)];
    if (square.text.empty()) square = square_of(scene, operand, c, colliding);
  });
  if (operand.tile && operand.base.is_multiple_of(operand.tile->swizzle().atom()))
    grid.row_group = static_cast<int>(std::max<std::int64_t>(1, operand.tile->swizzle().atom().count / line_bytes));
  return grid;
}

std::int64_t shared_elements(const Placement& placement) {
  std::vector<bool> taken(static_cast<std::size_t>(
      (placement.end().count - placement.begin().count) * 8 / placement.element_bits() + 1));
  std::int64_t shared = 0;
  for (std::int64_t row = 0; row < placement.extents().mn; ++row)
    for (std::int64_t k = 0; k < placement.extents().k; ++k) {
      const auto slot = static_cast<std::size_t>((placement.bit(row, k).count - placement.begin().count * 8) /
                                                 placement.element_bits());
      shared += taken[slot] ? 1 : 0;
      taken[slot] = true;
    }
  return shared;
}

std::vector<LegendEntry> place_legend(const PlaceScene& scene, const PlacedOperand& operand) {
  std::vector<LegendEntry> legend;
  const Color color = scene.options->color;
  if (color == Color::position || color == Color::bank) {
    for (std::int64_t column = 0; column < chunks_in_line; ++column)
      legend.push_back({fmt::format("banks {}", range_text(4 * column, 4)), {static_cast<int>(column), 0}});
    return legend;
  }
  const Placement& p = operand.placement;
  const std::int64_t length = is_k_major(scene) ? p.extents().k : p.extents().mn;
  const std::int64_t columns = std::max<std::int64_t>(1, length / p.chunk_elements());
  for (std::int64_t column = 0; column < std::min(columns, chunks_in_line); ++column) {
    const std::int64_t first = column * p.chunk_elements();
    std::string text = fmt::format("{} {}", is_k_major(scene) ? "k" : "rows",
                                   range_text(first, std::min(p.chunk_elements(), length - first)));
    if (columns > chunks_in_line) text += ", …";
    legend.push_back({std::move(text), {static_cast<int>(column), 0}});
  }
  return legend;
}

}  // namespace swz
