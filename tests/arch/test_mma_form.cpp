// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "arch/instruction.hpp"

namespace swz {
namespace {

std::string forms(const MmaExtents& extents, const char* dtype, const char* target = nullptr) {
  std::string text;
  for (const MmaForm& form : mma_forms(extents, require_dtype(dtype)))
    if (target == nullptr || form.runs_on(require_target(target)))
      text += form.instruction + (form.groups.empty() ? "" : " [" + form.groups + "]") + "; ";
  return text;
}

TEST_CASE("which instruction has a shape") {
  CHECK(forms({64, 256, 16}, "f16") == "wgmma; tcgen05.mma kind::f16 [cta_group::1 and .ws]; ");
  CHECK(forms({64, 256, 16}, "f16", "sm_90a") == "wgmma; ");
  CHECK(forms({128, 256, 16}, "bf16", "sm_100a") == "tcgen05.mma kind::f16 [cta_group::1, cta_group::2 and .ws]; ");
  CHECK(forms({256, 256, 16}, "f16") == "tcgen05.mma kind::f16 [cta_group::2]; ");
  CHECK(forms({16, 8, 16}, "bf16", "sm_80") == "mma.sync; ");
  CHECK(forms({16, 8, 16}, "bf16", "sm_75").empty());
  CHECK(forms({128, 128, 32}, "e4m3", "sm_100a") ==
        "tcgen05.mma kind::f8f6f4 [cta_group::1, cta_group::2 and .ws]; tcgen05.mma kind::mxf8f6f4 [cta_group::1 and "
        "cta_group::2]; ");
  // PTX ISA 9.1, table 39: N of kind::i8 goes in steps of 16 above 32, and it exists on sm_100a and sm_110a only
  CHECK(forms({128, 40, 32}, "s8").empty());
  CHECK(forms({128, 48, 32}, "s8", "sm_100a") == "tcgen05.mma kind::i8 [cta_group::1]; ");
  CHECK(forms({128, 48, 32}, "s8", "sm_103a").empty());
  // K 96 is sm_103a's
  CHECK_FALSE(forms({128, 128, 96}, "e2m1", "sm_103a").empty());
  CHECK(forms({128, 128, 96}, "e2m1", "sm_100a").empty());
  CHECK(forms({128, 128, 16}, "e4m3").empty());
  CHECK(forms({std::int64_t{1} << 40, std::int64_t{1} << 33, 16}, "f16").empty());
}

TEST_CASE("the nearest shape that a target has") {
  const auto nearest = [](const MmaExtents& wanted, const char* dtype, const char* target) {
    const auto found = nearest_mma(wanted, require_dtype(dtype), require_target(target));
    return found ? to_string(*found) : "none";
  };
  CHECK(nearest({128, 256, 16}, "f16", "sm_90a") == "m64n256k16");
  CHECK(nearest({100, 200, 16}, "f16", "sm_100a") == "m128n200k16");
  CHECK(nearest({64, 64, 64}, "e4m3", "sm_90a") == "m64n64k32");
  CHECK(nearest({64, 64, 16}, "f16", "sm_80") == "m16n8k16");
  CHECK(nearest({16, 8, 16}, "e4m3", "sm_80") == "none");
}

TEST_CASE("what is the nearest of itself exists, and what exists is the nearest of itself") {
  for (const char* dtype : {"f16", "tf32", "e4m3", "s8", "e2m1", "b1"})
    for (const std::int64_t m : {8, 16, 64, 128, 256})
      for (const std::int64_t n : {8, 40, 64, 256})
        for (const std::int64_t k : {4, 8, 16, 32, 64, 96, 256}) {
          const Target& target = require_target(m < 64 ? "sm_90a" : "sm_100a");
          const std::vector<MmaForm> all = mma_forms({m, n, k}, require_dtype(dtype));
          const bool exists = std::any_of(all.begin(), all.end(), [&](const MmaForm& f) { return f.runs_on(target); });
          CHECK(exists == (nearest_mma({m, n, k}, require_dtype(dtype), target) == MmaExtents{m, n, k}));
        }
}

}  // namespace
}  // namespace swz
