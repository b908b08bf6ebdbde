// SPDX-License-Identifier: Apache-2.0
// From a tile to descriptors: LBO and SBO of a tile, and one word for each MMA that reads it.
//
//   bf16 128x128 K-major, mode 128B, MN first, at 0x400; MMA 64x16 of tcgen05
//     LBO 16 B: not used by a swizzled K-major operand
//     SBO 1024 B: from one group of 8 rows to the next, one atom of 8 x 128 B
//     m 0, k 0: 0x4000404000010040     k steps at 0, 32, 64, 96, then the next k atom: 16384, ...
//     m 1, k 7: 0x4000404000010646
//
// A k step inside an atom only adds to the start address; the base offset stays 0, because the swizzle reads the
// absolute address.
//
// LBO and SBO are those of the tile, whether or not the given MMA steps over them: the words are also right for an MMA
// with more rows. CuTe writes 0 if its MMA stays inside one atom. A tile that is one atom wide has nothing to step to:
// SBO is then that of packed atoms, and LBO is 0 (16 B for swizzled K-major operands, as CuTe writes it).
//
// K 96 of packed fp4 (sm_103a) reads 48 B of a row. A step that does not end in its line of 128 B continues at an
// absolute address, that of the next atom along K, which is in the LBO field; bit 52 marks this. Only mode 128B has
// it.
//
//   e2m1 128x768, mode 128B, MN first, at 0; MMA 128x96
//     k 0, 1: 0x4000404000010000, 0x4000404000010003     bytes 0 and 48
//     k 2: starts at 96 B, 16 B past the line's end: 0x4010404004000006, second chunk at 16384
//
// Invariants (tested): operand_map of the words reads the bytes at which the tile put the elements, each once, and so
// does any larger MMA that begins at one of them; no word of a tile whose base is a multiple of the pattern has a
// lint. Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.3; CUTLASS make_gmma_desc, make_umma_desc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/smem_descriptor.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

struct StrideField {
  Bytes value;
  bool is_applied = false;  // whether an MMA of this shape steps over it
  std::string derivation;   // in words and numbers
};

// One MMA of the grid of m_blocks x k_steps.
struct MmaStep {
  std::int64_t m_block = 0, k_step = 0;
  Bytes byte_offset;          // of the start address from the base of the tile
  Bytes advance;              // from the previous k step; 0 for the first
  bool is_next_atom = false;  // whether that step began in another atom along K
  SmemDescriptor descriptor;
  // For K 96: where an MMA that runs past the end of a line continues; the word gives it in absolute LBO mode.
  std::optional<Bytes> second_chunk = {};
};

struct TileDescriptors {
  TileExtents mma;  // what one MMA reads of this operand, in elements
  std::int64_t m_blocks = 0, k_steps = 0;
  StrideField leading, stride;
  std::vector<MmaStep> steps;  // k is the outer loop, m the inner
  // The operand for which the MMA is the default. None if the MMA was given, or no instruction has such rows.
  std::optional<OperandRole> default_of = {};
  int cta_group = 1;  // for a default: 2 for an MMA that reads as many rows in the other CTA, at the same offsets
};

// K of one dense MMA, in elements: 32 bytes of every row. Only mma_k96 differs, and on sm_107 there is twice as much.
constexpr std::int64_t dense_mma_k(int element_bits) { return 256 / element_bits; }

// The rows of M or N that one MMA can read.
inline constexpr std::int64_t mma_mn_step = 8;
inline constexpr std::int64_t mma_mn_most = 256;

// What decides which blocks an MMA can read, and the names of the strides. `swizzle` is not null.
struct OperandShape {
  TileExtents extents, atom;
  Major major = Major::K;
  const SwizzleMode* swizzle = nullptr;
  int element_bits = 0;
};
OperandShape operand_shape(const SmemTile& tile);

// The MMA that is used if none is given.
struct DefaultMma {
  TileExtents extents;
  std::optional<OperandRole> role;  // the operand with these rows; none if no instruction has them
};
// The largest number of rows that divides the operand and that an instruction of the target has: M of A is 64, on
// tcgen05 128; N of B goes up to 256. An operand that no M divides is treated as B. No rows if no block divides it;
// every legal tile has a block. The choice must be legal.
DefaultMma default_mma(const OperandShape& shape, const OperandChoice& choice, OperandRole role = OperandRole::a);

// The block nearest to `rows` rows, the larger of two; no rows if there is none.
TileExtents nearest_mma(const OperandShape& shape, std::int64_t rows);
// Throws Error if no dense MMA reads a block of this shape from an operand of `dtype`.
void require_dense_mma(const OperandShape& shape, const DType& dtype, TileExtents mma);

// The stride from one atom to the next along a direction, which is `value` bytes; `how` gives the derivation. If the
// operand is one atom wide in this direction, no MMA steps over it.
StrideField stride_between_atoms(const OperandShape& shape, TileExtents mma, Major direction, Bytes value,
                                 std::string_view how);
StrideField stride_of_one_atom(const OperandShape& shape, Major direction);

// Which of the two is LBO and which is SBO. Swizzled K-major operands do not use along_k: leading is then the 16 B
// that CuTe writes.
struct DescriptorStrides {
  StrideField leading, stride;
};
DescriptorStrides descriptor_strides(const OperandShape& shape, StrideField along_mn, StrideField along_k);

// The word of every MMA. `offset(row, k)` is the byte of element (row, k) from the base, before the XOR. The first
// element of every MMA begins a chunk inside shared memory; mma divides the extents.
TileDescriptors words_of(const OperandShape& shape, const Target& target, Bytes base, TileExtents mma,
                         const DescriptorStrides& strides,
                         const std::function<Bytes(std::int64_t row, std::int64_t k)>& offset);

// Throws Error, with the nearest choice that works, if the target cannot read the tile (smem/mma_operand.hpp), no
// dense MMA has this operand shape, its blocks do not divide the tile, or a block crosses atoms of an MN-major tile.
// Limits on M and N other than 8 ... 256 in steps of 8 depend on the operand and are not checked here.
TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, TileExtents mma);
// The same with default_mma of the selected MMAs.
TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, OperandRole role,
                                 const MmaFilter& meant = {});

}  // namespace swz
