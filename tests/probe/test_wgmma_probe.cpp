// SPDX-License-Identifier: Apache-2.0
// The probe of wgmma against a simulated GPU: of the right model nothing is reported, each planted mistake is
// caught.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "probe/wgmma_probe.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

// Every pair of types and accumulator, A in shared memory and in registers, with the smallest N, a middle one (24:
// no power of 2, of the integers 48) and the largest.
std::vector<WgmmaInstruction> some_instructions() {
  std::vector<WgmmaInstruction> out;
  for (const bool a_in_registers : {false, true})
    for (const WgmmaInstruction& i : wgmma_instructions(a_in_registers)) {
      const bool is_integer = i.d_type == "s32";
      if (i.n == 8 || i.n == 256 || i.n == (is_integer ? 48 : 24)) out.push_back(i);
    }
  return out;
}

std::vector<WgmmaPlan> plans_of(const WgmmaInstruction& instruction, Random& random, int count) {
  std::vector<WgmmaPlan> plans;
  for (int i = 0; i < count; ++i)
    plans.push_back(draw_wgmma(instruction, i % 2 == 0 ? OperandRole::a : OperandRole::b, random));
  return plans;
}

// f16, K-major, operand A of m64nNk16.
WgmmaPlan plan_of(std::uint64_t word, int n = 64) {
  return {{n, "f16", "f16", "f32", false}, OperandRole::a, Major::K, word};
}

}  // namespace

TEST_CASE("wgmma: simulated hardware confirms every pair of types, with the smallest, a middle or the largest N") {
  Random random(20261121);
  const std::vector<WgmmaInstruction> instructions = some_instructions();
  CHECK(instructions.size() == 2 * 3 * (2 + 1 + 1 + 8 + 4 + 1));
  // One N of each; which one goes round, so that each kind of N meets each kind of type.
  std::map<std::string, int> turns;
  Sweep every{8};
  for (const WgmmaInstruction& instruction : instructions) {
    const std::string types = instruction.a_type + instruction.b_type + instruction.d_type;
    const int turn = turns.emplace(types, static_cast<int>(turns.size())).first->second++;
    if (turn % 3 != 0 || !every.takes()) continue;
    const std::vector<WgmmaPlan> plans = plans_of(instruction, random, 2);
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      const Mismatch comparison = compare(expected(plans[i]), seen[i]);
      CAPTURE(comparison.expected);
      CAPTURE(comparison.observed);
      CAPTURE(comparison.differing);
      CHECK(comparison.is_same());
    }
  }
}

TEST_CASE("wgmma: every hypothesis that predicts something else is caught in every plan") {
  using enum Hypothesis;
  Random random(3);
  for (const WgmmaInstruction& instruction : some_instructions()) {
    // f16, tf32, one pair of fp8 and of integers: the others differ in their codes alone.
    const bool is_one = instruction.a_type == instruction.b_type && instruction.d_type != "f16" &&
                        (instruction.n == 24 || instruction.n == 48);
    if (!is_one || (instruction.a_type != "f16" && instruction.a_type != "tf32" && instruction.a_type != "e4m3" &&
                    instruction.a_type != "s8"))
      continue;
    const std::vector<WgmmaPlan> plans = plans_of(instruction, random, 4);
    const ByteBuffer as_it_is = simulate(plans, launch_of(plans));
    const ByteBuffer wrong = simulate(plans, launch_of(plans, wrong_identity));
    for (const Hypothesis h :
         {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}) {
      // Only the identity changes what is launched.
      const Observations seen = decode(plans, h == wrong_identity ? wrong : as_it_is, h);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(row_of(h).name);
        CAPTURE(subject(plans[i]));
        const bool must_differ =
            h == wrong_fragment || h == wrong_identity || expected(plans[i], h) != expected(plans[i]);
        CHECK(compare(expected(plans[i], h), seen[i]).is_same() == !must_differ);
      }
    }
  }
}

TEST_CASE("wgmma: the places by formulas of their own") {
  const Target& target = require_target("sm_90a");
  const auto check = [](const WgmmaPlan& plan, const auto& byte) {
    const Observation places = expected(plan);
    REQUIRE(places.size() == 64 * 16);
    for (std::int64_t m = 0; m < 64; ++m)
      for (std::int64_t k = 0; k < 16; ++k) CHECK(places[static_cast<std::size_t>(m * 16 + k)] == 8 * byte(m, k));
  };
  // Without a swizzle: core matrices of 8 rows x 16 B, LBO apart along K, SBO apart along M.
  const auto plain = SmemDescriptor::encode(
      {.start_address = Bytes{0x1230}, .leading_byte_offset = Bytes{0x2000}, .stride_byte_offset = Bytes{0x90}},
      target);
  check(plan_of(plain.word()),
        [](std::int64_t m, std::int64_t k) { return 0x1230 + m / 8 * 0x90 + k / 8 * 0x2000 + m % 8 * 16 + k % 8 * 2; });
  // 128B: rows of 128 B, eight of them SBO apart; bits 4 to 6 of the address are XORed with bits 7 to 9, from which
  // the base offset is subtracted.
  const auto swizzled = SmemDescriptor::encode({.start_address = Bytes{0x1290},
                                                .leading_byte_offset = Bytes{0x10},
                                                .stride_byte_offset = Bytes{0x480},
                                                .base_offset = 3,
                                                .swizzle = "128B"},
                                               target);
  check(plan_of(swizzled.word()), [](std::int64_t m, std::int64_t k) {
    const std::int64_t linear = 0x1290 + m / 8 * 0x480 + m % 8 * 128 + k * 2;
    return linear ^ ((((linear >> 7) - 3) & 7) << 4);
  });
}

