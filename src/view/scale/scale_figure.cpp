// SPDX-License-Identifier: Apache-2.0
// Pictures of a layout of scale factors: where each block of the operand begins, and the factors of one block.
//
//   the 128x4 tile: line 8 of 16 bytes holds 8,0 8,1 8,2 8,3 40,0 40,1 …: row,kb
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "view/document/figure.hpp"
#include "view/scale/scale_layout.hpp"

namespace swz {
namespace {

constexpr std::int64_t line_units = 16, most_shown_lines = 32;

// What both pictures need. A unit is the place of a factor: its bytes, with those up to the next one.
struct ShownLayout {
  const ScaleLayoutView& view;
  const ScaleLayout& layout;
  ScaleLayout::Block block;

  std::int64_t unit() const { return layout.row().unit; }
  const ScaleExtents& whole() const { return layout.extents(); }
  std::int64_t row_blocks() const { return ceil_div(whole().rows, block.extents.rows); }
  std::int64_t k_blocks() const { return ceil_div(whole().factors, block.extents.factors); }
  // The block of the point, or the first.
  ScaleCoordinate shown() const {
    return view.at ? ScaleCoordinate{view.at->row / block.extents.rows, view.at->kb / block.extents.factors}
                   : ScaleCoordinate{};
  }
  std::int64_t first_byte(const ScaleCoordinate& of) const {
    return layout.offset({of.row * block.extents.rows, of.kb * block.extents.factors}).count;
  }
};

ShownLayout shown_of(const ScaleLayoutView& view) {
  ShownLayout shown{view, view.tensor.layout(), view.tensor.layout().block()};
  require_drawable(shown.row_blocks() * shown.k_blocks(), "the figure of the blocks", "take fewer rows or a smaller K");
  return shown;
}

// The units that are drawn: those of the block, or lines around the point.
struct ShownUnits {
  std::int64_t begin = 0, count = 0, lines = 0;  // begin is a byte
};

ShownUnits units_of(const ShownLayout& shown) {
  // Rows that simply follow each other are drawn as one.
  const bool is_row = shown.block.extents.rows == 1;
  const std::int64_t first = is_row ? 0 : shown.first_byte(shown.shown()), size = shown.layout.size().count;
  const std::int64_t units = (is_row ? size : std::min(size - first, shown.block.bytes.count)) / shown.unit();
  const std::int64_t lines = ceil_div(units, line_units);
  if (lines <= most_shown_lines) return {first, units, lines};
  constexpr std::int64_t group = 8;  // the drawn part begins at a multiple of so many lines
  const std::int64_t asked =
      shown.view.at ? (shown.layout.offset(*shown.view.at).count - first) / shown.unit() / line_units : 0;
  const std::int64_t skipped = std::min(asked / group * group, lines - most_shown_lines) * line_units;
  return {first + skipped * shown.unit(), std::min(units - skipped, most_shown_lines * line_units), most_shown_lines};
}

// A hue for each 32 rows of a block of 128, or for each row; a shade for each factor of a word.
Tint tint_of(const ScaleLayout::Block& block, const ScaleCoordinate& at) {
  const std::int64_t row = at.row % block.extents.rows / (block.extents.rows == 128 ? 32 : 1);
  return {static_cast<int>(row % 8), static_cast<int>(at.kb % 4)};
}

}  // namespace

Figure scale_blocks_figure(const ScaleLayoutView& view) {
  const ShownLayout shown = shown_of(view);
  const auto label = [](std::int64_t index, std::int64_t each, std::int64_t end) {
    return range_text(index * each, std::min(each, end - index * each));
  };
  const auto row_label = [&](std::int64_t row) { return label(row, shown.block.extents.rows, shown.whole().rows); };
  const auto k_label = [&](std::int64_t k) { return label(k, shown.block.extents.factors, shown.whole().factors); };
  Figure figure;
  figure.panels.push_back({grid_of(shown.block.extents.rows == 1 ? "first byte of each row" : "first byte of each tile",
                                   "row\\kb", labels_of(shown.row_blocks(), 1, row_label),
                                   labels_of(shown.k_blocks(), 1, k_label), [&](std::int64_t row, std::int64_t k) {
                                     const std::int64_t first = shown.first_byte({row, k});
                                     Grid::Square square;
                                     square.text = fmt::format("{:#x}", first);
                                     square.tip = fmt::format("rows {}, factors {}\nfrom byte {} on", row_label(row),
                                                              k_label(k), first);
                                     if (shown.view.at && shown.shown() == ScaleCoordinate{row, k})
                                       square.mark = Mark::highlighted;
                                     return square;
                                   })});
  return figure;
}

Figure scale_units_figure(const ScaleLayoutView& view) {
  const ShownLayout shown = shown_of(view);
  const ShownUnits units = units_of(shown);
  const auto byte_of = [&](std::int64_t unit) { return units.begin + unit * shown.unit(); };
  bool has_padding = false;
  const auto square_at = [&](std::int64_t line, std::int64_t column) {
    Grid::Square square;
    const std::int64_t unit = line * line_units + column;
    if (unit >= units.count) return square;
    const auto factor = shown.layout.at({byte_of(unit)});
    square.tip = fmt::format("byte {}: {}", byte_of(unit), factor ? "padding" : "no factor");
    if (!factor || shown.layout.is_padding(*factor)) {
      has_padding = true;
      square.outside = 1;
      return square;
    }
    square.text = fmt::format("{},{}", factor->row, factor->kb);
    square.tint = tint_of(shown.block, *factor);
    square.tip = fmt::format("row {}, factor {}: k {}\nbyte {}", factor->row, factor->kb,
                             range_text(factor->kb * shown.view.vec, shown.view.vec), byte_of(unit));
    if (shown.view.at == factor) square.mark = Mark::highlighted;
    return square;
  };
  const auto line_label = [&](std::int64_t line) { return fmt::format("{:#x}", byte_of(line * line_units)); };
  const std::string column_unit = shown.unit() == 1 ? "byte" : fmt::format("{} B", shown.unit());
  Figure figure;
  figure.panels.push_back(
      {grid_of(fmt::format("bytes {:#x} to {:#x}: row,kb of each factor", units.begin,
                           units.begin + units.count * shown.unit() - 1),
               column_unit, labels_of(units.lines, 1, line_label),
               labels_of(std::min(line_units, units.count), 1, [](std::int64_t i) { return fmt::format("+{:x}", i); }),
               square_at)});
  figure.panels[0][0].column_group = 4;
  figure.panels[0][0].number = "row,kb";
  if (has_padding) figure.legend.push_back({"padding", {}, Mark::none, 1});
  if (shown.view.at)
    figure.legend.push_back({fmt::format("row {}, factor {}: byte {:#x}", shown.view.at->row, shown.view.at->kb,
                                         shown.layout.offset(*shown.view.at).count),
                             {},
                             Mark::highlighted});
  figure.caption =
      fmt::format("Factor kb of a row scales its {} elements from k {} * kb on.", shown.view.vec, shown.view.vec);
  figure.about_shades = fmt::format(" Colour: {}, a shade for each factor.",
                                    shown.block.extents.rows == 128 ? "32 rows of a tile" : "the row");
  return figure;
}

Drawing scale_layout_drawing(const ScaleLayoutView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::terminal && view.at) return document;
    const ShownLayout shown = shown_of(view);
    if (shown.row_blocks() * shown.k_blocks() > 1) document.add(scale_blocks_figure(view));
    document.add(scale_units_figure(view));
    return document;
  }};
}

}  // namespace swz
