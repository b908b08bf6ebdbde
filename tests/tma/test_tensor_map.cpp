// SPDX-License-Identifier: Apache-2.0
// The 128 bytes: words worked out by hand, inverses over random maps, what the driver would not have written.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "sweep.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

TensorMap gemm_operand() {
  return {.data_type = TensorMapDataType::bfloat16,
          .rank = 2,
          .global_address = 0x7f0012340000,
          .dims = {4096, 8192},
          .strides = {8192},
          .box = {64, 128},
          .swizzle = TensorMapSwizzle::b128,
          .l2_promotion = TensorMapL2Promotion::b128};
}

std::string encode_error(const TensorMap& map) {
  try {
    encode(map);
  } catch (const Error& error) {
    return error.message();
  }
  return "encoded";
}

}  // namespace

// By hand from what the driver wrote.
TEST_CASE("a map of rank 2, word by word") {
  const EncodedTensorMap encoded = encode(gemm_operand());
  CHECK(encoded.words[0] == 0x00007f0012340000);
  // rank 2: 1 << 4 = 0x10; bf16: 10 << 7 = 0x500; 128B: 3 << 13 = 0x6000; L2 128B: 2 << 17 = 0x40000
  CHECK(encoded.words[1] == 0x0000020000046510);
  CHECK(encoded.words[2] == 0);
  CHECK(encoded.words[3] == 0);
  CHECK(encoded.words[4] == 0x00001fff00000fff);
  CHECK(encoded.words[5] == 0);
  CHECK(encoded.words[6] == 0x3f00000000000000);
  CHECK(encoded.words[7] == 0x000000000000007f);
  CHECK(encoded.words[8] == 16384);
  CHECK(encoded.words[9] == 1024);
  for (std::size_t i = 10; i < 16; ++i) CHECK(encoded.words[i] == 0);
  CHECK(to_hex(encoded).substr(0, 32) ==
        "000034120"
        "07f0000"
        "10650400"
        "00020000");
  CHECK(from_bytes(to_bytes(encoded)) == encoded);
}

TEST_CASE("a map of rank 5 with every field in use") {
  const TensorMap map{.data_type = TensorMapDataType::tfloat32_ftz,
                      .rank = 5,
                      .global_address = (1ULL << 57) - 32,
                      .dims = {1ULL << 32, 2, 3, 4, 5},
                      .strides = {(1ULL << 40) - 32, 1ULL << 36, 64, 0},
                      .box = {32, 2, 3, 4, 1},
                      .element_strides = {1, 2, 3, 4, 8},
                      .interleave = TensorMapInterleave::bytes_32,
                      .swizzle = TensorMapSwizzle::b32,
                      .l2_promotion = TensorMapL2Promotion::b256,
                      .oob_fill = TensorMapOobFill::nan};
  REQUIRE(is_accepted(map, default_target()));
  const EncodedTensorMap encoded = encode(map);
  CHECK(encoded.words[0] == 0x01ffffffffffffe0);
  // rank 4 << 4; type 8 << 7; interleave 2 << 11; swizzle 1 << 13; fill 1 << 15; TF32 1 << 16; L2 3 << 17
  CHECK((encoded.words[1] & 0xffffffff) == (0x40 | 0x400 | 0x1000 | 0x2000 | 0x8000 | 0x10000 | 0x60000));
  CHECK((encoded.words[1] >> 32) == 0xfffffffe);
  CHECK(encoded.words[2] == 0x0000000400000000);  // stride 1 is only bit 36: high part; stride 2 is 4 units
  CHECK(encoded.words[3] == 0x0000001f00000000);  // high parts: stride 0 has 15, stride 1 has 1
  CHECK(encoded.words[4] == 0x00000001ffffffff);
  CHECK(encoded.words[5] == 0x0000000300000002);
  // dim 4; element strides 0, 1, 2, 3, 7 in 3 bits each; box 0
  CHECK(encoded.words[6] == (4ULL | (((1ULL << 3) | (2ULL << 6) | (3ULL << 9) | (7ULL << 12)) << 32) | 31ULL << 56));
  CHECK(encoded.words[7] == 0x00030201);
  CHECK(encoded.words[8] == 0);  // floor(1 / 8) is 0
  CHECK(encoded.words[9] == 256);
  CHECK(*decode(encoded).map == map);
}

