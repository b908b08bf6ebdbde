// SPDX-License-Identifier: Apache-2.0
// Fit: the simplest layout that has given offsets, or the nearest one.
//
//   0 8 16 24 1 9 17 25                (4,2):(8,1)
//   row*64 + ((col/8 ^ row%8)*8 + col%8), 64x64
//                                      Sw<3,3,3> o 0 o (64,64):(64,1)
//   row, col, offset: 0 0 0; 1 0 64; 0 1 1
//                                      (2,2):(64,1), decided by 3 of 4 offsets
//
// A layout is a sum of digits of the index times strides. So the offsets of indices 0, 1, 2, … give the first extent:
// it is where they leave the line through the first two. The offsets of the multiples of that extent give the next
// one. This is unique up to coalescing.
//
//   0 8 16 24 | 1: the first extent is 4, because 1 is not 32; for 0, 1 (indices 0 and 4) it is 2
//
// A swizzle is its own inverse: Sw o o o L has the offsets v exactly if o o L has Sw(v). So every Sw<B,M,S> whose bits
// occur in v is tried. Of all layouts that are found, the one with the shortest text is chosen; of equally short ones
// the one without a swizzle, then the one with the fewest bits.
//
// If there is no layout: the map over GF(2) whose columns are the offsets of the powers of two; otherwise the layout
// that most of the offsets have (extents and strides by majority), with the other offsets as exceptions.
//
// For offsets at some coordinates (fit_some): every way to cut each dimension into at most two modes gives linear
// equations for the strides. The consistent ones with the fewest modes are the candidates. If a stride is not
// determined, or there are two candidates, the offset at `deciding` decides.
//
// Invariant (tested): an exact layout has every given offset; it is evaluated at each of them before it is returned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "identify/known_offsets.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

struct FitException {
  std::int64_t index = 0, expected = 0, found = 0;  // found is the offset in the layout
};

struct Fit {
  // Has the given shape, with one mode per dimension. None if no layout has half of the offsets.
  std::optional<ComposedLayout> layout;
  // For a map that is linear over GF(2): the offset of each bit of each dimension. Otherwise empty.
  std::vector<std::vector<std::uint64_t>> bases;
  bool is_exact = false;                      // whether the layout, or the bases, are exact
  std::vector<FitException> exceptions = {};  // one for each given offset that the layout does not have
  // For offsets at some coordinates: all simplest layouts, the chosen one first. Empty if there is only one.
  std::vector<ComposedLayout> candidates = {};
  std::optional<std::int64_t> deciding;  // an index whose offset would decide between them
};

// For a list (one dimension) the fit chooses the extents.
Fit fit_layout(const KnownOffsets& known);
// For complete offsets: the layout and the bases that have all of them, without a search for a layout that has most.
Fit fit_exactly(const KnownOffsets& known);

// ---- the parts

// Shape and values of a complete table, in colexicographic order.
struct OffsetTable {
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> values;
};
// The layout with the shortest text that has all of the values. None if there is none.
std::optional<ComposedLayout> fit_all(const OffsetTable& table);
// The layout that most of the values have.
std::optional<ComposedLayout> fit_most(const OffsetTable& table);
Fit fit_some(const KnownOffsets& known);

// The bits that are set in any offset.
std::uint64_t set_bits_of(std::span<const std::int64_t> offsets);
// The step modulo 2^64: offsets may be any number, and Layout refuses a number that cannot be a stride.
constexpr std::int64_t step_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}
// Every swizzle that can change numbers with these bits, those with fewer bits first.
std::vector<Swizzle> swizzles_on(std::uint64_t bits, int most_bits);

}  // namespace swz
