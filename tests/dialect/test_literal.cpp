// SPDX-License-Identifier: Apache-2.0
// Literals: what MLIR and Python write, and the places of what is wrong.
#include <doctest/doctest.h>

#include "dialect/literal.hpp"

using namespace swz;

TEST_CASE("attributes of MLIR") {
  const Literal l = parse_literal("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  CHECK(l.is_call("#ttg.swizzled_shared"));
  CHECK(l.require("perPhase").integer() == 2);
  CHECK(l.require("order").integers() == std::vector<std::int64_t>{1, 0});
  CHECK(l.find("hasLeadingOffset") == nullptr);
  const Literal padded = parse_literal("#ttg.padded_shared<[128:+8, 256:+4] {order = [1, 0], shape = [64, 64]}>");
  REQUIRE(padded.positional().size() == 1);
  CHECK(padded.positional()[0]->items[1].items[0].number == 256);
  CHECK(padded.positional()[0]->items[1].items[1].number == 4);
  CHECK(padded.require("shape").integers() == std::vector<std::int64_t>{64, 64});
  const Literal type = parse_literal("!ttg.memdesc<64x128xbf16, #shared, #smem, mutable>");
  CHECK(type.items[0].text == "64x128xbf16");
  CHECK(type.items[1].text == "#shared");
  const Literal bases = parse_literal("#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>");
  CHECK(bases.require("alignment").integer() == 16);
}

TEST_CASE("calls of Python") {
  const Literal l = parse_literal("gl.BlockedLayout([1, 4], [32, 1], [4, 1], order=[1, 0])");
  CHECK(l.is_call("gl.BlockedLayout"));
  CHECK(l.require("threads_per_warp", 1).integers() == std::vector<std::int64_t>{32, 1});
  CHECK(l.require("order", 3).integers() == std::vector<std::int64_t>{1, 0});
  const Literal tiling = parse_literal("Tiling((64, 8)(16, 8)(2,))");
  CHECK(tiling.items.size() == 3);
  CHECK(tiling.items[2].integers() == std::vector<std::int64_t>{2});
  CHECK(parse_literal("f(a=-7, b=True)").require("a").integer() == -7);
}

TEST_CASE("an argument by position and by its name stands twice") {
  const Literal l = parse_literal("f(1, 2, b=3)");
  CHECK(l.find("a", 0)->integer() == 1);
  CHECK(l.find("b", 2)->integer() == 3);
  CHECK(l.find("", 0) == &l.items[0]);
  CHECK_THROWS_WITH_AS(l.find("b", 1), "'b' stands twice", Error);
}

TEST_CASE("what is wrong is named with its place") {
  const auto message = [](const char* text) {
    try {
      (void)parse_literal(text);
      return std::string("read at 0");
    } catch (const Error& e) {
      return e.message() + " at " + std::to_string(e.span.begin);
    }
  };
  CHECK(message("") == "expected a number, a name or a list, found the end at 0");
  CHECK(message("f([1, 2)") == "expected a number, a name or a list, found ')' at 7");
  CHECK(message("f<[1, 2>") == "expected ',' or ']', found '>' at 7");
  CHECK(message("f<[1 2]>") == "expected ',' or ']', found '2' at 5");
  CHECK(message("f<[1, 2,]>") == "expected another item after ',', found ']' at 8");
  CHECK(message("f<[1, 2], >") == "expected another item after ',', found '>' at 10");
  CHECK(message("f([1 2,])") == "read at 0");
  CHECK(message("f<[64:8]>") == "expected '+' and a number after ':', found '8' at 6");
  CHECK(message("f<[64:+ 8] {a = 1}>") == "read at 0");
  CHECK(message("f<[+64:+8]>") == "expected a number, a name or a list, found '+' at 3");
  CHECK(message("f([1, 2]") == "this '(' is not closed at 1");
  CHECK(message("f(1) x") == "expected the end of the layout, found 'x' at 5");
  CHECK(message("f(99999999999999999999)") == "a number does not fit in 64 bits at 2");
  CHECK(message("f(a=1, b=2, a=3)") == "'a' stands twice at 14");
  CHECK(message("f<{a = 1, a = 1}>") == "'a' stands twice at 14");
  CHECK(message("f(g(a=1), g(a=1))") == "read at 0");
  CHECK(message("f('a)") == "a string is not closed, found ''' at 2");
  CHECK(message(std::string(70, '[').c_str()).starts_with("an expression over layouts: 65 levels"));
}
