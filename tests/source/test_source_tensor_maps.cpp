// SPDX-License-Identifier: Apache-2.0
// Source code of tensor maps: the calls of many maps in one program, against a cuda.h of our own whose
// cuTensorMapEncodeTiled keeps what it is given; the arrays of the same maps, byte for byte.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "compile_and_run.hpp"
#include "source/source.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {
namespace {

// The part of cuda.h that the sources use: its enums in its order, its prototype.
const char* const cuda_h = R"(#pragma once
#include <stdint.h>
#include <stddef.h>
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef enum CUresult_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_NOT_INITIALIZED = 3 } CUresult;
typedef struct CUtensorMap_st { alignas(128) cuuint64_t opaque[16]; } CUtensorMap;
typedef enum {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
} CUtensorMapDataType;
typedef enum {
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
} CUtensorMapSwizzle;
typedef enum {
  CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;
CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill);
CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                 void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill);
)";

// What reaches the call, as one line of numbers: type, rank, address, the arrays, the four other enums.
const char* const stub = R"(
#include <cuda.h>
#include <cstdio>
#include <cstring>
#include <string>
static std::string arrived;
static CUresult answer = CUDA_SUCCESS;
static CUtensorMap* given;
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  given = map;
  arrived.clear();
  const auto add = [](unsigned long long value) { arrived += std::to_string(value) + " "; };
  add(type), add(rank), add(reinterpret_cast<uintptr_t>(address));
  for (cuuint32_t i = 0; i < rank; ++i) add(dims[i]);
  for (cuuint32_t i = 0; i + 1 < rank; ++i) add(strides[i]);
  for (cuuint32_t i = 0; i < rank; ++i) add(box[i]);
  for (cuuint32_t i = 0; i < rank; ++i) add(steps[i]);
  add(interleave), add(swizzle), add(l2), add(fill);
  return answer;
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* dims, const cuuint64_t* strides, const int* lower, const int* upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  given = map;
  arrived.clear();
  const auto add = [](long long value) { arrived += std::to_string(value) + " "; };
  add(type), add(rank), add(static_cast<long long>(reinterpret_cast<uintptr_t>(address)));
  for (cuuint32_t i = 0; i < rank; ++i) add(static_cast<long long>(dims[i]));
  for (cuuint32_t i = 0; i + 1 < rank; ++i) add(static_cast<long long>(strides[i]));
  for (cuuint32_t i = 0; i + 2 < rank; ++i) add(lower[i]);
  for (cuuint32_t i = 0; i + 2 < rank; ++i) add(upper[i]);
  add(channels), add(pixels);
  for (cuuint32_t i = 0; i < rank; ++i) add(steps[i]);
  add(interleave), add(swizzle), add(l2), add(fill);
  return answer;
}
static int wrong = 0;
typedef CUresult (*Function)(CUtensorMap*, void*);
static void expect(const char* name, Function function, unsigned long long address, const char* line) {
  static CUtensorMap map;
  answer = CUDA_SUCCESS;
  if (function(&map, reinterpret_cast<void*>(static_cast<uintptr_t>(address))) != CUDA_SUCCESS || given != &map ||
      arrived != line)
    ++wrong, std::printf("%s\n  %s\n  %s\n", name, arrived.c_str(), line);
}
static void expect_bytes(const char* name, const void* words, const char* digits) {
  std::string found;
  for (int i = 0; i < 128; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", static_cast<const unsigned char*>(words)[i]);
    found += byte;
  }
  if (found != digits || reinterpret_cast<uintptr_t>(words) % 64 != 0) ++wrong, std::printf("%s\n", name);
}
)";

std::string line_of(const TensorMap& map) {
  std::string line;
  const auto add = [&](std::uint64_t value) { line += std::to_string(value) + " "; };
  const auto add_all = [&](const auto& values, int count) {
    for (int i = 0; i < count; ++i) add(values[static_cast<std::size_t>(i)]);
  };
  add(static_cast<std::uint64_t>(map.data_type));
  add(static_cast<std::uint64_t>(map.rank));
  add(map.global_address);
  add_all(map.dims, map.rank);
  add_all(map.strides, map.rank - 1);
  add_all(map.box, map.rank);
  add_all(map.element_strides, map.rank);
  add(static_cast<std::uint64_t>(map.interleave));
  add(static_cast<std::uint64_t>(map.swizzle));
  add(static_cast<std::uint64_t>(map.l2_promotion));
  add(static_cast<std::uint64_t>(map.oob_fill));
  return line;
}

