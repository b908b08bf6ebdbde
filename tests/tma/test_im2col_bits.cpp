// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of im2col maps against what the driver of an H100 wrote.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

TEST_CASE("im2col maps are what the driver wrote, bit for bit") {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/im2col_maps.txt");
  std::string line;
  int maps = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    CAPTURE(line);
    std::istringstream in(line);
    Im2colMap map;
    TensorMap& t = map.tensor;
    int type = 0, interleave = 0, swizzle = 0, l2 = 0, oob = 0;
    in >> type >> t.rank >> t.global_address;
    const auto rank = static_cast<std::size_t>(t.rank);
    for (std::size_t i = 0; i < rank; ++i) in >> t.dims[i];
    for (std::size_t i = 0; i + 1 < rank; ++i) in >> t.strides[i];
    for (std::size_t i = 0; i + 2 < rank; ++i) in >> map.lower_corner[i];
    for (std::size_t i = 0; i + 2 < rank; ++i) in >> map.upper_corner[i];
    in >> map.channels_per_pixel >> map.pixels_per_column;
    for (std::size_t i = 0; i < rank; ++i) in >> t.element_strides[i];
    in >> interleave >> swizzle >> l2 >> oob;
    t.data_type = static_cast<TensorMapDataType>(type);
    t.interleave = static_cast<TensorMapInterleave>(interleave);
    t.swizzle = static_cast<TensorMapSwizzle>(swizzle);
    t.l2_promotion = static_cast<TensorMapL2Promotion>(l2);
    t.oob_fill = static_cast<TensorMapOobFill>(oob);
    CHECK(violations(map, require_target("sm_90a")).empty());
    const EncodedTensorMap encoded = encode_im2col(map);
    CHECK(encoded.words[0] == t.global_address);
    for (std::size_t w = 1; w < 16; ++w) {
      std::string digits = "0";
      if (w < 10) in >> digits;
      CHECK(encoded.words[w] == std::stoull(digits, nullptr, 16));
    }
    REQUIRE_FALSE(in.fail());
    ++maps;
  }
  CHECK(maps > 200);
}

TEST_CASE("im2col maps: the example, and what is not known") {
  Im2colMap map;
  map.tensor = {.data_type = TensorMapDataType::float16, .rank = 4, .dims = {64, 4, 4, 1}, .strides = {128, 512, 2048}};
  map.lower_corner = map.upper_corner = {-1, -1};
  map.channels_per_pixel = 64;
  map.pixels_per_column = 16;
  const EncodedTensorMap encoded = encode_im2col(map);
  CHECK((encoded.words[1] & 1) == 1);
  CHECK((encoded.words[6] >> 56) == 63);
  CHECK(encoded.words[7] == 0x0000000fffffffff);
  CHECK(encoded.words[8] == 2048);
  map.wide = Im2colWideMode::w;
  CHECK_THROWS_AS(encode_im2col(map), Error);
}
