// SPDX-License-Identifier: Apache-2.0
// The result of judge() for hardware that does what a hypothesis describes.
#pragma once

#include <algorithm>
#include <span>

#include "simulated.hpp"

namespace swz {

struct Judged {
  int cases = 0;
  int differing = 0;        // not as the model predicts
  int explained = 0;        // of these, by the hypothesis
  int explained_by_it = 0;  // of these, only by it
};

// Requires that each plan is asked in a launch of its own.
template <class Plan>
Judged judged(std::span<const Plan> plans, Hypothesis is) {
  Judged out;
  for (const Plan& plan : plans) {
    const std::span<const Plan> one(&plan, 1);
    const Observation seen = decode(one, simulate(one, launch_of(one), is)).front();
    ++out.cases;
    const std::optional<CaseMismatch> found = judge(plan, observed(seen), Hypothesis::none);
    if (!found) continue;
    ++out.differing;
    const auto& names = found->explanations;
    if (std::ranges::find(names, is) == names.end()) continue;
    ++out.explained;
    if (names.size() == 1) ++out.explained_by_it;
  }
  return out;
}

}  // namespace swz
