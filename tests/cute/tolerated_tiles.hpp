// SPDX-License-Identifier: Apache-2.0
// Where swz refuses what CuTe accepts, by the rule of smem/mma_operand.hpp that refuses, and which of the two is right.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace swz {

struct ToleratedTile {
  std::string_view rule;
  std::string_view why;
};

// Tiles that make_gmma_desc and make_umma_desc accept, but no instruction reads: they check only the layout.
inline constexpr std::array tolerated_tiles = {
    ToleratedTile{"wgmma-mn-16-bit",
                  "make_gmma_desc takes MN-major tiles of any width; wgmma transposes 16-bit types only. CUTLASS "
                  "transposes others on their way to registers"},
    ToleratedTile{"tf32-mn-32b-atom",
                  "make_umma_desc takes MN-major tf32 in every mode; PTX and sm100_smem_selector: 128B_32B only"},
    ToleratedTile{"32b-atom-32-bit", "make_umma_desc takes 128B_32B for every type; PTX: for 32-bit types"},
    ToleratedTile{"packed-fp4-k-major",
                  "PTX, table 54: packed fp4 is K-major; make_umma_desc does not look at the type"},
    ToleratedTile{
        "crosses-atoms",
        "blocks of 24 rows cross atoms of 64. CuTe's flat_divide makes nine blocks of the eight and looks for "
        "row 64 at byte 128 after row 0; tile_to_shape put it at 1024"},
};

inline bool tolerated_tile(std::string_view rule) {
  return std::ranges::any_of(tolerated_tiles, [&](const ToleratedTile& t) { return t.rule == rule; });
}

}  // namespace swz
