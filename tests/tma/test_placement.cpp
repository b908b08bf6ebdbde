// SPDX-License-Identifier: Apache-2.0
// Where a box lands: numbers by hand, the chunk tables of the PTX document, gaps, fill, element strides.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.hpp"
#include "tma/placement.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

TensorMap map_of(TensorMapDataType type, std::array<std::uint64_t, 2> box, TensorMapSwizzle swizzle) {
  return {.data_type = type,
          .rank = 2,
          .dims = {4096, 4096},
          .strides = {32768},
          .box = {box[0], box[1]},
          .swizzle = swizzle};
}

std::string error_of(const TensorMap& map, Bytes address) {
  try {
    const BoxPlacement placement(map, address);
  } catch (const Error& error) {
    return error.message();
  }
  return "placed";
}

}  // namespace

TEST_CASE("rows narrower than the swizzle lie at its span") {
  const BoxPlacement placement(map_of(TensorMapDataType::bfloat16, {16, 4}, TensorMapSwizzle::b64), Bytes{0x400});
  CHECK(placement.inner() == Bytes{32});
  CHECK(placement.pitch() == Bytes{64});
  CHECK(placement.allocate() == Bytes{256});
  CHECK(placement.expect_bytes() == Bytes{128});
  CHECK(placement.byte(2, 16) == Bytes{0x480});
  CHECK(placement.unmeasured().empty());
  const std::vector<std::int64_t> image = box_image(placement, {});
  // Lines 8 and 9: rows 0 and 1 as they are, rows 2 and 3 with chunks 0 and 1 swapped; the last 32 B of each
  // untouched.
  for (std::size_t b = 0; b < 256; ++b) {
    const std::size_t row = b / 64, in_row = b % 64;
    const auto logical = static_cast<std::int64_t>(row < 2 ? in_row : in_row ^ 16);
    const std::int64_t expected = in_row >= 32 ? untouched_byte : static_cast<std::int64_t>(row) * 32768 + logical;
    CHECK(image[b] == expected);
  }
}

// PTX ISA 9.4, 5.5: rows of 96 bytes follow each other, and bit 4 of an address is turned by bit 7.
TEST_CASE("the 96-byte swizzle of sm_103a and sm_107a") {
  const TensorMap map = map_of(TensorMapDataType::bfloat16, {48, 16}, TensorMapSwizzle::b96);
  const BoxPlacement placement(map, Bytes{0});
  CHECK(placement.pitch() == Bytes{96});
  CHECK(placement.allocate() == Bytes{96 * 16});
  const std::int64_t worked[][3] = {{1, 0, 96}, {1, 32, 144}, {2, 0, 208}, {2, 64, 256}};
  for (const auto& [row, byte, address] : worked) CHECK(placement.byte(row, byte) == Bytes{address});
  for (std::int64_t row = 0; row < 16; ++row)
    for (std::int64_t byte = 0; byte < 96; ++byte) {
      const std::int64_t x = 96 * row + byte;
      CHECK(placement.byte(row, byte) == Bytes{x ^ ((x >> 3) & 0x10)});
    }
  CHECK_FALSE(placement.unmeasured().empty());
  CHECK(error_of(map_of(TensorMapDataType::bfloat16, {56, 16}, TensorMapSwizzle::b96), Bytes{0}) ==
        "boxDim[0] = 56 is 56 x 2 B = 112 B; swizzle 96B takes at most 96 B");
  for (const Target& target : targets()) {
    const bool has = target.name == "sm_103a" || target.name == "sm_107a";
    CAPTURE(target.name);
    CHECK_FALSE(is_accepted(map, target));
    if (has) CHECK_NOTHROW(require_possible(map, target));
    else CHECK_THROWS(require_possible(map, target));
  }
}

