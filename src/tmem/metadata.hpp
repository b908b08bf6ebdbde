// SPDX-License-Identifier: Apache-2.0
// Metadata of sparse tcgen05.mma: which elements of A are kept, and where in tensor memory the MMA reads this.
//
//   kind f16, row 13, k 20 of MMA 3: 20 is the first of a chunk of 4
//   lane 13 % 8 + 8 * (20 / 16) + 16 * (13 / 16) = 13,  column 3,  bits 16 * 1 + 20 % 16 = 20 to 23
//   the MMA names it by the even column 2 and selector 1
//
//   nibble 0b1001: indices 1 and 2, in bits 0-1 and 2-3: elements 1 and 2 of the chunk are kept
//
//   fp4 of version 1 (sm_107a), row 5, k 36: chunks of 4 values, eight in a column: lane 5, column 36 / 32 = 1,
//   bits 36 % 32 = 4 to 7; of version 0 a chunk is 8 values, four pairs
//
// k counts the logical elements of one MMA, whether they are kept or not. Kinds tf32 and f16 put two rows, 8 apart,
// into one lane and two halves of K into two lanes; the others have one row per lane and eight chunks in each column.
//
// Invariants (tested): one to one on the chunks of 128 rows; a nibble never crosses a word; metadata_layout is the same
// function.
// Source: CUTLASS 4.7 tmem_e_frg, whose answers the formulas equal; PTX ISA 9.1, 9.7.16.10.8. It covers M 128 with one
// CTA, and each CTA's 128 rows of M 256. Not measured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/tensor_memory.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"

namespace swz {

struct SparseForm {
  unsigned kinds = 0;   // kind_set
  int k = 0;            // logical elements of one MMA
  int chunk = 4;        // logical elements that one nibble describes
  bool halves = false;  // two rows in one lane, two halves of K in two lanes
  int columns = 1;      // columns per MMA
  // The MMAs that take the same metadata from registers, for the same k; empty if there is none.
  std::string_view wgmma, mma;
  Source source;
  int version = 0;  // of the metadata of fp4, bit 12 of the instruction descriptor

  // Bits of metadata for the logical elements of one row of one MMA.
  constexpr int row_bits() const { return k / chunk * 4; }
};
std::span<const SparseForm> sparse_forms();
const SparseForm* find_sparse_form(MmaKind kind, int version = 0);
// The row of a kind. Throws Error for a kind that is never sparse, and for a version that it does not have.
const SparseForm& require_sparse_form(MmaKind kind, int version = 0);
// The targets that read metadata of the form.
Availability availability_of(const SparseForm& form);

struct MetadataPlace {
  int lane = 0, column = 0, first_bit = 0;  // of the nibble
  int address_column = 0, selector = 0;
};
// The place for the chunk that contains k, in [0, form.k); row is in [0, 128); the column is relative to the address of
// the tile's metadata.
MetadataPlace metadata_place(const SparseForm& form, int row, int k, int mma);

// The lanes of all copies: two for .ws of M 64, one per half of N; four for M 32.
std::vector<int> metadata_lanes(const DataPath& path, const MetadataPlace& place);

// The inverse: the chunk that the nibble with this bit describes, for lane in [0, 128) and bit in [0, 32).
struct MetadataChunk {
  int row = 0, k = 0, mma = 0;  // k is the first logical element of the chunk
  bool operator==(const MetadataChunk&) const = default;
};
MetadataChunk metadata_chunk(const SparseForm& form, int lane, int column, int bit);

// The first bit in global memory, in the form that CUTLASS's kernels take (TensorE): atoms of 128 rows x 16 bytes, with
// those along M first. A row of 16 bytes is a lane of tensor memory, and its 128 bits are four columns:
// tcgen05.cp.128x128b copies an atom. No source has them for version 1.
//   f16, rows 128, row 127, k 252 of the tile (MMA 7, k 28): the last nibble of the second atom, bit 32764
// row is in [0, rows), which are the rows of the whole matrix.
Bits metadata_gmem(const SparseForm& form, std::int64_t rows, std::int64_t row, int k, std::int64_t mma);

// The place in registers of wgmma.sp (64 rows, four warps) and mma.sp (16 rows, one warp), for as many logical k as one
// tcgen05.mma has. Kinds with halves use the register of two threads of each quad: the selector chooses which two.
//   f16, row 13, k 20, selector 0: lane 4 * (13 % 8) + 20 / 16 = 21 of warp 0, bits 16 + 4 to 23
struct MetadataRegister {
  int thread = 0, first_bit = 0;  // thread of the warpgroup of wgmma.sp

  constexpr int lane() const { return thread % 32; }  // lane of the warp of mma.sp, whose row is the row modulo 16
};
// Rows count modulo 64. Throws Error for a selector other than 0 if all threads of a quad have metadata.
MetadataRegister metadata_register(const SparseForm& form, int row, int k, int selector);

// The map (row, chunk of the MMA, MMA) -> nibble, with eight nibbles in a column.
Layout metadata_layout(const SparseForm& form, int mmas);

// The elements of its chunk that a nibble keeps: one (1:2), two (2:4) or two pairs (4:8). Nothing if the nibble is
// invalid.
struct Kept {
  std::array<int, 4> elements{};
  int count = 0;
};
std::optional<Kept> kept_by(const SparseForm& form, unsigned nibble);

}  // namespace swz
