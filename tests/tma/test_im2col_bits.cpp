// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of im2col maps against what the driver of an H100 wrote, and back from them to the arguments.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/random.hpp"
#include "sweep.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

struct RecordedMap {
  Im2colMap map;
  EncodedTensorMap words;
};

// One line of tests/data/im2col_maps.txt, whose head names the numbers.
RecordedMap read_line(const std::string& line) {
  std::istringstream in(line);
  RecordedMap out;
  TensorMap& t = out.map.tensor;
  int type = 0, interleave = 0, swizzle = 0, l2 = 0, oob = 0;
  in >> type >> t.rank >> t.global_address;
  const auto rank = static_cast<std::size_t>(t.rank);
  for (std::size_t i = 0; i < rank; ++i) in >> t.dims[i];
  for (std::size_t i = 0; i + 1 < rank; ++i) in >> t.strides[i];
  for (std::size_t i = 0; i + 2 < rank; ++i) in >> out.map.lower_corner[i];
  for (std::size_t i = 0; i + 2 < rank; ++i) in >> out.map.upper_corner[i];
  in >> out.map.channels_per_pixel >> out.map.pixels_per_column;
  for (std::size_t i = 0; i < rank; ++i) in >> t.element_strides[i];
  in >> interleave >> swizzle >> l2 >> oob;
  t.data_type = static_cast<TensorMapDataType>(type);
  t.interleave = static_cast<TensorMapInterleave>(interleave);
  t.swizzle = static_cast<TensorMapSwizzle>(swizzle);
  t.l2_promotion = static_cast<TensorMapL2Promotion>(l2);
  t.oob_fill = static_cast<TensorMapOobFill>(oob);
  out.words.words[0] = t.global_address;
  for (std::size_t w = 1; w < 10; ++w) {
    std::string digits;
    in >> digits;
    out.words.words[w] = std::stoull(digits, nullptr, 16);
  }
  REQUIRE_FALSE(in.fail());
  return out;
}

std::vector<RecordedMap> recorded_maps() {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/im2col_maps.txt");
  std::vector<RecordedMap> all;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) all.push_back(read_line(line));
  return all;
}

// A map that the driver accepts; none for most numbers of the generator.
std::optional<Im2colMap> drawn_map(Random& random) {
  Im2colMap map;
  TensorMap& t = map.tensor;
  const auto below = [&](std::int64_t n) { return static_cast<std::uint64_t>(random.below(n)); };
  t.rank = static_cast<int>(3 + random.below(3));
  t.data_type = static_cast<TensorMapDataType>(random.below(13));
  t.interleave = static_cast<TensorMapInterleave>(random.below(4) == 0 ? 1 + random.below(2) : 0);
  t.swizzle = static_cast<TensorMapSwizzle>(random.below(4));
  t.l2_promotion = static_cast<TensorMapL2Promotion>(random.below(4));
  t.oob_fill = static_cast<TensorMapOobFill>(random.below(2));
  t.global_address = below(std::int64_t{1} << 50) << 5;
  const int corner = t.rank == 3 ? 15 : t.rank == 4 ? 7 : 4;
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.rank); ++i) {
    t.dims[i] = 1 + below(random.below(2) ? 100 : 100'000);
    t.element_strides[i] = random.below(3) == 0 ? 1 + below(8) : 1;
    if (i + 1 < static_cast<std::size_t>(t.rank)) t.strides[i] = 32 * below(std::int64_t{1} << 30);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.corner_count()); ++i) {
    map.lower_corner[i] = random.below(std::int64_t{2} << corner) - (std::int64_t{1} << corner);
    map.upper_corner[i] = random.below(std::int64_t{2} << corner) - (std::int64_t{1} << corner);
  }
  map.channels_per_pixel = random.below(2) ? 8 * (1 + below(16)) : 1 + below(256);
  map.pixels_per_column = 1 + below(1024);
  if (!violations(map, require_target("sm_90a")).empty()) return std::nullopt;
  return map;
}

// The example of the header.
Im2colMap example() {
  Im2colMap map;
  map.tensor = {.data_type = TensorMapDataType::float16, .rank = 4, .dims = {64, 4, 4, 1}, .strides = {128, 512, 2048}};
  map.lower_corner = map.upper_corner = {-1, -1};
  map.channels_per_pixel = 64;
  map.pixels_per_column = 16;
  return map;
}

}  // namespace

