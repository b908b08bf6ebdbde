// SPDX-License-Identifier: Apache-2.0
// What a dump holds when nobody says what its elements are (content_levels.hpp).
//
//   1024 bytes, mode 128B, of torch.arange(512).half()       the value i as f16: K-major 128B, exact
//   "0 1 2 … 256 256 258 260" of bf16                        the value i as bf16, which rounds numbers above 256
//   "thread 0: 0.0 1.0 128.0 129.0" of f32                   the value i as f32: D of mma.m16n8k16
//
// A text of numbers may mean bits or values: then there are two readings of it.
//
// Invariants (tested): an answer that is exact has every element in place; no mistake is told of a dump that one of the
// contents explains.
#pragma once

#include <vector>

#include "identify/content_levels.hpp"
#include "identify/register_identify.hpp"
#include "identify/tile_identify.hpp"

namespace swz {

struct DumpReading {
  const SharedDump* dump = nullptr;
  NumberMeaning meaning = NumberMeaning::bits;  // of what was printed
};
using TileAnswer = ContentAnswer<TileIdentification>;
using RegisterAnswer = ContentAnswer<RegisterIdentification>;

// Throws Error as identify_tile. The first is the answer; others explain the dump as well.
std::vector<TileAnswer> identify_contents(const std::vector<DumpReading>& readings, const ElementType& type,
                                          TileExtents extents);

// dtype: of the values; registers hold its elements as register_element says. Readings that no fragment fits are left out;
// throws Error when there are no others.
std::vector<RegisterAnswer> identify_contents(const std::vector<RegisterDump>& readings, const DType& dtype,
                                              TileExtents extents, const RegisterMeaning& meaning);

// What the tile is is known: which reading of the dump holds it, or comes nearest.
TileAnswer identify_given(const std::vector<DumpReading>& readings, const LogicalTile& tile);
RegisterAnswer identify_given(const std::vector<RegisterDump>& readings, const LogicalTile& tile,
                              const RegisterMeaning& meaning);

}  // namespace swz