// PTX ISA 9.1, 5.5.7: in line n of 128 bytes, which logical 16-byte chunk lies where.
TEST_CASE("the chunk tables of the document, at every 128-byte address") {
  struct Table {
    TensorMapSwizzle swizzle;
    std::vector<std::string> lines;
    std::uint64_t width;
  };
  const Table tables[] = {
      {TensorMapSwizzle::none, {"01234567"}, 128},
      {TensorMapSwizzle::b32, {"01234567", "10325476"}, 32},
      {TensorMapSwizzle::b64, {"01234567", "10325476", "23016745", "32107654"}, 64},
      {TensorMapSwizzle::b128,
       {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"},
       128},
      {TensorMapSwizzle::b128_atom_32, {"01234567", "23016745", "45670123", "67452301"}, 128},
      {TensorMapSwizzle::b128_atom_64, {"01234567", "45670123"}, 128},
  };
  for (const Table& table : tables) {
    for (std::int64_t address = 0; address < 2048; address += 128) {
      const std::uint64_t rows = 4096 / table.width;
      const BoxPlacement placement(
          map_of(TensorMapDataType::uint8, {table.width, std::min<std::uint64_t>(rows, 256)}, table.swizzle),
          Bytes{address});
      for (std::int64_t lin = 0; lin < placement.allocate().count; ++lin) {
        const std::int64_t line = (address + lin) / 128;
        const std::string& chunks = table.lines[static_cast<std::size_t>(line) % table.lines.size()];
        const std::int64_t at = chunks[static_cast<std::size_t>(lin % 128 / 16)] - '0';
        const auto width = static_cast<std::int64_t>(table.width);
        REQUIRE(placement.byte(lin / width, lin % width).count == line * 128 + at * 16 + lin % 16);
      }
    }
  }
}

TEST_CASE("every byte has one place inside the allocation") {
  RandomMaps maps(5);
  int placed = 0;
  while (placed < 300) {
    TensorMap map = maps.plausible();
    map.interleave = TensorMapInterleave::none;
    if (!is_accepted(map, default_target())) continue;
    const Bytes address{static_cast<std::int64_t>(128 * maps.below(16))};
    if (error_of(map, address) != "placed") continue;
    const BoxPlacement placement(map, address);
    if (placement.expect_bytes().count > 40000) continue;
    ++placed;
    std::set<std::int64_t> bytes;
    for (std::int64_t row = 0; row < placement.rows(); ++row)
      for (std::int64_t b = 0; b < placement.inner().count; ++b) bytes.insert(placement.byte(row, b).count);
    CHECK(bytes.size() == static_cast<std::size_t>(placement.expect_bytes().count));
    CHECK(*bytes.begin() >= address.count);
    CHECK(*bytes.rbegin() < address.count + placement.allocate().count);
    CHECK(placement.addresses().size() == static_cast<std::size_t>(placement.rows() * placement.sizes()[0]));
  }
}

TEST_CASE("addresses are in the order of the elements") {
  const BoxPlacement placement(map_of(TensorMapDataType::float32, {8, 3}, TensorMapSwizzle::b32), Bytes{0});
  const std::vector<std::int64_t> addresses = placement.addresses();
  REQUIRE(addresses.size() == 24);
  for (std::int64_t i = 0; i < 24; ++i) CHECK(addresses[static_cast<std::size_t>(i)] == i * 4);  // all in line 0
}

TEST_CASE("outside of the tensor a load fills, at both ends") {
  TensorMap map{.data_type = TensorMapDataType::bfloat16, .rank = 2, .dims = {20, 5}, .strides = {48}, .box = {16, 4}};
  const std::vector<std::int64_t> image = box_image(BoxPlacement(map, Bytes{128}), {-8, 3});
  REQUIRE(image.size() == 128);
  for (std::size_t b = 0; b < image.size(); ++b) {
    const std::int64_t column = static_cast<std::int64_t>(b % 32 / 2) - 8, row = static_cast<std::int64_t>(b / 32) + 3;
    const bool is_inside = column >= 0 && column < 20 && row < 5;
    CHECK(image[b] == (is_inside ? row * 48 + column * 2 + static_cast<std::int64_t>(b % 2) : filled_byte));
  }
}

TEST_CASE("rank 4 with element strides: rows follow each other, dimension 1 fastest") {
  TensorMap map{.data_type = TensorMapDataType::uint8,
                .rank = 4,
                .dims = {64, 100, 100, 100},
                .strides = {64, 6400, 640000},
                .box = {16, 5, 2, 3},
                .element_strides = {1, 2, 1, 3}};
  const BoxPlacement placement(map, Bytes{0});
  CHECK(placement.sizes() == TensorCoordinate{16, 3, 2, 1, 1});
  CHECK(placement.rows() == 6);
  CHECK(placement.expect_bytes() == Bytes{96});
  CHECK(placement.unmeasured().empty());
  const std::vector<std::int64_t> image = box_image(placement, {0, 10, 20, 30});
  std::size_t row = 0;
  for (const int d2 : {20, 21})
    for (const int d1 : {10, 12, 14}) {
      for (std::size_t b = 0; b < 16; ++b)
        CHECK(image[row * 16 + b] == d1 * 64 + d2 * 6400 + 30 * 640000 + static_cast<std::int64_t>(b));
      ++row;
    }
}

// H200: CUDA_ERROR_ILLEGAL_INSTRUCTION.
TEST_CASE("a load starts at a multiple of 16 bytes along dimension 0, at any element along the others") {
  const TensorMap map = map_of(TensorMapDataType::bfloat16, {16, 4}, TensorMapSwizzle::none);
  const BoxPlacement placement(map, Bytes{0});
  for (std::int64_t start = -64; start <= 64; ++start) {
    if (start % 8 == 0) {
      CHECK_NOTHROW(box_image(placement, {start, start + 1}));
      continue;
    }
    try {
      box_image(placement, {start, 0});
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.message() == "a load of BFLOAT16 that starts at element " + std::to_string(start) +
                                   " of dimension 0, which is not a multiple of 16 B, faults");
      CHECK(error.hint == "CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of 8 elements");
    }
  }
}

