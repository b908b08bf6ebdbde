// SPDX-License-Identifier: Apache-2.0
// ScaleLayout: where the scale factors of an operand are in memory. A factor belongs to `vec` elements of K; row is m of
// A, n of B, and kb = k / vec counts the factors of a row.
//
// Every layout in use is an order of digits: row and kb are each cut into digits, and the digits count through memory,
// the first one fastest. A table row is that order; r32 is the digit of the row that begins at 32, and it ends where the
// next digit of the row begins:
//
//   128x4   k1 r32 r1 k4 r128     row = r1 + 32 r32 + 128 r128, kb = k1 + 4 k4
//           4 factors, 4 of every 32nd row, 32 rows: 512 bytes; such tiles along K, then along the rows
//
//   rows 256, 64 factors, (row 200, kb 62): k1 2, r32 2, r1 8, k4 15, r128 1
//   offset 2 * 1 + 2 * 4 + 8 * 16 + 15 * 512 + 1 * 8192 = 16010
//
// The last digit of an axis has what is left, so that rows and kb are padded to a multiple of its beginning. Batches
// (experts) follow each other, unless a digit counts them (the heads of a page). `vec` and the type of the factors are not part of a layout, except for their size.
//
// Invariants (tested for every layout and 200 shapes): one to one on the padded rows and factors; at() is the inverse;
// layout() and formula() are the same function; equal to the formulas of tests/scale, which are written without digits.
// Source: each row. Nothing here was measured: it is what public code writes and reads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/row_of.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"

namespace swz {

struct ScaleCoordinate {
  std::int64_t row = 0, kb = 0;
  std::int64_t batch = 0;
  bool operator==(const ScaleCoordinate&) const = default;
};

struct ScaleExtents {
  std::int64_t rows = 0, factors = 0;  // factors is ceil(K / vec)
  std::int64_t batches = 1;
  bool operator==(const ScaleExtents&) const = default;
};

// Calls holds(ScaleCoordinate) for every factor, row by row, until it is false. Whether it never was.
template <class Predicate>
bool all_factors(const ScaleExtents& e, Predicate holds) {
  for (ScaleCoordinate at; at.batch < e.batches; ++at.batch)
    for (at.row = 0; at.row < e.rows; ++at.row)
      for (at.kb = 0; at.kb < e.factors; ++at.kb)
        if (!holds(at)) return false;
  return true;
}

// A digit of the row, of kb or of the batch: it begins at `from` and ends where the next digit of its axis begins.
struct ScaleDigit {
  enum class Axis : char { none = 0, row = 'r', kb = 'k', batch = 'b' };
  // As `from`: the digit begins at this part of the rows or factors.
  static constexpr int half = -2, quarter = -4;

  Axis axis = Axis::none;
  int from = 0;
  int room = 0;  // the digit takes as much memory as this many values of it; 0: as many as it has
};

std::string_view index_name(ScaleDigit::Axis axis);  // "row", "kb", "batch"

struct ScaleLayoutRow {
  std::string_view name;
  int bytes = 1;  // of a factor
  int unit = 1;   // bytes from a factor to the next
  std::array<ScaleDigit, 8> digits;
  // Rows and factors must be multiples of these; 1: any number, which is padded.
  int rows_of = 1, factors_of = 1;
  int most_rows = 0;  // 0: any number
  std::string_view read_by;
  Source source;

  std::string order() const;  // "k1 r32 r1 k4 r128"
  bool has_batch_digit() const;
  bool takes(const ScaleExtents& extents) const;
};
std::span<const ScaleLayoutRow> scale_layouts();
// The row with this name, or with one that a project gives it ("to_blocked"). Throws Error with the nearest name.
const ScaleLayoutRow& require_scale_layout(std::string_view name);

// What a project calls a layout.
struct ScaleLayoutName {
  std::string_view name, project, layout;
};
std::span<const ScaleLayoutName> scale_layout_names();

class ScaleLayout {
 public:
  // Throws Error for extents that the layout does not take, with the nearest that it takes.
  ScaleLayout(RowOf<ScaleLayoutRow, require_scale_layout> row, ScaleExtents extents);

  // A digit of these extents: index / from % count * stride.
  struct Digit {
    ScaleDigit::Axis axis;
    std::int64_t from, count, stride;
    std::int64_t next;  // the stride of the digit after it
    bool is_last;       // of its axis
  };
  const std::vector<Digit>& digits() const { return digits_; }

  const ScaleLayoutRow& row() const { return *row_; }
  const ScaleExtents& extents() const { return extents_; }
  const ScaleExtents& padded() const { return padded_; }
  Bytes size() const { return size_; }  // includes the padding
  // The first byte of a factor, for a coordinate in the padded extents.
  Bytes offset(ScaleCoordinate at) const;
  // The factor of a byte; in the padding, its row or kb is beyond the extents. Nothing for a byte that has data of
  // another kind, or none.
  std::optional<ScaleCoordinate> at(Bytes offset) const;
  bool is_padding(ScaleCoordinate at) const { return at.row >= extents_.rows || at.kb >= extents_.factors; }
  // The map (row, kb) -> byte, with more than one batch (row, kb, batch), including the padding.
  Layout layout() const;
  // The offset as an expression of C and Python: "kb % 4 + 4 * (row / 32 % 4) + 16 * (row % 32)".
  std::string formula() const;

  // What is together in memory: the rows and factors of a tile, and its bytes. Of linear it is a row.
  struct Block {
    ScaleExtents extents;
    Bytes bytes;
  };
  Block block() const;

 private:
  // With digits that continue each other as one.
  std::vector<Digit> joined_digits() const;
  std::int64_t extent_along(ScaleDigit::Axis axis) const;  // the padded extent
  std::int64_t from_of(ScaleDigit digit) const;
  std::int64_t end_of(ScaleDigit digit) const;
  std::int64_t batch_stride() const;  // 0 if a digit counts the batches

  RowOf<ScaleLayoutRow, require_scale_layout> row_;
  ScaleExtents extents_, padded_;
  std::vector<Digit> digits_;
  Bytes size_;
};

// The formula for any extents: R and C are the rows and the factors of a row, B the batches.
std::string symbolic_formula(const ScaleLayoutRow& row);

}  // namespace swz
