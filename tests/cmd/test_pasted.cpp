// SPDX-License-Identifier: Apache-2.0
// What people paste, as commands: names of instructions, calls in source, functions.
#include <doctest/doctest.h>

#include <string>

#include "answers.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

std::string refusal(const Words& words) { return run_cli(words, {.variables = {{"COLUMNS", "200"}}}).err; }

TEST_CASE("frag takes a CUTLASS atom, a SASS name and a line of PTX, and says what it read") {
  const auto ptx = json_of({"frag", "mma.m16n8k16.row.col.f32.bf16.bf16.f32", "--operand", "a"});
  for (const char* name :
       {"SM80_16x8x16_F32BF16BF16F32_TN", "HMMA.16816.F32.BF16", "/*0040*/ HMMA.16816.F32.BF16 R4, R8, R12, R4 ;"}) {
    auto answer = json_of({"frag", name, "--operand", "a"});
    CHECK(answer["read_as"].get<std::string>().ends_with(" is mma.m16n8k16.row.col.f32.bf16.bf16.f32"));
    CHECK(answer["tv_layout"] == ptx["tv_layout"]);
    CHECK(answer["dtype"] == "bf16");
  }
  CHECK(json_of({"frag",
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 1, 0, 0;"})
            ["operand"] == "d");
  CHECK(refusal({"frag", "SM90_64x128x16_F32BF16BF16_SS", "--operand", "a"}) ==
        "swz: error: A of 'SM90_64x128x16_F32BF16BF16_SS' lies in shared memory\n"
        "hint: swz map WORD --mma m64n128k16 --operand a shows its bytes\n");
}

TEST_CASE("--mma takes the name of an MMA with its type and major; an option that says otherwise is refused") {
  const auto answer = json_of({"map", "0x4000004000010042", "--mma",
                               "SM90_64x128x16_F32BF16BF16_SS<GMMA::Major::K, GMMA::Major::MN>", "--operand", "B"});
  CHECK(answer["dtype"] == "bf16");
  CHECK(answer["major"] == "MN-major");
  CHECK(answer["rows"] == 128);
  CHECK(answer["notes"].at(0)["message"] ==
        "SM90_64x128x16_F32BF16BF16_SS is wgmma.m64n128k16.f32.bf16.bf16: it says --dtype bf16 and --major mn");
  CHECK(refusal({"map", "0x4000004000010042", "--mma", "SM90_64x128x16_F32BF16BF16_SS", "--dtype", "f16"}) ==
        "swz: error: --dtype f16 contradicts --mma: 'SM90_64x128x16_F32BF16BF16_SS' is of bf16\n"
        "hint: leave --dtype out, or name another instruction\n");
  CHECK(refusal({"map", "0x4000004000010042", "--mma", "LDSM.16.M88.4"}) ==
        "swz: error: --mma: 'LDSM.16.M88.4' is not an MMA\nhint: for example m64n256k16, or "
        "SM90_64x256x16_F32BF16BF16_SS\n");
  CHECK(refusal({"map", "0x4000004000010042", "--mma", "SM80_16x8x16_F32BF16BF16F32_TN", "--operand", "a"}) ==
        "swz: error: A of 'SM80_16x8x16_F32BF16BF16F32_TN' lies in registers\nhint: swz frag shows who holds it\n");
}

TEST_CASE("tma check and encode read a call from source code") {
  const std::string call =
      "cuuint64_t dims[2] = {4096, 128}, strides[1] = {4096 * sizeof(__nv_bfloat16)};\n"
      "cuuint32_t box[2] = {64, 64}, ones[2] = {1, 1};\n"
      "cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, ptr, dims, strides, box, ones,\n"
      "  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,\n"
      "  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n";
  CHECK(json_of({"tma", "check", "--paste", call})["accepted"] == true);
  const Words options{"tma",  "encode", "--dtype", "bf16",      "--dims", "4096,128",  "--strides",
                      "8192", "--box",  "64,64",   "--swizzle", "128B",   "--address", "0x400"};
  CHECK(json_of({"tma", "encode", "--paste", call, "--address", "0x400"}) == json_of(options));
}

}  // namespace
}  // namespace swz
