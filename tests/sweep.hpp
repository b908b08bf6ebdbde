// Sweep: long sweeps are whole in an ordinary build, and every nth case under the sanitizers, which take ten to
// thirty times as long and look for other faults: those that one case of a kind shows.
//
//   Sweep every{16};
//   for (…) if (every.takes()) …       all of them; with sanitizers cases 0, 16, 32, …
#pragma once

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

struct Sweep {
  long step = 1;
  long seen = 0;
  bool takes() { return !is_sanitized || seen++ % step == 0; }
};

// What a count must exceed, of a sweep of which every `step`th case is taken.
constexpr long at_least(long whole, long step) { return is_sanitized ? whole / step / 2 : whole; }

}  // namespace swz
