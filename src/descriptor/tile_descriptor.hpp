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

// 64 rows of M or N where they divide the tile, else the most rows that one MMA reads and that divide it.
TileExtents default_mma(const SmemTile& tile);

// Throws Error, with the nearest choice that works, when the target cannot read the tile (smem/legality.hpp), no
// dense MMA has this operand shape, its blocks do not divide the tile, or a block crosses atoms of an MN-major
// tile. Which M and N an instruction has beyond 8 ... 256 in steps of 8 depends on the operand and is not asked
// here.
TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, TileExtents mma);

}  // namespace swz
