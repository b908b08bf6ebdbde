// SPDX-License-Identifier: Apache-2.0
// A formula of the documents, and how often a fragment differs from it.
#pragma once

#include "fragment/fragment.hpp"

namespace swz {

// g = lane >> 2, t = lane & 3, i = element: the letters of the PTX ISA.
struct At {
  int lane = 0, g = 0, t = 0, i = 0, warp = 0;
};
using Formula = Coordinate (*)(At);

// The number of (thread, value) that differ from the formula.
inline int differences(const Fragment& f, Formula formula) {
  int wrong = 0;
  for (int thread = 0; thread < f.threads(); ++thread) {
    for (int i = 0; i < f.values(); ++i) {
      const int lane = thread % 32;
      wrong += f.at(thread, i) != formula({lane, lane / 4, lane % 4, i, thread / 32});
    }
  }
  return wrong;
}

}  // namespace swz
