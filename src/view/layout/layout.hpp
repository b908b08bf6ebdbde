// SPDX-License-Identifier: Apache-2.0
// Views of layouts: what `swz layout` and `swz diff` answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/limits.hpp"
#include "expr/evaluate.hpp"
#include "layout/analysis.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/document/point.hpp"

namespace swz {

struct LayoutViewOptions {
  bool map = false;                                          // list every index, coordinate and offset
  bool whole_table = false;                                  // the table even if it is large
  bool nested = false;                                       // nested modes have headings for each level
  std::int64_t map_limit = limits::listed_coordinates.most;  // that are listed or drawn
  PointQuery query = {};                                     // if not empty, the answer is where these coordinates are
  Highlight highlight = {};                                  // what the table marks
  std::optional<RecordedCall> operation = {};                // that made the layout: a picture shows its input, too
};

// One expression: its value, and for a layout its properties and table.
// JSON of a layout: layout, size, cosize, rank, depth, coalesced, injective, contiguous, bijective, collision,
// and for swizzled ones byte_form or element_form; map with --map. For anything else: value and type.
// For a query: points, notes, lints.
// Throws Error if the map or table would exceed map_limit.
Document view_layout(const Evaluation& evaluation, const LayoutViewOptions& options);

// The parts of view_layout in layout_table.cpp. Highlighted are rows, columns, coordinates by their index, and offsets.
std::vector<HighlightKind> highlight_kinds(const ComposedLayout& layout);
// The rows of the table: mode 0; a layout of rank 1 is one row.
std::int64_t row_count(const ComposedLayout& layout);
// The size of the tiles of an operation that divides a layout or repeats one; 0 for another one. Tile t of
// logical_divide(24:3, 4:2) is column t of the result: mode 0 is inside of a tile.
std::int64_t tile_size(const ComposedLayout& layout, const LayoutViewOptions& options);
Document layout_table(const ComposedLayout& layout, const LayoutViewOptions& options, Medium medium);
Point point_of(const ComposedLayout& layout, std::int64_t index);
// The indices of the coordinates that the query names, and of those in its bytes.
Asked<std::int64_t> asked_indices(const ComposedLayout& layout, const LayoutViewOptions& options);

// Several expressions one below the other, and whether they are the same function. JSON: layouts (an array of the
// above), same.
Document view_layouts(const std::vector<Evaluation>& evaluations, const LayoutViewOptions& options);

// JSON: a, b, same, differing (null beyond limits::most_coordinates), first_difference {index, coordinate_a,
// coordinate_b, a, b} or null, notes.
// names: A and B as they were typed, for the picture; empty: as they are written.
struct ComparedNames {
  std::string a = {}, b = {};
};
Document view_difference(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& difference,
                         const ComparedNames& names = {});

// In difference_figure.cpp. How many linear indices have different offsets, or an offset in only one of the two; none
// beyond limits::most_coordinates.
std::optional<std::int64_t> differing_coordinates(const ComposedLayout& a, const ComposedLayout& b);
// Both tables side by side. The cells of an index whose offsets differ are coloured, the first of them is marked; equal
// ones are plain. For layouts that are too large, a part around the first difference is drawn.
Figure difference_figure(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& difference,
                         const ComparedNames& names = {});

}  // namespace swz
