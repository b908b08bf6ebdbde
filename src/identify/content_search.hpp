// SPDX-License-Identifier: Apache-2.0
// Content search: what a dump contains if nothing is given about its elements (content_levels.hpp).
//
//   1024 bytes, mode 128B, of torch.arange(512).half()       the value i as f16: K-major 128B, exact
//   "0 1 2 … 256 256 258 260" of bf16                        the value i as bf16, which rounds numbers above 256
//   "thread 0: 0.0 1.0 128.0 129.0" of f32                   the value i as f32: D of mma.m16n8k16
//
// The numbers in a text may be bits or values: it then has two readings.
//
// Invariants (tested): an exact answer has every element in place; no mistake is reported for a dump that one of the
// contents explains.
#pragma once

#include <vector>

#include "identify/content_levels.hpp"
#include "identify/register_identify.hpp"
#include "identify/tile_identify.hpp"

namespace swz {

struct DumpReading {
  const SharedDump* dump = nullptr;
  NumberMeaning meaning = NumberMeaning::bits;  // of the printed numbers
};
using TileAnswer = ContentAnswer<TileIdentification>;
using RegisterAnswer = ContentAnswer<RegisterIdentification>;

// Throws Error as identify_tile does. The first is the answer; the others explain the dump as well.
std::vector<TileAnswer> identify_contents(const std::vector<DumpReading>& readings, const ElementType& type,
                                          TileExtents extents);

// `dtype` is that of the values; registers store its elements as register_element defines. Readings that no fragment
// fits are omitted; throws Error if there are no others.
std::vector<RegisterAnswer> identify_contents(const std::vector<RegisterDump>& readings, const DType& dtype,
                                              TileExtents extents, const RegisterMeaning& meaning);

// The content of the tile is known: finds the reading of the dump that contains it, or comes nearest.
TileAnswer identify_given(const std::vector<DumpReading>& readings, const LogicalTile& tile);
RegisterAnswer identify_given(const std::vector<RegisterDump>& readings, const LogicalTile& tile,
                              const RegisterMeaning& meaning);

}  // namespace swz
