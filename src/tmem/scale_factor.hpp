// SPDX-License-Identifier: Apache-2.0
// Scale factors of block-scaled MMAs: one byte for `vec` elements of K, on its way from global memory to the byte that the
// MMA takes.
//
//   kb = k / vec counts them along K; row is m of A, n of B.
//
// In global memory, 512 bytes hold 128 rows x 4 factors (cuBLAS, CUTLASS):
//
//   byte = (row % 32) * 16 + (row % 128) / 32 * 4 + kb % 4       tiles along K first, then along the rows
//
//   rows 256, K 1024, vec 16: (row 200, kb 62) is in tile (1, 15) of 2 x 16, byte 8 * 16 + 2 * 4 + 2 of it:
//   offset 31 * 512 + 138 = 16010
//
// In shared memory a stage of a CTA has the same tiles, rows first, then K. In tensor memory a tile is four columns, and
// every quarter of the lanes has it:
//
//   lanes row % 32 + 32 * j,  column c0 + row / 32 + W * (s / 4),  byte s % 4      s counts the factors of the tile's K
//
// B of M 128 with two CTAs is cut in two halves of N, each in two quarters ("2x2"): n' = n mod N/2,
//
//   lanes n' % 32 + 64 * (n / (N/2)) + 32 * j, j = 0, 1, column c0 + n' / 32 + 4 * (s / 4)
//
// as JAX's test has it for N 64, 128, 192 and 256, whose D is that of numpy on a Blackwell. CUTLASS's types cut N rounded up
// to 128, which is the same for N 128 and 256 alone; how far words of four are apart is the kernel's choice.
//
// Invariants (tested): every layout is one to one on its rows and factors; what a copy brings from shared memory is what
// the formula of tensor memory says; each layout() is the same function.
// Source: cuBLAS 3.1.4.4.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp, whose 181 answers the formulas equal. Not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"

namespace swz {

struct ScaleCoordinate {
  std::int64_t row = 0, kb = 0;
  bool operator==(const ScaleCoordinate&) const = default;
};

struct ScaleExtents {
  std::int64_t rows = 0, factors = 0;  // factors: ceil(K / vec)
};

// ---- global and shared memory

enum class ScaleLayoutName { tile_128x4, tile_8x4, linear, deepgemm };
constexpr std::string_view to_string(ScaleLayoutName name) {
  return name_in({"128x4", "8x4", "linear", "deepgemm"}, name);
}
enum class ScaleMemory { gmem, smem };
const Source& source_of(ScaleLayoutName name);

class ScaleLayout {
 public:
  // smem: the stage of one CTA, tiles of 128x4 only. Throws Error.
  ScaleLayout(ScaleLayoutName name, ScaleExtents extents, ScaleMemory memory = ScaleMemory::gmem);

  const ScaleExtents& extents() const { return extents_; }
  Bytes size() const;  // with the padding
  // at.row in [0, rows), at.kb in [0, factors).
  Bytes offset(ScaleCoordinate at) const;
  // Also of the padding: rows and factors beyond the extents.
  ScaleCoordinate at(Bytes offset) const;
  // (row, kb) -> byte, of the padding too.
  Layout layout() const;

 private:
  std::int64_t row_tiles() const, k_tiles() const;

  ScaleLayoutName name_;
  ScaleExtents extents_;
  ScaleMemory memory_;
};

// ---- tensor memory

// What an MMA takes of scales: a row for each kind and vector size. K 96 of sm_103a has rows of its own.
struct ScaleKind {
  MmaKind kind = MmaKind::mxf8f6f4;
  int vec = 32;
  int factors = 1;  // of each row and MMA
  bool k96 = false;
  Source source;
};
std::span<const ScaleKind> scale_kinds();
// Throws Error with the vector sizes that the kind has.
const ScaleKind& require_scale_kind(MmaKind kind, int vec, bool k96 = false);

enum class ScaleOperand { a, b };

struct ScalePlacement {
  const ScaleKind* kind = nullptr;
  ScaleOperand operand = ScaleOperand::a;
  int m = 128, n = 128;  // of the whole MMA
  int cta_group = 1;

  // B of M 128 with two CTAs.
  bool is_split() const { return operand == ScaleOperand::b && m == 128 && cta_group == 2; }
  int rows() const { return operand == ScaleOperand::a ? m / cta_group : n; }  // in each CTA
  int all_rows() const { return operand == ScaleOperand::a ? m : n; }
  // Both CTAs of a pair hold the factors of all of B.
  bool is_in_both() const { return operand == ScaleOperand::b && cta_group == 2; }
  // The CTAs that hold the factors of this row of the whole operand.
  std::vector<int> ctas(std::int64_t row) const {
    return is_in_both() ? std::vector{0, 1} : std::vector{static_cast<int>(row / rows())};
  }
  int columns_per_word() const;                      // W: of four factors
  int copies() const { return is_split() ? 2 : 4; }  // quarters that hold the same
  // Rows that lie below each other in one quarter: of all, rounded up to whole tiles, or of one half of N.
  int half() const { return is_split() ? n / 2 : columns_per_word() * 32; }
  // (row, factor, copy) -> byte, four of them in a column; of all rows of the tiles, or of the N of halves, and `words` of
  // four factors. Throws Error for halves that are neither a part of 32 lanes nor a multiple of them.
  Layout layout(int words) const;
};

struct ScalePlace {
  std::vector<int> lanes;
  int column = 0, byte = 0;
  int mma = 0;  // which of the tile, along K
  int address_column = 0, sf_id = 0;
};
// row in [0, rows()), factor: counted from the tile's first k; column: of the operand's scale address.
ScalePlace scale_place(const ScalePlacement& placement, ScaleCoordinate at, int column);
// The inverse of all copies. Nothing: a column before the address, padding beyond the rows.
std::optional<ScaleCoordinate> scale_at(const ScalePlacement& placement, int lane, int column, int byte,
                                        int address_column);

}  // namespace swz
