// SPDX-License-Identifier: Apache-2.0
// KnownOffsets: what is known about a layout without its text: the offset of every coordinate, or of some.
//
//   [[0, 64], [1, 65], [2, 66]]        JSON: row by row, 3x2                  offset(1, 1) = 65
//   an array of integers in a .npy     the same
//   0\n64\n1\n65                       one number per line: in colexicographic order, the answer chooses the shape
//   0 0 0\n1 0 64\n0 1 1               row, col, offset: some coordinates, in any order; extents are the largest plus 1
//
// Numbers are decimal or 0x…, separated by blanks or commas; # begins a comment. If a coordinate is given twice, both
// offsets must agree.
//
// Invariants: extents are at least 1, points are sorted by index and each index occurs once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "identify/npy.hpp"

namespace swz {

// index is linear, the first dimension fastest (colexicographic).
struct KnownOffset {
  std::int64_t index = 0, offset = 0;
};

struct KnownOffsets {
  std::vector<std::int64_t> shape;  // extents of the dimensions
  std::vector<KnownOffset> points;

  std::int64_t size() const;  // product of the extents
  bool is_complete() const { return static_cast<std::int64_t>(points.size()) == size(); }
  std::vector<std::int64_t> coordinate(std::int64_t index) const;
};

// Reads JSON or lines. Throws Error with a span into the text.
KnownOffsets read_known_offsets(std::string_view text);
KnownOffsets known_offsets_of(const NpyArray& array);

}  // namespace swz
