// SPDX-License-Identifier: Apache-2.0
// Numbers that are no words: operands of a computation, and the encodings in a listing of machine code.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "descriptor/computed_word.hpp"
#include "descriptor/text_numbers.hpp"
#include "descriptor/word_text.hpp"

namespace swz {
namespace {

// What the last number of the text is an operand of.
std::string last(std::string_view text) { return std::string(computation_with(text, numbers_of(text).back())); }
std::string first(std::string_view text) { return std::string(computation_with(text, numbers_of(text).front())); }

TEST_CASE("an operand on either side of an operator, with casts and parentheses") {
  for (const char* sign : {"|", "&", "^", "+", "*", "-", "<<", ">>"}) {
    const std::string text = std::string("0x42 ") + sign + " 0x4000004000010000";
    CAPTURE(text);
    CHECK(last(text) == text);
    CHECK(first(text) == text);
  }
  CHECK(last("desc = 0x42 | (uint64_t)0x4000004000010000;") == "0x42 | (uint64_t)0x4000004000010000");
  CHECK(first("(0x42) | (0x4000004000010000)") == "0x42) | (0x4000004000010000");
  CHECK(last("x = (uint64_t)(0x42 | 0x43)") == "0x42 | 0x43");
}

TEST_CASE("what was there before, and what a name holds") {
  CHECK(last("desc |= 0x42;") == "desc |= 0x42");
  CHECK(last("a.desc_ += 2") == "a.desc_ += 2");
  CHECK(last("desc = base | 0x42;") == "base | 0x42");
  CHECK(last("desc_a - desc_b = 0x400") == "desc_a - desc_b = 0x400");
  CHECK(last("or.b64 %rd7, %rd6, 42;") == "or.b64 %rd7, %rd6, 42");
  CHECK(last("mov.b64 %rd6, 1; add.s64 %rd7, %rd6, 42;") == "add.s64 %rd7, %rd6, 42");
}

TEST_CASE("an operator or a function before one number changes it") {
  for (const char* text :
       {"~0x42", "~ 66", "~(0x42)", "~(uint64_t)0x42", "!0x42", "!(0x42)", "- 66", "-(0x42)", "-(uint64_t)0x42",
        "\u221266", "\u2013 66", "-c000001000010040", "__builtin_bswap64(0x42)", "std::byteswap((uint64_t)0x42)"}) {
    CAPTURE(text);
    const std::string name = text;
    CHECK(last(name) == name.substr(name.find("byteswap") == 5 ? 5 : 0));
    CHECK(last("desc = " + name + ", k") == last(name));
  }
  CHECK(last("not.b64 %rd1, 0x42;") == "not.b64 %rd1, 0x42");
  CHECK(last("neg.s64 %rd1, 0x42;") == "neg.s64 %rd1, 0x42");
  for (const char* text :
       {"descriptor-0x42", "desc[0]-0x42", "bits 63-0", "0\u20133", "log - 0x42", "[info] - 66", "desc \u2013 0x42",
        "failed! 0x42", "!!! 0x42", "- 0x42", "-0x42", "desc -> 0x42", "hex(0x42)", "make_uint2(66, 64)"})
    CHECK_MESSAGE(last(text) == "", std::string(text));
}

TEST_CASE("what is no operand") {
  for (const char* text : {"0x4000004000010042", "desc = 0x42", "-66", "a = -66", "(uint64_t)0x42", "mov.b64 %rd7, 42;",
                           "p = &desc; 0x42", "uint64_t *desc = 0x42", "k=0 | 0x4000004000010042", "| 0x42 | 0x43 |",
                           "0x4000004000010042 | 0x4000004000010044", "loss 1.25e+03 desc=0x42", "2026-01-02 0x42",
                           "gemm<<<1, 1>>> 0x42", "desc_a, desc_b = 0x400", "a == 0x42"})
    CHECK(last(text) == "");
  CHECK(first("0x42 | 132 CTAs") == "");
  CHECK(first("0x42 | wgmma") == "");
}

TEST_CASE("a listing of machine code: the place or the encoding of an instruction in comments") {
  CHECK(is_machine_code("  /*0130*/   ULDC.64 UR4, c[0x0][0x208] ;"));
  CHECK(is_machine_code("ULDC.64 UR4, c[0x0][0x208] ;   /* 0x0000820000047ab9 */"));
  CHECK(is_machine_code("first\n          /* 0x003fde0000000a00 */\n"));
  CHECK_FALSE(is_machine_code("/* 0x42 */ 0x4000004000010042"));
  CHECK_FALSE(is_machine_code("desc = 0x42; /* wgmma */"));
  CHECK_FALSE(is_machine_code("/*013*/ 0x42"));
  CHECK_FALSE(is_machine_code("/*"));
  CHECK_FALSE(is_machine_code("x /* 0x000082000004 */"));
  try {
    read_words("/*0130*/ ULDC.64 UR4, c[0x0][0x208] ;  /* 0x0000820000047ab9 */");
    CHECK(false);
  } catch (const Error& error) {
    CHECK(error.message() ==
          "this is a listing of machine code: its words are encodings of instructions, not descriptors");
    CHECK(error.hint ==
          "swz decode takes the word of a descriptor, also as the UMOV of its two halves; swz frag and swz banks "
          "--access "
          "take one instruction, swz kernel takes PTX");
  }
}

}  // namespace
}  // namespace swz
