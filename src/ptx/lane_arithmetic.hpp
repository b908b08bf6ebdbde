// SPDX-License-Identifier: Apache-2.0
// What operations do to lanes that are known up to something they share.
//
//   lanes 0, 4, 8, … + u, u a multiple of 1024, & 0x3ff      the lanes without u: exact
//   lanes 0, 4, 8, … ^ u, u is 0 or 16                       banks 0, 1, 2, … in another order: flipped
//
// Used only inside src/ptx.
#pragma once

#include "ptx/lane_values.hpp"

namespace swz {

LaneValue unknown_because(ValueId why);
LaneValue same_in_all(std::uint64_t value, int bits);
bool has_one_value(const LaneValue& x);
bool is_same_in_all(const LaneValue& x);  // and it is known
std::uint64_t bits_of_any(const LaneValue& x);

// evaluate() of each lane. False: it has no result for some lane.
using LaneNumbers = std::array<std::uint64_t, warp_lanes>;
bool evaluate_lanes(const PtxValue& value, const LaneValue& a, const LaneValue& b, LaneNumbers& results);

// Gives x the lanes `added` of y. False: one of the two is not exact, or x has some of these lanes already.
bool add_lanes(LaneValue& x, std::uint32_t lanes_of_x, const LaneValue& y, std::uint32_t added);

template <class Change>
LaneValue changed(LaneValue x, const Change& change) {
  for (std::uint64_t& lane : x.value) lane = change(lane);
  return x;
}

// x ^ u as a sum, if all lanes have the same bits where u may have any; otherwise x.
LaneValue as_sum(LaneValue x);
// x + what all lanes share, a multiple of 2^zeros.
LaneValue moved(LaneValue x, int zeros);
// x ^ what all lanes share: `ones`, and any of the bits of `flips`.
LaneValue flipped(LaneValue x, std::uint64_t ones, std::uint64_t flips);

// Results of operations on lanes that need not be exact. nullopt: the lanes of the result are not known up to something
// they share.
std::optional<LaneValue> sum_with(const LaneValue& x, const LaneValue& exact, int bits);
std::optional<LaneValue> sum_of_shifted(const LaneValue& a, const LaneValue& b, int bits);
// x ^ y or x | y. `shared` is what is known of a y that all lanes share.
std::optional<LaneValue> combined_with(ValueOp op, const LaneValue& x, const KnownValue& shared, int bits);
std::optional<LaneValue> combined_with(ValueOp op, const LaneValue& x, const LaneValue& y);
std::optional<LaneValue> masked(LaneValue x, std::uint64_t mask);
std::optional<LaneValue> scaled(const LaneValue& x, std::uint64_t factor, int bits);
std::optional<LaneValue> shifted_left(const LaneValue& x, std::uint64_t by, int bits);
std::optional<LaneValue> shifted_right(const LaneValue& x, std::uint64_t by, int bits);

}  // namespace swz
