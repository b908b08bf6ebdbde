// SPDX-License-Identifier: Apache-2.0
// Dump text: what debuggers and kernels print of random bytes is read back as these bytes; what is not a dump is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "identify/dump_text.hpp"
#include "identify/logical_tile.hpp"

namespace swz {
namespace {

using Dump = std::vector<std::byte>;

DumpText read(const std::string& text, int number_bits = 8, std::optional<DumpForm> form = {}) {
  return read_dump(std::as_bytes(std::span(text.data(), text.size())), number_bits, form);
}

Dump random_dump(std::int64_t size, Random& random) {
  Dump bytes(static_cast<std::size_t>(size));
  // Runs, so that print repeats some.
  std::byte last{0};
  for (std::byte& b : bytes) b = last = random.one_in(3) ? last : static_cast<std::byte>(random() & 0xff);
  bytes[0] = std::byte{0x0a};  // a leading zero says that digits are hexadecimal
  return bytes;
}

std::uint64_t word_of(const Dump& bytes, std::size_t at, int size) {
  std::uint64_t word = 0;
  for (int i = size; i-- > 0;)
    word = word << 8 | std::to_integer<std::uint64_t>(bytes[at + static_cast<std::size_t>(i)]);
  return word;
}

// x/64xb and the like, eight words per line.
std::string examined(const Dump& bytes, int size, std::uint64_t address) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(size)) {
    if (at % 16 == 0)
      text += fmt::format("{}{:#x}{}:", at == 0 ? "" : "\n", address + at, at % 32 == 0 ? " <smem+8>" : "");
    text += fmt::format("\t0x{:0{}x}", word_of(bytes, at, size), 2 * size);
  }
  return text + "\n";
}

// print array, and print/x: `least` or more of a kind are counted.
std::string printed(const Dump& bytes, int size, bool is_hex, std::size_t least) {
  std::string text = "$1 = {";
  const auto step = static_cast<std::size_t>(size);
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t times = 1;
    while (at + times * step < bytes.size() && word_of(bytes, at + times * step, size) == word_of(bytes, at, size))
      ++times;
    if (times < least) times = 1;
    text += at == 0 ? "" : ", ";
    text += is_hex ? fmt::format("{:#x}", word_of(bytes, at, size)) : fmt::format("{}", word_of(bytes, at, size));
    if (times > 1) text += fmt::format(" <repeats {} times>", times);
    at += times * step;
  }
  return text + "}\n";
}

TEST_CASE("what is printed of random bytes is read as these bytes") {
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    const Dump bytes = random_dump(64 * (1 + random.below(20)), random);
    const int size = 1 << random.below(4);
    CAPTURE(size);
    const DumpText lines = read(examined(bytes, size, 0x400));
    CHECK(lines.form == DumpForm::gdb);
    CHECK(lines.address == Bytes{0x400});
    CHECK(lines.bytes == bytes);
    CHECK(!read(examined(bytes, size, 0x7ffff0001000)).address);
    CHECK(read(printed(bytes, size, random.one_in(2), 3), size * 8).bytes == bytes);
    std::string hex, numbers;
    for (std::size_t at = 0; at < bytes.size(); ++at)
      hex += fmt::format("{:02x}{}", word_of(bytes, at, 1), random.one_in(2) ? " " : "");
    const DumpText from_hex = read(hex);
    CHECK(from_hex.form == DumpForm::hex);
    CHECK(from_hex.bytes == bytes);
    for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(size))
      numbers += fmt::format("{}, ", word_of(bytes, at, size));
    CHECK(read(numbers, size * 8, DumpForm::numbers).bytes == bytes);
    const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK(read("\x01" + raw).form == DumpForm::bytes);
  }
}

TEST_CASE("numbers are as wide as they are written, else as an element; negative ones are two's complement") {
  CHECK(read("0x0100, 0x0302").bytes == read("0 1 2 3").bytes);
  CHECK(read("-1 -2", 16).bytes == read("65535, 65534", 16).bytes);
  CHECK(read("1, 2, 3, 4", 4).bytes == read("0x21 0x43", 8).bytes);
}

std::string refused(const std::string& text, int bits = 8) {
  try {
    read(text, bits);
  } catch (const Error& e) {
    return e.message() + "; " + e.hint;
  }
  return "read";
}

TEST_CASE("what is no dump is refused") {
  CHECK(refused(" \n") == "the dump is empty; write the bytes of the tile, or of all shared memory");
  CHECK(refused("hello, world") ==
        "'hello' is not a number; bytes or elements as decimal or 0x numbers, or values of --dtype as %f prints "
        "them");
  CHECK(refused("0.5, 1.5") ==
        "'0.5' is not a number; bytes or elements as decimal or 0x numbers, or values of --dtype as %f prints them");
  CHECK(refused("10 11 12 13") ==
        "these digits can be decimal numbers or hexadecimal bytes; choose with --as numbers or --as hex");
  CHECK(refused("{1, 2...}") == "gdb left elements out; 'set print elements 0' before print");
  CHECK(refused("{256}") ==
        "256 does not fit in the 8 bits of one element; another --dtype; or the width of what was printed: "
        "--number-bits");
  CHECK(refused("{1 <repeats 99999999999 times>}") ==
        "the text describes more than 1048576 B; give the part that holds the tile");
  CHECK(refused("0x400:\t0x00\t0x01\n0x410:\t0x02\n") ==
        "the line at 0x410 does not follow the one before, which ends at 0x402; a dump has no gaps");
  CHECK(refused("0x400:\t0x00\t0x1\n") == "'0x1' is not a word in hexadecimal; x/64xb, x/32xh, x/32xw or x/16xg");
}

}  // namespace
}  // namespace swz