std::string line_of(const Im2colMap& map) {
  const TensorMap& t = map.tensor;
  std::string line = fmt::format("{} {} {} ", static_cast<int>(t.data_type), t.rank, t.global_address);
  const auto add_all = [&](const auto& values, int count) {
    for (int i = 0; i < count; ++i) line += fmt::format("{} ", values[static_cast<std::size_t>(i)]);
  };
  add_all(t.dims, t.rank);
  add_all(t.strides, t.rank - 1);
  add_all(map.lower_corner, t.rank - 2);
  add_all(map.upper_corner, t.rank - 2);
  line += fmt::format("{} {} ", map.channels_per_pixel, map.pixels_per_column);
  add_all(t.element_strides, t.rank);
  return line + fmt::format("{} {} {} {} ", static_cast<int>(t.interleave), static_cast<int>(t.swizzle),
                            static_cast<int>(t.l2_promotion), static_cast<int>(t.oob_fill));
}

// The images of rank 3 to 5, with corners of both signs.
std::vector<Im2colMap> image_maps() {
  std::vector<Im2colMap> maps;
  for (int rank = 3; rank <= 5; ++rank)
    for (const std::int64_t corner : {-3, 0, 2}) {
      Im2colMap map;
      map.tensor = {.data_type = TensorMapDataType::float16,
                    .rank = rank,
                    .global_address = 0x7f0000000000,
                    .dims = {64, 20, 30, 40, 50},
                    .strides = {128, 2560, 76800, 3072000},
                    .element_strides = {1, 2, 1, 3, 1},
                    .swizzle = TensorMapSwizzle::b128};
      map.tensor = without_unused_entries(map.tensor);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rank - 2); ++i) {
        map.lower_corner[i] = corner;
        map.upper_corner[i] = -corner - static_cast<std::int64_t>(i);
      }
      map.channels_per_pixel = 64;
      map.pixels_per_column = 128;
      maps.push_back(map);
    }
  return maps;
}

const TensorMap gemm{.data_type = TensorMapDataType::bfloat16,
                     .rank = 2,
                     .global_address = 0x7f0000000000,
                     .dims = {4096, 8192},
                     .strides = {8192},
                     .box = {64, 128},
                     .swizzle = TensorMapSwizzle::b128};

}  // namespace

