// SPDX-License-Identifier: Apache-2.0
// The probes of im2col and interleaved loads, stores and reductions, against hardware simulated here from what the
// documents say, byte by byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "probe/copy_probe.hpp"
#include "probe/observation.hpp"
#include "probe/reduce_probe.hpp"
#include "simulated.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

template <class Plan, class Draw>
std::vector<Plan> draws(int count, std::uint64_t seed, Draw draw) {
  Random random(seed);
  std::vector<Plan> plans;
  for (int i = 0; i < count; ++i) plans.push_back(draw(static_cast<std::size_t>(i), random));
  return plans;
}
std::vector<Im2colPlan> im2col_draws(int count, std::uint64_t seed) {
  return draws<Im2colPlan>(count, seed, [](std::size_t, Random& random) { return draw_im2col(random); });
}
std::vector<ReducePlan> reduce_draws(int count, std::uint64_t seed) {
  return draws<ReducePlan>(count, seed, draw_reduce);
}

// An im2col load as PTX steps through it: what each byte of the window holds, from globalAddress.
Observation stepped(const Im2colPlan& plan) {
  const TensorMap& m = plan.map.tensor;
  const auto rank = static_cast<std::size_t>(m.rank), axes = rank - 2;
  const std::int64_t size = find_row(m.data_type)->smem_bits / 8;
  const std::int64_t inner = static_cast<std::int64_t>(plan.map.channels_per_pixel) * size;
  const std::int64_t span = m.swizzle == TensorMapSwizzle::none ? 0 : 16 << static_cast<int>(m.swizzle);
  const std::int64_t lines = (1 << static_cast<int>(m.swizzle)) - 1, pitch = std::max(inner, span);
  const auto pixels = static_cast<std::int64_t>(plan.map.pixels_per_column);
  const std::int64_t begin = plan.to.count - 128,
                     end = std::min<std::int64_t>(plan.to.count + pixels * pitch + 128, 0x39000);
  Observation out(static_cast<std::size_t>(1 + end - begin), untouched_byte);
  out[0] = pixels * inner;
  TensorCoordinate at = plan.start;
  for (std::int64_t row = 0; row < pixels; ++row) {
    for (std::int64_t b = 0; b < inner; ++b) {
      std::int64_t from = (at[0] + b / size) * size + b % size;
      bool is_inside = at[0] + b / size >= 0 && at[0] + b / size < static_cast<std::int64_t>(m.dims[0]);
      for (std::size_t d = 1; d < rank; ++d) {
        const std::int64_t x = at[d] + (d - 1 < axes ? plan.offsets.filter[d - 1] : 0);
        is_inside = is_inside && x >= 0 && x < static_cast<std::int64_t>(m.dims[d]);
        from += x * static_cast<std::int64_t>(m.strides[d - 1]);
      }
      const std::int64_t linear = plan.to.count + row * pitch + b, to = linear ^ ((linear >> 7 & lines) << 4);
      const std::int64_t fill =
          m.oob_fill == TensorMapOobFill::zero ? filled_byte : nan_byte - (b % 2 == 0 ? 0xf7 : 0x7f);
      if (to < end) out[static_cast<std::size_t>(1 + to - begin)] = is_inside ? from : fill;
    }
    std::size_t a = 0;
    for (; a < axes; ++a) {
      at[a + 1] += static_cast<std::int64_t>(m.element_strides[a + 1]);
      if (at[a + 1] < static_cast<std::int64_t>(m.dims[a + 1]) + plan.map.upper_corner[a]) break;
      at[a + 1] = plan.map.lower_corner[a];
    }
    if (a == axes) at[rank - 1] += static_cast<std::int64_t>(m.element_strides[rank - 1]);
  }
  return out;
}

}  // namespace

TEST_CASE("im2col: what is predicted is what the steps of the document give") {
  for (const Im2colPlan& plan : im2col_draws(120, 3)) {
    CAPTURE(subject(plan));
    CHECK(compare(stepped(plan), expected(plan)).is_same());
  }
}

