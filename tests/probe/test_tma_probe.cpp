// SPDX-License-Identifier: Apache-2.0
// The probe of TMA loads against a GPU simulated here byte by byte, from what the launch holds alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "probe/observation.hpp"
#include "probe/tma_probe.hpp"
#include "simulated.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

// As kernels/tma.cu reads it.
struct Block {
  std::uint32_t map, rank;
  std::array<std::int32_t, 5> start;
  std::uint32_t to, window, expect, fill, unused;
};

// One load as cuda.h and PTX describe it, element by element.
void load(const Launch& launch, std::size_t number, ByteBuffer& output) {
  const auto block = read_at<Block>(launch.inputs[0], number * sizeof(Block));
  EncodedTensorMap encoded;
  __builtin_memcpy(encoded.words.data(), launch.inputs[1].data() + 128 * block.map, 128);
  const TensorMap m = decode(encoded).map.value();
  REQUIRE(static_cast<std::uint32_t>(m.rank) == block.rank);
  const std::int64_t size = find_row(m.data_type)->smem_bits / 8;
  const std::int64_t span = m.swizzle == TensorMapSwizzle::none ? 0 : 16 << static_cast<int>(m.swizzle);
  const std::int64_t lines = (1 << static_cast<int>(m.swizzle)) - 1;
  const std::int64_t inner = static_cast<std::int64_t>(m.box[0]) * size;
  std::uint8_t* const out = output.data() + number * (16 + launch.scalars[2]);
  out[0] = 1;
  std::fill_n(out + 16, launch.scalars[2], static_cast<std::uint8_t>(block.fill));
  std::array<std::int64_t, 5> sizes = {1, 1, 1, 1, 1};
  std::int64_t rows = 1, bytes = 0;
  for (std::size_t d = 1; d < block.rank; ++d) {
    const auto step = static_cast<std::int64_t>(m.element_strides[d]);
    sizes[d] = (static_cast<std::int64_t>(m.box[d]) + step - 1) / step;
    rows *= sizes[d];
  }
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t byte = 0; byte < inner; ++byte, ++bytes) {
      const std::int64_t column = block.start[0] + byte / size;
      bool is_inside = column >= 0 && column < static_cast<std::int64_t>(m.dims[0]);
      std::int64_t from = static_cast<std::int64_t>(m.global_address) + column * size + byte % size;
      std::int64_t rest = row;
      for (std::size_t d = 1; d < block.rank; ++d) {
        const std::int64_t at = block.start[d] + rest % sizes[d] * static_cast<std::int64_t>(m.element_strides[d]);
        rest /= sizes[d];
        is_inside = is_inside && at >= 0 && at < static_cast<std::int64_t>(m.dims[d]);
        from += at * static_cast<std::int64_t>(m.strides[d - 1]);
      }
      const std::int64_t linear = block.to + row * std::max(inner, span) + byte;
      const std::int64_t to = linear ^ ((linear >> 7 & lines) << 4);
      std::uint8_t value = 0;
      if (is_inside) value = launch.inputs[2].at(static_cast<std::size_t>(from));
      else if (m.oob_fill == TensorMapOobFill::nan) value = byte % 2 == 0 ? 0xf7 : 0x7f;
      REQUIRE(to >= block.window);
      REQUIRE(to - block.window < launch.scalars[2]);
      out[16 + to - block.window] = value;
    }
  CHECK(bytes == block.expect);
}

ByteBuffer load_all(const Launch& launch) {
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) load(launch, i, output);
  return output;
}

std::vector<TmaPlan> draws(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<TmaPlan> plans;
  for (int i = 0; i < count; ++i) plans.push_back(draw_tma(random));
  return plans;
}

// u8, 16 x 2 at 0x800, 32B: rows of 16 B at a pitch of 32 B.
TmaPlan small_plan() {
  TmaPlan plan;
  plan.map.data_type = TensorMapDataType::uint8;
  plan.map.rank = 2;
  plan.map.dims = {64, 4};
  plan.map.strides = {64};
  plan.map.box = {16, 2};
  plan.map.swizzle = TensorMapSwizzle::b32;
  plan.to = Bytes{0x800};
  return plan;
}

}  // namespace

TEST_CASE("tma: loads done element by element are confirmed, and are what simulate() does") {
  for (const std::uint64_t seed : {1, 2}) {
    const std::vector<TmaPlan> plans = draws(24, seed);
    const Launch launch = launch_of(plans);
    const ByteBuffer output = load_all(launch);
    const Observations seen = decode(plans, output);
    const Observations simulated = decode(plans, simulate(plans, launch));
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK(compare(expected(plans[i]), seen[i]).is_same());
      CHECK(seen[i] == simulated[i]);
    }
  }
}

