// SPDX-License-Identifier: Apache-2.0
// Probe of cuTensorMapEncodeTiled: does the driver accept these arguments, and which 128 bytes does it write?
//
//   plan: f16, rank 2, dims (64, 16), strides (128), box (64, 257), …     expected: refused
//
// There is no kernel: the driver is asked on the host. Values of the observation: 1 and the 16 words of the map, or
// only 0. Arguments are drawn at and around every bound of the rules; about half of the maps are acceptable.
#pragma once

#include "probe/launch.hpp"

namespace swz {

struct TensorMapPlan {
  TensorMap map;
};

TensorMapPlan draw_tensor_map(Random& random);
// A box in steps of 16 bytes along the inner dimension, inside the swizzle's span.
void draw_inner_box(TensorMap& map, Random& random);

Observation observation_of(const std::optional<EncodedTensorMap>& encoded);
Observation expected(const TensorMapPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TensorMapPlan& plan);
std::string element_name(const TensorMapPlan& plan, std::int64_t index);
std::string value_name(const TensorMapPlan& plan, std::int64_t value);
// The arguments of a map, with the data type under `key`.
Json map_json(const TensorMap& map, const char* key);
TensorMap map_of(const Json& json, const char* key);
Json to_json(const TensorMapPlan& plan);
TensorMapPlan tensor_map_plan(const Json& json);

}  // namespace swz
