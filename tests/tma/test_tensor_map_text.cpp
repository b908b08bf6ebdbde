// A tensor map as text: digits, the debugger's forms, and what is none.
#include <doctest/doctest.h>
#include <fmt/format.h>

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
    words += fmt::format("\t0x{:08x}\t0x{:08x}{}", map.words[i] & 0xffffffff, map.words[i] >> 32,
                         i % 2 == 1 ? "\n" : "");
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
  CHECK(error_of(text + "0 <repeats 5 times>}}") == "the list behind 'opaque' holds 15 numbers, not 16");
  CHECK(error_of(text + "0 <repeats 99999999999 times>}}") == "the list behind 'opaque' does not hold 16 numbers");
  CHECK(error_of(text + "0...}}") == "gdb cut the list of the tensor map");
  CHECK(error_of("{opaque = {1, 2") == "the list behind 'opaque' is not closed");
  CHECK(error_of("opaque = {1} opaque = {2}") == "the text holds more than one tensor map");
}
