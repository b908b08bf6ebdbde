// SPDX-License-Identifier: Apache-2.0
// Where swz refuses what CuTe answers rightly, and why that is intended. Rows are for refusals by design; a refusal by
// mistake must be fixed in src/.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace swz {

struct Tolerated {
  std::string_view operation;
  std::string_view why;
};

inline constexpr std::array tolerated_refusals = {
    Tolerated{"swizzled upcast",
              "swz judges the swizzle only by the units: it refuses one that acts inside a unit even where the layout "
              "is too small to reach the bits that it reads"},
};

inline bool tolerated(std::string_view operation, std::string_view) {
  return std::ranges::any_of(tolerated_refusals, [&](const Tolerated& t) { return t.operation == operation; });
}

}  // namespace swz
