#include "probe/observation.hpp"

#include <algorithm>

namespace swz {

std::uint64_t digest(const Observation& observation) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int64_t value : observation.values) {
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (static_cast<std::uint64_t>(value) >> (8 * byte)) & 0xff;
      hash *= 0x100000001b3;
    }
  }
  return hash;
}

ObservationComparison compare(const Observation& expected, const Observation& observed) {
  const std::size_t common = std::min(expected.values.size(), observed.values.size());
  const std::size_t most = std::max(expected.values.size(), observed.values.size());
  ObservationComparison result;
  Mismatch& mismatch = result.mismatch;
  mismatch.of = static_cast<std::int64_t>(most);
  for (std::size_t i = 0; i < most; ++i) {
    const bool is_there = i < common;
    if (is_there && expected.values[i] == observed.values[i]) continue;
    if (mismatch.differing++ == 0) {
      mismatch.first = static_cast<std::int64_t>(i);
      mismatch.expected = i < expected.values.size() ? expected.values[i] : -1;
      mismatch.observed = i < observed.values.size() ? observed.values[i] : -1;
    }
  }
  result.is_same = mismatch.differing == 0;
  return result;
}

}  // namespace swz
