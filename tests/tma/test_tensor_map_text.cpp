// SPDX-License-Identifier: Apache-2.0
// A tensor map as text: digits, the debugger's forms, and what is not a map.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "tma/tensor_map.hpp"

using namespace swz;

namespace {

EncodedTensorMap some_map() {
  return encode({.data_type = TensorMapDataType::bfloat16,
                 .rank = 2,
                 .global_address = 0x7f0012340000,
                 .dims = {4096, 8192},
                 .strides = {8192},
                 .box = {64, 128},
                 .swizzle = TensorMapSwizzle::b128});
}

std::string error_of(std::string_view text) {
  try {
    parse_tensor_map(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "parsed";
}

}  // namespace

TEST_CASE("digits, x/16gx, x/32wx, x/128bx and a C array are the same map") {
  const EncodedTensorMap map = some_map();
  CHECK(parse_tensor_map(to_hex(map)) == map);
  std::string giant, words, bytes;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i % 2 == 0) giant += fmt::format("0x7fffffffd{:x}00 <tma_map+{}>:", i, i * 8);
    giant += fmt::format("\t0x{:016x}{}", map.words[i], i % 2 == 1 ? "\n" : "");
    if (i % 2 == 0) words += fmt::format("0x7fffffffd{:x}00:", i);
    words +=
        fmt::format("\t0x{:08x}\t0x{:08x}{}", map.words[i] & 0xffffffff, map.words[i] >> 32, i % 2 == 1 ? "\n" : "");
  }
  for (const std::uint8_t byte : to_bytes(map)) bytes += fmt::format("0x{:02x}, ", byte);
  CHECK(parse_tensor_map(giant) == map);
  CHECK(parse_tensor_map(words) == map);
  CHECK(parse_tensor_map("{" + bytes + "}") == map);
  CHECK(looks_like_tensor_map(giant));
  CHECK_FALSE(looks_like_tensor_map("0x4000'0040'0001'0042ull"));
}

TEST_CASE("what is no tensor map") {
  const std::string hex = to_hex(some_map());
  CHECK(error_of(hex.substr(2)) == "127 bytes; a tensor map has 128");
  CHECK(error_of(hex + "00") == "more than 128 bytes; a tensor map has 128");
  CHECK(error_of(hex.substr(1)).find("has an odd number of digits") != std::string::npos);
  CHECK(error_of("") == "0 bytes; a tensor map has 128");
  CHECK(error_of("0xzz") == "'0xzz' is not a hexadecimal number");
  CHECK(error_of(std::string(1000000, '0')) == "more than 128 bytes; a tensor map has 128");
}

TEST_CASE("a tensor map as gdb prints it: 16 decimal words, repeated ones counted") {
  EncodedTensorMap map;
  for (std::size_t i = 0; i < 10; ++i) map.words[i] = 0x0102030405060708 * i + 1;
  std::string text = "$1 = {opaque = {";
  for (std::size_t i = 0; i < 10; ++i) text += std::to_string(map.words[i]) + ", ";
  CHECK(parse_tensor_map(text + "0 <repeats 6 times>}}") == map);
  CHECK(parse_tensor_map(text + "0, 0, 0, 0, 0, 0}}") == map);
  CHECK(error_of(text + "0 <repeats 5 times>}}") == "the list after 'opaque' holds 15 numbers, not 16");
  CHECK(error_of(text + "0 <repeats 99999999999 times>}}") == "the list after 'opaque' does not hold 16 numbers");
  CHECK(error_of(text + "0...}}") == "gdb cut the list of the tensor map");
  CHECK(error_of("{opaque = {1, 2") == "the list after 'opaque' is not closed");
  CHECK(error_of("opaque = {1} opaque = {2}") == "the text holds more than one tensor map");
}