TEST_CASE("packed and padded sub-byte types") {
  TensorMap map{.data_type = TensorMapDataType::u4_align8,
                .rank = 2,
                .dims = {512, 8},
                .strides = {256},
                .box = {64, 2},
                .swizzle = TensorMapSwizzle::b32};
  const BoxPlacement packed(map, Bytes{0});
  CHECK(packed.inner() == Bytes{32});
  CHECK(packed.addresses()[3] == 1);
  const std::vector<std::int64_t> image = box_image(packed, {32, 0});
  CHECK(image[0] == 16);
  CHECK(image[32] == 272);
  CHECK_THROWS_AS(box_image(packed, {1, 0}), Error);
  CHECK_THROWS_AS(box_image(packed, {2, 0}), Error);
  CHECK_THROWS_AS(box_image(packed, {0, 1LL << 31}), Error);

  map.data_type = TensorMapDataType::u6_align16;
  map.dims[0] = 256;
  map.box = {128, 2};
  map.swizzle = TensorMapSwizzle::b128;
  const BoxPlacement padded(map, Bytes{0});
  CHECK(padded.inner() == Bytes{128});
  CHECK(padded.unmeasured() ==
        std::vector<std::string>{
            "16U6_ALIGN16B: cuda.h; that the mbarrier counts bytes of global memory: CUTLASS, CuTe-DSL"});
  CHECK(padded.expect_bytes() == Bytes{2 * 96});
  CHECK_THROWS_AS(box_image(padded, {}), Error);
}

TEST_CASE("what cannot be placed") {
  TensorMap map = map_of(TensorMapDataType::bfloat16, {64, 64}, TensorMapSwizzle::b128);
  CHECK(error_of(map, Bytes{64}) == "the SMEM address 0x40 of a tensor copy is not a multiple of 128");
  CHECK(error_of(map, Bytes{-128}) == "the SMEM address -0x80 of a tensor copy is not a multiple of 128");
  CHECK(error_of(map, Bytes{233472 - 8192}) == "placed");
  CHECK(error_of(map, Bytes{233472 - 8192 + 128}) ==
        "a box that takes 8192 B at 0x37080 runs past 0x39000, the end of shared memory");
  map.box[0] = 128;
  CHECK(error_of(map, Bytes{0}) == "boxDim[0] = 128 is 128 x 2 B = 256 B; swizzle 128B takes at most 128 B");
  map.box[0] = 64;
  map.swizzle = TensorMapSwizzle::b128_atom_32_flip_8;
  CHECK(error_of(map, Bytes{0}) == "where swizzle 128B_ATOM_32B_FLIP_8B puts its bytes is not known");
  // 16-byte rows at a pitch of 128 B: the counted bytes are legal, the room they take is not.
  map = map_of(TensorMapDataType::uint8, {16, 256}, TensorMapSwizzle::b128);
  map.rank = 3;
  map.dims[2] = 64;
  map.box[2] = 56;
  CHECK(is_accepted(map, default_target()));
  CHECK(error_of(map, Bytes{0}) == "a box that takes 1835008 B at 0x0 runs past 0x39000, the end of shared memory");
}
