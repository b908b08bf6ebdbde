// SPDX-License-Identifier: Apache-2.0
// The way out that a rule of a tensor map names: the nearest legal number, with one neighbour on either side.
#include <doctest/doctest.h>

#include <string>

#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

TensorMap map_of(TensorMapDataType type = TensorMapDataType::bfloat16) {
  return {.data_type = type, .rank = 3, .dims = {4096, 512, 64}, .strides = {8192, 4194304}, .box = {64, 64, 1}};
}

std::string told(const TensorMap& map, std::string_view rule, const char* target = "sm_100a") {
  for (const TensorMapViolation& v : violations(map, require_target(target)))
    if (v.rule == rule) return v.message + " | " + v.hint;
  for (const TensorMapViolation& v : remarks(map, require_target(target)))
    if (v.rule == rule) return v.message + " | " + v.hint;
  return "silent";
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("boxes: how many copies of 256 entries a wide one takes") {
  const auto box = [](std::uint64_t entries) {
    TensorMap map = map_of();
    map.box = {64, entries, 1};
    return told(map, "box-range");
  };
  CHECK(box(1) == "silent");
  CHECK(box(256) == "silent");
  CHECK(holds(box(0), "box[1] = 1"));
  CHECK(holds(box(257), "box[1] = 256 and 2 copies"));
  CHECK(holds(box(512), "box[1] = 256 and 2 copies"));
  CHECK(holds(box(513), "box[1] = 256 and 3 copies"));
}

TEST_CASE("boxes: of too many bytes the widest outer dimension gives way, the first of equals") {
  const auto box = [](std::uint64_t second, std::uint64_t third, std::uint64_t stride = 1) {
    TensorMap map = map_of();
    map.box = {64, second, third};
    map.element_strides = {1, stride, 1, 1, 1};
    return told(map, "box-bytes");
  };
  CHECK(box(57, 32) == "silent");  // 233,472 B
  CHECK(holds(box(64, 64), "box[1] = 28"));
  CHECK(holds(box(32, 64), "box[2] = 57"));
  CHECK(holds(box(64, 32), "box[1] = 57"));
  CHECK(holds(box(128, 65, 2), "box[2] = 28"));  // 64 entries of the second
  CHECK(holds(box(128, 64, 2), "box[1] = 56"));  // 28 entries, every second one
}

TEST_CASE("dimensions of sub-byte types: multiples of 128, or of 2") {
  const auto dim = [](TensorMapDataType type, std::uint64_t first, std::string_view rule) {
    TensorMap map = map_of(type);
    map.dims[0] = first;
    return told(map, rule);
  };
  using enum TensorMapDataType;
  CHECK(dim(u4_align16, 256, "dim-128-padded") == "silent");
  CHECK(holds(dim(u4_align16, 257, "dim-128-padded"), "globalDim[0] = 257 is not a multiple of 128"));
  CHECK(holds(dim(u4_align16, 257, "dim-128-padded"), "dims[0] = 384"));
  CHECK(holds(dim(u6_align16, 127, "dim-128-padded"), "dims[0] = 128"));
  CHECK(dim(u4_align8, 98, "dim-even-packed") == "silent");
  CHECK(holds(dim(u4_align8, 97, "dim-even-packed"), "globalDim[0] = 97 is not a multiple of 2"));
  CHECK(holds(dim(u4_align8, 97, "dim-even-packed"), "dims[0] = 98"));
  CHECK(dim(uint8, 97, "dim-even-packed") == "silent");
}

TEST_CASE("element strides: those that do not divide the box, and what is loaded") {
  const auto step = [](std::uint64_t stride, std::uint64_t box) {
    TensorMap map = map_of();
    map.box = {64, box, 1};
    map.element_strides = {1, stride, 1, 1, 1};
    return told(map, "element-stride-divides");
  };
  CHECK(step(1, 63) == "silent");
  CHECK(step(2, 64) == "silent");
  CHECK(step(3, 63) == "silent");
  CHECK(holds(step(2, 63), "elementStrides[1] = 2 does not divide boxDim[1] = 63: a copy loads 32 entries"));
  CHECK(holds(step(3, 64), "box[1] = 66"));
  CHECK(holds(step(2, 1), "box[1] = 2"));
}

TEST_CASE("strides that count elements are found for types of more than a byte") {
  const auto stride = [](TensorMapDataType type, std::uint64_t bytes) {
    TensorMap map = map_of(type);
    map.strides[0] = bytes;
    return holds(told(map, "stride-order"), "number of elements");
  };
  using enum TensorMapDataType;
  CHECK(stride(bfloat16, 4096));
  CHECK(stride(uint16, 4096));
  CHECK(stride(float64, 4096));
  CHECK_FALSE(stride(bfloat16, 4112));
  CHECK_FALSE(stride(bfloat16, 8192));
  CHECK_FALSE(stride(uint8, 4096));
}

TEST_CASE("rows of a box: 16 B, the swizzle's span, and the nearest of both") {
  const auto inner = [](std::uint64_t entries, TensorMapSwizzle swizzle, TensorMapDataType type) {
    TensorMap map = map_of(type);
    map.box = {entries, 8, 1};
    map.swizzle = swizzle;
    std::string text;
    for (const TensorMapViolation& v : violations(map, require_target("sm_100a")))
      text += v.message + " | " + v.hint + "\n";
    return text;
  };
  using enum TensorMapDataType;
  CHECK(inner(8, TensorMapSwizzle::none, bfloat16).empty());
  CHECK(holds(inner(7, TensorMapSwizzle::none, bfloat16), "7 x 2 B = 14 B"));
  CHECK(holds(inner(7, TensorMapSwizzle::none, bfloat16), "box[0] = 8: 8 elements"));
  CHECK(holds(inner(9, TensorMapSwizzle::none, bfloat16), "box[0] = 16: 8 elements"));
  CHECK(holds(inner(255, TensorMapSwizzle::none, uint8), "box[0] = 256: 16 elements"));
  CHECK(inner(64, TensorMapSwizzle::b128, bfloat16).empty());
  CHECK(holds(inner(72, TensorMapSwizzle::b128, bfloat16), "box[0] = 64 and 2 copies"));
  CHECK(holds(inner(128, TensorMapSwizzle::b128, bfloat16), "box[0] = 64 and 2 copies"));
  CHECK(holds(inner(136, TensorMapSwizzle::b128, bfloat16), "box[0] = 64 and 3 copies"));
  CHECK(holds(inner(24, TensorMapSwizzle::b32, bfloat16), "swizzle 64B, or box[0] = 16 and 2 copies"));
  CHECK(holds(inner(40, TensorMapSwizzle::b32, bfloat16), "swizzle 128B, or box[0] = 16 and 3 copies"));
  CHECK(inner(16, TensorMapSwizzle::b32, bfloat16).empty());
}
