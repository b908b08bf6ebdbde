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

TEST_CASE("a division of Python is refused, a comment is not") {
  const std::string division =
      "// begins a comment in C, and what follows is a division of Python | write / instead, or put the comment on a "
      "line of its own";
  for (const char* text : {"row // 8 * 64 + col", "addr // 1 ^ ((addr >> 3) & 0x70)", "row//2*8+col",
                           "int f(int i, int j) { int c = j // 8;\n return i * 8 + c; }",
                           "int f(int a) { return a // 16\n; }", "(addr) // 0x10u"}) {
    CAPTURE(text);
    CHECK(refusal(text) == division);
  }
  for (const char* text : {"row*64 + col // bytes", "row*64 + col // 64 rows", "row*64 + // 8\ncol", "row*64 + col //",
                           "row*64 + col // 8, 16", "int f(int i, int j) { return i * 8 + j; // 8\n}",
                           "// 8\nrow*64 + col", "row*64 + col\n// 8"}) {
    CAPTURE(text);
    CHECK(refusal(text) == "read");
  }
}

TEST_CASE("types of 8, 16 and 32 bits keep their low bits: casts, variables, parameters, results") {
  CHECK(CExpression("(uint32_t)(row - 1) >> 28 | col - col")(0, 0) == 15);
  const CExpression f("uint32_t f(uint32_t a) { uint32_t t = a << 22; return a ^ (t >> 29 << 4); }");
  for (std::uint64_t a = 0; a < 4096; ++a) REQUIRE(f(a) == (a ^ (a >> 7 & 7) << 4));
  CHECK(f.address_bits() == 32);
  CHECK(CExpression("uint8_t f(int row, int col) { return row*100 + col; }")(3, 2) == 46);
  CHECK(CExpression("auto f = [](int row, int col) -> uint8_t { return row*100 + col; };")(3, 2) == 46);
  CHECK(CExpression("template <uint8_t N> int f(int row, int col) { return row*100 + col; }")(3, 2) == 302);
  CHECK(CExpression("int f(uint8_t row, int col) { return row*100 + col; }")(258, 2) == 202);
  CHECK(CExpression("int f(int row, int col) { uint8_t c = col; c += 200; return c; }")(0, 100) == 44);
}

TEST_CASE("the sign of an int is not read: an operand of which C would see it is refused") {
  const std::string negative =
      "an operand is negative, and its sign matters, at row = 0, col = 0 | swz computes without a sign, and C has "
      "another value here: keep it above 0";
  const auto at_zero = [](const std::string& text) -> std::string {
    try {
      return std::to_string(CExpression(text)(0, 0));
    } catch (const Error& e) {
      return e.message() + " | " + e.hint;
    }
  };
  for (const char* text : {"int f(int row, int col) { int x = row - 3; return x % 2 + 4 + col; }",
                           "int f(int row, int col) { return ((row - 3) < 0 ? 100 : 0) + col; }",
                           "int f(int row, int col) { return (row - 3) >> 1; }", "(int)(row - 3) / 2 + col",
                           "int f(int row, int col) { int x = row - 3; x /= 2; return x + col; }",
                           "int f(int row, int col) { return (~row >> 1) & 7; }"}) {
    CAPTURE(text);
    CHECK(at_zero(text) == negative);
  }
  CHECK(!affine_of(CExpression("int f(int row, int col) { return (~row >> 1) & 7; }"), 6, 3));
  CHECK(at_zero("int f(int row, int col) { int x = row - 3; return x & 7; }") == "5");
  CHECK(at_zero("int f(int row, int col) { return (row - 3u) % 8; }") == "5");
  CHECK(at_zero("unsigned f(unsigned row, unsigned col) { return (row - 3) % 8; }") == "5");
  CHECK(at_zero("(row - 3) % 8 + col") == "5");
}

TEST_CASE("parameters with the names of a column and a row are these") {
  for (const char* names : {"int col, int row", "int c, int r", "int j, int i", "int x, int y"}) {
    const std::string column(1, names[4]);
    CAPTURE(names);
    const CExpression f("int f(" + std::string(names) + ") { return " + (names[5] == 'o' ? "col" : column) + "; }");
    CHECK(f(3, 5) == 5);
  }
  CHECK(CExpression("int f(int x, int y) { return y*4 + x; }")(1, 2) == 6);
  CHECK(CExpression("int f(int u, int v) { return u*4 + v; }")(1, 2) == 6);
}

}  // namespace
}  // namespace swz
