// SPDX-License-Identifier: Apache-2.0
#include "view/banks/moved_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.hpp"
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
  std::vector<std::int64_t> lines = {};  // that are drawn
  bool has_more = false;                 // lines before the last one
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

// The first lines and the last one.
void fold_lines(LanePanel& panel) {
  constexpr std::size_t most = 16;
  constexpr std::ptrdiff_t first = 8;
  if (panel.lines.size() <= most) return;
  panel.lines.erase(panel.lines.begin() + first, panel.lines.end() - 1);
  panel.has_more = true;
}

// The columns that the drawn lines of some panel touch.
std::set<std::int64_t> touched_columns(const std::vector<LanePanel>& panels, std::int64_t width) {
  std::set<std::int64_t> columns;
  for (const LanePanel& panel : panels)
    for (const MovedLane& lane : panel.lanes)
      if (std::ranges::find(panel.lines, lane.line()) != panel.lines.end())
        columns.insert(lane.byte % bank_row.count / width);
  return columns;
}

Grid grid_of_panel(const LanePanel& panel, const ServedGroup& group, std::int64_t width) {
  std::map<std::int64_t, std::set<std::int64_t>> in_column;
  for (const MovedLane& lane : panel.lanes) in_column[lane.byte % bank_row.count / width].insert(lane.byte / width);
  Grid grid = smem_lines(panel.title, "byte\\bank", panel.lines, width * 8);
  for (const MovedLane& lane : panel.lanes) {
    const auto line = std::ranges::find(panel.lines, lane.line());
    if (line == panel.lines.end()) continue;
    const std::int64_t column = lane.byte % bank_row.count / width;
    Grid::Square& square = grid.at(line - panel.lines.begin(), column);
    square = {square.text.empty() ? std::to_string(lane.lane) : square.text, tint_of_lane(group, lane.lane),
              in_column[column].size() > 1 ? Mark::colliding : Mark::none,
              fmt::format("lane {}\nbyte {:#x}\nbefore {:#x}", lane.lane, lane.byte, lane.before)};
  }
  return grid;
}

// A row "…" before the last one.
void add_gap(Grid& grid) {
  grid.row_labels.insert(grid.row_labels.end() - 1, "…");
  grid.squares.insert(grid.squares.end() - 1, std::vector<Grid::Square>());
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

Figure moved_lanes_figure(const MovedLanes& lanes, bool is_whole) {
  constexpr std::int64_t most_columns = 16;
  const ServedGroup& group = lanes.group;
  const std::int64_t width = std::max(4, group.pattern.instruction->bytes);
  const std::string whom = group.lanes == warp_lanes ? "" : " for lanes " + range_text(group.first_lane(), group.lanes);
  const auto title = [&](const std::string& when, int wavefronts) {
    return fmt::format("{}: {}{}", when, plural(wavefronts, "wavefront"), whom);
  };
  std::vector<LanePanel> panels{panel_of(title(lanes.before, group.passes), group, group.pattern)};
  if (lanes.moved) {
    const int passes = count_wavefronts(*lanes.moved).passes[static_cast<std::size_t>(group.group)];
    panels.push_back(panel_of(title(lanes.after, passes), group, *lanes.moved));
  }
  if (!is_whole)
    for (LanePanel& panel : panels) fold_lines(panel);
  const std::set<std::int64_t> columns = touched_columns(panels, width);
  Figure figure;
  figure.panels.emplace_back();
  for (const LanePanel& panel : panels) {
    Grid grid = grid_of_panel(panel, group, width);
    if (!is_whole && std::ssize(grid.column_labels) > most_columns)
      grid.key_columns.assign(columns.begin(), columns.end());
    if (panel.has_more) add_gap(grid);
    figure.panels.front().push_back(std::move(grid));
  }
  figure.legend = {{"shares its banks with another word", {}, Mark::colliding}};
  figure.caption = fmt::format("Numbers: the first lane of each cell of {} bytes.", width);
  return figure;
}

}  // namespace swz
