// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "smem/mma_operand.hpp"

namespace swz {
namespace {

OperandChoice choice(const char* arch, const char* dtype, Major major = Major::K) {
  return {&require_target(arch), &require_dtype(dtype), Packing::packed, major, &require_swizzle_mode("128B")};
}

std::string asked(const OperandChoice& c, MmaExtents extents, OperandRole role = OperandRole::b) {
  try {
    const MmaOperand operand = mma_operand(extents, role, c);
    return to_string(operand.extents) + (operand.is_half ? " half" : "");
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
}

TEST_CASE("wgmma: M is 64, N up to 256 in steps of the type") {
  const OperandChoice f16 = choice("sm_90a", "f16");
  for (int n = 8; n <= 256; n += 8) {
    CHECK(asked(f16, {64, n, 16}) == std::to_string(n) + "x16");
    CHECK(asked(f16, {64, n, 16}, OperandRole::a) == "64x16");
    // PTX ISA 9.7.15.2: integers have 8, 16, 24 and 32, then steps of 16.
    CHECK((asked(choice("sm_90a", "s8"), {64, n, 32}) == std::to_string(n) + "x32") == (n <= 32 || n % 16 == 0));
  }
  CHECK(asked(f16, {64, 264, 16}) == "wgmma has no dense shape m64n264k16 for f16 | nearest: m64n256k16");
  CHECK(asked(f16, {128, 64, 16}) == "wgmma has no dense shape m128n64k16 for f16 | nearest: m64n64k16");
  CHECK(asked(f16, {64, 64, 32}) == "wgmma has no dense shape m64n64k32 for f16 | nearest: m64n64k16");
  CHECK(asked(choice("sm_90a", "e4m3", Major::MN), {64, 64, 32}) ==
        "wgmma cannot read e4m3 MN-major: it transposes 16-bit types only | nearest legal choice: K-major e4m3 with "
        "mode 128B on sm_90a");
}

TEST_CASE("tcgen05: one CTA where it can, the half of a pair where only two can") {
  const OperandChoice bf16 = choice("sm_100a", "bf16");
  CHECK(asked(bf16, {128, 256, 16}, OperandRole::a) == "128x16");
  CHECK(asked(bf16, {128, 256, 16}) == "256x16");
  CHECK(asked(bf16, {256, 128, 16}, OperandRole::a) == "128x16 half");
  CHECK(asked(bf16, {256, 128, 16}) == "64x16 half");
  CHECK(asked(bf16, {32, 64, 16}, OperandRole::a) == "32x16");  // .ws
  CHECK(asked(bf16, {96, 64, 16}) == "tcgen05.mma has no dense shape m96n64k16 for bf16 | nearest: m128n64k16");
  // Table 52: N-major B of 8-bit elements has N in steps of 16.
  CHECK(asked(choice("sm_100a", "e4m3"), {128, 24, 32}) == "24x32");
  CHECK(asked(choice("sm_100a", "e4m3", Major::MN), {128, 24, 32}) ==
        "tcgen05.mma has no dense shape m128n24k32 for e4m3 | nearest: m128n32k32");
}

}  // namespace
}  // namespace swz
