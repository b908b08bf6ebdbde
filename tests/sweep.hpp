// SPDX-License-Identifier: Apache-2.0
// Sweep: long sweeps run every nth case, so that every change can be tested, because a fault seldom has only one case.
// Under the sanitizers, which need ten to thirty times as long and look for other faults, the steps are wider.
// SWZ_WHOLE_SWEEPS=1 in the environment runs all cases, as before a release.
//
//   Sweep every{300, 8};
//   for (…) if (every.takes()) …       cases 0, 8, 16, …; with sanitizers 0, 300, 600, …
#pragma once

#include <cstdlib>

namespace swz {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

// The step of this run.
inline long step_of(long sanitized, long ordinary) {
  if (std::getenv("SWZ_WHOLE_SWEEPS") != nullptr) return 1;
  return is_sanitized ? sanitized : ordinary;
}

struct Sweep {
  long sanitized = 1;
  long ordinary = 1;
  long seen = 0;
  long step = step_of(sanitized, ordinary);
  bool takes() { return seen++ % step == 0; }
};

// How many random cases to run, of so many.
inline long rounds_of(long whole, long sanitized, long ordinary = 1) { return whole / step_of(sanitized, ordinary); }

// What a count must exceed in a sweep with these steps.
inline long at_least(long whole, long sanitized, long ordinary = 1) {
  const long step = step_of(sanitized, ordinary);
  return step == 1 ? whole : whole / step / 2;
}

}  // namespace swz
