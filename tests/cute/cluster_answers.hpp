// SPDX-License-Identifier: Apache-2.0
// What CuTe and CUTLASS answer about clusters: masks, releases, and the slices of tiles that CTAs share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace swz {

struct CuteMasks {
  int x = 1, y = 1, cta_group = 1, rank = 0;
  std::uint32_t a = 0, b = 0, row_col = 0, row = 0, col = 0, peer = 0;
};
// Of every rank of every cluster of at most 16 CTAs.
std::vector<CuteMasks> cute_masks();

// The rank that each of 128 threads of a warpgroup, and of 32 of a warp, is to signal; -1: it signals none.
std::array<int, 128> cutlass_warpgroup_release();
std::array<int, 32> cutlass_warp_release();

struct CuteSlice {
  std::int64_t offset = 0;  // bytes in the tile, before the swizzle
  std::array<std::int64_t, 2> coordinate = {};
};
// A tile as CTAs share it: the box, and for each CTA its copies in the order of shared memory.
struct CuteSlicedTile {
  const char* dtype = "";
  bool is_mn = false, is_k_first = false;
  const char* swizzle = "";
  int mn = 0, k = 0, sharers = 1;
  std::array<std::uint32_t, 5> box = {};
  int rank = 0;
  std::vector<std::vector<CuteSlice>> slices;
};
std::vector<CuteSlicedTile> cute_sliced_tiles();

}  // namespace swz
