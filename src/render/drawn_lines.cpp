// SPDX-License-Identifier: Apache-2.0
#include "render/drawn_lines.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace swz {
namespace {

// `place_of`: where a row or column is drawn, none if it is not. An arrow with an end that is not drawn is removed.
template <class PlaceOf>
void move_arrows(Grid& grid, Axis axis, PlaceOf place_of) {
  std::vector<Grid::Arrow> arrows;
  for (Grid::Arrow arrow : grid.arrows) {
    bool is_drawn = true;
    for (Grid::Place* place : {&arrow.from, &arrow.to}) {
      std::int64_t& at = axis == Axis::rows ? place->row : place->column;
      // An extent ends where the row before its end does.
      const bool is_end = arrow.kind == Grid::Arrow::Kind::extent && place == &arrow.to && at > 0;
      const std::optional<std::size_t> drawn = place_of(static_cast<std::size_t>(is_end ? at - 1 : at));
      is_drawn = is_drawn && drawn.has_value();
      at = static_cast<std::int64_t>(drawn.value_or(0) + (is_end ? 1 : 0));
    }
    if (is_drawn) arrows.push_back(std::move(arrow));
  }
  grid.arrows = std::move(arrows);
}

// Outlines are cut at the end of what is drawn; those outside of it are removed.
void move_outlines(Grid& grid, Axis axis, std::size_t first, std::size_t last) {
  std::vector<Grid::Outline> outlines;
  for (Grid::Outline outline : grid.outlines) {
    std::int64_t& from = axis == Axis::rows ? outline.from.row : outline.from.column;
    std::int64_t& size = axis == Axis::rows ? outline.rows : outline.columns;
    const std::int64_t begin = std::max(from, static_cast<std::int64_t>(first)),
                       end = std::min(from + size, static_cast<std::int64_t>(last));
    bool& is_open_before = axis == Axis::rows ? outline.is_open_above : outline.is_open_left;
    bool& is_open_after = axis == Axis::rows ? outline.is_open_below : outline.is_open_right;
    is_open_before = is_open_before || begin > from;
    is_open_after = is_open_after || end < from + size;
    from = begin - static_cast<std::int64_t>(first);
    size = end - begin;
    if (size > 0) outlines.push_back(outline);
  }
  grid.outlines = std::move(outlines);
}

// The label of a row with its heading, "(_,2) 1", for a part that cannot show the heading beside several rows.
std::string label_of(const Grid& grid, std::size_t row) {
  if (grid.row_levels.empty()) return grid.row_labels[row];
  const Grid::Level& level = grid.row_levels.front();
  const std::size_t heading = level.heading(row);
  return (heading < level.labels.size() ? level.labels[heading] + " " : "") + grid.row_labels[row];
}

// What is drawn, in order: a row or column of the grid, or none for "…".
using DrawnLines = std::vector<std::optional<std::size_t>>;

DrawnLines drawn_lines(const std::set<std::size_t>& keys, std::size_t count) {
  DrawnLines lines;
  std::size_t next = 0;
  for (const std::size_t key : keys) {
    if (key > next) lines.push_back({});
    lines.push_back(key);
    next = key + 1;
  }
  if (count > next) lines.push_back({});
  return lines;
}

template <class T>
std::vector<T> picked(const std::vector<T>& list, const DrawnLines& lines, const T& between = {}) {
  std::vector<T> drawn;
  for (const auto& line : lines) drawn.push_back(!line ? between : *line < list.size() ? list[*line] : T());
  return drawn;
}

// Where each row or column is drawn.
using Places = std::map<std::size_t, std::size_t>;

// A frame that goes on goes through the "…".
void move_outlines_to(Grid& grid, Axis axis, const Places& places) {
  std::erase_if(grid.outlines, [&](Grid::Outline& outline) {
    std::int64_t& from = axis == Axis::rows ? outline.from.row : outline.from.column;
    std::int64_t& size = axis == Axis::rows ? outline.rows : outline.columns;
    bool& is_open_after = axis == Axis::rows ? outline.is_open_below : outline.is_open_right;
    const std::int64_t whole_end = from + size;
    const auto begin = places.lower_bound(static_cast<std::size_t>(from)),
               end = places.lower_bound(static_cast<std::size_t>(whole_end));
    if (begin == end) return true;
    const auto last = std::prev(end);
    const bool goes_on = static_cast<std::int64_t>(last->first) + 1 < whole_end;
    from = static_cast<std::int64_t>(begin->second);
    size = static_cast<std::int64_t>(last->second) + (goes_on ? 2 : 1) - from;
    is_open_after = is_open_after || goes_on;
    return false;
  });
}

}  // namespace

void keep_range(Grid& grid, Axis axis, std::size_t first, std::size_t last) {
  move_outlines(grid, axis, first, last);
  const auto keep_of = [first, last](auto& list) {
    const std::size_t end = std::min(last, list.size());
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(end), list.end());
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(first, end)));
  };
  keep_of(axis == Axis::rows ? grid.row_labels : grid.column_labels);
  if (axis == Axis::rows) keep_of(grid.squares);
  else
    for (auto& row : grid.squares) keep_of(row);
  for (Grid::Level& level : axis == Axis::rows ? grid.row_levels : grid.column_levels) {
    const std::size_t heading = level.heading(first), end = level.heading(last - 1) + 1;
    level.skipped =
        static_cast<int>((first + static_cast<std::size_t>(level.skipped)) % static_cast<std::size_t>(level.size));
    level.labels.resize(std::min(end, level.labels.size()));
    level.labels.erase(level.labels.begin(),
                       level.labels.begin() + static_cast<std::ptrdiff_t>(std::min(heading, level.labels.size())));
  }
  // Heavier lines stay where they were, or are removed.
  int& group = axis == Axis::rows ? grid.row_group : grid.column_group;
  if (group > 0 && first % static_cast<std::size_t>(group) != 0) group = 0;
  move_arrows(grid, axis, [first, last](std::size_t at) {
    return at >= first && at < last ? std::optional(at - first) : std::nullopt;
  });
}

void keep_lines(Grid& grid, Axis axis, const std::set<std::size_t>& keys) {
  const std::size_t count = axis == Axis::rows ? grid.squares.size() : grid.column_labels.size();
  if (keys.size() == count) return;
  const DrawnLines lines = drawn_lines(keys, count);
  if (axis == Axis::rows) {
    std::vector<std::string> labels;
    for (std::size_t row = 0; row < grid.row_labels.size(); ++row) labels.push_back(label_of(grid, row));
    grid.row_labels = picked(labels, lines, std::string("…"));
    grid.squares = picked(grid.squares, lines);
    grid.row_levels.clear();
    grid.row_repeat = {};
    grid.row_group = 0;
  } else {
    grid.column_labels = picked(grid.column_labels, lines, std::string("…"));
    for (auto& row : grid.squares)
      if (!row.empty()) row = picked(row, lines);  // a row "…" has no squares
    grid.column_levels.clear();
    grid.column_repeat = {};
    grid.column_group = 0;
  }
  Places places;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i]) places[*lines[i]] = i;
  move_outlines_to(grid, axis, places);
  move_arrows(grid, axis, [&](std::size_t at) {
    const auto found = places.find(at);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace swz
