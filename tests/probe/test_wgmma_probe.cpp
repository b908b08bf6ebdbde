// The probe of wgmma against a simulated GPU: of the right model nothing is reported, each planted mistake is
// caught.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"
#include "probe/position_code.hpp"
#include "probe/sparse.hpp"
#include "probe/wgmma_probe.hpp"

using namespace swz;

namespace {

std::vector<WgmmaInstruction> some_instructions() {
  std::vector<WgmmaInstruction> out;
  for (const int n : {8, 16, 24, 64, 256}) {
    out.push_back({n, "f16", "f16", "f32", false});
    out.push_back({n, "f16", "f16", "f16", true});
    out.push_back({n, "bf16", "bf16", "f32", false});
    out.push_back({n, "tf32", "tf32", "f32", n == 16});
    out.push_back({n, "e4m3", "e5m2", "f32", false});
    out.push_back({n, "e5m2", "e4m3", "f16", n == 8});
    out.push_back({n, "s8", "u8", "s32", false});
    out.push_back({n, "u8", "s8", "s32", true});
  }
  return out;
}

std::vector<WgmmaPlan> plans_of(const WgmmaInstruction& instruction, Random& random, int count) {
  std::vector<WgmmaPlan> plans;
  for (int i = 0; i < count; ++i)
    plans.push_back(draw_wgmma(instruction, i % 2 == 0 ? OperandRole::a : OperandRole::b, random));
  return plans;
}

}  // namespace

TEST_CASE("simulated hardware confirms every plan") {
  Random random(20261121);
  for (const WgmmaInstruction& instruction : some_instructions()) {
    const std::vector<WgmmaPlan> plans = plans_of(instruction, random, 4);
    const ByteBuffer output = simulate(plans, launch_of(plans));
    const std::vector<Observation> seen = decode(plans, output);
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      const ObservationComparison comparison = compare(expected(plans[i]), seen[i]);
      CAPTURE(comparison.mismatch.expected);
      CAPTURE(comparison.mismatch.observed);
      CAPTURE(comparison.mismatch.differing);
      CHECK(comparison.is_same);
    }
  }
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
    const std::vector<Observation> seen = decode(plans, simulate(plans, launch_of(plans)));
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK(compare(expected(plans[i]), seen[i]).is_same);
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
          contiguous.values[static_cast<std::size_t>(row * plan.extents().k + k)] =
              8 * word.swizzle()->byte(lin, word.base_offset());
        }
      ++plans_of_mode_32;
      if (!compare(contiguous, seen[i]).is_same) ++caught;
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
      CHECK_FALSE(compare(expected(plans[0]), decode(plans, simulate(plans, launch))[0]).is_same);
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