TEST_CASE("wgmma: what the hardware does otherwise is seen") {
  Random random(5);
  const std::vector<WgmmaPlan> plans{plan_of(0x4000004000010042, 8), plan_of(0x4000004000010080, 8)};
  const Launch launch = launch_of(plans);
  const ByteBuffer good = simulate(plans, launch);
  const auto differing = [&](const ByteBuffer& output) {
    const Observations seen = decode(plans, output);
    return compare(expected(plans[0]), seen[0]).differing + compare(expected(plans[1]), seen[1]).differing;
  };
  CHECK(differing(good) == 0);
  // Four registers of 128 threads a block, N 8 < K 16: two selections, each in two passes.
  REQUIRE(good.size() == 2 * 2 * 2 * 4 * 128 * 4);
  ByteBuffer one = good;  // one register of one thread
  one[4 * 77 + 2] ^= 0x20;
  CHECK(differing(one) == 1);
  ByteBuffer exchanged = good;  // two registers of one thread
  for (std::size_t byte = 0; byte < 4; ++byte) std::swap(exchanged[4 * 5 + byte], exchanged[4 * (128 + 5) + byte]);
  CHECK(differing(exchanged) == 2);
  ByteBuffer nothing(good.size());
  CHECK(differing(nothing) == 2 * 64 * 16);
  // A launch whose word is another one: the simulation reads what the launch says, not what the plan says.
  Launch other = launch;
  for (std::size_t block = 0; block < 4; ++block) other.inputs[0][block * 40] ^= 1;  // the start, by 16 bytes
  CHECK(differing(simulate(plans, other)) == 64 * 16);
}

TEST_CASE("wgmma: a plan is an object") {
  Random random(7);
  for (const WgmmaInstruction& instruction : some_instructions())
    for (const WgmmaPlan& plan : plans_of(instruction, random, 2)) {
      const WgmmaPlan back = wgmma_plan(Json::parse(to_json(plan).dump()));
      CHECK(back.instruction == plan.instruction);
      CHECK(back.operand == plan.operand);
      CHECK(back.major == plan.major);
      CHECK(back.word == plan.word);
    }
  const WgmmaPlan plan = plan_of(0x4000004000010042);
  CHECK(to_json(plan).dump() == R"({"wgmma":"n64.f32.f16.f16","of":"a","major":"K","word":"0x4000004000010042"})");
  CHECK(subject(plan) == "wgmma.m64n64k16.f32.f16.f16, A K-major, 0x4000004000010042");
  CHECK(element_name(plan, 17) == "(1, 1)");
  CHECK(value_name(plan, 8 * 0x430) == "byte 1072");
  CHECK(value_name(plan, unreadable) == "no element");

  const auto message_of = [&](const char* key, const char* value) -> std::string {
    Json json = to_json(plan);
    json[key] = value;
    try {
      wgmma_plan(json);
    } catch (const Error& e) {
      return e.message();
    }
    return "accepted";
  };
  CHECK(message_of("major", "MN") == "accepted");
  CHECK(message_of("major", "row") == "\"major\" is 'row'");
  CHECK(message_of("of", "d") == "\"of\" is 'd'");
  CHECK(message_of("wgmma", "n64.f32") == "a wgmma is written n64.f32.f16.f16");
  CHECK(message_of("wgmma", "n64.f32.f16.bf16") == "there is no wgmma of n 64 with f16 x bf16 -> f32");
  CHECK(message_of("wgmma", "x.f32.f16.f16") == "there is no wgmma of n 0 with f16 x f16 -> f32");
}

TEST_CASE("wgmma: only operands of 16 bits may be MN-major") {
  Json json = to_json(WgmmaPlan{{16, "e4m3", "e4m3", "f32", false}, OperandRole::b, Major::MN, 0});
  CHECK_THROWS_WITH_AS(wgmma_plan(json), "wgmma.m64n16k32.f32.e4m3.e4m3 takes no MN-major operand", Error);
}

