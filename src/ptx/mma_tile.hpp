// SPDX-License-Identifier: Apache-2.0
// MmaTile: the tile of shared memory that the MMA in a line of a kernel reads, and the words with which it and the MMAs
// that continue it along K do so.
//
//   four wgmma m64n128k16 of bf16, A K-major 128B, SBO 1024, at smem + 0, + 32, + 64 and + 96
//     the tile 64x64, mode 128B, at 0; words 0x4000004000010000, …02, …04, …06
//
// MMAs belong together if they are of one shape, type and mode, and their starts differ in a constant. Where the tile
// begins is not always known: addresses count from its beginning, which is taken to be that of a pattern.
//
// A tile is the one whose own words start where those of the kernel do; without one it is as large as the words say, and a
// story of it shows where they differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "story/story.hpp"

namespace swz {

struct MmaTile {
  SmemTile tile;
  MmaExtents mma;
  OperandRole role = OperandRole::a;
  const Target* target = nullptr;
  std::vector<std::uint64_t> words;  // those of the kernel, or the first if the tile has more k steps than are known
  std::string start;                 // of the tile, as the kernel has it: "smem + 16384*%r7"
};

// Throws Error if the line has no MMA, the operand is not read through a descriptor, or something of it is not known.
MmaTile mma_tile(const KernelReport& kernel, std::uint32_t line, OperandRole role);

}  // namespace swz
