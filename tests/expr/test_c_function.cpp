// SPDX-License-Identifier: Apache-2.0
// Whole functions and casts: the same values as the expression that they contain.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "expr/c_expression.hpp"

namespace swz {
namespace {

const char* const plain = "row*64 + ((col/8 ^ row%8)*8 + col%8)";

std::string refusal(const std::string& text) {
  try {
    CExpression f(text);
    return "read";
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

TEST_CASE("functions, lambdas and bodies have the value of their expression at every coordinate") {
  const CExpression wanted(plain);
  for (const char* text :
       {"int swz(int row, int col) { return row*64 + ((col/8 ^ row%8)*8 + col%8); }",
        "[](int i, int j) { return i*64 + ((j/8 ^ i%8)*8 + j%8); }",
        "auto f = [=](auto const& r, auto const& c) -> int { return r*64 + ((c/8 ^ r%8)*8 + c%8); };",
        "int c = (col >> 3) ^ (row & 7); return row*64 + c*8 + (col & 7);",
        "template <int N> __device__ __forceinline__ uint32_t f(uint32_t r, uint32_t c) {\n  // chunk\n  uint32_t "
        "k = c >> 3; "
        "k ^= r & 7; /* done */ return r * 64 + (k << 3 | c % 8);\n}",
        "#define SWZ(y, x) ((y)*64 + (((x)/8 ^ (y)%8)*8 + (x)%8))",
        "static_cast<int>(row)*64 + ((uint8_t)(col/8 ^ row%8)*8 + (unsigned int)col%8)",
        "int f(int col, int row) { return row*64 + ((col/8 ^ row%8)*8 + col%8); }",
        "int x = col ? col/8 : 0; int a = row; a = a*64 + ((x ^ row%8)*8 + col%8); return a;"}) {
    CAPTURE(text);
    const CExpression f(text);
    for (std::uint64_t row = 0; row < 16; ++row)
      for (std::uint64_t col = 0; col < 64; ++col) REQUIRE(f(row, col) == wanted(row, col));
  }
  CHECK(CExpression("i*64 + j", CNames{"addr", "i", "j"})(3, 5) == 197);
  CHECK(CExpression("uint32_t f(uint32_t a) { a ^= (a >> 3) & 0x70; return a; }")(0x2a8) == 0x2f8);
  CHECK(CExpression("(uint8_t)addr")(0x1ff) == 0xff);
  CHECK(CExpression("(uint16_t)~addr")(0) == 0xffff);
  CHECK(CExpression("(bool)addr + bool(0)")(7) == 1);
  CHECK(CExpression("(uint32_t)addr")(0x1ffffffff) == 0x1ffffffff);
}

TEST_CASE("what is not a function of an address or of a coordinate is refused") {
  CHECK(refusal("int f(int a, int b, int c) { return a; }") ==
        "the function has 3 parameters | one is an address, two are a row and a column: write the others as numbers");
  CHECK(refusal("int f(int a) { for (;;) ; return a; }") ==
        "'for' is not read | write the address as one expression, with ?: for a choice");
  CHECK(refusal("int f(int a) { int c = a; }") ==
        "the function has no return | its last statement is return and the address");
  CHECK(refusal("int f(int a) { return a * LD; }") ==
        "unknown name 'LD' | write constants and template arguments as numbers");
  CHECK(refusal("(int8_t)addr") ==
        "'int8_t' has a sign and 8 bits: no address needs that | numbers have 64 bits without a sign: leave it "
        "out, or mask "
        "the value");
  for (const char* text :
       {"{", "{}", "return", "int f() { return 1; }", "int f(int) { return 1; }", "#define", "#define X",
        "int f(int a) { return a", "int f(int a) { int; return a; }", "return addr } x", "/*", "/* return"})
    CHECK(refusal(text) != "read");
}

}  // namespace
}  // namespace swz
