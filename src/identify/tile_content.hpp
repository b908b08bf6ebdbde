// SPDX-License-Identifier: Apache-2.0
// TileContent: a hypothesis about the number that each element of a tile contains, and how it is stored.
//
//   values, i                        arange(M * K).to(dtype): bf16 rounds numbers above 256
//   values, 3 + 0.5 * i              an arange of any start and step
//   values, i modulo 256
//   bits, 256 * row + k              (row << 8) | k, for any type
//
// i is row * K + k. Bits are modulo 2^bits of the element.
//
// proposed_contents have the step `step` between neighbours and are derived from the range of the numbers: in row_step
// * row + k_step * k from `lowest` to `highest`, one step determines the other. A proposal is then compared element by
// element.
//
// Invariant (tested): if a tile has any of these contents, at any place, it is found.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "identify/logical_tile.hpp"
#include "identify/number_format.hpp"

namespace swz {

struct TileContent {
  enum class As { bits, values };

  As as = As::bits;
  DTypeRow dtype = "f16";  // for values: tf32 may have all bits of f32
  Beyond beyond = Beyond::special;
  double start = 0, row_step = 0, k_step = 1;
  std::int64_t modulo = 0;  // of i; 0 for none

  bool is_arange(std::int64_t k) const {
    return modulo != 0 || std::fabs(row_step - k_step * static_cast<double>(k)) <= 1e-12 * std::fabs(row_step);
  }
  double number(TileCoordinate at, std::int64_t k) const {
    if (modulo != 0) return start + k_step * static_cast<double>((at.row * k + at.k) % modulo);
    return start + row_step * static_cast<double>(at.row) + k_step * static_cast<double>(at.k);
  }
  // None if the type does not have the number.
  std::optional<std::uint64_t> value(const ElementType& type, TileCoordinate at, std::int64_t k) const;
  friend bool operator==(const TileContent& a, const TileContent& b) {
    return a.as == b.as && &*a.dtype == &*b.dtype && a.beyond == b.beyond && a.start == b.start &&
           a.row_step == b.row_step && a.k_step == b.k_step && a.modulo == b.modulo;
  }
};

// None if the type does not have all of the numbers.
std::optional<LogicalTile> content_tile(const ElementType& type, TileExtents extents, const TileContent& content);

// "256 * row + k"
std::string formula_text(const TileContent& content, std::int64_t k);
// "the value i as bf16, which rounds numbers above 256: 512 elements have 385 values"
std::string content_text(const TileContent& content, const LogicalTile& tile);
std::int64_t distinct_values(const LogicalTile& tile);

// ---- what is tried

// Element i is i: as bits, and as a value in every way in which the type rounds.
std::vector<TileContent> numbered_contents(const DType& dtype, TileExtents extents, TileContent::As as);
// Other common contents that the data need not suggest: rows, columns, 1000 * row + k, i modulo 256, …
std::vector<TileContent> usual_contents(const DType& dtype, TileExtents extents, TileContent::As as);
// `direction` is the one along which the numbers differ by `step`.
std::vector<TileContent> proposed_contents(const DType& dtype, TileExtents extents, TileContent::As as, Major direction,
                                           double step, double lowest, double highest);

// The aranges first: a tile that one of them explains is filled row by row.
std::vector<std::vector<TileContent>> by_plausibility(std::vector<TileContent> contents, TileExtents extents);

}  // namespace swz
