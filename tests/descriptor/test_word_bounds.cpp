// SPDX-License-Identifier: Apache-2.0
// Words in a text at the bounds of what is one: the ends of ranges of letters, signs, digits, addresses, register pairs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/word_text.hpp"

namespace swz {
namespace {

constexpr std::uint64_t word = 0x4000004000010042;
constexpr const char* decimal = "4611686293305360450";
constexpr std::uint64_t low = word & 0xffffffff, high = word >> 32;

std::string found(const std::string& text) {
  std::string out;
  for (const WordText& one : find_words(text).words) out += (out.empty() ? "" : " ") + hex64(one.word);
  return out;
}
const std::string it = hex64(word);

TEST_CASE("letters beside a number: only letters, digits and _ belong to it") {
  for (const char* beside : {"/", ":", ";", "@", "[", "`", "{", "-", "(", "<", "="}) {
    CAPTURE(beside);
    if (std::string(beside) != "@" && std::string(beside) != ":" && std::string(beside) != "<")
      CHECK(found(fmt::format("x {}{}", it, beside)) == it);
    if (std::string(beside) != "@" && std::string(beside) != "-") CHECK(found(fmt::format("x {}{}", beside, it)) == it);
  }
  for (const char* beside : {"a", "z", "A", "Z", "g", "G", "_", "9"}) {
    CHECK(found(fmt::format("x{}{}", beside, decimal)).empty());
    CHECK(found(fmt::format("{}{}", decimal, beside)).empty());
  }
}

TEST_CASE("a sign belongs to a number if only a blank or a bracket is before it") {
  constexpr std::uint64_t mode_32b = 0xc000001000010040;  // negative as a signed number
  const auto negative = [](const std::string& before) {
    const auto all = find_words(fmt::format("{}-{}", before, 0 - mode_32b)).words;
    return !all.empty() && all[0].word == mode_32b;
  };
  for (const char* before : {"", " ", "x = ", "(", "a ("}) CHECK_MESSAGE(negative(before), std::string(before));
  for (const char* before : {"a", "1", "_", "xa", "x1"}) CHECK_MESSAGE(!negative(before), std::string(before));
  // The lowest number of 64 bits; one below it does not fit.
  CHECK(read_words("-9223372036854775808").front().word == std::uint64_t{1} << 63);
  CHECK(read_words("-1").front().word == ~std::uint64_t{0});
  CHECK_THROWS_AS(read_words("-9223372036854775809"), Error);
}

TEST_CASE("bare digits: 16 are hexadecimal, 15 and 17 are not; more than 20 zeros and ones are binary") {
  CHECK(read_words("4000004000010042").front().word == word);
  CHECK(read_words("4000004000010042").front().spelling == Spelling::bare_hex);
  CHECK(read_words("400000400001004").front().word == 400000400001004);
  CHECK(read_words("40000040000100421").front().word == 40000040000100421);
  CHECK(read_words("11111111111111111111").front().word == 11111111111111111111ULL);
  CHECK(read_words("111111111111111111111").front().word == 0x1fffff);
  CHECK(read_words("0b11111111111111").front().word == 0x3fff);
  CHECK(read_as(read_words("4000004000010042").front()) ==
        "16 digits without 0x are read as hexadecimal; as a decimal number they would be 0x000e35fb81854f3a");
  CHECK(read_as(read_words("c000001000010040").front()) == "16 digits without 0x are read as hexadecimal");
}

TEST_CASE("labels: a number after $, %, # or a point, and one with a fraction, is not a word") {
  for (const char* mark : {"$", "%", "#", "."}) CHECK(found(fmt::format("x {}{}", mark, it)).empty());
  CHECK(found(fmt::format("x {}.5", decimal)).empty());
  CHECK(found(fmt::format("x {}.", decimal)) == it);
  CHECK(found(fmt::format("x {}.x", decimal)) == it);
}

TEST_CASE("addresses: why a number is one, and that 58 bits are not") {
  const auto why = [](const std::string& line) {
    const WordLog log = find_words(line);
    return log.addresses.empty() ? std::string() : log.addresses[0].why;
  };
  const std::string inside = "0x01ffffffffffffff", outside = "0x0200000000000000";
  CHECK(why("(float *) " + inside) == "a pointer");
  CHECK(why("(float *)" + inside) == "a pointer");
  CHECK(why("@" + inside) == "it follows an @");
  CHECK(why("at @ " + inside) == "it follows an @");
  CHECK(why("x " + inside + " <main+4>") == "a symbol follows");
  CHECK(why(inside + ":") == "a colon follows it");
  CHECK(why(inside + " :") == "a colon follows it");
  CHECK(why("#1 " + inside + " in main ()").empty() == false);
  CHECK(why("x " + inside + " <repeats 4 times>").empty());
  CHECK(why("1 " + inside + ":").empty());
  CHECK(why("(float *) " + outside).empty());
  CHECK(why("@" + outside).empty());
}

TEST_CASE("halves: two registers of one pair, in two lines; an odd one begins none") {
  const auto pair = [](int first, int second, const char* letter = "R") {
    return found(fmt::format("{}{} {:#010x}\n{}{} {:#010x}\n", letter, first, low, letter, second, high));
  };
  CHECK(pair(4, 5) == it);
  CHECK(pair(0, 1) == it);
  CHECK(pair(5, 6).empty());
  CHECK(pair(4, 6).empty());
  CHECK(pair(4, 4).empty());
  CHECK(pair(4, 3).empty());
  CHECK(pair(4, 5, "S").empty());
}

TEST_CASE("halves: names decide the order, numbers without names have to be a word of their own") {
  const auto of = [](const char* a, std::uint64_t x, const char* b, std::uint64_t y) {
    return found(fmt::format("{{{} = {}, {} = {}}}", a, x, b, y));
  };
  for (const auto& [lo, hi] : {std::pair{"lo", "hi"}, {"low", "high"}, {"LO", "HI"}, {"x", "y"}}) {
    CHECK(of(lo, low, hi, high) == it);
    CHECK(of(hi, high, lo, low) == it);
  }
  CHECK(of("lo", low, "lo", high).empty());
  CHECK(of("a", low, "b", high).empty());
  CHECK(of("lo", std::uint64_t{1} << 32, "hi", high).empty());
  CHECK(join_halves({{low, Spelling::number, "0x00010042", 1}}).size() == 1);
  const auto joined = join_halves({{1, Spelling::number, "1", 1},
                                   {low, Spelling::number, "0x00010042", 2},
                                   {high, Spelling::number, "0x40000040", 2},
                                   {2, Spelling::number, "2", 3}});
  REQUIRE(joined.size() == 3);
  CHECK(joined[1].word == word);
  CHECK(joined[1].line == 2);
  CHECK(joined[1].text == "0x00010042 0x40000040");
}

TEST_CASE("lists of words: comments, empty lines and the number of the line") {
  const auto list = word_list("# words\n0x1\n\n  0x2 # second\n");
  REQUIRE(list.has_value());
  REQUIRE(list->size() == 2);
  CHECK((*list)[0].line == 2);
  CHECK((*list)[1].line == 4);
  CHECK_FALSE(word_list("").has_value());
  CHECK_FALSE(word_list("# nothing").has_value());
  CHECK_FALSE(word_list("0x1 0x2").has_value());
}

TEST_CASE("what of an operand can be mapped: extents and sizes of elements at their bounds") {
  const SmemDescriptor descriptor(word, default_target());
  const auto maps = [&](std::int64_t mn, std::int64_t k, int bits) {
    try {
      operand_map(descriptor, {mn, k}, bits, Major::K);
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  const std::int64_t most = operand_map_limit;
  CHECK(maps(1, most, 16));
  CHECK(maps(most, 1, 16));
  CHECK(maps(2, most / 2, 16));
  CHECK_FALSE(maps(1, most + 1, 16));
  CHECK_FALSE(maps(most + 1, 1, 16));
  CHECK_FALSE(maps(2, most / 2 + 1, 16));
  CHECK_FALSE(maps(0, 1, 16));
  CHECK_FALSE(maps(1, 0, 16));
  CHECK_FALSE(maps(std::int64_t{1} << 33, std::int64_t{1} << 33, 16));
  for (const int bits : {1, 2, 4, 8, 16, 32, 64, 128}) CHECK(maps(1, 1, bits));
  for (const int bits : {-8, 0, 3, 6, 12, 24, 127, 129, 256}) CHECK_FALSE(maps(1, 1, bits));
}

}  // namespace
}  // namespace swz
