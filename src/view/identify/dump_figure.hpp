// SPDX-License-Identifier: Apache-2.0
// The picture of a dump that a mistake explains: the lines of shared memory as the tile should be, and beside them as
// they are in the dump. A cell of 16 bytes has the number of the chunk of the tile, in the order of global memory.
//
//   expected       0   1 | 2 …      the dump       0   1 | 2 …     red: another chunk is there; "?": no chunk of the tile
//   0x80           9   8  11        0x80           8!  9! 10!
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smem/tile.hpp"
#include "view/document/document.hpp"

namespace swz {

// in_place: of each chunk of the tile, the chunk that the dump has in its place; -1 for none (chunks_in_place). way_out:
// what reads the dump as it is; may be empty.
Figure dump_figure(const SmemTile& tile, const std::vector<std::int64_t>& in_place, const std::string& way_out);

}  // namespace swz
