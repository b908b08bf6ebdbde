// Observation: what a probe saw, one number an element, and how it compares with what swz predicts.
//
//   wgmma, ldmatrix, TMA: the place that the element came from (bits or bytes; the plan says)
//   wavefronts:           one number, how many
//   tensor maps:          accepted or not, then the 16 words
//
// A recording keeps the digest of most observations: a model that predicts otherwise has another digest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swz {

// Of an element that shows no place.
inline constexpr std::int64_t unreadable = -1;

struct Observation {
  std::vector<std::int64_t> values;
  bool operator==(const Observation&) const = default;
};

// FNV-1a over the values, 64 bits.
std::uint64_t digest(const Observation& observation);

struct Mismatch {
  std::int64_t differing = 0, of = 0;
  std::int64_t first = 0;  // index of the first difference
  std::int64_t expected = 0, observed = 0;
};

struct ObservationComparison {
  bool is_same = true;
  Mismatch mismatch;
};
// Observations of different length differ from the end of the shorter one on.
ObservationComparison compare(const Observation& expected, const Observation& observed);

}  // namespace swz
