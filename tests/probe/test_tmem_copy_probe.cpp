// SPDX-License-Identifier: Apache-2.0
// The probe of tcgen05.cp against simulated tensor memory, for every form: of the right model nothing is reported,
// hardware that makes a mistake is caught and explained. There is no Blackwell here.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "probe/tmem_copy_probe.hpp"
#include "sweep.hpp"
#include "told_explanations.hpp"

using namespace swz;

namespace {

std::vector<TmemCopyPlan> plans_of_every_form(std::uint64_t seed, long step) {
  Random random(seed);
  Sweep every{step};
  std::vector<TmemCopyPlan> out;
  for (const TmemCopyPlan& form : tmem_copies_to_probe()) {
    const TmemCopyPlan plan = draw_tmem_copy(form, random);
    if (every.takes()) out.push_back(plan);
  }
  return out;
}

// No swizzle, SBO 128 B, LBO 2048 B, from byte 4096: lanes of scale factors are copied so.
constexpr std::uint64_t plain_word = 0x0000400800800100;

TmemCopyPlan plan_of(const char* name, int cta_group = 1, int lane = 0) {
  return tmem_copy_plan(
      {{"tmem_copy", name}, {"cta_group", cta_group}, {"word", "0x0000400800800100"}, {"lane", lane}, {"column", 20}});
}

// Of the window, which begins 4 columns before the address.
std::string value_at(const TmemCopyPlan& plan, const Observation& values, int cta, int lane, int column, int byte) {
  const int index = ((cta * 16 + column - (plan.column - 4)) * 128 + lane) * 4 + byte;
  return value_name(plan, values[static_cast<std::size_t>(index)]);
}

std::string error_of(const Json& json) {
  try {
    tmem_copy_plan(json);
  } catch (const Error& error) {
    return std::string(error.what());
  }
  return "none";
}

}  // namespace

TEST_CASE("tmem-copy: simulated hardware confirms every form") {
  CHECK(tmem_copies_to_probe().size() == 6 * 3 * 2);
  for (const std::uint64_t seed : {1, 2})
    for (const TmemCopyPlan& plan : plans_of_every_form(seed, 12)) {
      CAPTURE(subject(plan));
      const std::vector<TmemCopyPlan> plans{plan};
      const Observation seen = decode(plans, simulate(plans, launch_of(plans))).front();
      const Mismatch comparison = compare(expected(plan), seen);
      CAPTURE(comparison.first);
      CAPTURE(value_name(plan, comparison.expected));
      CAPTURE(value_name(plan, comparison.observed));
      CHECK(comparison.is_same());
      CHECK(std::ranges::count(seen, unreadable) == 0);
    }
}

TEST_CASE("tmem-copy: several plans of one kernel in one launch") {
  Random random(5);
  const std::vector<TmemCopyPlan> forms = tmem_copies_to_probe();
  for (const TmemCopyPlan& form : {forms[4], forms[18 + 13]}) {
    std::vector<TmemCopyPlan> plans;
    for (int i = 0; i < 4; ++i) plans.push_back(draw_tmem_copy(form, random));
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) CHECK(seen[i] == expected(plans[i]));
  }
}

TEST_CASE("tmem-copy: hardware that makes a mistake is caught and explained by its name") {
  using enum Hypothesis;
  const std::vector<TmemCopyPlan> plans = plans_of_every_form(7, 12);
  for (const Hypothesis is : {lanes_off_by_16, multicast_exchanged, copied_from_issuer, nibbles_exchanged,
                              container_elsewhere, relative_xor, base_offset_added, mask_off_by_one}) {
    CAPTURE(row_of(is).name);
    const auto hit = [&](const TmemCopyPlan& plan) {
      switch (is) {
        case copied_from_issuer: return plan.cta_group == 2;
        case nibbles_exchanged: return plan.narrow != nullptr && plan.narrow->bits == 4;
        case container_elsewhere: return plan.narrow != nullptr;
        // Strides may be such that it makes no difference.
        default: return expected(plan, is) != expected(plan);
      }
    };
    const Judged found = judged<TmemCopyPlan>(plans, is);
    CHECK(found.differing == std::ranges::count_if(plans, hit));
    CHECK((found.differing > 0 || is_sanitized));
    CHECK(found.explained == found.differing);
    CHECK((found.explained_by_it > 0 || is_sanitized));
  }
}