TEST_CASE("sparse: which k a stored element is") {
  for (const int bits : {8, 16, 32}) {
    std::vector<bool> is_met(64);
    for (int word = 0; word < 2; ++word)
      for (std::int64_t element = 0; element < 32; ++element) {
        const std::int64_t k = kept_k(bits, {word, element});
        const StoredAt at = stored_at(bits, k);
        CHECK((at.word == word && at.element == element));
        is_met[static_cast<std::size_t>(k)] = true;
      }
    CHECK(std::ranges::count(is_met, true) == 64);
  }
  // The nibbles of the words: 0100 is elements 0 and 1 of four (tf32: 0 of two), 1110 is 2 and 3 (1).
  CHECK(kept_k(16, {1, 5}) == 11);
  CHECK(kept_k(8, {0, 5}) == 9);
  CHECK(kept_k(32, {1, 5}) == 11);
}

TEST_CASE("sparse: simulated hardware confirms every plan, and no other model of LBO") {
  Random random(7);
  long plans_of_mode_32 = 0, caught = 0;
  for (const WgmmaInstruction& instruction : sparse_wgmma_instructions()) {
    if (instruction.n != 8 && instruction.n != 24 && instruction.n != 128 && instruction.n != 256) continue;
    if (instruction.d_type == "f16" && instruction.n != 24) continue;
    CHECK(may_probe(instruction, OperandRole::a) == (instruction.n <= 128));
    std::vector<WgmmaPlan> plans;
    for (int i = 0; i < 3; ++i) plans.push_back(draw_wgmma(instruction, OperandRole::b, random));
    if (may_probe(instruction, OperandRole::a)) plans.push_back(draw_wgmma(instruction, OperandRole::a, random));
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK(compare(expected(plans[i]), seen[i]).is_same());
      CHECK(to_json(wgmma_plan(to_json(plans[i]))) == to_json(plans[i]));
      const bool is_mode_32 = plans[i].word >> 62 == 3 && plans[i].major == Major::K;
      if (!is_mode_32 || plans[i].operand == OperandRole::a) continue;
      const WgmmaPlan& plan = plans[i];
      const SmemDescriptor word(plan.word, require_target("sm_90a"));
      // As if K were contiguous however long it is; with that LBO it is.
      if (word.leading_byte_offset() == Bytes{32}) continue;
      const int bits = require_dtype(plan.dtype()).memory_bits;
      Observation contiguous = expected(plan);
      for (std::int64_t row = 0; row < plan.extents().mn; ++row)
        for (std::int64_t k = 0; k < plan.extents().k; ++k) {
          const std::int64_t lin =
              word.start_address().count + row % 8 * 32 + row / 8 * word.stride_byte_offset().count + k * bits / 8;
          contiguous[static_cast<std::size_t>(row * plan.extents().k + k)] =
              8 * word.swizzle()->byte(lin, word.base_offset());
        }
      ++plans_of_mode_32;
      if (!compare(contiguous, seen[i]).is_same()) ++caught;
    }
  }
  CHECK(plans_of_mode_32 > 5);
  CHECK(caught == plans_of_mode_32);
}

TEST_CASE("sparse: a wrong element of the identity is caught in A and in B") {
  Random random(11);
  for (const char* type : {"f16", "tf32", "s8"}) {
    const WgmmaInstruction instruction{16, type, type, type[0] == 's' ? "s32" : "f32", false, true};
    for (const OperandRole operand : {OperandRole::a, OperandRole::b}) {
      const std::vector<WgmmaPlan> plans{draw_wgmma(instruction, operand, random)};
      const Launch launch = launch_of(plans, Hypothesis::wrong_identity);
      CHECK_FALSE(compare(expected(plans[0]), decode(plans, simulate(plans, launch))[0]).is_same());
    }
  }
}

TEST_CASE("sparse: names and statement") {
  const WgmmaInstruction tf32{16, "tf32", "tf32", "f32", false, true};
  CHECK(to_string(tf32) == "wgmma.sp.m64n16k16.f32.tf32.tf32");
  CHECK(wgmma_statement(tf32).find("wgmma.mma_async.sp.sync.aligned.m64n16k16.f32.tf32.tf32 {%0, %1, %2, %3, %4, "
                                   "%5, %6, %7}, %8, %9, %10, 0, p, 1, 1;") != std::string::npos);
  CHECK(to_json(WgmmaPlan{tf32, OperandRole::b, Major::K, 0x40})["wgmma"] == "n16.f32.tf32.tf32.sp");
  CHECK_THROWS_AS(row_of({16, "b1", "b1", "s32", false, true}), Error);
}

TEST_CASE("reserved bits are set in one word of eight, and change nothing that is predicted") {
  Random random(3);
  const Target& target = require_target("sm_90a");
  int with_reserved = 0;
  for (int i = 0; i < 800; ++i) {
    WgmmaPlan plan = draw_wgmma({64, "f16", "f16", "f32"}, OperandRole::a, random);
    const std::uint64_t set = SmemDescriptor(plan.word, target).reserved_set();
    const Observation seen = expected(plan);
    with_reserved += set != 0;
    plan.word &= ~set;
    CHECK(expected(plan) == seen);
  }
  CHECK(with_reserved > 60);
  CHECK(with_reserved < 150);
}
