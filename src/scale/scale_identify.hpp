// SPDX-License-Identifier: Apache-2.0
// Which layout scale factors are in: a dump of them, compared with the factors in rows, for every layout, every order of
// rows before it, with row and factor exchanged, and with the batches in another order.
//
//   200 x 22 factors, 6144 bytes: 128x4 and 128x4_k8 have this size, and are the same function there
//   a dump that is 128x4 of the rows in order gated, then shuffle32: 256 x 22, found as that
//
// Only a reading in which every factor is where it should be is an answer. If readings that are different functions fit,
// the values do not decide: they repeat. The fill codes() tells all of them apart.
//
// Invariants (tested): what any layout, order, exchange and batch order wrote is found; random bytes are not; codes()
// of every shape from 32 x 4 on leaves one function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scale/scale_tensor.hpp"

namespace swz {

// Factors as numbers, batch after batch, row after row.
struct ScaleValues {
  ScaleExtents extents;
  std::vector<std::uint32_t> values;
  std::uint32_t at(ScaleCoordinate c) const {
    return values[static_cast<std::size_t>((c.batch * extents.rows + c.row) * extents.factors + c.kb)];
  }
};

// A fill by which one dump decides: a hash of (batch, row, kb) of 8 bits.
ScaleValues code_values(const ScaleExtents& extents);
// The same as an expression of Python and C: "(131 * batch + 73 * row + …) % 251".
std::string code_expression();

struct ScaleReading {
  const ScaleLayoutRow* layout = nullptr;
  std::vector<const RowOrder*> orders = {};
  bool is_exchanged = false;     // row and kb: the factors of the transposed operand
  std::int64_t batch_shift = 0;  // batch b of the dump is batch b + shift
};

// What lies in the padding.
struct ScalePadding {
  std::int64_t bytes = 0, zeros = 0;
};

struct ScaleIdentity {
  std::vector<ScaleReading> readings;        // those that fit, the simplest first
  bool is_decided = false;                   // all of them are the same function
  ScalePadding padding;                      // of the first
  std::vector<const ScaleLayoutRow*> sized;  // the layouts with factors and memory of this size
};

// `dump` is the memory; `bytes` are those of a factor. Throws Error beyond limits::compared_factors.
ScaleIdentity identify_scales(std::span<const std::byte> dump, const ScaleValues& expected, int bytes);

}  // namespace swz
