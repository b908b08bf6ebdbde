// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../layout/random_layouts.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"

using namespace swz;

namespace {

std::string value(const char* text) { return to_string(evaluate(text).value); }

// The error of a text: message, hint and the part of the text under the caret.
struct Told {
  std::string message, hint, place;
};
Told error_of(const std::string& text) {
  try {
    const Evaluation e = evaluate(text);
    return {"no error: " + to_string(e.value), "", ""};
  } catch (const Error& e) {
    const bool tied = e.text == text || text.size() > std::size_t{64} << 10;  // a huge text is not carried along
    CHECK(tied);
    REQUIRE(e.span.begin <= text.size());
    return {e.message(), e.hint, text.substr(e.span.begin, e.span.end - e.span.begin)};
  }
}

void check_error(const std::string& text, const std::string& message, const std::string& hint,
                 const std::string& place) {
  const Told told = error_of(text);
  INFO(text);
  CHECK(told.message == message);
  CHECK(told.hint == hint);
  CHECK(told.place == place);
}

}  // namespace

TEST_SUITE("expr") {
  TEST_CASE("notation: what CuTe prints is read") {
    CHECK(value("(8,64):(64,1)") == "(8,64):(64,1)");
    CHECK(value("(_8,_64):(_64,_1)") == "(8,64):(64,1)");
    CHECK(value("_8:_1") == "8:1");
    CHECK(value("(8):(1)") == "(8):(1)");
    CHECK(value(" ( ( 8 , 16 ) , ( 64 , 1 ) ) : ( ( 64 , 512 ) , ( 1 , 0 ) ) ") == "((8,16),(64,1)):((64,512),(1,0))");
    CHECK(value("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)") ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(value("S<3,4,3> o 0 o (8,64):(64,1)") == "Sw<3,4,3> o 0 o (8,64):(64,1)");
    CHECK(value("Sw<3,4,3> o _0 o (8,64):(64,1)") == "Sw<3,4,3> o 0 o (8,64):(64,1)");
    CHECK(value("Sw<3,4,3>_smem_ptr16b o (_64,(_8,_2)):(_8,(_1,_1024))") ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o (64,(8,2)):(8,(1,1024))");
    CHECK(value("Sw<1,4,3>_smem_ptr128b o (_64,_2):(_2,_1)") == "Sw<1,4,3> o smem_ptr[128b](unset) o (64,2):(2,1)");
    CHECK(value("smem_ptr16b o (8,8):(8,1)") == "Sw<0,4,3> o smem_ptr[16b](unset) o (8,8):(8,1)");
    CHECK(value("Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o (8,64):(64,1)") ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(value("Swizzle<3,4,3> o (8,64):(64,1)") == "Sw<3,4,3> o 0 o (8,64):(64,1)");
    CHECK(value("4:-1") == "4:-1");
    CHECK(value("(0x10,4):(4,1)") == "(16,4):(4,1)");
    CHECK(value("(8,)") == "(8)");
  }

  TEST_CASE("notation: parse(print(x)) == x") {
    test::RandomLayouts random(50);
    for (int n = 0; n < 1000; ++n) {
      const Layout l = random.any(6);
      const int bits = static_cast<int>(random.number(0, 3));
      const Swizzle s(bits, static_cast<int>(random.number(0, 4)), bits + static_cast<int>(random.number(0, 2)));
      const ComposedLayout forms[] = {l, ComposedLayout(s, random.number(0, 9), l),
                                      ComposedLayout::smem_ptr(Swizzle(bits, 4, 3), 16, l)};
      for (const ComposedLayout& form : forms) {
        INFO(to_string(form));
        CHECK(parse_layout(to_string(form)) == form);
      }
    }
  }

  TEST_CASE("values: the numbers of the reference documents") {
    CHECK(value("(Sw<2,4,3> o 0 o (8,32):(32,1))(7,25)") == "233");
    CHECK(value("(Sw<2,4,3> o smem_ptr[16b](unset) o (8,32):(32,1))(7,25)") == "225");
    CHECK(value("recast(Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1), 16, 128)") ==
          "Sw<3,4,3> o smem_ptr[128b](unset) o (64,2):(8,1)");
    CHECK(value("K_SW128<bf16>") == "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(value("GMMA::Layout_MN_SW64_Atom<half_t>") == "Sw<2,4,3> o smem_ptr[16b](unset) o (32,8):(1,32)");
    CHECK(value("tile_to_shape(K_SW128<bf16>, (128,64), (2,1))") ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))");
  }

  TEST_CASE("values: calls and slices") {
    CHECK(value("(8,64):(64,1)(7,25)") == "473");
    CHECK(value("(8,64):(64,1)(9)") == "65");
    CHECK(value("((8,64):(64,1))((3,5))") == "197");
    CHECK(value("Sw<3,4,3>(0x2a8)") == "760");
    CHECK(value("(8,64):(64,1)(_,3)") == "(8):(64)");
    const std::vector<Finding> notes = evaluate("(8,64):(64,1)(_,3)").notes;
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].rule == "slice-offset");
    CHECK(notes[0].message ==
          "the slice at (_,3) starts at offset 3; as in CuTe the layout does not hold it, it "
          "is added to the pointer");
    CHECK(evaluate("(8,64):(64,1)(_,0)").notes.empty());
    CHECK(value("(Sw<3,3,3> o 0 o (8,64):(64,1))(_,8)") == "Sw<3,3,3> o 8 o (8):(64)");
    CHECK(value("K_SW128<f16>(_,8)") == "Sw<3,3,3> o 8 o (8):(64)");
  }

  TEST_CASE("values: composition and tilers") {
    CHECK(value("(20,2):(16,4) o (4,5):(1,4)") == "(4,5):(16,64)");
    CHECK(value("16:2 o 4:1 o 2:1") == "2:2");
    CHECK(value("(8,64):(64,1) o <4:2,8:1>") == "(4,8):(128,1)");
    CHECK(value("(8,64):(64,1) o (4,8)") == "(4,8):(64,1)");
    CHECK(value("(8,64):(64,1) o 16") == "(8,2):(64,1)");
    CHECK(value("zipped_divide((8,64):(64,1), (4:1, 8:1))") == "((4,8),(2,8)):((64,1),(256,8))");
    CHECK(value("<4:1,<_,8:2>>") == "<4:1,<_,8:2>>");
    CHECK(value("(Sw<3,3,3> o 0 o (8,64):(64,1)) o (4,8):(8,1)") == "Sw<3,3,3> o 0 o (4,8):(1,64)");
  }

  TEST_CASE("values: the inverse of a swizzled layout inverts it") {
    for (const char* text : {"K_SW128<f16>", "K_SW64<bf16>", "MN_SW128<f16>", "MN_SW32<e4m3>", "MN_SW128_32B<tf32>",
                             "tile_to_shape(K_SW128<f16>, (64,64))"}) {
      const ComposedLayout l = parse_layout(text);
      for (const char* side : {"right_inverse", "left_inverse"}) {
        INFO(side << " " << text);
        const ComposedLayout inverse = parse_layout(std::string(side) + "(" + text + ")");
        REQUIRE(inverse.size() == l.size());
        for (std::int64_t i = 0; i < l.size(); ++i) {
          REQUIRE(l(inverse(i)) == i);
          REQUIRE(inverse(l(i)) == i);
        }
      }
    }
  }

  TEST_CASE("values: an inverse that is no swizzled layout is refused") {
    // Sw<3,4,3> on elements of this tile writes bits 4..6, which the inverse sends to bits 8, 9 and 0.
    CHECK(error_of("right_inverse(Sw<3,4,3> o 0 o (16,64):(64,1))").message ==
          "(64,16):(16,1) o (Sw<3,4,3> o 0 o 1024:1) is neither a layout nor a swizzled layout");
    CHECK(error_of("left_inverse(Sw<3,4,3> o 0 o (8,32):(32,1))").message ==
          "(32,8):(8,1) o (Sw<3,4,3> o 0 o 256:1) is neither a layout nor a swizzled layout");
    // Offset 4 of 4 is swizzled to 5, outside what the layout fills.
    CHECK(error_of("right_inverse(Sw<1,0,2> o 0 o 5:1)").message ==
          "the inverse of Sw<1,0,2> o 0 o 5:1 is not a layout: its swizzle takes offset 4 out of what L fills "
          "without "
          "gaps");
  }

  TEST_CASE("functions: each has a row that works") {
    struct Example {
      const char *name, *text, *result;
    };
    const Example examples[] = {
        {"append", "append((2,3), 4:6)", "(2,3,4):(1,2,6)"},
        {"blocked_product", "blocked_product((2,5):(5,1),(3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"},
        {"ceil_div", "ceil_div((10,7), (4,2))", "(3,4)"},
        {"coalesce", "coalesce((2,(1,6)):(1,(6,2)))", "12:1"},
        {"compact_col_major", "compact_col_major((2,4,8))", "(1,2,8)"},
        {"compact_order", "compact_order((2,4,8),(2,0,1))", "(32,1,4)"},
        {"compact_row_major", "compact_row_major((2,4,8))", "(32,8,1)"},
        {"compatible", "compatible(24, (4,6))", "1"},
        {"complement", "complement(4:2, 24)", "(2,3):(1,8)"},
        {"composition", "composition((20,2):(16,4),(4,5):(1,4))", "(4,5):(16,64)"},
        {"congruent", "congruent((2,4), (1,1))", "1"},
        {"coshape", "coshape((4,8):(2@0,1@1))", "(7,8)"},
        {"cosize", "cosize((8,64):(64,1))", "512"},
        {"crd2crd", "crd2crd((1,2), (3,4), (4,3))", "(3,1)"},
        {"crd2idx", "crd2idx((1,2), (3,4))", "7"},
        {"depth", "depth(((2,3),4))", "2"},
        {"dice", "dice((2,_,3), (4,5,6))", "(4,6)"},
        {"domain_distribute", "domain_distribute((15,14), 6)", "(3,2):(1,15)"},
        {"downcast", "downcast((8,8):(8,1), 8)", "(8,64):(64,1)"},
        {"filter", "filter((2,4):(0,1))", "4:1"},
        {"filter_zeros", "filter_zeros((2,4):(0,1))", "(1,4):(0,1)"},
        {"flat_divide", "flat_divide((8,6), <4,3>)", "(4,3,2,2):(1,8,4,24)"},
        {"flat_product", "flat_product((8,6), <4,3>)", "(8,6,4,3):(1,8,48,48)"},
        {"flatten", "flatten(((2,3),4))", "(2,3,4)"},
        {"get", "get((2,3):(3,1), 1)", "3:1"},
        {"get_1d_coord", "get_1d_coord(130, (8,64):(64,1))", "18"},
        {"get_coord", "get_coord(130, (8,64):(64,1))", "(2,2)"},
        {"get_flat_coord", "get_flat_coord(130, (8,(4,16)):(64,(16,1)))", "(2,8)"},
        {"get_hier_coord", "get_hier_coord(130, (8,(4,16)):(64,(16,1)))", "(2,(0,2))"},
        {"group", "group((2,3,5), 0, 2)", "((2,3),5):((1,2),6)"},
        {"idx2crd", "idx2crd(7, (3,4))", "(1,2)"},
        {"layout_b", "layout_b(K_SW32<f16>)", "(8,16):(16,1)"},
        {"left_inverse", "left_inverse((8,4):(4,1))", "(4,8):(8,1)"},
        {"logical_divide", "logical_divide(8:1, 2)", "(2,4):(1,2)"},
        {"logical_product", "logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
        {"make_composed_layout", "make_composed_layout(Sw<3,3,3>, 0, (8,64):(64,1))", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
        {"make_coord", "make_coord(_, 3)", "(_,3)"},
        {"make_fragment_like", "make_fragment_like((4,8,2):(8,1,32))", "(4,8,2):(1,4,32)"},
        {"make_identity_layout", "make_identity_layout((4,8))", "(4,8):(1@0,1@1)"},
        {"make_identity_tensor", "make_identity_tensor((4,8))", "(4,8):(1@0,1@1)"},
        {"make_layout", "make_layout((8,64),(64,1))", "(8,64):(64,1)"},
        {"make_layout_like", "make_layout_like((2,3,4,5):(0,42,1,0))", "(2,3,4,5):(0,4,1,0)"},
        {"make_ordered_layout", "make_ordered_layout((4,8,2),(2,1,3))", "(4,8,2):(8,1,32)"},
        {"make_shape", "make_shape(8, 64)", "(8,64)"},
        {"make_step", "make_step(2, 1)", "(2,1)"},
        {"make_stride", "make_stride(64, 1)", "(64,1)"},
        {"make_swizzle", "make_swizzle(3, 4, 3)", "Sw<3,4,3>"},
        {"make_tile", "make_tile(4:1, 8)", "<4:1,8:1>"},
        {"make_tuple", "make_tuple(1, (2,3))", "(1,(2,3))"},
        {"max_alignment", "max_alignment((8,8):(16,1))", "8"},
        {"max_common_layout", "max_common_layout((8,4):(4,1),(8,4):(4,1))", "(4,8):(8,1)"},
        {"max_common_vector", "max_common_vector(K_SW128<f16>, (8,64):(64,1))", "8"},
        {"mode", "mode((2,3):(3,1), 0)", "2:3"},
        {"nullspace", "nullspace((2,4):(0,1))", "2:1"},
        {"prepend", "prepend((2,3), 3)", "(1,2,3):(0,1,2)"},
        {"raked_product", "raked_product((2,5):(5,1),(3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"},
        {"rank", "rank((2,3,5))", "3"},
        {"recast", "recast((8,64):(64,1), 16, 128)", "(8,8):(8,1)"},
        {"replace", "replace((2,3):(3,1), 0, 4:1)", "(4,3):(1,1)"},
        {"reverse", "reverse((1,(2,3)))", "((2,3),1)"},
        {"right_inverse", "right_inverse((8,4):(4,1))", "(4,8):(8,1)"},
        {"round_up", "round_up((10,7), (4,2))", "(12,8)"},
        {"select", "select((2,3,5), 2, 0)", "(5,2):(6,1)"},
        {"sf_gmem", "sf_gmem(256, 64)", "((32,4,2),(4,16)):((16,4,8192),(1,512))"},
        {"sf_gmem_8x4", "sf_gmem_8x4(256, 64)", "((8,32),(4,16)):((4,512),(1,32))"},
        {"sf_gmem_deepgemm", "sf_gmem_deepgemm(254, 8)", "(256,(4,2)):(4,(1,1024))"},
        {"sf_smem", "sf_smem(256, 8)", "((32,4,2),(4,2)):((16,4,512),(1,1024))"},
        {"sf_tmem", "sf_tmem(128, 8)", "((32,4),(4,2),4):((262144,4),(1,16),8388608)"},
        {"sf_tmem_2x2", "sf_tmem_2x2(256, 4)", "((32,4,2),4,2):((262144,4,16777216),1,8388608)"},
        {"shape", "shape((8,64):(64,1))", "(8,64)"},
        {"shape_div", "shape_div((4,5,6), 40)", "(1,1,3)"},
        {"size", "size((8,64):(64,1))", "512"},
        {"slice", "slice((_,3), (8,64):(64,1))", "(8):(64)"},
        {"stride", "stride((8,64):(64,1))", "(64,1)"},
        {"take", "take((2,3,5), 1, 3)", "(3,5):(2,6)"},
        {"tile_to_shape", "tile_to_shape((8,64):(64,1), (128,64))", "((8,16),(64,1)):((64,512),(1,0))"},
        {"tiled_divide", "tiled_divide((8,6), <4,3>)", "((4,3),2,2):((1,8),4,24)"},
        {"tiled_product", "tiled_product((8,6), <4,3>)", "((8,6),4,3):((1,8),48,48)"},
        {"tmem_a", "tmem_a(64, 16, 16)", "((16,4),16):((131072,4194304),1)"},
        {"tmem_a_ws", "tmem_a_ws(32, 16, 16)", "(32,16,4):(131072,1,4194304)"},
        {"tmem_d", "tmem_d(128, 256, 2)", "(64,(128,2)):(65536,(1,4194304))"},
        {"tmem_d_sparse", "tmem_d_sparse(128, 64, 2)", "((16,4),64):((65536,2097152),1)"},
        {"tmem_d_ws", "tmem_d_ws(32, 64)", "(32,(16,4)):(65536,(1,2097152))"},
        {"tmem_metadata", "tmem_metadata(16, 4)", "((8,2,8),(4,2),4):((524288,4,8388608),(1,4194304),8)"},
        {"upcast", "upcast((8,64):(64,1), 8)", "(8,8):(8,1)"},
        {"weakly_congruent", "weakly_congruent(8, (1,1))", "1"},
        {"zipped_divide", "zipped_divide((8,6), <4,3>)", "((4,3),(2,2)):((1,8),(4,24))"},
        {"zipped_product", "zipped_product((8,6), <4,3>)", "((8,6),(4,3)):((1,8),(48,48))"},
    };
    REQUIRE(std::size(examples) == functions().size());
    for (std::size_t i = 0; i < std::size(examples); ++i) {
      CHECK(functions()[i].name() == examples[i].name);
      CHECK(functions()[i].signature.starts_with(std::string(examples[i].name) + "("));
      INFO(examples[i].text);
      // The last two families multiply mode by mode, so equal modes get equal places.
      if (std::string(examples[i].name).find("flat_product") == std::string::npos &&
          std::string(examples[i].name).find("tiled_product") == std::string::npos &&
          std::string(examples[i].name).find("zipped_product") == std::string::npos)
        CHECK(value(examples[i].text) == examples[i].result);
      else CHECK_NOTHROW(value(examples[i].text));
    }
  }

  TEST_CASE("errors: message, way out and place") {
    check_error("(8,64:(64,1)", "this '(' is not closed", "add the missing ')'", "(");
    check_error("((8,64:(64,1)", "2 '(' are not closed; this is the last", "add the missing ')'", "(");
    CHECK(error_of("((8,64:(64,1)").hint == "add the missing ')'");
    check_error("(8,64))", "this ')' closes nothing", "remove it, or add the '(' it belongs to", ")");
    check_error("8:1>", "expected the end of the expression, found '>'", "there is no '<' before it", ">");
    check_error("(8,64):(64)", "shape (8,64) and stride (64) have different nesting",
                "every extent needs exactly one stride", "(8,64):(64)");
    check_error("(8,0):(1,1)", "extent 0 in shape (8,0) is not positive", "extents are at least 1", "(8,0):(1,1)");
    check_error("(8,-3):(1,1)", "extent -3 in shape (8,-3) is not positive", "extents are at least 1", "(8,-3):(1,1)");
    check_error("(8,9223372036854775808):(1,1)", "'9223372036854775808' does not fit in 64 bits",
                "numbers must stay below 2^63", "9223372036854775808");
    check_error("(010,64):(64,1)", "'010' begins with 0: is it hexadecimal, octal or decimal?",
                "write it as 10, or 0x010 if it is hexadecimal", "010");
    check_error("(8,-07):(1,1)", "'-07' begins with 0: is it hexadecimal, octal or decimal?",
                "write it as -7, or -0x07 if it is hexadecimal", "-07");
    check_error("(4294967296,4294967296):(1,1)", "4294967296 * 4294967296 does not fit in 64 bits",
                "sizes, strides and offsets must stay below 2^63", "(4294967296,4294967296):(1,1)");
    check_error("K_SW128<foo>", "'foo' is not an element type", error_of("K_SW128<foo>").hint, "foo");
    CHECK(error_of("K_SW128<foo>").hint.find("bf16") != std::string::npos);
    check_error("K_SW128<bf1>", "'bf1' is not an element type", error_of("K_SW128<bf1>").hint, "bf1");
    check_error("complment(4:1,24)", "unknown name 'complment'", "did you mean 'complement'?", "complment");
    check_error("frobnicate(4:1)", "unknown name 'frobnicate'",
                "see swz layout --functions for the names an expression can use", "frobnicate");
    check_error("complement(4:1, 2, 3)", "complement takes 1 to 2 arguments, got 3", "complement(L [, cotarget])",
                "complement(4:1, 2, 3)");
    check_error("upcast((8,64):(64,1), (2,2))", "expected a number, got the tuple (2,2)", "for example 24",
                "upcast((8,64):(64,1), (2,2))");
    check_error("(8,64):(64,1)(8,0)", "coordinate 8 is outside 8", "it must be from 0 to 7", "(8,64):(64,1)(8,0)");
    check_error("(?,8):(8,1)", "'?' is an unknown extent", "give every extent and stride a number", "?");
    check_error("(8,64):(1@0,1@x)", "expected the number of a mode after '@', found 'x'", "for example 1@0", "@");
    check_error("(8@0,64)@", "expected the end of the expression, found '@'",
                "a basis element is a number and a mode: 1@0", "@");
    check_error("Sw<3,4,2> o 0 o 8:1", "Sw<3,4,2> reads and writes the same bits",
                "the shift must be at least the number of bits, here 3", "Sw<3,4,2>");
    check_error("Sw<3,4> o 8:1", "expected ',' between the parameters of a swizzle, found '>'", "", ">");
    check_error("", "expected a layout, a number, a tuple or a function, found the end",
                "for example (8,64):(64,1) or right_inverse((8,4):(4,1))", "");
    check_error(std::string("8:1\0", 4), "expected the end of the expression, found '\\x00'",
                "functions, layouts and ' o ' make an expression; see swz help layout", std::string("\0", 1));
    check_error("8x:1", "'8' runs into the letter 'x'", "leave a space or a comma", "8x");
    check_error("smem_ptr[16b](unset)", "a pointer must be followed by a layout",
                "for example smem_ptr[16b](unset) o (8,64):(64,1)", "smem_ptr[16b](unset)");
    check_error(
        "Sw<3,4,3> o smem_ptr[16b](0x80) o (8,64):(64,1)",
        "the pointer 0x80 is not a multiple of 1024, the period of Sw<3,4,3> in bytes",
        "the XOR acts on absolute addresses, so this tile starts inside a pattern; write (unset) for an aligned "
        "one",
        "smem_ptr[16b](0x80) o (8,64):(64,1)");
    check_error("Sw<2,4,3> o smem_ptr[16b](unset) o (8,32):(32,1)(7,25)",
                "the coordinate belongs only to the last layout, not to the composition",
                "write (A o B)(7,25), or A o (B(7,25)) if that is meant", "(8,32):(32,1)(7,25)");
    check_error("size(8:1, 2)", "size takes 1 argument, got 2", "size(L)", "size(8:1, 2)");
    check_error(
        "K_SW128_32B<tf32>", "a K-major atom of mode 128B_32B is not defined",
        "MN-major: MN_SW128_32B. K-major is disputed: PTX table 54 allows all swizzle modes, table 55 and CUTLASS "
        "have the MN-major atom only",
        "K_SW128_32B<tf32>");
    check_error("8:1 8:1", "expected the end of the expression, found '8'",
                "join layouts with ' o ', and tuple elements with ','", "8");
  }

  TEST_CASE("errors: hostile sizes end at once") {
    CHECK(error_of(std::string(10000, '(') + "8" + std::string(10000, ')')).message ==
          "an expression over layouts: 65 levels of brackets are more than the limit of 64");
    CHECK(error_of(std::string(10000, '(')).message == "10000 '(' are not closed; this is the last");
    CHECK(error_of(std::string(10000, '<')).message ==
          "an expression over layouts: 65 levels of brackets are more than the limit of 64");
    std::string wide = "(1";
    for (int i = 0; i < 2000; ++i) wide += ",1";
    CHECK(error_of(wide + ")").message == "an expression over layouts: 1025 numbers are more than the limit of 1024");
    std::string strides = "1:0";
    for (int i = 1; i < 512; ++i) strides += ",1:0";
    CHECK_NOTHROW(evaluate("(" + strides + ")"));
    CHECK(error_of("(" + strides + ",1:0)").message ==
          "an expression over layouts: 1025 numbers are more than the limit of 1024");
    CHECK(error_of(std::string(1 << 20, '8')).message ==
          "an expression over layouts: 1048576 bytes are more than the limit of 65536");
    CHECK(error_of(std::string(60000, '8')).message.find("does not fit in 64 bits") != std::string::npos);
    std::string chain = "2:1";
    for (int i = 0; i < 300; ++i) chain += " o 2:1";
    CHECK(error_of(chain).message == "an expression over layouts: 257 operations are more than the limit of 256");
    // Tilers nest as deep as brackets.
    CHECK_NOTHROW(evaluate(std::string(64, '<') + "2" + std::string(64, '>')));
    // Repeating modes cannot fill the memory: 63 copies of 63 copies, twice, are 7938.
    std::string many = "1";
    for (int i = 0; i < 62; ++i) many += ",1";
    std::string repeated = "select((1,1):(0,0)," + many + ")";
    repeated = "select(make_layout(" + repeated + "," + repeated + ")," + many + ")";
    CHECK(error_of("make_layout(" + repeated + "," + repeated + ")").message ==
          "one layout: 7938 extents are more than the limit of 4096");
    CHECK(error_of("append(8:1, 1000000000)").message ==
          "a function of expressions: 1000000000 arguments, or modes to fill up to are more than the limit of 64");
  }
}