TEST_CASE("a list of the words, of any base and width, with or without a name") {
  const EncodedTensorMap map = some_map();
  std::string hex, decimal, halves, indexed, lines;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    hex += fmt::format("{}{:#x}", comma, map.words[i]);
    decimal += fmt::format("{}{}", comma, map.words[i]);
    halves += fmt::format("{}{}, {}", comma, map.words[i] & 0xffffffff, map.words[i] >> 32);
    indexed += fmt::format("{}[{}] = {:#x}", comma, i, map.words[i]);
    lines += fmt::format("opaque[{}] = {:#x};\n", i, map.words[i]);
  }
  for (const std::string& list : {hex, decimal, halves})
    for (const char* form : {"tensor_map[16] = {{{}}}", "uint64_t desc[16] = {{{}}};", "{{{}}}", "[{}]",
                             "array([{}], dtype=uint64)", "$1 = {{_M_elems = {{{}}}}}", "the map is {} in words"}) {
      const std::string text = fmt::format(fmt::runtime(form), list);
      CAPTURE(text);
      CHECK(holds_tensor_map(text));
      CHECK(parse_tensor_map(text) == map);
    }
  CHECK(parse_tensor_map("$1 = {opaque = {" + indexed + "}}") == map);
  CHECK(parse_tensor_map(lines) == map);
  CHECK(names_tensor_map("tensor_map[16] = {" + hex + "}"));
  CHECK(names_tensor_map(lines));
  CHECK_FALSE(names_tensor_map("{" + hex + "}"));
  // One number more or less, or words that no driver writes.
  CHECK_FALSE(holds_tensor_map("{" + hex + ", 0}"));
  CHECK_FALSE(holds_tensor_map("{" + hex.substr(0, hex.rfind(',')) + "}"));
  CHECK_FALSE(holds_tensor_map("{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}"));
  CHECK(error_of("tma_map = {1, 2, 3, 4, 5, 6}") == "the list after 'tma_map' holds 6 numbers, not 16");
  CHECK_FALSE(names_tensor_map("tma_box = {1, 2, 3, 4, 5}"));
  CHECK(error_of("tma_map = {" + hex) == "the list after 'tma_map' is not closed");
  CHECK(error_of("tma = {" + hex + "}, tma_b = {" + hex + "}") == "the text holds more than one tensor map");
}

TEST_CASE("words as printf writes them, without 0x: the order in which they are a whole map") {
  const EncodedTensorMap map = some_map();
  std::string words, halves;
  for (const std::uint64_t word : map.words) {
    words += fmt::format("{:016x} ", word);
    halves += fmt::format("{:08x} {:08x} ", word & 0xffffffff, word >> 32);
  }
  CHECK(parse_tensor_map(words) == map);
  CHECK(parse_tensor_map(halves) == map);
}

TEST_CASE("a dump of too few or too many words says how many, and which of them are a map") {
  const EncodedTensorMap map = some_map();
  const auto dump = [&](std::size_t before, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 2 == 0) text += fmt::format("\n0x7fffffffd{:02x}0:", i);
      text += fmt::format("\t0x{:016x}", i < before || i - before >= 16 ? 7 : map.words[i - before]);
    }
    return text;
  };
  CHECK(parse_tensor_map(dump(0, 16)) == map);
  CHECK(error_of(dump(0, 14)) == "14 words of 64 bits, 112 bytes; a tensor map has 128");
  CHECK(error_of(dump(0, 15)) == "15 words of 64 bits, 120 bytes; a tensor map has 128");
  CHECK(error_of(dump(0, 17)) == "17 words of 64 bits, 136 bytes; a tensor map has 128");
  const auto hint_of = [](const std::string& text) {
    try {
      parse_tensor_map(text);
    } catch (const Error& error) {
      return error.hint;
    }
    return std::string();
  };
  CHECK(hint_of(dump(0, 18)) == "words 1 to 16 are a whole tensor map: give only those");
  CHECK(hint_of(dump(2, 18)) == "words 3 to 18 are a whole tensor map: give only those");
  CHECK(hint_of(dump(3, 18)) == "256 hexadecimal digits, or x/16gx of its address in cuda-gdb");
}

TEST_CASE("prose is not a tensor map, with any letters") {
  CHECK_FALSE(
      looks_like_tensor_map("feed the cafe a decade of faded facades, a dead beef added a face and bade a cab fade"));
  CHECK_FALSE(looks_like_tensor_map("added faced decade bade facade dead beef cafe fade deed feed added faced decade"));
  CHECK_FALSE(looks_like_tensor_map(
      "k=0 desc=0x4000404000010042 idesc=0x08400490\nk=1 desc=0x4000404000010044 idesc=0x08400490"));
  CHECK(looks_like_tensor_map(
      "0x7fff00: 0x00007fffc7a00000 0x0000020000006510\n0x7fff10: 0x00001fff00000fff 0x3f00000000000000"));
}