TEST_CASE("im2col maps are what the driver wrote, bit for bit, and its words are read as the arguments") {
  const std::vector<RecordedMap> all = recorded_maps();
  CHECK(all.size() > 200);
  for (const auto& [map, words] : all) {
    const std::string hex = to_hex(words);
    CAPTURE(hex);
    CHECK(violations(map, require_target("sm_90a")).empty());
    CHECK(encode_im2col(map) == words);
    CHECK(is_im2col(words));
    const DecodedIm2colMap decoded = decode_im2col(words);
    CHECK(decoded.problems.empty());
    CHECK(decoded.map == map);
    // As debuggers print it, and as a list of numbers without a name.
    std::string gdb, list;
    for (std::size_t i = 0; i < 16; i += 2)
      gdb += fmt::format("{:#x}:\t{:#018x}\t{:#018x}\n", 0x7f00 + 8 * i, words.words[i], words.words[i + 1]);
    CHECK(parse_tensor_map(gdb) == words);
    CHECK(holds_tensor_map(fmt::format("{{{}}}", fmt::join(words.words, ", "))));
    CHECK(parse_tensor_map(to_hex(words)) == words);
  }
}

TEST_CASE("im2col maps: random arguments come back from their words") {
  Random random(331);
  Sweep every{10};
  int maps = 0;
  while (maps < 20'000) {
    const std::optional<Im2colMap> map = drawn_map(random);
    if (!map) continue;
    ++maps;
    if (!every.takes()) continue;
    const EncodedTensorMap words = encode_im2col(*map);
    const DecodedIm2colMap decoded = decode_im2col(words);
    REQUIRE(decoded.problems.empty());
    REQUIRE(decoded.map == *map);
  }
}

// A reader that loses a bit of a field, or takes it from its neighbour, says the same of two words.
TEST_CASE("im2col maps: a word with another bit is another map, or not what the driver writes") {
  for (const RecordedMap& one : recorded_maps()) {
    for (std::size_t word = 0; word < 16; ++word)
      for (int bit = 0; bit < 64; ++bit) {
        EncodedTensorMap changed = one.words;
        changed.words[word] ^= std::uint64_t{1} << bit;
        if (!is_im2col(changed)) continue;
        const DecodedIm2colMap decoded = decode_im2col(changed);
        if (decoded.problems.empty() && decoded.map == one.map)
          FAIL_CHECK(fmt::format("bit {} of word {} says nothing: {}", bit, word, to_hex(one.words)));
      }
  }
}

TEST_CASE("im2col maps: the example, its fields, and what is not known") {
  const Im2colMap map = example();
  const EncodedTensorMap encoded = encode_im2col(map);
  CHECK((encoded.words[1] & 1) == 1);
  CHECK(encoded.words[7] == 0x0000000fffffffff);
  CHECK(encoded.words[8] == 2048);
  for (int rank = 3; rank <= 5; ++rank) {
    std::uint64_t bits = 0;
    for (const Im2colField& field : im2col_fields(rank))
      if (field.word == 7) {
        CHECK((bits & field.bits.mask()) == 0);
        bits |= field.bits.mask();
      }
    CHECK(std::popcount(bits) == 10 + 2 * (rank == 3 ? 16 : rank == 4 ? 16 : 15));
  }
  Im2colMap wide = map;
  wide.wide = Im2colWideMode::w;
  CHECK_THROWS_WITH_AS(encode_im2col(wide), "the 128 bytes of cuTensorMapEncodeIm2colWide are not known", Error);
}

TEST_CASE("im2col maps: words that the driver does not write are named") {
  const EncodedTensorMap right = encode_im2col(example());
  const auto told = [&](std::size_t word, std::uint64_t flipped) {
    EncodedTensorMap words = right;
    words.words[word] ^= flipped;
    const DecodedIm2colMap decoded = decode_im2col(words);
    REQUIRE(decoded.problems.size() == 1);
    return decoded.problems[0].message;
  };
  CHECK(told(8, 1) ==
        "the bytes of a copy (word 8) are 2049; the driver writes 2048, which follows from the other fields");
  CHECK(told(7, std::uint64_t{1} << 50) ==
        "word 7 has 0x4000000000000 in bits of no field of this rank; the driver writes 0 there");
  EncodedTensorMap flat = encode({.rank = 2, .dims = {64, 64}, .strides = {64}, .box = {64, 1}});
  flat.words[1] |= 1;
  const DecodedIm2colMap decoded = decode_im2col(flat);
  CHECK_FALSE(decoded.map);
  CHECK(decoded.problems[0].message == "bit 0 of word 1 says im2col, and the rank is 2; im2col has rank 3 to 5");
}
