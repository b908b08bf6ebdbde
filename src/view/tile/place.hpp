// SPDX-License-Identifier: Apache-2.0
// View of a placement: what `swz place` answers. One figure: the operand as it is numbered in GMEM order, and the lines
// of shared memory that its cells are in, with the same numbers and colours.
//
//   bf16 8x16 K-major, mode 32B            row\k  0   8      byte\bank  0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31
//                                            0    0   1      0x0         0   1   2    3     4     5     6     7
//                                            1    2   3      0x80        9   8   11   10    13    12    15    14
//                                            …
//
// Other operands of the same extents are drawn beside it in shared memory for comparison: their cells have the numbers
// and colours of the first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smem/mma_operand.hpp"
#include "smem/placement.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/point.hpp"

namespace swz {

struct PlacedOperand {
  std::string name;  // "mode 32B", "linear", or the layout as it was given
  ComposedLayout layout;
  Bytes base;
  Placement placement;
  std::optional<SmemTile> tile = {};  // if it has atoms
};

struct PlaceOptions {
  enum class Label { number, bank, byte, coordinate, offset, atom };
  enum class Color { position, bank, column, subtile };
  bool elements = false;        // a cell is an element, not a chunk
  Label label = Label::number;  // of the chunk
  Color color = Color::subtile;
  bool logical = true, smem = true;  // which panels
  bool tips = false;                 // on the cells
};

struct PlaceReport {
  const DType* dtype = nullptr;
  std::vector<PlacedOperand> operands;  // the first is what is placed; all have its extents and element size
  Selection selection = {};
  PointQuery query = {};                   // if not empty, the answer is where these elements are
  std::optional<Finding> unreadable = {};  // why no instruction of the target reads it by descriptor
};

// JSON: see docs/json.md. Throws Error if the selection goes beyond the operand, or if a label is asked for that an
// operand does not have.
Document view_place(const PlaceReport& report, const PlaceOptions& options);

// ---- what other views share with it

// "f16 8x16 K-major, mode 32B, mn-first, at 0x400"; `name` is the name of the placement.
std::string placement_title(const DType& dtype, const PlacedOperand& operand, const std::string& name);
// "global memory (K contiguous)"
std::string gmem_title(const Placement& placement);
// The note on a base that is not a multiple of the period of the pattern of `swizzle` ("mode 128B").
Finding phase_note(Bytes base, Bytes pattern, std::string_view swizzle);

// Where the elements from `first` on are: one, or those of a cell, which are consecutive in memory.
Point point_of(const PlacedOperand& placed, TileCoordinate first, TileExtents cell = {1, 1});
// The elements that the query names, as row and k.
using AskedElements = Asked<TileCoordinate>;
AskedElements asked_elements(const PointQuery& query, TileExtents extents, int element_bits,
                             const std::vector<std::int64_t>& bits);
AskedElements asked_elements(const PointQuery& query, const PlacedOperand& placed);
// The answer to the query of a report: the points of every operand.
Document view_points(Document d, const PlaceReport& report, const Drawing& picture);

// How a chunk looks, in place of what the options ask for.
struct ChunkLook {
  std::string text;
  Tint tint = {};
  Mark mark = Mark::none;
  std::string tip = {};             // added to that of its place
  std::optional<Point> point = {};  // its place, if it is not a row and k
  int step = -1;                    // as of a Grid::Square
  double outside = 0;
};

// The chunks of one operand in two panels. Without looks they have the numbers, colours and legend of view_place.
struct ChunkPicture {
  std::string title;          // of the panel that is not shared memory
  std::string what, way_out;  // for the error if it is too large (require_drawable)
  std::vector<ChunkLook> looks = {};
};
Figure chunk_figure(const PlacedOperand& placed, const ChunkPicture& picture, bool has_tips);

// ---- the picture, in place_figure.cpp

// The lines of 128 B from the first byte of the operand to its last.
inline std::int64_t first_line(const Placement& p) { return p.begin().count / bank_row.count; }
inline std::int64_t line_count(const Placement& p) { return (p.end().count - 1) / bank_row.count - first_line(p) + 1; }

// `phases`: the chunks that are read together, whose collisions are marked.
Figure place_figure(const PlaceReport& report, const PlaceOptions& options,
                    const std::vector<std::vector<std::int64_t>>& phases);

}  // namespace swz
