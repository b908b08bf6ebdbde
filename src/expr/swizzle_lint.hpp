// SPDX-License-Identifier: Apache-2.0
// Swizzle lint: checks a C expression of an address over a whole period.
//
//   'addr ^ ((addr >> 3) & 0x70)'     repeats every 1024 bytes; equal to mode 128B there, so everywhere
//   'addr & ~0x40'                    0 and 64 share a value
//   'row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)' of 128 x 64 f16: the K-major tile in mode 128B
//
// An expression in addr maps units to units: bytes, or elements of a type. One in row and col gives the index of an
// element; it is compared with the index in the canonical tiles of every mode, major and stacking order, and in the
// plain matrix. Its inputs are numbered row by row.
//
// The domain of an expression in addr is the larger of its period and 1024 bytes (the longest hardware pattern). If the
// expression is affine over GF(2), nothing is enumerated: its period may be up to 2^61, and a domain may have up to 62
// bits. Any other expression has at most limits::c_inputs inputs, and its period is searched for in 64 KiB, which are
// the domain if none is found.
//
// The value at a coordinate may also count bytes. Both readings are tried, and the one that is nearer to a tile is
// kept:
//
//   'row*128 + ((col*2) ^ ((row & 7) << 4))' of 64 x 64 bf16: bytes, the K-major tile in mode 128B
#pragma once

#include <optional>

#include "arch/dtype.hpp"
#include "expr/c_expression.hpp"
#include "smem/address_lint.hpp"

namespace swz {

struct SwizzleLintRequest {
  CExpression expression;
  const DType* dtype = nullptr;                       // null for bytes
  std::optional<std::uint64_t> inputs = {};           // for an address; none: the domain above
  std::optional<std::uint64_t> rows = {}, cols = {};  // for a coordinate, both of them
};

struct SwizzleLint {
  SwizzleLintRequest request;
  int unit_bits = 8;
  AddressLint lint;
  std::vector<AddressReference> references;  // the references of lint.comparisons
  bool is_by_algebra = false;                // nothing was enumerated
  bool is_whole_period = false;              // the domain was chosen by the period
  std::uint64_t value_bytes = 0;             // bytes of an element, if the expression gives bytes; 0 if it gives units
  std::optional<std::uint64_t> period = {};  // for an address, in units
  // A mode that the same expression is on units of another size; only if it is no mode on its own units.
  struct OtherUnit {
    const SwizzleMode* mode;
    Bytes unit;
  };
  std::optional<OtherUnit> other_unit = {};

  // The value at input x, an address or a coordinate numbered row by row; in units, whatever the expression gives.
  std::uint64_t value(std::uint64_t x) const;
  // The reference that it equals, or null.
  const AddressReference* equal() const;
};

// Throws Error if the domain does not fit the expression or is too large, or if the expression has no value.
SwizzleLint lint_swizzle(SwizzleLintRequest request);

}  // namespace swz
