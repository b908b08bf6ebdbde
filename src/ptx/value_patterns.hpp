// SPDX-License-Identifier: Apache-2.0
// Operations that are known to give the same as simpler ones.
//
//   3 + 4                          7
//   x + 1 + 2                      x + 3
//   x * 3435973837 >> 34           x / 5, as compilers write it
//   x & 7 ? x + 8 - (x & 7) : x    x + 7 & ~7: x rounded up
//
// Used only inside src/ptx, by PtxValues::make.
#pragma once

#include <optional>

#include "ptx/values.hpp"

namespace swz {

// A simpler value that equals this operation, which has an operand. nullopt: there is none.
std::optional<ValueId> simplified(PtxValues& values, const PtxValue& value);

}  // namespace swz
