#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "descriptor/word.hpp"

namespace swz {
namespace {

using namespace std::string_view_literals;

TEST_CASE("every accepted spelling of a word") {
  const std::string_view spellings[] = {"0x4000004000010042",
                                        "0X4000004000010042",
                                        "4611686293305360450",
                                        "0x4000004000010042ull",
                                        "0x4000004000010042UL",
                                        "0x4000'0040'0001'0042",
                                        "0x4000_0040_0001_0042LLU",
                                        " 0x4000004000010042\n",
                                        "0b100000000000000000000000100000000000000000000010000000001000010",
                                        "0x0000000000004000004000010042"};
  for (const std::string_view text : spellings) {
    CAPTURE(text);
    CHECK(parse_word64(text) == 0x4000004000010042ULL);
  }
  CHECK(parse_word64("0") == 0);
  CHECK(parse_word64("0u") == 0);
  CHECK(parse_word64("0xffffffffffffffff") == ~0ULL);
  CHECK(parse_word64("18446744073709551615") == ~0ULL);
  CHECK(parse_word32("0xffffffff") == 0xffffffffU);
  CHECK(parse_word32("4294967295") == 0xffffffffU);
  CHECK(parse_word32("0x00000000'08400490") == 0x08400490U);
}

struct Refused {
  std::string_view text, message, hint;
};

constexpr std::string_view forms = "write a number, for example 0x4000004000010042, 0b1010 or 4611686293305360450";

void check_refused(const Refused& refused, bool narrow = false) {
  CAPTURE(refused.text);
  try {
    if (narrow) parse_word32(refused.text);
    else parse_word64(refused.text);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == refused.message);
    CHECK(e.hint == refused.hint);
    CHECK(e.kind == ErrorKind::input);
  }
}

TEST_CASE("whole messages of refused words") {
  const std::string_view wide = "a shared-memory descriptor has 64 bits, at most 16 hexadecimal digits";
  const Refused all[] = {
      {"", "a descriptor word is empty", forms},
      {" \t", "a descriptor word is empty", forms},
      {"0x", "'0x' has no digits", forms},
      {"0b", "'0b' has no digits", forms},
      {"-1", "'-1' has a sign, but a descriptor word is a pattern of bits", forms},
      {"+5", "'+5' has a sign, but a descriptor word is a pattern of bits", forms},
      {"0x10000000000000000", "'0x10000000000000000' does not fit in 64 bits", wide},
      {"18446744073709551616", "'18446744073709551616' does not fit in 64 bits", wide},
      {"0x12g4", "'0x12g4' is not a hexadecimal number: 'g' is not a hexadecimal digit", forms},
      {"0b102", "'0b102' is not a binary number: '2' is not a binary digit", forms},
      {"c000001000010040", "'c000001000010040' is not a decimal number: 'c' is not a decimal digit",
       "hexadecimal: 0xc000001000010040"},
      {"0000000800800040", "'0000000800800040' begins with 0: is it hexadecimal, octal or decimal?",
       "hexadecimal: 0x0000000800800040"},
      {"0x4000 0040 0001 0042", "'0x4000 0040 0001 0042' is not a hexadecimal number: ' ' is not a hexadecimal digit",
       "write the word in one piece, or separate its digits with _ or '"},
      {"hello", "'hello' is not a decimal number: 'h' is not a decimal digit", forms},
      {"12\0"sv, "'12\\x00' is not a decimal number: '\\x00' is not a decimal digit", forms},
      {"\xff", "'\xff' is not a decimal number: '\xff' is not a decimal digit", forms},
      {"u", "'u' is not a decimal number: 'u' is not a decimal digit", forms},
      {"1.5", "'1.5' is not a decimal number: '.' is not a decimal digit", forms},
  };
  for (const Refused& refused : all) check_refused(refused);
  for (const char* text : {"0x_1", "0x1_", "1__2", "'1", "0x1_u"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_word64(text), Error);
  }
  check_refused({"1__2", "'1__2' is not a decimal number: a separator must be between two digits", forms});
}

TEST_CASE("32-bit words: 33 bits are too many, and where CUTLASS keeps the word") {
  const std::string_view hint =
      "an instruction descriptor has 32 bits; CUTLASS's idescE holds it in the upper half of 64 bits";
  check_refused({"0x100000000", "'0x100000000' does not fit in 32 bits", hint}, true);
  check_refused({"0x0840049000000000", "'0x0840049000000000' does not fit in 32 bits", hint}, true);
  check_refused({"4294967296", "'4294967296' does not fit in 32 bits", hint}, true);
}

TEST_CASE("a long text is answered, not kept") {
  const std::string zeros = "0x" + std::string(1 << 20, '0');
  CHECK(parse_word64(zeros) == 0);
  const std::string ones = "0x" + std::string(1 << 20, '1');
  try {
    parse_word64(ones);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message().size() < 200);
  }
}

}  // namespace
}  // namespace swz
