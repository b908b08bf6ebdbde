// SPDX-License-Identifier: Apache-2.0
// Scale factors of block-scaled MMAs in tensor memory: one byte per `vec` elements of K, in the byte that the MMA reads.
//
//   kb = k / vec counts the factors along K; row is m of A, n of B.
//
// In global memory and in the stage of a CTA they are in 128x4 tiles (scale/scale_layout.hpp). In tensor memory a tile
// is four columns, and every quarter of the lanes has a copy:
//
//   lanes row % 32 + 32 * j,  column c0 + row / 32 + W * (s / 4),  byte s % 4      s counts the factors of the tile's K
//
// B of M 128 with two CTAs is cut into two halves of N, and each half is in two quarters ("2x2"): n' = n mod N/2,
//
//   lanes n' % 32 + 64 * (n / (N/2)) + 32 * j, j = 0, 1, column c0 + n' / 32 + 4 * (s / 4)
//
// This is as in JAX's test for N 64, 128, 192 and 256, whose D equals that of numpy on a Blackwell GPU. CUTLASS's
// types cut N rounded up to 128, which is the same only for N 128 and 256; the distance between words of four is the
// kernel's choice.
//
// sm_107 can have A in 128 lanes (bit 26 of the instruction descriptor): row r in lane r alone, column c0 + s / 4.
//
//   mxf4nvf4, vec 16, K 128, 8 factors of a row and MMA: row 70, factor 5 is lane 70, column c0 + 1, byte 1; in 32
//   lanes it is lanes 6, 38, 70, 102, column c0 + 6, byte 1
//
// A factor of a sparse MMA is for twice as many k, of which half are kept.
//
// Invariants (tested): every layout is one to one on its rows and factors; the bytes that a copy brings from shared
// memory are those that the formula of tensor memory expects; each layout() is the same function. Source: cuBLAS
// 3.1.4.4.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp, whose 181 answers the formulas equal. Not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arch/block_scaled_mma.hpp"
#include "arch/instruction.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"
#include "scale/scale_layout.hpp"

namespace swz {

// The scales of an MMA: a row for each kind, vector size and K.
struct ScaleKind {
  MmaKind kind = MmaKind::mxf8f6f4;
  int vec = 32;
  int factors = 1;  // factors per row and MMA
  KSize k = KSize::usual;
  Source source;
};
std::span<const ScaleKind> scale_kinds();
// The row of a kind, vector size and K. Throws Error with the vector sizes that the kind has.
const ScaleKind& require_scale_kind(MmaKind kind, int vec, KSize k = KSize::usual);

struct ScalePlacement {
  const ScaleKind* kind = nullptr;
  ScaleOperand operand = ScaleOperand::a;
  int m = 128, n = 128;  // extents of the whole MMA
  int cta_group = 1;
  bool sparse = false;
  bool in_128_lanes = false;  // A of sm_107: each row in a lane of its own

  // The elements of K that share a factor, and those of one MMA.
  int block() const { return kind->vec * (sparse ? 2 : 1); }
  int mma_k() const { return k_of(kind->kind, kind->k, sparse); }
  // True for B of M 128 with two CTAs.
  bool is_split() const { return operand == ScaleOperand::b && m == 128 && cta_group == 2; }
  int rows() const { return operand == ScaleOperand::a ? m / cta_group : n; }  // in each CTA
  int all_rows() const { return operand == ScaleOperand::a ? m : n; }
  // Whether both CTAs of a pair have the factors of all of B.
  bool is_in_both() const { return operand == ScaleOperand::b && cta_group == 2; }
  // The CTAs that have the factors of this row of the whole operand.
  std::vector<int> ctas(std::int64_t row) const {
    return is_in_both() ? std::vector{0, 1} : std::vector{static_cast<int>(row / rows())};
  }
  int columns_per_word() const;                                         // W: columns per four factors
  int copies() const { return in_128_lanes ? 1 : is_split() ? 2 : 4; }  // quarters that have the same factors
  int lanes() const { return in_128_lanes ? 128 : 32; }                 // rows in neighbouring lanes
  // Rows below each other in the lanes of a copy: all rows, rounded up to whole tiles, or those of one half of N.
  int half() const { return is_split() ? n / 2 : columns_per_word() * lanes(); }
  // The map (row, factor, copy) -> byte, with four factors in a column. It has all rows of the tiles, or N of the
  // halves, and `words` of four factors. Throws Error for halves that are neither a part of 32 lanes nor a multiple of
  // them.
  Layout layout(int words) const;
};

struct ScalePlace {
  std::vector<int> lanes;
  int column = 0, byte = 0;
  int mma = 0;  // number of the MMA in the tile, along K
  int address_column = 0, sf_id = 0;
};
// The place of a factor. row is in [0, rows()); the factor counts from the tile's first k; column is the operand's
// scale address.
ScalePlace scale_place(const ScalePlacement& placement, ScaleCoordinate at, int column);
// The inverse for all copies. Nothing for a column before the address, and for padding beyond the rows.
std::optional<ScaleCoordinate> scale_at(const ScalePlacement& placement, int lane, int column, int byte,
                                        int address_column);

}  // namespace swz