TEST_CASE("encode and decode are inverses on every accepted map") {
  RandomMaps maps(6);
  const long wanted = at_least(120000, 20);
  long accepted = 0;
  while (accepted < wanted) {
    const TensorMap map = maps.any();
    if (!is_accepted(map, default_target())) continue;
    ++accepted;
    const EncodedTensorMap encoded = encode(map);
    const DecodedTensorMap decoded = decode(encoded);
    const bool is_inverse =
        decoded.problems.empty() && decoded.map == without_unused_entries(map) && encode(*decoded.map) == encoded;
    if (!is_inverse) FAIL("not inverse: " << to_hex(encoded));
  }
  CHECK(accepted == wanted);
}

TEST_CASE("each bit counts: a map with one bit changed is another map or has a problem") {
  const TensorMap map = gemm_operand();
  const EncodedTensorMap encoded = encode(map);
  long others = 0, problems = 0;
  for (std::size_t bit = 0; bit < 1024; ++bit) {
    EncodedTensorMap changed = encoded;
    changed.words[bit / 64] ^= 1ULL << (bit % 64);
    const DecodedTensorMap decoded = decode(changed);
    if (decoded.problems.empty()) {
      REQUIRE(decoded.map);
      CHECK(*decoded.map != map);
      CHECK(encode(*decoded.map) == changed);
      ++others;
    } else {
      CHECK(static_cast<std::size_t>(decoded.problems[0].word) <= 15);
      ++problems;
    }
  }
  CHECK(others + problems == 1024);
  // What is independent: 57 bits of the address, types and modes whose pattern stays, L2, fill, 36 bits of the one
  // stride, 64 of two dimensions.
  CHECK(others > 57 + 36 + 64);
}

TEST_CASE("problems name the bits and what the driver writes there") {
  EncodedTensorMap encoded = encode(gemm_operand());
  encoded.words[8] = 16000;
  encoded.words[1] |= 1ULL << 21;
  const DecodedTensorMap decoded = decode(encoded);
  REQUIRE(decoded.problems.size() == 2);
  CHECK(decoded.problems[0].message ==
        "bits 19-31 of word 1 hold 0x4; the driver writes 0 there: CuTe clears bit 21 of this word after encoding, "
        "for drivers up to 13.1 and tensors below 131,072 B");
  CHECK(decoded.problems[1].message ==
        "bytes of a box (word 8) is 16000; the driver writes 16384, which follows from the other fields");
  CHECK(*decoded.map == gemm_operand());

  encoded = encode(gemm_operand());
  encoded.words[5] = 7;
  REQUIRE(decode(encoded).problems.size() == 1);
  CHECK(decode(encoded).problems[0].message == "globalDim[2] is 7; the driver writes 0, since the rank ends before it");

  encoded = encode(gemm_operand());
  encoded.words[1] |= 0x780;
  CHECK_FALSE(decode(encoded).map);
  CHECK(decode(encoded).problems[0].message == "data type code 15 was never seen in a tensor map");
}

TEST_CASE("decode answers for any words") {
  RandomMaps random(7);
  for (int n = 0; n < 2000; ++n) {
    EncodedTensorMap encoded;
    for (std::uint64_t& word : encoded.words) word = random.once_in(3) ? random.below(~0ULL) : 0;
    const DecodedTensorMap decoded = decode(encoded);
    CHECK((decoded.map || !decoded.problems.empty()));
    if (decoded.problems.empty()) CHECK(encode(*decoded.map) == encoded);
  }
}

TEST_CASE("what has no place in the map is refused by name") {
  TensorMap map = gemm_operand();
  map.rank = 6;
  CHECK(encode_error(map) == "a tensor map of rank 6 cannot be encoded");
  map = gemm_operand();
  map.box[1] = 257;
  CHECK(encode_error(map) == "boxDim[1] does not fit into the 8 bits that a tensor map has for it");
  map = gemm_operand();
  map.box[0] = 0;
  CHECK(encode_error(map) == "boxDim[0] does not fit into the 8 bits that a tensor map has for it");
  map = gemm_operand();
  map.strides[0] = 8200;
  CHECK(encode_error(map) == "strides[0] = 8200 cannot be encoded: a tensor map counts strides in 16 bytes");
  map = gemm_operand();
  map.data_type = TensorMapDataType::u4_align8;
  CHECK(encode_error(map) == "the code of 16U4_ALIGN8B inside a tensor map is not known");
  map = gemm_operand();
  map.data_type = TensorMapDataType{99};
  CHECK(encode_error(map) == "99 is not a CUtensorMapDataType");
}