TEST_CASE("im2col: draws are legal and of every kind, and a recording has all of a plan") {
  std::set<int> ranks, modes, fills, steps;
  int between = 0, negative = 0, tails = 0, narrow = 0;
  for (const Im2colPlan& plan : im2col_draws(800, 5)) {
    CAPTURE(subject(plan));
    CHECK(violations(plan.map, require_target("sm_90a")).empty());
    ranks.insert(plan.map.tensor.rank);
    modes.insert(static_cast<int>(plan.map.tensor.swizzle));
    fills.insert(static_cast<int>(plan.map.tensor.oob_fill));
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.map.corner_count()); ++i) {
      steps.insert(static_cast<int>(plan.map.tensor.element_strides[i + 1]));
      if (plan.map.lower_corner[i] < 0) ++negative;
    }
    const Im2colWalk walk = *plan.placement().walk();
    CHECK(walk.holds_start(plan.start));
    for (int i = 0; i < walk.axis_count(); ++i)
      if ((plan.start[walk.axis(i).dim] - walk.axis(i).lower) % walk.axis(i).step != 0) ++between;
    if (plan.start[0] + static_cast<std::int64_t>(plan.map.channels_per_pixel) >
        static_cast<std::int64_t>(plan.map.tensor.dims[0]))
      ++tails;
    if (plan.placement().pitch() > plan.placement().inner()) ++narrow;
    const Im2colPlan back = im2col_plan(Json::parse(to_json(plan).dump()));
    CHECK(back.map == plan.map);
    CHECK(back.start == plan.start);
    CHECK(back.offsets == plan.offsets);
    CHECK(back.to == plan.to);
  }
  CHECK(ranks == std::set<int>{3, 4, 5});
  CHECK(modes == std::set<int>{0, 1, 2, 3});
  CHECK(fills.size() == 2);
  CHECK(steps.size() >= 4);
  CHECK(between > 50);
  CHECK(negative > 200);
  CHECK(tails > 200);
  CHECK(narrow > 100);
}

TEST_CASE("im2col: a load that counts otherwise is seen, and a map that the driver refuses") {
  const std::vector<Im2colPlan> plans = im2col_draws(2, 7);
  const Launch launch = launch_of(std::span<const Im2colPlan>(plans));
  const ByteBuffer good = simulate(plans, launch);
  CHECK(compare(expected(plans[1]), decode(plans, good)[1]).is_same());
  const std::size_t stride = 16 + launch.scalars[2];
  ByteBuffer one_pass = good;
  one_pass[5 * stride] ^= 16;
  CHECK(decode(plans, one_pass)[1][0] == strange_byte);
  ByteBuffer all = good;
  for (std::size_t pass = 4; pass < 8; ++pass) all[pass * stride] ^= 16;
  const Mismatch found = compare(expected(plans[1]), decode(plans, all)[1]);
  CHECK(found.differing == 1);
  CHECK(found.first == 0);
  CHECK(element_name(plans[1], 0) == "bytes counted");
}

TEST_CASE("reduce: every operation, with its types; a recording has all of a plan") {
  std::set<int> ops, types, times;
  for (const ReducePlan& plan : reduce_draws(400, 9)) {
    CAPTURE(subject(plan));
    CHECK(is_accepted(plan.map, require_target("sm_90a")));
    ops.insert(static_cast<int>(plan.op));
    types.insert(static_cast<int>(plan.map.data_type));
    times.insert(plan.times);
    const ReducePlan back = reduce_plan(Json::parse(to_json(plan).dump()));
    CHECK(back.map == plan.map);
    CHECK(back.op == plan.op);
    CHECK(back.times == plan.times);
    CHECK(back.start == plan.start);
    CHECK(back.from == plan.from);
  }
  CHECK(ops.size() == 9);
  CHECK(times.size() == 3);
  CHECK(types.size() == 10);
}

// Every byte that a load of the same box writes is read, and goes back where it came from.
TEST_CASE("reduce: a store is the inverse of the load of its box") {
  int elements = 0;
  for (const ReducePlan& plan : reduce_draws(200, 11)) {
    CAPTURE(subject(plan));
    const BoxPlacement box(plan.map, plan.from);
    const std::vector<std::int64_t> image = box_image(box, plan.start);
    const Observation slots = expected(plan);
    const std::int64_t size = box.element_bits() / 8;
    std::int64_t inside = 0;
    for (std::size_t at = 0; at < image.size(); at += static_cast<std::size_t>(size)) {
      if (image[at] < 0) continue;
      ++inside;
      REQUIRE(slots[static_cast<std::size_t>(image[at] / size)] == (static_cast<std::int64_t>(at) + 128) / size);
    }
    elements += static_cast<int>(inside);
    // Besides these only the elements that fill up the last 16 bytes of a row.
    CHECK(std::ranges::count_if(slots, [](std::int64_t slot) { return slot >= 0; }) >= inside);
  }
  CHECK(elements > 10000);
}

TEST_CASE("reduce and im2col: what is no plan is refused") {
  Json json = to_json(reduce_draws(1, 1)[0]);
  json["op"] = "mul";
  CHECK_THROWS_WITH_AS(reduce_plan(json), "the probe has no such operation", Error);
  json["op"] = "xor";
  json["times"] = 2;  // which undoes it
  CHECK_THROWS_AS(reduce_plan(json), Error);
  const Im2colPlan plan = im2col_draws(1, 1)[0];
  Json image = to_json(plan);
  image["to"] = 0x400;
  CHECK_THROWS_WITH_AS(im2col_plan(image), "the box goes to 0x400", Error);
  CHECK_THROWS_AS(interleave_plan(to_json(plan)), Error);
}
