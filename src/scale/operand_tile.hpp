// SPDX-License-Identifier: Apache-2.0
// The tile of an operand whose scale factors a CTA takes: what it has to be, in tensor memory and in registers alike.
//
//   tile 128 x 16 factors at (256, 4) of 1024 x 64: begins and ends with whole 128x4 tiles of global memory
#pragma once

#include <string_view>

#include "scale/scale_layout.hpp"

namespace swz {

// Throws Error if the tile is not in the operand or begins inside a 128x4 tile. row_word: "row" of A, "column" of B;
// block: elements of K that share a factor.
void require_tile_in(const ScaleExtents& whole, const ScaleCoordinate& origin, const ScaleExtents& tile,
                     std::string_view row_word, int block);

// Throws Error unless the tile has the row and the factor.
void require_factor_in(const ScaleExtents& tile, const ScaleCoordinate& at);

}  // namespace swz
