// SPDX-License-Identifier: Apache-2.0
// fit: the simplest layout that has given offsets, or what comes nearest.
//
//   0 8 16 24 1 9 17 25                (4,2):(8,1)
//   row*64 + ((col/8 ^ row%8)*8 + col%8), 64x64
//                                      Sw<3,3,3> o 0 o (64,64):(64,1)
//   row, col, offset: 0 0 0; 1 0 64; 0 1 1
//                                      (2,2):(64,1), decided by 3 of 4 offsets
//
// A layout is a sum of digits of the index times strides, so the offsets of indices 0, 1, 2, … say the first extent where
// they leave the line through the first two; the offsets of its multiples say the next. This is unique up to coalescing.
//
//   0 8 16 24 | 1: the first extent is 4, since 1 is not 32; of 0, 1 (indices 0 and 4) it is 2
//
// A swizzle is its own inverse: Sw o o o L has the offsets v exactly when o o L has Sw(v). So every Sw<B,M,S> whose bits
// occur in v is tried. Of all layouts found the one with the shortest text is taken, of equal ones that without a swizzle,
// then that with the fewest bits.
//
// Where there is none: the map over GF(2) whose columns are the offsets of the powers of two; else the layout that most
// of the offsets have (extents and strides by majority), with the others as exceptions.
//
// Of offsets at some coordinates (fit_some): every way to cut each dimension into at most two modes gives linear equations
// for the strides. Those that are consistent with the fewest modes are the candidates. A stride that stays open, or two
// candidates, are decided by the offset at `deciding`.
//
// Invariant (tested): an exact layout has every given offset; it is evaluated at each before it is given.
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
  std::int64_t index = 0, expected = 0, found = 0;  // found: what the layout has
};

struct Fit {
  // Of the shape that was given: one mode for each dimension. None: no layout has half of the offsets.
  std::optional<ComposedLayout> layout;
  // Of a map that is linear over GF(2): the offset of each bit of each dimension. Else empty.
  std::vector<std::vector<std::uint64_t>> bases;
  bool is_exact = false;                      // the layout, or the bases
  std::vector<FitException> exceptions = {};  // one for each given offset that the layout does not have
  // Of offsets at some coordinates: all simplest layouts, the one that was taken first. Empty where it is decided.
  std::vector<ComposedLayout> candidates = {};
  std::optional<std::int64_t> deciding;  // an index whose offset would decide
};

// Of a list (one dimension) the extents are the answer's to choose.
Fit fit_layout(const KnownOffsets& known);
// Of complete offsets the layout and the bases that have all of them, without looking for one that has most.
Fit fit_exactly(const KnownOffsets& known);

// ---- the parts

// Shape and values of a complete table, in colexicographic order.
struct OffsetTable {
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> values;
};
// The offset and the modes that are `value` exactly, without a swizzle. None: there are none.
std::optional<ComposedLayout> fit_all(const OffsetTable& table);
// What most of the values have.
std::optional<ComposedLayout> fit_most(const OffsetTable& table);
Fit fit_some(const KnownOffsets& known);

// The bits that are set in some offset.
std::uint64_t set_bits_of(std::span<const std::int64_t> offsets);
// Modulo 2^64: offsets may be any number, and what a stride cannot be is refused by Layout.
constexpr std::int64_t step_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}
// Every swizzle that can act on numbers with these bits, those with fewer bits first.
std::vector<Swizzle> swizzles_on(std::uint64_t bits, int most_bits);

}  // namespace swz
