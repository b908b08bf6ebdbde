// SPDX-License-Identifier: Apache-2.0
// The descriptor words that CuTe makes for a tile, as plain data; needs neither CuTe's nor swz's headers.
#pragma once

#include <cstdint>
#include <vector>

namespace swz {

inline constexpr int cute_tile_base = 0x400;

// One tile at cute_tile_base, cut into MMA operands. The words are in swz's order: k outer, m inner. Empty if not
// asked.
struct CuteTile {
  const char* dtype;
  bool in_slots;
  bool is_mn_major;
  const char* swizzle;
  bool is_k_first;
  int mn, k, mma_mn, mma_k;
  std::vector<std::uint64_t> gmma;  // make_gmma_desc
  std::vector<std::uint64_t> umma;  // make_umma_desc
};
using CuteTiles = std::vector<CuteTile>;

CuteTiles cute_tiles_16_bit();
CuteTiles cute_tiles_8_bit();
CuteTiles cute_tiles_other();  // 1, 4 and 32 bits

}  // namespace swz
