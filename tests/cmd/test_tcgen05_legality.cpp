// SPDX-License-Identifier: Apache-2.0
// What tcgen05 does not have, as the commands say it: the rule, the nearest legal choice, and the lint of a target that
// lacks the instruction.
#include <doctest/doctest.h>

#include "answers.hpp"
#include "base/text.hpp"

using namespace swz;
using nlohmann::json;

namespace {

json answered(const std::string& line) { return json_of(words_of(line)); }
std::string refused(const std::string& line) { return error_of(words_of(line)); }

// "sm_90a has no tcgen05.cp | it exists on …", or nothing.
std::string lint_of(const std::string& line) {
  const json answer = answered(line);
  REQUIRE(answer.contains("lints"));
  for (const json& lint : answer["lints"])
    if (lint["rule"] == "target-lacks-instruction")
      return lint["message"].get<std::string>() + " | " + lint["hint"].get<std::string>();
  return "";
}

constexpr const char* tcgen05_targets =
    "it exists on sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f";

}  // namespace

TEST_CASE("tmem d, tmem a, sf tmem and pair: what does not exist, by which rule, and the nearest that does") {
  CHECK(refused("tmem d --n 100") ==
        "swz: error: tcgen05.mma has no N 100 with M 128, cta_group::1\nhint: N is 8..256 step 8; nearest: 96 and "
        "104\n");
  CHECK(refused("tmem d --n 40 --dtype s32") ==
        "swz: error: tcgen05.mma has no N 40 with M 128, cta_group::1, kinds i8 and ti16\nhint: N is 8..32 step 8, "
        "48..256 "
        "step "
        "16; nearest: 32 and 48\n");
  CHECK(answered("tmem d --n 40 --dtype f32")["columns"] == 40);
  CHECK(refused("tmem d --m 64 --cta-group 2 --sparse") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::2, sparse\nhint: M is 128 and 256; nearest: 128; M 64 "
        "exists with cta_group::1\n");
  CHECK(refused("tmem d --kind mxf8f6f4 --ws") ==
        "swz: error: .ws does not exist with block scaling, kind mxf8f6f4\nhint: .ws is for kinds tf32, f16, f8f6f4, "
        "i8 and ti16; without it M is 128\n");
  CHECK(refused("tmem d --kind i8 --dtype f32") ==
        "swz: error: kind i8 has no D of f32\nhint: swz arch kinds lists the types of each kind\n");
  CHECK(refused("tmem d --dtype bf16") == "swz: error: tcgen05.mma has no D of bf16\nhint: D is f16, f32 and s32\n");
  CHECK(refused("tmem a --dtype e2m1 --kind mxf4 --m 64") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::1, kind mxf4\nhint: M is 128; nearest: 128\n");
  CHECK(refused("sf tmem --kind mxf4nvf4 --vec 16 --n 100") ==
        "swz: error: tcgen05.mma has no N 100 with M 128, cta_group::1, kind mxf4nvf4\nhint: N is 8..256 step 8; "
        "nearest: 96 and 104\n");
  CHECK(refused("sf tmem --kind mxf4 --m 64") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::1, kind mxf4\nhint: M is 128; nearest: 128\n");
  CHECK(refused("sf tmem --kind mxf4 --k96 --n 24") ==
        "swz: error: tcgen05.mma has no N 24 with M 128, cta_group::1, K 96, kind mxf4\nhint: N is 16..256 step 16; "
        "nearest: 16 and 32\n");
  CHECK(refused("pair --m 64") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::2\nhint: M is 128 and 256; nearest: 128; M 64 exists "
        "with cta_group::1 and .ws\n");
}

TEST_CASE("encode idesc: an instruction about which the command gives more than the word") {
  CHECK(refused("encode idesc --kind mxf8f6f4 --a-type e4m3 --b-type e2m1 --m 128 --n 40 --cta-group 2") ==
        "swz: error: tcgen05.mma has no N 40 with M 128, cta_group::2, kind mxf8f6f4\nhint: N is 16..256 step 16; "
        "nearest: 32 and 48; N 40 exists with cta_group::1\n");
  CHECK(refused("encode idesc --kind mxf4 --m 128 --n 256 --ws") ==
        "swz: error: .ws does not exist with block scaling, kind mxf4\nhint: .ws is for kinds tf32, f16, f8f6f4, i8 "
        "and ti16; without it M is 128\n");
  CHECK(
      refused("encode idesc --kind f16 --a-type f16 --b-type f16 --d-type f32 --m 64 --n 256 --sparse --cta-group 2") ==
      "swz: error: tcgen05.mma has no M 64 with cta_group::2, sparse, kind f16\nhint: M is 128 and 256; nearest: "
      "128; M 64 exists with cta_group::1\n");
  CHECK(refused("encode idesc --kind mxf4 --m 64 --n 128") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::1, kind mxf4\nhint: M is 128; nearest: 128\n");
  const std::string nvf4 = "encode idesc --kind mxf4nvf4 --n 256 --scale-type ";
  CHECK(refused(nvf4 + "ue8m0 --m 128 --vec 16 --scale-a-id 2") ==
        "swz: error: scale_a_id 2 does not go with vectors of 16 elements under kind::mxf4nvf4\nhint: it is 0; "
        "nearest: "
        "0\n");
  CHECK(refused(nvf4 + "ue8m0 --m 128 --vec 32 --scale-b-id 3") ==
        "swz: error: scale_b_id 3 does not go with vectors of 32 elements under kind::mxf4nvf4\nhint: it is 0 and 2; "
        "nearest: 2\n");
  CHECK(refused(nvf4 + "ue4m3 --m 128 --vec 32") ==
        "swz: error: scale type ue4m3 does not go with vectors of 32 elements\nhint: ue4m3: --vec 16; with --vec 32 "
        "the scale type is ue8m0\n");
  // idesc.md 1.3: scale B at bits 4-5, N >> 3 at 17, the scale type at 23, M >> 7 at 27, scale A at 29, K at 31.
  const auto word = [](const std::string& line) { return answered(line)["word"].get<std::string>(); };
  CHECK(word(nvf4 + "ue8m0 --m 256 --vec 32 --scale-a-id 2 --scale-b-id 2 --cta-group 2 --sparse --arch sm_100a") ==
        hex32(1U << 2 | 2U << 4 | 1U << 7 | 1U << 10 | 32U << 17 | 1U << 23 | 2U << 27 | 2U << 29));
  CHECK(word(nvf4 + "ue4m3 --vec 16 --m 128 --scale-a-id 2 --k 96 --arch sm_103a") ==
        hex32(1U << 7 | 1U << 10 | 32U << 17 | 1U << 27 | 2U << 29 | 1U << 31));
}

TEST_CASE("a target without the instruction is a lint, which --strict makes the exit code") {
  const std::string all = std::string(" | ") + tcgen05_targets;
  CHECK(lint_of("tmem d --arch sm_90a") == "sm_90a has no tcgen05.mma" + all);
  CHECK(lint_of("tmem cp 4x256b --arch sm_120a") == "sm_120a has no tcgen05.cp" + all);
  CHECK(lint_of("pair --arch sm_90a") == "sm_90a has no tcgen05.mma" + all);
  CHECK(lint_of("narrow --kind mxf4 --dtype e2m1 --arch sm_90a") == "sm_90a has no tcgen05.mma kind::mxf4" + all);
  CHECK(lint_of("tmem a --dtype s8 --arch sm_103a") ==
        "sm_103a has no tcgen05.mma kind::i8 | it exists on sm_100a and sm_110a");
  CHECK(lint_of("sparse --kind mxf4 --at 0,0 --arch sm_100f") ==
        "sm_100f has no tcgen05.mma.sp kind::mxf4 | it exists on sm_100a, sm_103a, sm_107a and sm_110a");
  CHECK(lint_of("sparse --kind f16 --metadata 0x44444444 --arch sm_80") ==
        "sm_80 has no tcgen05.mma.sp kind::f16" + all);
  CHECK(lint_of("sf tmem --kind mxf4 --k96 --arch sm_100a") ==
        "sm_100a has no tcgen05.mma kind::mxf4 with K 96 | it exists on sm_103a and sm_107a");
  for (const char* line : {"tmem d", "tmem d --kind i8 --arch sm_110a", "tmem cp 4x256b --arch sm_103f",
                           "sparse --kind mxf4 --at 0,0 --arch sm_110a", "sf tmem --kind mxf4 --arch sm_100f"}) {
    CAPTURE(std::string(line));
    CHECK(lint_of(line).empty());
  }
  const auto exit_code = [](const std::string& line) { return run_cli(words_of(line)).exit_code; };
  CHECK(exit_code("tmem cp 4x256b --arch sm_90a") == 0);
  CHECK(exit_code("tmem cp 4x256b --arch sm_90a --strict") == 1);
  CHECK(exit_code("tmem cp 4x256b --arch sm_100a --strict") == 0);
}