TEST_CASE("the sources compile without a warning; the call gets the arguments, the array has the bytes") {
  std::string text = stub, calls;
  int maps = 0, arrays = 0;
  std::array<int, 6> ranks{};
  std::array<int, 16> types{};
  RandomMaps random(71);
  while (maps < 400) {
    TensorMap map = random.any();
    const bool is_blackwell = random.once_in(4);
    if (is_blackwell) {
      map.data_type = TensorMapDataType{static_cast<int>(random.below(16))};
      map.swizzle = TensorMapSwizzle{static_cast<int>(random.below(7))};
      if (random.once_in(2)) {  // what the padded types ask for
        map.box[0] = 128;
        map.dims[0] = 128 * (1 + random.below(1000));
        map.oob_fill = TensorMapOobFill::zero;
      }
    }
    const Target& target = require_target(is_blackwell ? "sm_100a" : "sm_90a");
    if (!is_accepted(map, target)) continue;
    ++ranks[static_cast<std::size_t>(map.rank)];
    ++types[static_cast<std::size_t>(map.data_type)];
    text += fmt::format("namespace map_{} {{\n{}", maps, cuda_source(map, {"tensor_map", "swz tma encode …"}));
    calls += fmt::format("  expect(\"map_{0}\", map_{0}::tensor_map, {1}ull, \"{2}\");\n", maps, map.global_address,
                         line_of(map));
    if (find_row(map.data_type)->code && find_row(map.swizzle)->code) {
      const EncodedTensorMap encoded = encode(map);
      text += c_source(map, encoded, {"words", "swz tma encode …"});
      calls += fmt::format("  expect_bytes(\"words of map_{0}\", map_{0}::words, \"{1}\");\n", maps, to_hex(encoded));
      ++arrays;
    }
    text += "}\n";
    ++maps;
  }
  MESSAGE(maps, " calls, ", arrays, " arrays");
  for (const Im2colMap& map : image_maps()) {
    REQUIRE(violations(map, require_target("sm_90a")).empty());
    const EncodedTensorMap encoded = encode_im2col(map);
    text += fmt::format("namespace map_{} {{\n{}{}}}\n", maps, cuda_source(map, {"tensor_map", "swz tma encode …"}),
                        c_source(map, encoded, {"words", "swz tma encode …"}));
    calls += fmt::format(
        "  expect(\"map_{0}\", map_{0}::tensor_map, {1}ull, \"{2}\");\n  expect_bytes(\"words of map_{0}\", "
        "map_{0}::words, \"{3}\");\n",
        maps, map.tensor.global_address, line_of(map), to_hex(encoded));
    ++maps;
  }
  CHECK(arrays > 300);
  for (std::size_t rank = 1; rank <= 5; ++rank) CHECK(ranks[rank] > 5);
  for (const int count : types) CHECK(count > 0);

  // What the driver answers is passed on, and said.
  calls +=
      "  CUtensorMap map;\n"
      "  for (const CUresult error : {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED})\n"
      "    if (answer = error, map_0::tensor_map(&map, nullptr) != error) ++wrong;\n"
      "  std::fclose(stderr);\n";
  text += "int main() {\n  std::freopen(\"/dev/null\", \"w\", stderr);\n" + calls + "  return wrong != 0;\n}\n";
  check_program({{"maps.cpp", text}, {"cuda.h", cuda_h}}, "-std=c++11 -O0 -Wall -Wextra -Wconversion -Wshadow -Werror");
}

TEST_CASE("the array is C as well") {
  const std::string array = c_source(gemm, encode(gemm), {"words", "swz tma encode …"});
  check_program({{"words.c", array + "int main(void) { return words[1] != 0x0000020000006510u; }\n"}},
                "-x c -std=c11 -Wall -Wextra -Wconversion -Werror");
}

TEST_CASE("the call of a map, whole") {
  CHECK(cuda_source(gemm, {"a_tensor_map", "swz tma encode --emit cuda"}) ==
        R"(// Tensor map: bf16, dims 4096x8192, box 64x128, swizzle 128B
// swz tma encode --emit cuda
//
// Host code, linked with -lcuda. global_address: of device memory, a multiple of 16 B.
// A kernel takes the map as const __grid_constant__ CUtensorMap.
#include <cuda.h>

#include <cstdio>

inline CUresult a_tensor_map(CUtensorMap* tensor_map, void* global_address) {
  constexpr cuuint32_t rank = 2;
  const cuuint64_t globalDim[rank] = {4096, 8192};  // elements, dimension 0 is the contiguous one
  const cuuint64_t globalStrides[rank - 1] = {8192};  // B, of dimension 1 and later
  const cuuint32_t boxDim[rank] = {64, 128};
  const cuuint32_t elementStrides[rank] = {1, 1};
  const CUresult result = cuTensorMapEncodeTiled(
      tensor_map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, global_address, globalDim, globalStrides,
      boxDim, elementStrides, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_ERROR_INVALID_VALUE)
    std::fprintf(stderr, "cuTensorMapEncodeTiled refuses these arguments; swz tma check says why\n");
  else if (result != CUDA_SUCCESS)
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d, which is not a refusal: cuInit is missing, or an "
                 "earlier kernel failed\n", static_cast<int>(result));
  return result;
}
)");
}

TEST_CASE("an interleaved map asks for an address of 32 bytes") {
  TensorMap map = gemm;
  map.rank = 3;
  map.dims = {16, 64, 64};
  map.strides = {32, 2048};
  map.box = {16, 8, 8};
  map.interleave = TensorMapInterleave::bytes_32;
  map.swizzle = TensorMapSwizzle::b32;
  CHECK(cuda_source(map, {"f", "c"}).find("global_address: of device memory, a multiple of 32 B.") !=
        std::string::npos);
}

}  // namespace swz
