// SPDX-License-Identifier: Apache-2.0
// What is known of all values of a kernel, once they are built: bits and bounds, arrays, and which values lanes share.
//
// Used only inside src/ptx: others ask PtxValues.
#pragma once

#include <span>
#include <vector>

#include "ptx/values.hpp"

namespace swz {

// In the order in which control comes to them, so that a chain of phis is known after one pass.
std::vector<ValueId> values_in_order(const PtxValues& values);

std::vector<KnownValue> known_values(const PtxValues& values, std::span<const ValueId> order);

// Constants that are known because it is known where an array begins. After known_values.
std::vector<bool> values_of_arrays(const PtxValues& values);

struct UniformFacts {
  std::vector<bool> is_uniform;   // of each value
  std::vector<bool> is_together;  // of each block: PtxValues::comes_together
  std::vector<bool> loses_lanes;  // of each block
};
// After known_values.
UniformFacts uniform_values(const PtxValues& values, std::span<const ValueId> order);

}  // namespace swz
