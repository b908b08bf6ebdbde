// SPDX-License-Identifier: Apache-2.0
// A call of cuTensorMapEncodeTiled in source code.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "tma/encode_call.hpp"

namespace swz {
namespace {

std::string call(const std::string& lists, const std::string& swizzle = "CU_TENSOR_MAP_SWIZZLE_128B") {
  return "cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, ptr, " + lists +
         ", CU_TENSOR_MAP_INTERLEAVE_NONE, " + swizzle +
         ", CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);";
}

std::string refusal(const std::string& text) {
  try {
    parse_encode_call(text);
    return "read";
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

TEST_CASE("arrays, braces, constants and sizeof give the same map") {
  const std::string arrays =
      "cuuint64_t dims[2] = {4096, 128}; cuuint64_t strides[1] = {8192};\n"
      "cuuint32_t box[2] = {64, 32}, ones[2] = {1, 1};\n";
  for (const std::string& text :
       {arrays + call("dims, strides, box, ones"), arrays + call("&dims[0], (cuuint64_t*)strides, box, ones"),
        call("(cuuint64_t[]){4096, 128}, (cuuint64_t[]){2 * 4096}, (cuuint32_t[]){64, 32}, (cuuint32_t[]){1, 1}"),
        call("std::array<cuuint64_t, 2>{{4096, 128}}.data(), std::array<cuuint64_t, 1>{8192}.data(), "
             "std::array<cuuint32_t, 2>{64, 32}.data(), std::array<cuuint32_t, 2>{1, 1}.data()"),
        "#define K 64\nconstexpr int M = 128; // rows\nauto n = 64 * K;\nstd::array<cuuint64_t, 2> d{n, M};\n"
        "cuuint64_t s[] = {n * sizeof(__nv_bfloat16)};\ncuuint32_t b[] = {K, K >> 1,};\ncuuint32_t e[5] = {1, 1, "
        "1, 1, 1};\n"
        "CUtensorMapSwizzle sw = CU_TENSOR_MAP_SWIZZLE_128B;\n" +
            call("d.data(), s, b, e", "sw"),
        "int n = 1; n = 4096; " + arrays + call("dims, strides, box, ones", "static_cast<CUtensorMapSwizzle>(3)")}) {
    CAPTURE(text);
    REQUIRE(holds_encode_call(text));
    const PastedMap pasted = parse_encode_call(text);
    const TensorMap& map = pasted.map;
    CHECK(map.data_type == TensorMapDataType::bfloat16);
    CHECK(map.rank == 2);
    CHECK(map.dims[0] == 4096);
    CHECK(map.dims[1] == 128);
    CHECK(map.strides[0] == 8192);
    CHECK(map.box[0] == 64);
    CHECK(map.box[1] == 32);
    CHECK(map.element_strides[1] == 1);
    CHECK(map.swizzle == TensorMapSwizzle::b128);
    CHECK_FALSE(pasted.has_address);
  }
}

TEST_CASE("what the text does not say is asked for, all at once") {
  CHECK(refusal(call("(cuuint64_t[]){K, M}, strides, box, (cuuint32_t[]){1, 1}", "mode")) ==
        "the text does not show what K, M, strides[1], box[2] and mode are | write it above the call, for example K "
        "= 4096; "
        "M = 4096; strides[1] = {8192}; box[2] = {64, 64}; mode = CU_TENSOR_MAP_SWIZZLE_128B;");
  CHECK(refusal(call("(cuuint64_t[]){4096}, strides, box, ones")) ==
        "globalDim has 1 entry, and the rank needs 2 | strides have one entry less than the rank, the other arrays "
        "as many");
  CHECK(refusal("int a = b; int b = a; " + call("(cuuint64_t[]){a, 1}, s, b, e")) ==
        "the definition of 'a' does not end | give its number");
  for (const char* text : {"", "cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled(", "cuTensorMapEncodeTiled(a, b)",
                           "error in cuTensorMapEncodeTiled: 1"})
    CHECK_FALSE(holds_encode_call(text));
}

}  // namespace
}  // namespace swz
