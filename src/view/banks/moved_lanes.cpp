// SPDX-License-Identifier: Apache-2.0
#include "view/banks/moved_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "view/banks/banks.hpp"
#include "view/banks/fold.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

// Up to eight lanes have a hue each, so that the reader can follow one from panel to panel; the next ones a lighter shade.
Tint tint_of_lane(const ServedGroup& group, int lane) {
  const int place = lane - group.first_lane();
  return {place % 8, place / 8 % 4};
}

struct MovedLane {
  int lane = 0;
  std::int64_t before = 0, byte = 0;

  std::int64_t line() const { return byte / bank_row.count; }
};

struct LanePanel {
  std::string title;
  std::vector<MovedLane> lanes;
  std::vector<std::int64_t> lines = {};
};

LanePanel panel_of(std::string title, const ServedGroup& group, const AccessPattern& pattern) {
  LanePanel panel{std::move(title), {}};
  std::set<std::int64_t> lines;
  for (int lane = group.first_lane(); lane < group.first_lane() + group.lanes; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    panel.lanes.push_back({lane, group.pattern.address[i], pattern.address[i]});
    lines.insert(panel.lanes.back().line());
  }
  panel.lines.assign(lines.begin(), lines.end());
  return panel;
}

Grid grid_of_panel(const LanePanel& panel, const ServedGroup& group, std::int64_t width) {
  std::map<std::int64_t, std::set<std::int64_t>> in_column;
  for (const MovedLane& lane : panel.lanes) in_column[lane.byte % bank_row.count / width].insert(lane.byte / width);
  Grid grid = smem_lines(panel.title, "byte\\bank", panel.lines, width * 8);
  for (const MovedLane& lane : panel.lanes) {
    const auto line = std::ranges::find(panel.lines, lane.line());
    const std::int64_t column = lane.byte % bank_row.count / width;
    Grid::Square& square = grid.at(line - panel.lines.begin(), column);
    square = {square.text.empty() ? std::to_string(lane.lane) : square.text, tint_of_lane(group, lane.lane),
              in_column[column].size() > 1 ? Mark::colliding : Mark::none,
              fmt::format("lane {}\nbyte {:#x}\nbefore {:#x}", lane.lane, lane.byte, lane.before)};
  }
  return grid;
}

// Of many lines the first and the last one, with a row "…" between them.
void fold_lines(Grid& grid) {
  constexpr std::size_t most = 16;
  constexpr std::ptrdiff_t first = 8;
  if (grid.squares.size() <= most) return;
  const auto fold = [](auto& rows, auto between) {
    rows.erase(rows.begin() + first, rows.end() - 1);
    rows.insert(rows.end() - 1, between);
  };
  fold(grid.row_labels, std::string("…"));
  fold(grid.squares, std::vector<Grid::Square>());
}

// Of many banks those that the drawn lines touch.
void keep_touched_columns(Grid& grid) {
  constexpr std::size_t most_columns = 16;
  if (grid.column_labels.size() <= most_columns) return;
  for (std::size_t c = 0; c < grid.column_labels.size(); ++c)
    if (std::ranges::any_of(grid.squares, [c](const auto& row) { return c < row.size() && !row[c].text.empty(); }))
      grid.key_columns.push_back(c);
}

}  // namespace

ServedGroup worst_group_of(const AccessPattern& pattern) {
  const WavefrontCount count = count_wavefronts(pattern);
  const int lanes = pattern.instruction->addresses / std::max(1, count.groups);
  ServedGroup worst{pattern, 0, lanes, count.passes[0]};
  for (int g = 1; g < count.groups; ++g)
    if (const int passes = count.passes[static_cast<std::size_t>(g)]; passes > worst.passes)
      worst = {pattern, g, lanes, passes};
  return worst;
}

std::string part_of_access(const ServedGroup& group) {
  if (group.groups() == 1) return "";
  return group.is_matrix() ? fmt::format("one of {} matrices of ", group.groups())
                           : fmt::format("lanes {} of ", range_text(group.first_lane(), group.lanes));
}

Figure moved_lanes_figure(const MovedLanes& lanes, bool is_whole) {
  const ServedGroup& group = lanes.group;
  const std::int64_t width = std::max(4, group.pattern.instruction->bytes);
  const std::string whom = group.lanes == warp_lanes ? "" : " " + range_text(group.first_lane(), group.lanes);
  const auto title = [&](const std::string& when, int wavefronts) {
    return fmt::format("{}: {}{}", when, plural(wavefronts, "wavefront"),
                       group.groups() == 1 ? ""
                       : group.is_matrix() ? " a matrix"
                                           : " for lanes" + whom);
  };
  std::vector<LanePanel> panels{panel_of(title(lanes.before, group.passes), group, group.pattern)};
  if (lanes.moved) {
    const int passes = count_wavefronts(*lanes.moved).passes[static_cast<std::size_t>(group.group)];
    panels.push_back(panel_of(title(lanes.after, passes), group, *lanes.moved));
  }
  Figure figure;
  figure.panels.emplace_back();
  figure.is_comparison = true;
  bool has_folds = false;
  for (const LanePanel& panel : panels) {
    Grid grid = grid_of_panel(panel, group, width);
    // A column is folded only if none of the lanes touches it, also of those whose lines are not drawn.
    if (!is_whole) {
      fold_columns(grid, width / 4, "…");
      has_folds = has_folds || has_fold(grid);
      fold_lines(grid);
      keep_touched_columns(grid);
    }
    figure.panels.front().push_back(std::move(grid));
  }
  figure.legend = {{"shares its banks with another word", {}, Mark::colliding}};
  if (has_folds) figure.legend.push_back({"no lane", {}, Mark::none, 1});
  const bool is_lane_each = std::ranges::all_of(panels, [&](const LanePanel& panel) {
    std::set<std::int64_t> cells;
    return std::ranges::all_of(panel.lanes,
                               [&](const MovedLane& lane) { return cells.insert(lane.byte / width).second; });
  });
  figure.caption = is_lane_each ? fmt::format("Numbers: lanes{}.", whom)
                                : fmt::format("Numbers: the first lane of each cell of {} bytes{}.", width,
                                              whom.empty() ? "" : ", of lanes" + whom);
  figure.about_shades = group.lanes <= 8 ? " Colour: the lane." : " Colour: the lane mod 8.";
  return figure;
}

}  // namespace swz
