// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "expr/c_expression.hpp"
#include "expr/swizzle_lint.hpp"

namespace swz {
namespace {

std::string complaint(const std::string& text) {
  try {
    CExpression f(text);
    for (std::uint64_t x = 0; x < 70; ++x) f(x, x);
    return "";
  } catch (const Error& e) {
    CHECK(e.text == (text.size() > 4096 ? "" : text));
    return e.message() + " | " + e.hint + " | " + text.substr(e.span.begin, e.span.end - e.span.begin);
  }
}

// What a C++ compiler makes of the same text.
#define AGREES(expression)                                                                   \
  do {                                                                                       \
    const CExpression f(#expression);                                                        \
    for (std::uint64_t addr : {0ULL, 1ULL, 2ULL, 7ULL, 16ULL, 0x2a8ULL, 0xffffULL, ~0ULL}) { \
      CAPTURE(addr);                                                                         \
      CHECK(f(addr) == static_cast<std::uint64_t>(expression));                              \
    }                                                                                        \
  } while (false)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-compare"

TEST_CASE("precedence and association are the compiler's, pair by pair") {
  AGREES(addr | 3u ^ 5u & 6u);
  AGREES(addr & 3u ^ addr | 8u);
  AGREES(addr ^ addr >> 3u & 0x70u);
  AGREES(addr ^ (addr >> 4u & 7u ^ addr >> 7u & 7u) << 4u);
  AGREES(addr << 1u + 2u);
  AGREES(addr - 5u - 3u);
  AGREES(addr * 3u % 7u / 2u);
  AGREES(100u / 7u * 7u);
  AGREES(addr >> 2u >> 1u);
  AGREES(~addr & 0xffu);
  AGREES(-addr + 3u);
  AGREES(- -addr);
  AGREES(!addr + !0u);
  AGREES(addr == 7u & 1u);
  AGREES(addr < 16u == 1u);
  AGREES(addr <= 16u != addr >= 2u);
  AGREES(addr > 1u ? addr < 9u ? 1u : 2u : 3u);
  AGREES(addr ? 1u : addr ? 2u : 3u);
  AGREES(addr && addr >> 1u || !addr);
  AGREES(addr || 1u && 0u);
  AGREES(0x70ull + 0b101 + 1'000 + 12UL);
}

#pragma GCC diagnostic pop

TEST_CASE("&&, || and ?: leave out what C leaves out") {
  CHECK(CExpression("addr ? 8 / addr : 5")(0) == 5);
  CHECK(CExpression("addr && 8 / addr")(0) == 0);
  CHECK(CExpression("!addr || 8 / addr")(0) == 1);
  CHECK(CExpression("addr && 8 / addr")(9) == 0);
}

TEST_CASE("coordinates, another name of the address, constants") {
  const CExpression f("row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)");
  CHECK(f.has_coordinates());
  for (std::uint64_t row = 0; row < 16; ++row)
    for (std::uint64_t col = 0; col < 64; ++col)
      CHECK(f(row, col) == row * 64 + (((col / 8) ^ (row % 8)) * 8 + col % 8));
  CHECK(CExpression("i ^ i >> 1", "i")(6) == 5);
  CHECK(CExpression(" 1_000 ")(3) == 1000);
}

TEST_CASE("what is refused, with the place") {
  CHECK(complaint("addr / (addr - 3)") == "division by zero at addr = 3 | make sure that the divisor is never 0 | /");
  CHECK(complaint("row % col") ==
        "remainder of a division by zero at row = 0, col = 0 | make sure that the divisor is never 0 | %");
  CHECK(complaint("1 << addr") == "shift past bit 63 at addr = 64 | numbers have 64 bits: shift by 0 to 63 | <<");
  CHECK(complaint("adr ^ 1") ==
        "unknown name 'adr' | did you mean 'addr'? an address is called addr, a coordinate row and col; --var adr "
        "calls the address so, --row and --col name a coordinate | adr");
  CHECK(complaint("addr + row") ==
        "both addr and row are named | an expression is one of an address, or one of a row and a column | row");
  CHECK(complaint("addr + uint32_t") ==
        "'uint32_t' is a type | a cast is (uint32_t)x, and its value follows | uint32_t");
  CHECK(complaint("addr += 1") ==
        "'+=' changes a variable or is not an operator of C | an expression has a value and changes nothing | +=");
  CHECK(complaint("addr++") ==
        "'++' changes a variable or is not an operator of C | an expression has a value and changes nothing | ++");
  CHECK(complaint("addr = 5") ==
        "expected an operator, found '=' | only the right side of an assignment: an expression | =");
  CHECK(complaint("addr;") == "expected an operator, found ';' | one expression, without the ';' | ;");
  CHECK(complaint("(addr") == "this '(' is not closed | add the missing ')' | (");
  CHECK(complaint("addr)") == "this ')' closes nothing | remove it, or add the '(' it belongs to | )");
  CHECK(complaint("addr 7") == "expected an operator, found '7' |  | 7");
  CHECK(complaint("addr ^") == "expected a number, a name or '(', found the end |  | ");
  CHECK(complaint("010") == "'010' begins with 0: is it hexadecimal, octal or decimal? | hexadecimal: 0x010 | 010");
  CHECK(complaint("0x1ffffffffffffffff") ==
        "'0x1ffffffffffffffff' does not fit in 64 bits | numbers have 64 bits | 0x1ffffffffffffffff");
  CHECK(complaint("12z") ==
        "'12z' is not a decimal number: 'z' is not a decimal digit | for example 112, 0x70 or 0b1110000 | 12z");
  CHECK(complaint("addr ? 1") == "expected ':' between the two answers of ?, found the end |  | ");
  CHECK(complaint("") == "the expression is empty | for example 'addr ^ ((addr >> 3) & 0x70)' | ");
  CHECK(complaint(std::string(1 << 20, 'a')) ==
        "a C expression: 1048576 bytes are more than the limit of 4096 | no address needs that many | ");
  CHECK(complaint(std::string(2000, '(')).starts_with("a C expression: 65 levels of brackets and unary operators"));
  CHECK(complaint(std::string(2000, '~')).starts_with("a C expression: 65 levels of brackets and unary operators"));
  std::string sum = "addr";
  for (int i = 0; i < 300; ++i) sum += "+1";
  CHECK(complaint(sum).starts_with("a C expression: 257 operations and operands are more than"));
}

TEST_CASE("where an expression is read as affine, it is: random expressions, every argument of 9 bits") {
  std::mt19937_64 random(5);
  const auto term = [&](const auto& self, int depth) -> std::string {
    if (depth == 0 || random() % 5 == 0) return random() % 3 == 0 ? std::to_string(random() % 64) : "addr";
    constexpr const char* symbols[] = {"^", "&", "|", "+", "-", "*", "/", "%", "<<", ">>", "^", "&", ">>"};
    const char* symbol = symbols[random() % 13];
    const bool by_number = random() % 2 == 0;
    const std::string right = by_number ? std::to_string(1 + random() % 9) : self(self, depth - 1);
    return std::string(random() % 8 == 0 ? "~" : "") + "(" + self(self, depth - 1) + symbol + right + ")";
  };
  int affine = 0, other = 0;
  for (int n = 0; n < 4000; ++n) {
    const std::string text = term(term, 4);
    CAPTURE(text);
    const CExpression f(text);
    const auto map = affine_of(f, 9);
    (map ? affine : other) += 1;
    if (!map) continue;
    for (std::uint64_t x = 0; x < 512; ++x) REQUIRE(f(x) == (*map)(x));
  }
  CHECK(affine > 400);
  CHECK(other > 400);
}

TEST_CASE("coordinates as affine maps: all of 16 x 32") {
  const CExpression f("row * 32 + ((col / 8 ^ row % 4) * 8 | col % 8)");
  const auto map = affine_of(f, 9, 5);
  REQUIRE(map.has_value());
  for (std::uint64_t x = 0; x < 512; ++x) CHECK((*map)(x) == f(x / 32, x % 32));
  CHECK(!affine_of(CExpression("row * 33 + col"), 9, 5));
}

TEST_CASE("lint: the same answer by algebra and by a table of the same function") {
  for (const char* text : {"addr ^ ((addr >> 3) & 0x70)", "addr ^ (addr >> 4 & 7 ^ addr >> 7 & 7) << 4", "addr & ~0x40",
                           "addr ^ ((addr >> 2) & 0x60)", "addr", "addr ^ 0x10"}) {
    CAPTURE(std::string(text));
    const SwizzleLint fast = lint_swizzle({CExpression(text)});
    // Comparisons are not read as affine.
    const SwizzleLint slow = lint_swizzle({CExpression("(" + std::string(text) + ") * (addr == addr)")});
    CHECK(!slow.is_by_algebra);
    CHECK(fast.is_by_algebra);
    CHECK(fast.lint == slow.lint);
  }
}

TEST_CASE("lint: a published function maps 1024 byte addresses onto 128") {
  const SwizzleLint s = lint_swizzle(
      {CExpression("offset ^ (((offset >> 4) & ((1 << 3) - 1)) ^ ((offset >> 7) & ((1 << 3) - 1))) << 4", "offset")});
  CHECK(s.lint.inputs == 1024);
  CHECK(s.lint.values == 128);
  CHECK(s.lint.collision == AddressCollision{0, 16, 0});
  CHECK(!s.lint.is_bijective());
  CHECK(s.equal() == nullptr);
}

TEST_CASE("lint: every mode on bytes and on elements, and the wrong unit is named") {
  for (const SwizzleMode& mode : swizzle_modes()) {
    for (const char* dtype : {"", "f16", "f32", "e2m1"}) {
      SwizzleLintRequest r{CExpression("0")};
      if (dtype[0] != 0) r.dtype = &require_dtype(dtype);
      const int log2_unit = r.dtype == nullptr ? 0 : r.dtype->memory_bits == 4 ? -1 : r.dtype->memory_bits / 16;
      const auto swizzle = in_units(mode.byte_swizzle(), log2_unit);
      REQUIRE(swizzle.has_value());
      const std::string text = "addr ^ ((addr & " + std::to_string(swizzle->read_mask()) + ") >> 3)";
      r.expression = CExpression(mode.bits == 0    ? "addr"
                                 : mode.shift == 3 ? text
                                                   : "addr ^ ((addr & " + std::to_string(swizzle->read_mask()) +
                                                         ") >> " + std::to_string(mode.shift) + ")");
      const SwizzleLint s = lint_swizzle(std::move(r));
      REQUIRE(s.equal() != nullptr);
      CHECK(s.equal()->mode->name == mode.name);
      CHECK(s.is_whole_period);
    }
  }
  const SwizzleLint elements = lint_swizzle({CExpression("addr ^ ((addr >> 3) & 0x38)")});
  REQUIRE(elements.other_unit.has_value());
  CHECK(elements.other_unit->mode->name == "128B");
  CHECK(elements.other_unit->unit == Bytes{2});
}

TEST_CASE("lint: coordinates against the canonical tiles; padding is no collision") {
  const auto lint = [](const char* text, std::uint64_t rows, std::uint64_t cols) {
    SwizzleLintRequest r{CExpression(text), &require_dtype("f16"), {}, rows, cols};
    return lint_swizzle(std::move(r));
  };
  const SwizzleLint k = lint("row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)", 128, 64);
  REQUIRE(k.equal() != nullptr);
  CHECK(k.equal()->mode->name == "128B");
  CHECK(k.equal()->layout == "K-major");
  CHECK(k.is_by_algebra);
  CHECK(lint("row * 40 + col", 16, 32).lint.is_injective());
  CHECK(!lint("row * 40 + col", 16, 32).lint.is_bijective());
  const SwizzleLint plain = lint("row * 48 + col", 16, 48);
  CHECK(!plain.is_by_algebra);
  REQUIRE(plain.equal() != nullptr);
  CHECK(plain.equal()->layout == "row by row");
  CHECK(lint("row * 16 + col", 16, 32).lint.collision == AddressCollision{16, 32, 16});
}

TEST_CASE("lint: 50 bits without enumeration; another expression has a limit of inputs") {
  SwizzleLintRequest wide{CExpression("addr ^ (addr >> 40)"), nullptr, std::uint64_t{1} << 50};
  CHECK(lint_swizzle(std::move(wide)).lint.is_bijective());
  SwizzleLintRequest large{CExpression("addr * 3"), nullptr, std::uint64_t{1} << 21};
  CHECK_THROWS_WITH(lint_swizzle(std::move(large)),
                    "a C expression that is not linear over GF(2): 2097152 inputs are more than the limit of 262144");
  SwizzleLintRequest none{CExpression("row + col")};
  CHECK_THROWS_WITH(lint_swizzle(std::move(none)), "an expression in row and col needs the extents of the tile");
}

}  // namespace
}  // namespace swz
