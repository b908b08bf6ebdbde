// SPDX-License-Identifier: Apache-2.0
// What operations do to lanes that are known up to something they share. Between the files of src/ptx.
//
//   lanes 0, 4, 8, … + u, u a multiple of 1024, & 0x3ff      the lanes alone: exact
//   lanes 0, 4, 8, … ^ u, u one of 0 and 16                  banks 0, 1, 2, … in another order: flipped
#pragma once

#include "ptx/lane_values.hpp"

namespace swz {

LaneValue unknown_because(ValueId why);
LaneValue same_in_all(std::uint64_t value, int bits);
bool has_one_value(const LaneValue& one);
bool is_same_in_all(const LaneValue& one);  // and it is known
std::uint64_t bits_of_any(const LaneValue& one);

// evaluate() of each lane. False: of some lane it has no answer.
using LaneNumbers = std::array<std::uint64_t, warp_lanes>;
bool evaluate_lanes(const PtxValue& value, const LaneValue& a, const LaneValue& b, LaneNumbers& out);

template <class Change>
LaneValue changed(LaneValue one, const Change& change) {
  for (std::uint64_t& lane : one.value) lane = change(lane);
  return one;
}

// x ^ u where all lanes have the same bits in the place of u: a sum. The others as they are.
LaneValue as_sum(LaneValue x);
// x + what all lanes share, a multiple of 2^zeros.
LaneValue moved(LaneValue x, int zeros);
// x ^ what all lanes share: `ones`, and any of the bits of `flips`.
LaneValue flipped(LaneValue x, std::uint64_t ones, std::uint64_t flips);

// The sum and the XOR with lanes that are known, and the bits of a mask that is the same in all lanes. nullopt: it is none of the
// kinds.
std::optional<LaneValue> sum_with(const LaneValue& x, const LaneValue& exact, int bits);
std::optional<LaneValue> flipped_with(const LaneValue& x, const LaneValue& exact);
std::optional<LaneValue> masked(LaneValue x, std::uint64_t mask);

}  // namespace swz
