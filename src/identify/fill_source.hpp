// SPDX-License-Identifier: Apache-2.0
// FillSource: CUDA C++ that fills a tile so that a single dump identifies it, and dumps it.
//
//   u8 128x64: code(row, k, pass) is (row * 64 + k) >> (8 * pass) & 0xff, two passes; the dump has both in sequence
//   and is read with --expect codes
//
// Invariant (tested): it compiles with NVRTC; its codes are those of code_tile.
#pragma once

#include <string>

#include "identify/logical_tile.hpp"

namespace swz {

std::string fill_source(const ElementType& type, TileExtents extents);

}  // namespace swz