TEST_CASE("tma: draws are legal and of every kind") {
  std::set<int> ranks, modes, types, fills, steps;
  int before = 0, beyond = 0;
  for (const TmaPlan& plan : draws(600, 5)) {
    CAPTURE(subject(plan));
    CHECK(is_accepted(plan.map, require_target("sm_90a")));
    CHECK(plan.start[0] * find_row(plan.map.data_type)->smem_bits % 128 == 0);
    ranks.insert(plan.map.rank);
    modes.insert(static_cast<int>(plan.map.swizzle));
    types.insert(static_cast<int>(plan.map.data_type));
    fills.insert(static_cast<int>(plan.map.oob_fill));
    for (std::size_t d = 0; d < static_cast<std::size_t>(plan.map.rank); ++d) {
      if (plan.map.element_strides[d] != 1) steps.insert(static_cast<int>(d));
      if (plan.start[d] < 0) ++before;
      if (plan.start[d] + static_cast<std::int64_t>(plan.map.box[d]) > static_cast<std::int64_t>(plan.map.dims[d]))
        ++beyond;
    }
    // Every address of a map is relative to the tensors, whose place only the device knows.
    const TmaPlan back = tma_plan(Json::parse(to_json(plan).dump()));
    CHECK(back.map == plan.map);
    CHECK(back.start == plan.start);
    CHECK(back.to == plan.to);
  }
  CHECK(ranks == std::set<int>{1, 2, 3, 4, 5});
  CHECK(modes == std::set<int>{0, 1, 2, 3});
  CHECK(types.size() == 10);
  CHECK(fills.size() == 2);
  CHECK(steps == std::set<int>{0, 1, 2, 3, 4});
  CHECK(before > 50);
  CHECK(beyond > 50);
}

TEST_CASE("tma: a small box by hand") {
  const TmaPlan plan = small_plan();
  const Observation image = expected(plan);
  // 128 bytes on either side, 2 rows at a pitch of 32 B.
  REQUIRE(image.size() == 128 + 64 + 128);
  for (std::int64_t i = 0; i < 320; ++i) {
    const std::int64_t in_box = i - 128;
    const bool is_row = in_box >= 0 && in_box < 64 && in_box % 32 < 16;
    CHECK(image[static_cast<std::size_t>(i)] == (is_row ? in_box / 32 * 64 + in_box % 32 : untouched_byte));
  }
  CHECK(element_name(plan, 128) == "SMEM byte 0x800");
  CHECK(value_name(plan, 64) == "byte 64 of the tensor");
  CHECK(value_name(plan, filled_byte) == "filled with 0");
  CHECK(value_name(plan, untouched_byte) == "untouched");
  CHECK(value_name(plan, strange_byte) == "something else");
  CHECK(value_name(plan, nan_byte - 0x7f) == "filled with 0x7f");

  // One line further the XOR exchanges the halves of the span.
  TmaPlan next = plan;
  next.to = Bytes{0x880};
  CHECK(expected(next)[128] == untouched_byte);
  CHECK(expected(next)[128 + 16] == 0);
}

TEST_CASE("tma: what the hardware does otherwise is seen") {
  const std::vector<TmaPlan> plans{small_plan(), small_plan()};
  const Launch launch = launch_of(plans);
  const ByteBuffer good = load_all(launch);
  const std::size_t stride = 16 + launch.scalars[2];
  const auto differing = [&](ByteBuffer output) {
    const Observations seen = decode(plans, output);
    CHECK(compare(expected(plans[0]), seen[0]).is_same());
    return compare(expected(plans[1]), seen[1]);
  };
  CHECK(differing(good).differing == 0);

  ByteBuffer stray = good;  // a byte beside the box, in every pass
  for (std::size_t pass = 4; pass < 8; ++pass) stray[pass * stride + 16] ^= 0xff;
  CHECK(differing(stray).differing == 1);
  CHECK(differing(stray).first == 0);

  ByteBuffer one_pass = good;  // a byte of the box, in one pass alone
  one_pass[5 * stride + 16 + 128 + 3] ^= 1;
  CHECK(differing(one_pass).differing == 1);
  CHECK(differing(one_pass).first == 128 + 3);

  ByteBuffer exchanged = good;  // two bytes of the box
  for (std::size_t pass = 4; pass < 8; ++pass)
    std::swap(exchanged[pass * stride + 16 + 128], exchanged[pass * stride + 16 + 129]);
  CHECK(differing(exchanged).differing == 2);
  CHECK(differing(exchanged).observed == 1);

  ByteBuffer incomplete = good;  // the mbarrier did not complete
  incomplete[6 * stride] = 0;
  CHECK(differing(incomplete).differing == 320);
  CHECK(differing(incomplete).observed == strange_byte);
}

TEST_CASE("tma: what is no plan is refused") {
  const auto message_of = [](const char* key, const Json& value) -> std::string {
    Json json = to_json(small_plan());
    json[key] = value;
    try {
      tma_plan(json);
    } catch (const Error& e) {
      return e.message();
    }
    return "accepted";
  };
  CHECK(message_of("to", 0x800) == "accepted");
  CHECK(message_of("to", 0x400) == "the box goes to 0x400");
  CHECK(message_of("to", -128) != "accepted");
  CHECK(message_of("to", 0x810) != "accepted");
  CHECK(message_of("to", 233472) != "accepted");
  CHECK(message_of("dims", {64, 1 << 20}) == "the tensor is larger than that of the probe");
  CHECK(message_of("dims", {64, 4294967296}) == "the tensor is larger than that of the probe");
  CHECK(message_of("at", 1 << 20) == "the tensor is larger than that of the probe");
  CHECK(message_of("start", {8, 0}) == "the load starts at element 8 of dimension 0");
  CHECK(message_of("start", {0, 2147483648}) == "the coordinate 2147483648 does not fit in 32 bits");
  CHECK(message_of("tma", "f32.ftz") == "no load of this type is probed: TMA converts or pads it");
  CHECK(message_of("rank", 6) != "accepted");
  CHECK(message_of("strides", {24}) != "accepted");
  CHECK(message_of("box", {16, 300}) != "accepted");
  CHECK(message_of("modes", {1, 0, 0, 0}) != "accepted");
}
