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

const std::string arrays =
    "cuuint64_t dims[2] = {4096, 128}, strides[2] = {8192, 16384}; cuuint32_t box[2] = {64, 32}, ones[2] = {1, 1};\n";

TensorMap map_of(const std::string& text) { return parse_encode_call(text).map; }

TEST_CASE("an array from one of its entries on") {
  for (const std::string strides :
       {"&strides[1]", "strides + 1", "strides.data() + 1", "&strides[0] + 1", "std::data(strides) + one",
        "&strides[one]", "(cuuint64_t*)&strides[1]", "(strides + 1)", "(cuuint64_t[]){8192, 16384} + 1",
        "std::array<cuuint64_t, 2>{8192, 16384}.data() + 1"}) {
    CAPTURE(strides);
    CHECK(map_of("int one = 1; " + arrays + call("dims, " + strides + ", box, ones")).strides[0] == 16384);
  }
  for (const std::string strides :
       {"strides", "&strides[0]", "this->strides", "strides + 0", "(const cuuint64_t*)strides"})
    CHECK(map_of(arrays + call("dims, " + strides + ", box, ones")).strides[0] == 8192);
  CHECK(map_of(arrays + "args.strides = {32768};" + call("dims, args.strides, box, ones")).strides[0] == 32768);
  CHECK(
      refusal(arrays + call("dims, strides + 2, box, ones")) ==
      "globalStrides has 0 entries from entry 2 on, and the rank needs 1 | strides have one entry less than the rank, "
      "the other arrays as many");
  for (const std::string strides : {"strides - 1", "(char*)strides + 8", "large ? strides : dims",
                                    "strides_of(strides)", "*strides", "large ? dims : (cuuint64_t[]){8192}"})
    CHECK(refusal(arrays + call("dims, " + strides + ", box, ones")) ==
          "globalStrides = '" + strides +
              "' is not an array or a place in one | dims, &dims[1], dims + 1, dims.data() + 1 or {4096, 128}");
  CHECK(refusal(call("(cuuint64_t[]){K, 1}, strides + 1, box, ones")) ==
        "the text does not show what K, strides[1], box[2] and ones[2] are | write it above the call, for example K = "
        "4096; strides[1] = {8192}; box[2] = {64, 64}; ones[2] = {64, 64};");
}

TEST_CASE("an array that changes is refused") {
  for (const std::string change :
       {"dims[0] *= 2;", "strides[0] /= 1024;", "std::swap(dims[0], dims[1]);", "std::reverse(dims, dims + 2);",
        "dims[1]++;", "++dims[1];", "dims[0] = 64;", "fill(dims.data(), 2);", "fill(&dims[0], 2);", "dims.fill(1);",
        "for (auto& d : dims) d *= 2;", "dims.at(0) = 2;", "dims.back() -= 2;"}) {
    CAPTURE(change);
    const std::string name = change.find("strides") == std::string::npos ? "dims" : "strides";
    const std::size_t at = change.find(name), end = change.find(';');
    CHECK(refusal(arrays + change + call("dims, strides, box, ones")) ==
          name + " changes after its definition: '" + change.substr(at, end - at) +
              "' in line 2 | swz does not run the code: write the value of the call into the definition");
  }
  for (const std::string use : {"printf(\"%d\", dims[0]);", "if (dims[0] == 4096) check(n = 3);", "size(dims);",
                                "int k = dims[0] * 2;", "check(dims[0] <= 4096);", "other.dims[0] = 64;"})
    CHECK(map_of(arrays + use + call("dims, strides, box, ones")).dims[0] == 4096);
}

TEST_CASE("an enumerator is one name or one number") {
  const std::string lists = "dims, strides, box, ones";
  const std::string names = arrays + "int modes[2] = {0, 3}; int sw = 1 << 1; int two = 2; bool swz = true;\n";
  for (const std::string swizzle :
       {"swz ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE", "modes[1]", "(CUtensorMapSwizzle)modes[1]",
        "(CUtensorMapSwizzle)(2+1)", "mode_of(CU_TENSOR_MAP_SWIZZLE_128B)", "sw"}) {
    CAPTURE(swizzle);
    std::string shown = swizzle;
    if (swizzle.starts_with('(')) shown = swizzle.find("modes") == std::string::npos ? "2+1" : "modes[1]";
    if (swizzle == "sw") shown = "1 << 1";
    CHECK(refusal(names + call(lists, swizzle)).starts_with("swizzle = '" + shown.substr(0, 28)));
  }
  CHECK(refusal(names + call(lists, "modes[1]")) ==
        "swizzle = 'modes[1]' is not one enumerator or number | write the one of this call, for example "
        "CU_TENSOR_MAP_SWIZZLE_128B");
  for (const std::string swizzle : {"(CUtensorMapSwizzle)two", "CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B",
                                    "static_cast<CUtensorMapSwizzle>(2)", "((CUtensorMapSwizzle)two)"})
    CHECK(map_of(names + call(lists, swizzle)).swizzle == TensorMapSwizzle::b64);
}

TEST_CASE("a second call is refused; one in a comment, a literal or #if 0 is not there") {
  const std::string one = call("dims, strides, box, ones");
  CHECK(refusal(arrays + one + "\n" + one) ==
        "the text has two calls of cuTensorMapEncodeTiled, in line 2 and line 3 | paste one of them, with the "
        "definitions above it");
  CHECK(refusal(arrays + "// " + one + "\n#if 0\n" + one + "\n#endif\nputs(\"" + one + "\");" + one) == "read");
}

TEST_CASE("a macro is text") {
  CHECK(map_of("#define K 2048+2048\n" + arrays + call("(cuuint64_t[]){K*2, 128}, strides, box, ones")).dims[0] ==
        6144);
  CHECK(map_of("#define K (2048+2048)\n" + arrays + call("(cuuint64_t[]){K*2, 128}, strides, box, ones")).dims[0] ==
        8192);
}

TEST_CASE("an address that is cast") {
  const auto with_address = [](std::string address) {
    std::string text = arrays + call("dims, strides, box, ones");
    return text.replace(text.find("ptr"), 3, address);
  };
  for (const std::string address :
       {"(void*)0x7f0000000008", "0x7f0000000008", "reinterpret_cast<void*>(0x7f0000000008)",
        "(void *)(0x7f0000000008)", "0x7f0000000000 + 8"}) {
    CAPTURE(address);
    CHECK(parse_encode_call(with_address(address)).has_address);
    CHECK(map_of(with_address(address)).global_address == 0x7f0000000008);
  }
  for (const std::string address : {"(void*)p", "p", "p + 8", "static_cast<void*>(p)", "nullptr"})
    CHECK_FALSE(parse_encode_call(with_address(address)).has_address);
  CHECK(refusal(with_address("(float*)0x400 + 8")) ==
        "globalAddress = '(float*)0x400 + 8' is not one number | (void*)0x7f0000000000");
}

}  // namespace
}  // namespace swz
