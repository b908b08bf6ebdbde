// SPDX-License-Identifier: Apache-2.0
// The probe of cuTensorMapEncodeTiled: draws at and around every bound, verdicts and words.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "arch/target.hpp"
#include "base/text.hpp"
#include "probe/tensor_map_probe.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

std::vector<TensorMapPlan> draws(int count) {
  Random random(11);
  std::vector<TensorMapPlan> plans;
  for (int i = 0; i < count; ++i) plans.push_back(draw_tensor_map(random));
  return plans;
}

}  // namespace

TEST_CASE("tensor maps: about half of the draws are accepted, and every rule that sm_90 can break is broken") {
  int accepted = 0;
  std::map<std::string, int> broken, alone;
  for (const TensorMapPlan& plan : draws(5000)) {
    const std::vector<TensorMapViolation> found = violations(plan.map, sm_90a());
    if (found.empty()) ++accepted;
    for (const TensorMapViolation& v : found) broken[v.rule] += 1;
    if (found.size() == 1) alone[found.front().rule] += 1;
  }
  CHECK(accepted > 1500);
  CHECK(accepted < 3500);
  // Of another target; of values that the enums do not have; of types that sm_90 refuses as a whole.
  const std::set<std::string_view> not_drawn{"arch-tma",     "data-type-enum",    "interleave-enum",
                                             "swizzle-enum", "swizzle-96",        "l2-enum",
                                             "fill-enum",    "address-32-padded", "stride-32-padded"};
  for (const TensorMapRule& rule : refusal_rules()) {
    CAPTURE(rule.name);
    CHECK((broken[std::string(rule.name)] > 0) == !not_drawn.contains(rule.name));
  }
  CHECK(alone.size() > 10);
}

TEST_CASE("tensor maps: refused is 0, accepted is 1 and the words") {
  for (const TensorMapPlan& plan : draws(500)) {
    CAPTURE(subject(plan));
    const Observation seen = expected(plan);
    if (!is_accepted(plan.map, sm_90a())) {
      CHECK(seen == Observation{0});
      continue;
    }
    REQUIRE(seen.size() == 17);
    CHECK(seen[0] == 1);
    EncodedTensorMap words;
    for (std::size_t i = 0; i < 16; ++i) words.words[i] = static_cast<std::uint64_t>(seen[i + 1]);
    const DecodedTensorMap back = decode(words);
    CHECK(back.problems.empty());
    REQUIRE(back.map.has_value());
    CHECK(*back.map == plan.map);
  }
  EncodedTensorMap encoded;
  encoded.words[15] = 7;
  CHECK(observation_of(std::nullopt) == Observation{0});
  CHECK(observation_of(encoded).size() == 17);
  CHECK(observation_of(encoded).back() == 7);
}

TEST_CASE("tensor maps: the documented rules are wrong in both directions") {
  int too_strict = 0, too_lax = 0;
  for (const TensorMapPlan& plan : draws(5000)) {
    const Observation own = expected(plan), documented = expected(plan, Hypothesis::documented_rules);
    if (own[0] == 1 && documented[0] == 0) ++too_strict;
    if (own[0] == 0 && documented[0] == 1) ++too_lax;
  }
  CHECK(too_strict > 0);
  CHECK(too_lax > 0);
}

TEST_CASE("tensor maps: plans survive JSON, and have names") {
  for (const TensorMapPlan& plan : draws(500)) {
    const std::string text = to_json(plan).dump();
    const TensorMapPlan back = tensor_map_plan(Json::parse(text));
    CHECK(back.map == plan.map);
    CHECK(to_json(back).dump() == text);
  }
  TensorMapPlan plan;
  plan.map.data_type = TensorMapDataType::float16;
  plan.map.rank = 2;
  plan.map.global_address = 4096;
  plan.map.dims = {64, 16};
  plan.map.strides = {128};
  plan.map.box = {64, 257};
  CHECK(to_json(plan).dump() == R"({"tensor_map":"f16","at":4096,"dims":[64,16],"strides":[128],"box":[64,257]})");
  CHECK(subject(plan) ==
        "tensor map f16 rank 2 at 0x1000, dims (64, 16), strides (128), box (64, 257), element strides (1, 1), "
        "interleave 0, swizzle 0, oob fill 0");
  CHECK(expected(plan) == Observation{0});
  plan.map.box[1] = 256;
  CHECK(expected(plan)[0] == 1);
  CHECK(element_name(plan, 0) == "verdict");
  CHECK(element_name(plan, 3) == "word 2");
  CHECK(value_name(plan, 0) == "refused or 0");
  CHECK(value_name(plan, 1) == "accepted or 1");
  CHECK(value_name(plan, 0x6510) == "0x0000000000006510");
}
