// SPDX-License-Identifier: Apache-2.0
// The picture of a choice: for each swizzle mode the first eight lines of the tile as they are in global memory, cut
// into the atoms of the mode, each chunk in the colour of the banks that the mode puts it into.
//
//   bf16 64x32, mode 64B     4 chunks a row, one atom wide: "64 B request"; the 8 chunks of a column have 4 colours
//   bf16 64x32, mode 128B    an atom is 8 chunks wide: the 4 that the tile does not have are hatched
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "smem/placement.hpp"
#include "view/tile/tile.hpp"

namespace swz {
namespace {

constexpr std::int64_t shown_lines = 8;

// The tile in chunks: lines, and chunks along each.
struct ChunkTile {
  std::int64_t lines = 0, columns = 0, elements = 0;
  explicit ChunkTile(const SmemTileValues& shape)
      : lines(shape.extents().across(shape.major)),
        elements(chunk.count * 8 / element_bits(*shape.dtype, shape.packing)) {
    columns = shape.extents().along(shape.major) / elements;
  }
};

std::string title_of(const ModeVerdict& verdict, bool is_taken) {
  const std::string text = fmt::format("{}: ", verdict.mode->name);
  if (!verdict.fits || !verdict.allowed) return text + "no, " + verdict.why_not;
  if (!is_taken) return text + fmt::format("fits, {} B requests", verdict.mode->span.count);
  return text + "take it" + (verdict.mn_first ? fmt::format(", {}", plural(verdict.mn_first->count, "TMA copy")) : "");
}

// The banks of each chunk of the tile under a mode; the lines and columns of its atoms that the tile lacks are outside.
Grid mode_panel(const ChooseReport& report, const ModeVerdict& verdict) {
  const SmemTileValues& shape = report.shape;
  const ChunkTile tile(shape);
  const SwizzleMode& mode = *verdict.mode;
  const std::int64_t span = mode.span.count / chunk.count;
  const std::int64_t rows = std::min(shown_lines, tile.lines), columns = (tile.columns + span - 1) / span * span;
  std::optional<Placement> placement;
  if (verdict.fits) {
    SmemTileValues values = shape;
    values.swizzle = mode.name;
    placement.emplace(SmemTile(values));
  }
  const auto square = [&](std::int64_t line, std::int64_t column) {
    if (column >= tile.columns) return Grid::Square{"", {}, Mark::faint, "not in the tile", -1, 1};
    if (!placement) return Grid::Square{};
    const TileCoordinate at = TileCoordinate::of(shape.major, line, column * tile.elements);
    const std::int64_t byte = placement->byte(at.row, at.k).count, group = byte / chunk.count % 8;
    return Grid::Square{
        std::to_string(4 * group),
        {static_cast<int>(group)},
        Mark::none,
        fmt::format("row {}, k {}\nbyte {:#x}, banks {}", at.row, at.k, byte, range_text(4 * group, 4))};
  };
  Grid grid =
      grid_of(title_of(verdict, verdict.mode == report.choice.mode), shape.major == Major::K ? "row\\k" : "k\\row",
              number_labels(rows), number_labels(columns * tile.elements, tile.elements), square);
  grid.column_group = static_cast<int>(span);
  grid.column_units = 1;
  if (span <= tile.columns)
    grid.arrows = {{Grid::Arrow::Kind::extent, {0, 0}, {0, span}, fmt::format("{} B", mode.span.count)}};
  if (verdict.mode == report.choice.mode) grid.outlines = {{{0, 0}, rows, std::min(columns, tile.columns)}};
  return grid;
}

}  // namespace

Figure choose_figure(const ChooseReport& report) {
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  for (const ModeVerdict& verdict : report.choice.verdicts)
    if (verdict.allowed || verdict.mode == report.choice.mode) panels.push_back(mode_panel(report, verdict));
  figure.legend = hue_legend(8, [](std::int64_t hue) { return range_text(4 * hue, 4); });
  figure.legend.push_back({"an atom needs it, the tile does not have it", {}, Mark::faint, 1});
  if (std::ranges::any_of(panels, [](const Grid& panel) { return !panel.outlines.empty(); })) {
    figure.legend.push_back({fmt::format("take {}", report.choice.mode->name)});
    figure.legend.back().is_dashed = true;
  }
  figure.legend_title = "colour: banks";
  figure.caption = fmt::format(
      "The first {} lines of the tile in global memory. A cell is 16 bytes and shows the first of its four banks. "
      "Heavy lines: atoms, as wide as one request. Eight colours in a column: no conflict.",
      std::min(shown_lines, ChunkTile(report.shape).lines));
  return figure;
}

}  // namespace swz
