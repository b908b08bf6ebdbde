// Tile to descriptor: LBO and SBO of a tile, and one word for each MMA that reads it.
//
//   bf16 128x128 K-major, mode 128B, MN first, at 0x400; MMA 64x16 of tcgen05
//     LBO 16 B: not used by a swizzled K-major operand
//     SBO 1024 B: from one group of 8 rows to the next, one atom of 8 x 128 B
//     m 0, k 0: 0x4000404000010040     k steps at 0, 32, 64, 96, then the next k atom: 16384, ...
//     m 1, k 7: 0x4000404000010646
//
// A k step inside an atom adds to the start address only; the base offset stays 0, because the swizzle reads the
// absolute address. A stride that one MMA never steps over is written as CuTe writes it: 0, and 16 B for the LBO of
// swizzled K-major operands.
//
// Invariant (tested): operand_map of the words reads the bytes where the tile put the elements, each once.
// Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.3; CUTLASS make_gmma_desc, make_umma_desc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/target.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "smem/tile.hpp"

namespace swz {

struct StrideField {
  Bytes value;
  bool is_applied = false;  // an MMA of this shape steps over it
  std::string derivation;   // in words and numbers
};

// One MMA of the grid of m_blocks x k_steps.
struct MmaStep {
  std::int64_t m_block = 0, k_step = 0;
  Bytes byte_offset;          // of the start address from the base of the tile
  Bytes advance;              // from the k step before it; 0 for the first
  bool is_next_atom = false;  // that step began in another atom along K
  SmemDescriptor descriptor;
};

struct TileDescriptors {
  TileExtents mma;  // what one MMA reads of this operand, in elements
  std::int64_t m_blocks = 0, k_steps = 0;
  StrideField leading, stride;
  std::vector<MmaStep> steps;  // k outer, m inner
};

// K of one dense MMA, in elements: every row gives 32 bytes.
constexpr std::int64_t dense_mma_k(int element_bits) { return 256 / element_bits; }

// Rows of M or N that one MMA reads.
inline constexpr std::int64_t mma_mn_step = 8;
inline constexpr std::int64_t mma_mn_most = 256;

// What decides which blocks an MMA can read, and how the strides are called. `swizzle` is not null.
struct OperandShape {
  TileExtents extents, atom;
  Major major = Major::K;
  const SwizzleMode* swizzle = nullptr;
  int element_bits = 0;
};
OperandShape operand_shape(const SmemTile& tile);

// 64 rows of M or N where they divide the extent, else the most rows that one MMA reads and that divide it. No rows
// when no block does; every legal tile has one.
TileExtents default_mma(const OperandShape& shape);
inline TileExtents default_mma(const SmemTile& tile) { return default_mma(operand_shape(tile)); }

// The block nearest to `rows` rows, the larger of two; no rows when there is none.
TileExtents nearest_mma(const OperandShape& shape, std::int64_t rows);
// Throws Error when no dense MMA reads a block of this shape from an operand of `dtype`.
void require_dense_mma(const OperandShape& shape, const DType& dtype, TileExtents mma);

// Which stride of the descriptor steps from atom to atom along MN, and which along K.
struct AtomStrides {
  StrideField along_mn, along_k;
};
struct DescriptorStrides {
  StrideField leading, stride;
};
// Swizzled K-major operands have no use for along_k: leading is then the 16 B that CuTe writes.
DescriptorStrides descriptor_strides(const OperandShape& shape, AtomStrides strides);

// "from one block of 64 B along MN to the next": what the descriptor's stride along MN or K steps over.
std::string stride_role(const OperandShape& shape, Major direction);

// The word of every MMA, where `offset(row, k)` is the byte of element (row, k) from the base before the XOR. The
// first element of every MMA begins a chunk inside shared memory; mma divides the extents.
TileDescriptors words_of(const OperandShape& shape, const Target& target, Bytes base, TileExtents mma,
                         const DescriptorStrides& strides,
                         const std::function<Bytes(std::int64_t row, std::int64_t k)>& offset);

// Throws Error, with the nearest choice that works, when the target cannot read the tile (smem/legality.hpp), no
// dense MMA has this operand shape, its blocks do not divide the tile, or a block crosses atoms of an MN-major
// tile. Which M and N an instruction has beyond 8 ... 256 in steps of 8 depends on the operand and is not asked
// here.
TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, TileExtents mma);

}  // namespace swz
