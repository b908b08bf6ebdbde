// SPDX-License-Identifier: Apache-2.0
// The bounds of what expressions are read from: first and last character of each range, numbers at their ends, how many
// arguments each function takes, how deep and how long a text may be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/c_expression.hpp"
#include "expr/evaluate.hpp"
#include "expr/scanner.hpp"

using namespace swz;

namespace {

// "64", "none" or the message.
std::string integer(std::string_view text) {
  try {
    const auto number = Scanner(text).integer();
    return number ? std::to_string(*number) : "none";
  } catch (const Error& error) {
    return error.message();
  }
}

std::string value(std::string_view text) {
  try {
    return to_string(evaluate(text).value);
  } catch (const Error& error) {
    return error.message();
  }
}

std::string c_value(std::string_view text) {
  try {
    return std::to_string(CExpression(text)(0));
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace

TEST_CASE("scanner: integers and what follows them") {
  for (const auto& given : {std::pair{"0", "0"},
                            {"9", "9"},
                            {"_64", "64"},
                            {"-1", "-1"},
                            {"_-1", "-1"},
                            {"0x9", "9"},
                            {"0xa", "10"},
                            {"0xf", "15"},
                            {"0xA", "10"},
                            {"0XF", "15"},
                            {"0x40", "64"},
                            {"-0x10", "-16"},
                            {"007", "'007' begins with 0: is it hexadecimal, octal or decimal?"},
                            {"9223372036854775807", "9223372036854775807"},
                            {"0x7fffffffffffffff", "9223372036854775807"},
                            {"-9223372036854775807", "-9223372036854775807"},
                            {" \t\r\n1", "1"},
                            {"1`", "1"},
                            {"1{", "1"},
                            {"1@", "1"},
                            {"1[", "1"},
                            {"1_", "1"},
                            {"1/", "1"},
                            {"1:", "1"}})
    CHECK_MESSAGE(integer(given.first) == given.second, std::string(given.first));
  for (const char* text : {"", "-", "_", "/", ":", "a", "--1", "__1", "-_1", "\v1", "\f1", "+1"})
    CHECK_MESSAGE(integer(text) == "none", std::string(text));
  for (const char* letter : {"a", "g", "z", "A", "G", "Z"})
    CHECK(integer(fmt::format("1{}", letter)) == fmt::format("'1' runs into the letter '{}'", letter));
  for (const char* letter : {"g", "z", "G", "Z"})
    CHECK(integer(fmt::format("0x1{}", letter)) == fmt::format("'0x1' runs into the letter '{}'", letter));
  CHECK(integer("0x") == "'0x' has no digits");
  CHECK(integer("0xg") == "'0x' has no digits");
  CHECK(integer("9223372036854775808") == "'9223372036854775808' does not fit in 64 bits");
  CHECK(integer("-9223372036854775808") == "'-9223372036854775808' does not fit in 64 bits");
  CHECK(integer("0x8000000000000000") == "'0x8000000000000000' does not fit in 64 bits");
}

TEST_CASE("scanner: names and words") {
  const auto name = [](std::string_view text) { return std::string(Scanner(text).identifier()); };
  for (const char* text : {"a", "z", "A", "Z", "a_0", "a9z", "cute::Swizzle"}) CHECK(name(text) == text);
  for (const char* text : {"@", "[", "`", "{", "_a", "0a", ""}) CHECK(name(text).empty());
  CHECK(name("ab-c") == "ab");
  CHECK(name("ab:c") == "ab");
  CHECK(std::string(Scanner("a::<8>").type_name()) == "a::");
  CHECK(std::string(Scanner("__half x").type_name()) == "__half");
  for (const char* behind : {"", " ", "(", "-", "`", "{", "@", "[", "/", ":"})
    CHECK(Scanner(fmt::format("unset{}", behind)).accept_word("unset"));
  for (const char* behind : {"a", "z", "A", "Z", "0", "9", "_"}) {
    const std::string text = fmt::format("unset{}", behind);
    CHECK_FALSE(Scanner(text).accept_word("unset"));
  }
  const auto before = [](std::string_view text) { return Scanner(text).integer_before('b').value_or(-1); };
  CHECK(before("16b") == 16);
  CHECK(before(" 16b]") == 16);
  CHECK(before("16") == -1);
  CHECK(before("16c") == -1);
  CHECK(before("b") == -1);
  CHECK(before("99999999999999999999b") == -1);
  Scanner places("a bc");
  CHECK(places.peek() == 'a');
  CHECK(places.peek(1) == ' ');
  CHECK(places.peek(3) == 'c');
  CHECK(places.peek(4) == '\0');
  CHECK(places.accept('a'));
  CHECK(places.position() == 1);
  CHECK_FALSE(places.accept('c'));
  CHECK(places.found() == "found 'b'");
  CHECK(places.accept("bc"));
  CHECK(places.at_end());
  CHECK(places.found() == "found the end");
  // A letter of two bytes is named whole.
  const std::string utf8 = "\xc3\xa9x";
  CHECK(Scanner(utf8).here().end == 2);
}

TEST_CASE("swizzles and pointers: parameters at both ends, bits of an element, addresses") {
  CHECK(value("Sw<0,62,0>").find("Sw<") == 0);
  CHECK(value("Sw<0,0,62>").find("Sw<") == 0);
  CHECK(value("Sw<0,0,-62>").find("Sw<") == 0);
  CHECK(value("Sw<31,0,31>") == "Sw<31,0,31>");
  CHECK(value("Sw<31,0,-31>") == "Sw<31,0,-31>");
  CHECK(value("Sw<1,30,31>") == "Sw<1,30,31>");
  CHECK(value("Sw<1,31,31>") == "Sw<1,31,31> reaches beyond bit 62");
  CHECK(value("Sw<1,31,-31>") == "Sw<1,31,-31> reaches beyond bit 62");
  CHECK(value("Sw<31,1,31>") == "Sw<31,1,31> reaches beyond bit 62");
  CHECK(value("Sw<62,0,62>") == "Sw<62,0,62> reaches beyond bit 62");
  CHECK(value("Sw<1,62,1>") == "Sw<1,62,1> reaches beyond bit 62");
  CHECK(value("Sw<63,0,62>") == "expected a small number in a swizzle, got 63");
  CHECK(value("Sw<0,63,0>") == "expected a small number in a swizzle, got 63");
  CHECK(value("Sw<0,0,-63>") == "expected a small number in a swizzle, got -63");
  CHECK(value("Sw<-1,0,0>") == "Sw<-1,0,0> has a negative number of bits or base");
  CHECK(value("Sw<0,-1,0>") == "Sw<0,-1,0> has a negative number of bits or base");
  CHECK(value("Sw<3,4,2>") == "Sw<3,4,2> reads and writes the same bits");
  CHECK(value("Sw<3,4,-2>") == "Sw<3,4,-2> reads and writes the same bits");
  CHECK(value("Sw<3,4,-3>") == "Sw<3,4,-3>");
  CHECK_THROWS_AS(Swizzle(0, 63, 0), Error);
  CHECK_THROWS_AS(Swizzle(0, 0, 63), Error);
  CHECK_THROWS_AS(Swizzle(0, 0, -63), Error);
  CHECK_NOTHROW(Swizzle(0, 62, 0));
  const auto pointer = [](const std::string& bits) {
    return value("Sw<0,4,3> o smem_ptr[" + bits + "b](unset) o (8):(1)");
  };
  CHECK(pointer("1").find("(8):(1)") != std::string::npos);
  CHECK(pointer("1048576").find("(8):(1)") != std::string::npos);
  CHECK(pointer("0") == "smem_ptr needs the bits of an element");
  CHECK(pointer("-8") == "smem_ptr needs the bits of an element");
  CHECK(pointer("1048577") == "smem_ptr needs the bits of an element");
  CHECK(pointer("2097152") == "smem_ptr needs the bits of an element");
  CHECK(pointer("12").find("an element of 12 bits has no address of its own") != std::string::npos);
  CHECK(value("Sw<3,4,3> o smem_ptr[16b](0) o (8,64):(64,1)") ==
        value("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"));
  CHECK(value("Sw<3,4,3> o smem_ptr[16b](-1) o (8):(1)").find("expected 'unset' or an address") == 0);
  CHECK(value("Sw<3,4,3>_smem_ptr16b o (8,64):(64,1)") == value("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"));
  CHECK(value("Sw<3,4,3> o smem_ptr[256b](unset) o (8):(1)").find("would tear elements of 256 bits apart") !=
        std::string::npos);
  CHECK(value("Sw<3,4,3> o smem_ptr[128b](unset) o (8):(1)").find("Sw<3,4,3> o smem_ptr[128b]") == 0);
}

TEST_CASE("offsets of a swizzle: from 0 to below 2^62") {
  CHECK(value("Sw<1,0,1> o -1 o (2):(1)").find("would act on the negative offset -1") != std::string::npos);
  CHECK(value("Sw<1,0,1> o 0 o (2):(1)") == "Sw<1,0,1> o 0 o (2):(1)");
  CHECK(value("Sw<1,0,1> o 1 o (2):(-1)") == "Sw<1,0,1> o 1 o (2):(-1)");
  CHECK(value("Sw<1,0,1> o 0 o (2):(-1)").find("would act on the negative offset -1") != std::string::npos);
  CHECK(value("Sw<1,0,1> o 4611686018427387903 o (1):(1)").find("Sw<1,0,1> o") == 0);
  CHECK(value("Sw<1,0,1> o 4611686018427387904 o (1):(1)") == "offset 4611686018427387904 is beyond 2^62");
  CHECK(value("Sw<1,0,1> o 4611686018427387903 o (2):(1)") == "offset 4611686018427387904 is beyond 2^62");
}

TEST_CASE("functions: how many arguments each takes, one fewer and one more") {
  struct Row {
    const char* name;
    std::size_t least, most;
  };
  const Row rows[] = {{"append", 2, 3},
                      {"blocked_product", 2, 2},
                      {"ceil_div", 2, 2},
                      {"coalesce", 1, 2},
                      {"compact_col_major", 1, 2},
                      {"compact_order", 2, 2},
                      {"compact_row_major", 1, 2},
                      {"compatible", 2, 2},
                      {"complement", 1, 2},
                      {"composition", 2, 2},
                      {"congruent", 2, 2},
                      {"coshape", 1, 1},
                      {"cosize", 1, 1},
                      {"crd2crd", 3, 3},
                      {"crd2idx", 2, 3},
                      {"depth", 1, 1},
                      {"dice", 2, 2},
                      {"domain_distribute", 2, 2},
                      {"downcast", 2, 2},
                      {"filter", 1, 2},
                      {"filter_zeros", 1, 2},
                      {"flat_divide", 2, 2},
                      {"flat_product", 2, 2},
                      {"flatten", 1, 1},
                      {"get", 2, 2},
                      {"get_1d_coord", 2, 2},
                      {"get_coord", 2, 2},
                      {"get_flat_coord", 2, 2},
                      {"get_hier_coord", 2, 2},
                      {"group", 3, 3},
                      {"idx2crd", 2, 3},
                      {"layout_b", 1, 1},
                      {"left_inverse", 1, 1},
                      {"logical_divide", 2, 2},
                      {"logical_product", 2, 2},
                      {"make_composed_layout", 3, 3},
                      {"make_coord", 1, 64},
                      {"make_fragment_like", 1, 1},
                      {"make_identity_layout", 1, 1},
                      {"make_identity_tensor", 1, 1},
                      {"make_layout", 1, 64},
                      {"make_layout_like", 1, 1},
                      {"make_ordered_layout", 2, 2},
                      {"make_shape", 1, 64},
                      {"make_step", 1, 64},
                      {"make_stride", 1, 64},
                      {"make_swizzle", 2, 3},
                      {"make_tile", 1, 64},
                      {"make_tuple", 1, 64},
                      {"max_alignment", 1, 1},
                      {"max_common_layout", 2, 2},
                      {"max_common_vector", 2, 2},
                      {"mode", 2, 2},
                      {"nullspace", 1, 1},
                      {"prepend", 2, 3},
                      {"raked_product", 2, 2},
                      {"rank", 1, 1},
                      {"recast", 3, 3},
                      {"replace", 3, 3},
                      {"reverse", 1, 1},
                      {"right_inverse", 1, 1},
                      {"round_up", 2, 2},
                      {"select", 2, 64},
                      {"sf_gmem", 2, 2},
                      {"sf_gmem_8x4", 2, 2},
                      {"sf_gmem_deepgemm", 2, 2},
                      {"sf_smem", 2, 2},
                      {"sf_tmem", 2, 2},
                      {"sf_tmem_2x2", 2, 2},
                      {"shape", 1, 1},
                      {"shape_div", 2, 2},
                      {"size", 1, 1},
                      {"slice", 2, 2},
                      {"stride", 1, 1},
                      {"take", 3, 3},
                      {"tile_to_shape", 2, 3},
                      {"tiled_divide", 2, 2},
                      {"tiled_product", 2, 2},
                      {"tmem_a", 3, 4},
                      {"tmem_a_ws", 3, 3},
                      {"tmem_d", 2, 3},
                      {"tmem_d_sparse", 2, 3},
                      {"tmem_d_ws", 2, 2},
                      {"tmem_metadata", 1, 2},
                      {"upcast", 2, 2},
                      {"weakly_congruent", 2, 2},
                      {"zipped_divide", 2, 2},
                      {"zipped_product", 2, 2}};
  REQUIRE(functions().size() == std::size(rows));
  for (const Row& e : rows) {
    CAPTURE(e.name);
    const Function* function = find_function(e.name);
    REQUIRE(function != nullptr);
    CHECK(function->min_arguments == e.least);
    CHECK(function->max_arguments == e.most);
    const auto refused = [&](std::size_t count) {
      const std::vector<Value> arguments(count, IntTuple(1));
      try {
        call_function(*function, arguments);
      } catch (const Error& error) {
        return error.message();
      }
      return std::string("taken");
    };
    const std::string range = e.least == e.most ? std::to_string(e.least) : fmt::format("{} to {}", e.least, e.most);
    const std::string takes = fmt::format("{} takes {} argument{}, got ", e.name, range, e.most == 1 ? "" : "s");
    CHECK(refused(e.least - 1) == takes + std::to_string(e.least - 1));
    CHECK(refused(e.most + 1) == takes + std::to_string(e.most + 1));
    CHECK(refused(e.least).find(" takes ") == std::string::npos);
    CHECK(refused(e.most).find(" takes ") == std::string::npos);
  }
}

TEST_CASE("functions: first and last mode, and the one after it") {
  CHECK(value("mode((2,3,4),0)") == "2:1");
  CHECK(value("mode((2,3,4),2)") == "4:6");
  CHECK(value("mode((2,3,4),-1)") == "-1 is not a mode number");
  CHECK(value("mode((2,3,4),3)").find("mode") != std::string::npos);
  CHECK(value("select((2,3,4),2,0)") == "(4,2):(6,1)");
  CHECK(value("select((2,3,4),-1)") == "select: mode -1 does not exist");
  CHECK(value("take((2,3,4),0,3)") == "(2,3,4):(1,2,6)");
  CHECK(value("take((2,3,4),1,2)") == "(3):(2)");
  CHECK(value("take((2,3,4),1,1)") == "take: modes [1, 1) are not in (2,3,4):(1,2,6)");
  CHECK(value("take((2,3,4),0,4)") == "take: modes [0, 4) are not in (2,3,4):(1,2,6)");
  CHECK(value("group((2,3,4),0,3)") == "((2,3,4)):((1,2,6))");
  CHECK(value("group((2,3,4),1,3)") == "(2,(3,4)):(1,(2,6))");
  CHECK(value("group((2,3,4),2,4)") == "group: modes [2, 4) are not in (2,3,4):(1,2,6)");
  CHECK(value("replace((2,3),1,4)") == "(2,4):(1,1)");
  CHECK(value("replace((2,3),2,4)").find("replace: modes [2, 3) are not in") == 0);
  CHECK(value("crd2idx((1,2),(8,64))") == "17");
  CHECK(value("crd2idx((1,2),(8,64):(64,1))") == "66");
  CHECK(value("(8):(1) o Sw<1,0,1>") == "Sw<1,0,1> o 0 o 8:1");
  CHECK(value("Sw<3,4,3>(0)") == "0");
  CHECK(value("Sw<3,4,3>(-1)") == "Sw<3,4,3> of the negative number -1");
  CHECK(value("max_common_layout((4,8):(1,4),(4,8):(1,4))") == "32:1");
  CHECK(value("max_common_layout((4,8):(1,4),(4,8):(8,1))") == "1:0");
  CHECK(value("append((2,3),64)").find("(2,3,1,") == 0);
  CHECK(value("append((2,3),65)").find("65 arguments, or modes to fill up to are more than the limit of 64") !=
        std::string::npos);
  CHECK(value("append((2,3),2)") == "(2,3):(1,2)");
  CHECK(value("append((2,3),3)") == "(2,3,1):(1,2,0)");
  CHECK(value("prepend((2,3),3)") == "(1,2,3):(0,1,2)");
  CHECK(value("prepend((2,3),4,5)") == "(5,5,2,3):(1,1,1,2)");
}

TEST_CASE("C expressions: digits, comparisons at their boundary, shifts, how deep, how long") {
  for (const auto& given : {std::pair{"3 < 3", "0"},
                            {"2 < 3", "1"},
                            {"3 <= 3", "1"},
                            {"4 <= 3", "0"},
                            {"3 > 3", "0"},
                            {"4 > 3", "1"},
                            {"3 >= 3", "1"},
                            {"2 >= 3", "0"},
                            {"3 == 3", "1"},
                            {"3 == 4", "0"},
                            {"3 != 3", "0"},
                            {"3 != 4", "1"},
                            {"!0", "1"},
                            {"!1", "0"},
                            {"!2", "0"},
                            {"-1", "18446744073709551615"},
                            {"~0", "18446744073709551615"},
                            {"1 << 63", "9223372036854775808"},
                            {"-1 >> 63", "1"},
                            {"7 / 2", "3"},
                            {"7 % 2", "1"},
                            {"2 && 3", "1"},
                            {"2 && 0", "0"},
                            {"0 || 3", "1"},
                            {"0 || 0", "0"},
                            {"2 || 0", "1"},
                            {"0 ? 5 : 6", "6"},
                            {"2 ? 5 : 6", "5"},
                            {"2 & 2 != 3", "0"},
                            {"2 & 2 == 2", "0"},
                            {"1 | 2 ^ 3", "1"},
                            {"4 ^ 4 & 2", "4"},
                            {"1 == 2 < 3", "1"},
                            {"1 < 1 << 1", "1"},
                            {"1 << 1 + 1", "4"},
                            {"1 + 2 * 3", "7"},
                            {"8 - 4 - 2", "2"},
                            {"16 / 4 / 2", "2"},
                            {"0b1010", "10"},
                            {"0xfF", "255"},
                            {"1'0", "10"},
                            {"1_0", "10"},
                            {"9u", "9"},
                            {"1zZ", ""},
                            {"1aA", ""}})
    CHECK_MESSAGE((*given.second != '\0' ? c_value(given.first) == given.second
                                         : c_value(given.first).find(given.first) != std::string::npos),
                  std::string(given.first));
  CHECK(c_value("1 << 64").find("shift past bit 63 at addr = 0") == 0);
  CHECK(c_value("1 >> 64").find("shift past bit 63 at addr = 0") == 0);
  CHECK(c_value("1 / 0").find("division by zero at addr = 0") == 0);
  CHECK(c_value("1 % 0").find("remainder of a division by zero at addr = 0") == 0);
  CHECK(c_value("0 / 1") == "0");
  const auto nested = [](std::size_t n) { return c_value(std::string(n, '(') + "1" + std::string(n, ')')); };
  CHECK(nested(64) == "1");
  CHECK(nested(65) == "a C expression: 65 levels of brackets and unary operators are more than the limit of 64");
  CHECK(c_value(std::string(64, '~') + "1") == "1");
  CHECK(c_value(std::string(65, '~') + "1").find("65 levels") != std::string::npos);
  const auto sum = [](int operands) {
    std::string text = "1";
    for (int i = 1; i < operands; ++i) text += "+1";
    return c_value(text);
  };
  // n operands and n - 1 operators.
  CHECK(sum(128) == "128");
  CHECK(sum(129) == "a C expression: 257 operations and operands are more than the limit of 256");
  CHECK(c_value("1" + std::string(4095, ' ')) == "1");
  CHECK(c_value("1" + std::string(4096, ' ')) == "a C expression: 4097 bytes are more than the limit of 4096");
}

TEST_CASE("C expressions: symbols that change a variable, and those that do not") {
  for (const char* text :
       {"1++1", "1--1", "1**1", "1+=1", "1-=1", "1<<=1", "1>>=1", "1&=1", "1|=1", "1^=1", "1%=1", "--1"})
    CHECK_MESSAGE(c_value(text).find("changes a variable or is not an operator of C") != std::string::npos,
                  std::string(text));
  for (const auto& given : {std::pair{"1 + +1", ""},
                            {"1 - -1", "2"},
                            {"1<=1", "1"},
                            {"1>=1", "1"},
                            {"1==1", "1"},
                            {"1!=1", "0"},
                            {"- -1", "1"},
                            {"1&&1", "1"},
                            {"1||1", "1"},
                            {"1& ~1", "0"}})
    if (*given.second != '\0') CHECK_MESSAGE(c_value(given.first) == given.second, std::string(given.first));
}

TEST_CASE("expressions: how deep, how many numbers and operations") {
  const auto nested = [](std::size_t n) { return value(std::string(n, '(') + "1" + std::string(n, ')')); };
  CHECK(nested(64).find("more than the limit") == std::string::npos);
  CHECK(nested(65).find("more than the limit of 64") != std::string::npos);
  const auto numbers = [](int n) {
    std::string text = "(1";
    for (int i = 1; i < n; ++i) text += ",1";
    return value(text + ")");
  };
  CHECK(numbers(1024).find("more than the limit") == std::string::npos);
  CHECK(numbers(1025).find("more than the limit of 1024") != std::string::npos);
  const auto operations = [](int n) {
    std::string text = "(2):(1)";
    for (int i = 0; i < n; ++i) text += " o (2):(1)";
    return value(text);
  };
  CHECK(operations(256).find("more than the limit") == std::string::npos);
  CHECK(operations(257).find("more than the limit of 256") != std::string::npos);
}