TEST_CASE("tmem-copy: worked examples of the fact sheet") {
  // Byte 200 of a block of scale factors, 32x128b.warpx4: row 12, byte 8 goes to lanes 12, 44, 76, 108, column 2.
  const TmemCopyPlan scales = plan_of("32x128b.warpx4");
  for (const int lane : {12, 44, 76, 108}) CHECK(value_at(scales, expected(scales), 0, lane, 22, 0) == "byte 4296");
  CHECK(value_at(scales, expected(scales), 0, 12, 24, 0) == "lane 12, column 24, bit 0 of before");
  CHECK(value_at(scales, expected(scales), 0, 12, 19, 3) == "lane 12, column 19, bit 24 of before");
  // Row 40 of 64x128b.warpx2::01_23 goes to lanes 72 and 104: byte 4096 + 5 * 128.
  const TmemCopyPlan half = plan_of("64x128b.warpx2::01_23");
  for (const int lane : {72, 104}) CHECK(value_at(half, expected(half), 0, lane, 20, 0) == "byte 4736");
  // Row 3, fp4 element 22 goes to lane 3, column 5, byte 2, bits 5-2; its unit lies LBO further.
  const TmemCopyPlan fp4 = plan_of("128x256b.b8x16.b4x16_p64");
  CHECK(value_at(fp4, expected(fp4), 0, 3, 25, 2) == "4 bits from byte 6195, in bits 5-2");
  CHECK(value_at(fp4, expected(fp4), 0, 3, 25, 3) == "4 bits from bit 4 of byte 6195, in bits 5-2");
  const TmemCopyPlan fp6 = plan_of("128x256b.b8x16.b6x16_p32");
  CHECK(value_at(fp6, expected(fp6), 0, 3, 20, 1) == "6 bits from bit 6 of byte 4144, in bits 5-0");
  // A pair: each CTA its own.
  const TmemCopyPlan pair = plan_of("4x256b", 2, 31);
  CHECK(value_at(pair, expected(pair), 0, 95, 20, 0) == "byte 4128 of CTA 0");
  CHECK(value_at(pair, expected(pair), 1, 95, 20, 0) == "byte 4128 of CTA 1");
  CHECK(element_name(pair, (16 + 4) * 128 * 4 + 95 * 4 + 1) == "CTA 1, lane 95, column 20, byte 1");
}

TEST_CASE("tmem-copy: a copy that does not complete, and bits that are no piece, are unreadable") {
  const std::vector<TmemCopyPlan> plans{plan_of("128x128b")};
  ByteBuffer output = simulate(plans, launch_of(plans));
  ByteBuffer late = output;
  late[0] = 0;
  const Observation never = decode(plans, late).front();
  CHECK(std::ranges::count(never, unreadable) == std::ssize(never));
  // One bit of one pass of lane 9, column 20, byte 0.
  output[16 + (4 * 128 + 9) * 4] ^= 1;
  const Mismatch comparison = compare(expected(plans.front()), decode(plans, output).front());
  CHECK(comparison.differing == 1);
  CHECK(element_name(plans.front(), comparison.first) == "lane 9, column 20, byte 0");
  CHECK(comparison.observed == unreadable);
}

TEST_CASE("tmem-copy: draws keep to the memory of the probe") {
  Random random(3);
  std::set<std::string> modes;
  std::set<int> lanes;
  for (int i = 0; i < 40; ++i)
    for (const TmemCopyPlan& form : tmem_copies_to_probe()) {
      const TmemCopyPlan plan = draw_tmem_copy(form, random);
      CHECK(error_of(to_json(plan)) == "none");
      modes.insert(std::string(SmemDescriptor(plan.word, sm_100a()).swizzle()->name));
      lanes.insert(plan.lane);
    }
  CHECK(modes == std::set<std::string>{"none", "32B", "64B", "128B"});
  CHECK(lanes.size() > 16);
}

TEST_CASE("tmem-copy: statements") {
  CHECK(tmem_copy_statement(plan_of("64x128b.warpx2::02_13.b8x16.b6x16_p32", 2)) ==
        R"cuda(#define CTA_GROUP "cta_group::2"
#define CTAS 2
__device__ inline void move(unsigned address, unsigned long long word) {
  asm volatile("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b6x16_p32 [%0], %1;" : : "r"(address), "l"(word) : "memory");
}
__device__ inline void commit(unsigned barrier) {
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
               : : "r"(barrier), "h"((unsigned short)3) : "memory");
}
)cuda");
  const std::vector<TmemCopyPlan> pair{plan_of("4x256b", 2)}, alone{plan_of("4x256b")};
  CHECK(launch_of(pair).cluster == 2);
  CHECK(launch_of(pair).grid == 2 * 23);
  CHECK(launch_of(alone).cluster == 1);
  CHECK(launch_of(alone).grid == 22);
}

TEST_CASE("tmem-copy: a plan is an object") {
  for (const TmemCopyPlan& plan : plans_of_every_form(6, 4)) {
    const TmemCopyPlan back = tmem_copy_plan(Json::parse(to_json(plan).dump()));
    CHECK(to_json(back).dump() == to_json(plan).dump());
    CHECK(expected(back) == expected(plan));
  }
  const TmemCopyPlan plan = plan_of("4x256b.b8x16.b4x16_p64", 2, 31);
  CHECK(plan.word == plain_word);
  CHECK(to_json(plan).dump() ==
        R"({"tmem_copy":"4x256b.b8x16.b4x16_p64","cta_group":2,"word":"0x0000400800800100","lane":31,"column":20})");
  CHECK(subject(plan) == "tcgen05.cp.cta_group::2.4x256b.b8x16.b4x16_p64, 0x0000400800800100 to lane 31, column 20");
  const auto with = [&](const char* key, const Json& value) {
    Json json = to_json(plan);
    json[key] = value;
    return error_of(json);
  };
  CHECK(with("tmem_copy", "64x128b") == "tcgen05.cp of 64x128b needs its multicast");
  CHECK(with("tmem_copy", "128x128b") == "tcgen05.cp.128x128b has no lane 31");
  CHECK(with("cta_group", 3) == "there is no cta_group::3");
  CHECK(with("lane", 32) == "tcgen05.cp.4x256b.b8x16.b4x16_p64 has no lane 32");
  CHECK(with("column", 3) == "column 3 is too near to an end of tensor memory");
  CHECK(with("column", 504) == "column 504 is too near to an end of tensor memory");
  CHECK(with("word", "0x0000400800800000") == "the word reads from 0x0 to 0x83f");
}
