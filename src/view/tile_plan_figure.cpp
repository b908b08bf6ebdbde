#include "view/tile_plan_figure.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "view/figure.hpp"
#include "view/place_grids.hpp"

namespace swz {

namespace {

constexpr std::size_t hues = 8;

// The number of the copy for each chunk, from where the boxes land.
std::vector<std::size_t> copies_of_chunks(const TilePlan& plan, const PlacedOperand& placed) {
  const Placement& p = placed.placement;
  std::map<std::int64_t, std::size_t> chunk_at;
  for (std::int64_t i = 0; i < p.chunk_count(); ++i)
    chunk_at[p.chunk_at(i).byte.count] = static_cast<std::size_t>(i);
  std::vector<std::size_t> copies(chunk_at.size());
  for (std::size_t i = 0; i < plan.copies.size(); ++i) {
    const BoxPlacement box(plan.map, Bytes{placed.base.count + plan.copies[i].smem_offset.count});
    for (std::int64_t row = 0; row < box.rows(); ++row)
      for (std::int64_t b = 0; b < box.inner().count; b += chunk.count)
        copies[chunk_at.at(box.byte(row, b).count)] = i;
  }
  return copies;
}

std::vector<ChunkLook> looks_of(const TilePlan& plan, const PlacedOperand& placed) {
  if (plan.copies.size() == 1) return {};
  std::vector<ChunkLook> looks;
  for (const std::size_t copy : copies_of_chunks(plan, placed))
    looks.push_back({fmt::format("{}", looks.size()),
                     {static_cast<int>(copy % hues), static_cast<int>(copy / hues % 4)},
                     Mark::none,
                     fmt::format("copy {}", copy)});
  return looks;
}

// Where one box ends; of a folded map boxes are no rectangles of the tile.
void draw_boxes(Grid& grid, const TilePlan& plan, const Placement& p) {
  grid.row_group = grid.column_group = 0;
  if (plan.map.rank != 2) return;
  const TensorMapDataTypeRow& type = *find_row(plan.map.data_type);
  const int chunks =
      static_cast<int>(static_cast<std::int64_t>(plan.map.box[0]) * type.smem_bits / (chunk.count * 8));
  const int lines = static_cast<int>(plan.map.box[1]);
  const bool is_k = p.major() == Major::K;
  grid.row_group = is_k ? lines : chunks;
  grid.column_group = is_k ? chunks : lines;
}

std::vector<LegendEntry> legend_of(const TilePlan& plan) {
  std::vector<LegendEntry> legend;
  const std::size_t count = plan.copies.size();
  for (std::size_t i = 0; i < std::min(count, hues); ++i)
    legend.push_back({i + hues >= count
                          ? fmt::format("copy {}", i)
                          : fmt::format("copies {}, {}{}", i, i + hues, i + 2 * hues < count ? ", …" : ""),
                      {static_cast<int>(i), 0}});
  return legend;
}

}  // namespace

Figure plan_figure(const TilePlan& plan, const PlacedOperand& placed, bool has_tips) {
  PlaceOptions options;
  options.tips = has_tips;
  const Placement& p = placed.placement;
  PlaceScene scene{&options, &p, placed.tile ? placed.tile->swizzle().lines : 8};
  require_drawable(logical_squares(scene, p) + smem_squares(scene, p),
                   fmt::format("the figure of {}", to_string(p.extents())), "take -f json, or draw a smaller tile");
  scene.looks = looks_of(plan, placed);
  Figure figure;
  Grid logical = logical_grid(scene, placed, {});
  logical.title = "tile in global memory";
  draw_boxes(logical, plan, p);
  Grid smem = smem_grid(scene, placed, {});
  smem.title = "shared memory";
  figure.panels.push_back({std::move(logical), std::move(smem)});
  const bool is_one = plan.copies.size() == 1;
  figure.legend = is_one ? place_legend(scene, placed) : legend_of(plan);
  figure.caption =
      fmt::format("A cell is 16 bytes ({}) and shows the number of its chunk in GMEM order. Colour: {}.",
                  plural(p.chunk_elements(), "element"),
                  is_one ? "16-byte column of the operand; one copy brings all" : "the copy that brings it");
  return figure;
}

}  // namespace swz
