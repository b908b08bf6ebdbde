// SPDX-License-Identifier: Apache-2.0
// The ways in which C++ and Python write a layout, and what is printed before one: each is read as the layout that is
// meant, or refused with a message.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../layout/random_layouts.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/tiling.hpp"

using namespace swz;

namespace {

std::string value(const std::string& text) {
  try {
    return to_string(evaluate(text).value);
  } catch (const Error& e) {
    return e.message();
  }
}

void refused(const std::string& text, const std::string& message, const std::string& hint) {
  INFO(text);
  try {
    const std::string read = to_string(evaluate(text).value);
    FAIL(read);
  } catch (const Error& e) {
    CHECK(e.message() == message);
    CHECK(e.hint == hint);
    CHECK(e.text == text);
    CHECK_FALSE(e.span.empty());
  }
}

// One tuple as each of the languages writes it.
std::string spelled(const IntTuple& t, const char* tuple, const char* number) {
  if (!t.is_tuple()) return fmt::format(fmt::runtime(number), t.value());
  std::string out;
  for (const IntTuple& child : t.children()) out += (out.empty() ? "" : ", ") + spelled(child, tuple, number);
  return fmt::format(fmt::runtime(tuple), out);
}

}  // namespace

TEST_CASE("cute types: random layouts in every spelling") {
  test::RandomLayouts random(71);
  for (int n = 0; n < 400; ++n) {
    const Layout l = random.any(5);
    const auto both = [&](const char* whole, const char* tuple, const char* number) {
      return fmt::format(fmt::runtime(whole), spelled(l.shape(), tuple, number), spelled(l.stride(), tuple, number));
    };
    for (const std::string& text : {both("Layout<{},{}>{{}}", "Shape<{}>", "_{}"),
                                    both("cute::Layout<{}, {} >", "cute::tuple<{} >", "cute::C<{}>"),
                                    both("Layout<{},{}>()", "tuple<{}>", "std::integral_constant<int, {}>"),
                                    both("Layout<{},{}>", "Stride<{}>", "integral_constant<long, (long){}l>"),
                                    both("make_layout({}, {})", "make_tuple({})", "Int<{}>{{}}"),
                                    both("cute.make_layout({}, stride={})", "({},)", "{}"), both("{}:{}", "[{}]", "{}"),
                                    both("auto sA = make_layout({}, {});", "make_shape({})", "{}")}) {
      INFO(text);
      CHECK(parse_layout(text) == ComposedLayout(l));
    }
    const std::string row_major = to_string(Layout(l.shape(), [&] {
      std::vector<std::int64_t> strides;
      std::int64_t next = 1;
      std::vector<std::int64_t> extents = flat_values(l.shape());
      for (std::size_t i = extents.size(); i-- > 0;) {
        strides.insert(strides.begin(), extents[i] == 1 ? 0 : next);
        next *= extents[i];
      }
      return unflatten(strides, l.shape());
    }()));
    const std::string shape = spelled(l.shape(), "Shape<{}>", "_{}");
    for (const char* right : {"LayoutRight", "GenRowMajor", "cute::LayoutRight{}", "LayoutRight()"}) {
      CHECK(value(fmt::format("Layout<{},{}>", shape, right)) == row_major);
      CHECK(value(fmt::format("make_layout({}{{}}, {})", shape, right)) == row_major);
    }
    for (const char* left : {"LayoutLeft", "GenColMajor{}"})
      CHECK(value(fmt::format("Layout<{},{}>", shape, left)) == to_string(Layout(l.shape())));
    CHECK(value(fmt::format("Layout<{}>", shape)) == to_string(Layout(l.shape())));
  }
}

TEST_CASE("cute types: swizzled layouts") {
  const std::string layout = "Layout<Shape<_8,_64>,Stride<_64,_1>>";
  const std::string plain = "Sw<3,3,3> o 0 o (8,64):(64,1)",
                    pointer = "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)";
  CHECK(value("ComposedLayout<Swizzle<3,3,3>, C<0>, " + layout + ">") == plain);
  CHECK(value("cute::ComposedLayout<cute::Swizzle<3, 3, 3>, cute::C<0>, cute::" + layout + " >{}") == plain);
  CHECK(value("ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, " + layout + ">") == pointer);
  CHECK(value("make_composed_layout(Swizzle<3,4,3>{}, smem_ptr_flag_bits<16>{}, " + layout + "{})") == pointer);
  CHECK(value("composition(Swizzle<3,3,3>{}, " + layout + "{})") == plain);
  CHECK(value("cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))") ==
        plain);
  CHECK(value("make_composed_layout(inner=make_swizzle(3,3,3), offset=0, outer=(8,64):(64,1))") == plain);
  CHECK(value("make_composed_layout(make_swizzle(3,3,3), 5, (8,64):(64,1))") == "Sw<3,3,3> o 5 o (8,64):(64,1)");
  CHECK(value("make_composed_layout((8,64):(64,1), 0, (4,4):(1,8))") == "(4,4):(64,1)");
  CHECK(value("ComposedLayout<Swizzle<3,3,3>, _5, " + layout + ">") == "Sw<3,3,3> o 5 o (8,64):(64,1)");
}

TEST_CASE("cute types: names and pointers before a layout") {
  const std::string layout = "(8,64):(64,1)";
  for (const char* label : {"sA: ",
                            "layout: ",
                            "tCsA : ",
                            "sA.layout() = ",
                            "auto sA = ",
                            "using L = ",
                            "this->sA: ",
                            "ptr[16b](0x7ffd0) o ",
                            "gmem_ptr[16b](0x7f3a00000000) o ",
                            "sA: gmem_ptr[32b](0x10) o ",
                            "gmem_[16b](0x10) o ",
                            "rmem_ptr[8b](0x1) o ",
                            "tmem_[32b](0x0010.00a0) o ",
                            "ptr[16b]((nil)) o ",
                            "counting_iter(4) o ",
                            "gmem_ptr<half_t>(0x10) o ",
                            "GMMA::DescriptorIterator o ",
                            "UMMA::DescriptorIterator o ",
                            "DescriptorIterator o ",
                            "tensor<ptr<f32, gmem, align<16>>> o ",
                            "ptr<f32, gmem, align<16>> o "})
    CHECK_MESSAGE(value(label + layout) == layout, std::string(label));
  CHECK(value("tensor<ptr<f32, gmem, align<16>> o (8,64):(64,1)>") == layout);
  CHECK(value("tensor(raw_ptr(0x0a5f1d50: f32, generic, align<4>) o (8,64):(64,1), data=[[1,2],...])") == layout);
  CHECK(value("Tensor<0x875f580@cpu o (8,64):(64,1)>") == layout);

  const std::string shared = "Sw<3,4,3> o smem_ptr[16b](unset) o " + layout;
  for (const char* text :
       {"Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o ", "Sw<3,4,3>_smem_[16b](0x400) o ", "sA: Sw<3,4,3>_smem_ptr16b o ",
        "Sw<3,4,3> o smem_ptr<half_t>(0x400) o ", "Sw<3,4,3> o smem_ptr<cute::half_t*> o ",
        "tensor<ptr<f16, smem, align<1024>, S<3,4,3>>> o ", "ptr<bf16, smem, align<1024>, S<3,4,3>> o "})
    CHECK_MESSAGE(value(text + layout) == shared, std::string(text));
  CHECK(value("tensor<ptr<f16, smem, align<1024>, S<3,4,3>>, extra<1>> o " + layout) == shared);
  CHECK(value("tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o " + layout + ">") == shared);
  CHECK(value("tensor<ptr<f16, smem, align<1024>> o S<3,3,3> o 0 o " + layout + ">") == "Sw<3,3,3> o 0 o " + layout);
  for (const auto& typed : {std::pair{"f8E4M3FN", 8},
                            {"i8", 8},
                            {"ui32", 32},
                            {"tf32", 32},
                            {"f64", 64},
                            {"cutlass::half_t", 16},
                            {"f4E2M1FN", 4}})
    CHECK(value(fmt::format("ptr<{}, smem, align<1024>, S<2,4,3>> o 64:1", typed.first)) ==
          fmt::format("Sw<2,4,3> o smem_ptr[{}b](unset) o 64:1", typed.second));
}

TEST_CASE("cute types: what is not held is said") {
  const auto noted = [](const char* text) {
    std::string rules;
    for (const Finding& f : evaluate(text).notes) rules += f.rule + ": " + f.message + "\n";
    return rules;
  };
  CHECK(noted("GMMA::DescriptorIterator o (1,1,4):(0,0,2)") ==
        "descriptor-unit: an iterator of descriptors counts 16 bytes, the unit of a start address: offset 2 is 32 "
        "B\n");
  CHECK(noted("gmem_ptr[16b](0x10) o 8:1") == "pointer: the layout does not hold the pointer: offsets count from it\n");
  CHECK(noted("tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o 8:1>") ==
        "pointer-swizzle: the swizzle of a pointer acts on byte addresses, that of a composed layout on offsets in "
        "elements\n");
  CHECK(noted("sA: smem_ptr[16b](unset) o 8:1").empty());
}

TEST_CASE("cute types: tiles, steps and keywords") {
  CHECK(value("make_tile(Layout<_4,_1>{}, 8)") == "<4:1,8:1>");
  CHECK(value("make_tile(4, 8)") == "(4,8)");
  CHECK(value("Tile<_4,Layout<_8,_2>>{}") == "<4:1,8:2>");
  CHECK(value("make_coord(_,3)") == "(_,3)");
  CHECK(value("Step<_1, X, _1>{}") == "(1,_,1)");
  CHECK(value("Layout<Shape<_8,_64>,Stride<_64,_1>>{}(make_coord(7,25))") == "473");
  CHECK(value("Swizzle<3,4,3>{}(0x2a8)") == "760");
  CHECK(value("cute::_8{}") == "8");
  CHECK(value("cute::_") == "_");
  CHECK(value("cute.make_ordered_layout((8, 64), order=(1, 0))") == "(8,64):(64,1)");
  CHECK(value("make_ordered_layout((8,64), LayoutRight{})") == "(8,64):(64,1)");
  CHECK(value("make_ordered_layout((8,64), GenColMajor{})") == "(8,64):(1,8)");
  CHECK(value("make_ordered_layout((1,1,4), LayoutRight{})") == "(1,1,4):(0,0,1)");
  CHECK(value("cutlass.cute.make_layout(shape=(8, 64))") == "(8,64):(1,8)");
  CHECK(value("cute.make_layout(stride=(64,1), shape=(8,64))") == "(8,64):(64,1)");
  CHECK(value("tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(128,64), order=(2,1))") ==
        value("tile_to_shape(K_SW128<f16>, (128,64), (2,1))"));
  CHECK(value("tile_to_shape((2,2), (4,4), LayoutRight{})") == value("tile_to_shape((2,2), (4,4), (2,1))"));
  CHECK(value("tile_to_shape((2,2), (4,4), Step<_2,_1>{})") == value("tile_to_shape((2,2), (4,4), (2,1))"));
}

TEST_CASE("cute types: refused, with the place") {
  const std::string way = "for example Layout<Shape<_8,_64>,Stride<_64,_1>>";
  const std::string signature = "make_layout(shape [, stride]) | make_layout(L, …)";
  for (const char* type : {"int", "unsigned", "int64_t", "std::size_t", "auto"})
    refused(fmt::format("Layout<Shape<{},_64>,Stride<_64,_1>>", type),
            fmt::format("'{}' is an unknown extent", std::string(type).starts_with("std") ? "size_t" : type),
            "give every extent and stride a number");
  refused("Layout<Shape<_8,_64>,Stride<_64,_1>", "expected ',' or '>' in a type, found the end", way);
  refused("Layout<_8,_1,_2>", "Layout has a shape and a stride, got 3 arguments", way);
  refused("Layout<>", "Layout has a shape and a stride, got 0 arguments", way);
  refused("Layout<Shape<_8,_64>,Stride<_64>>", "shape (8,64) and stride (64) have different nesting",
          "every extent needs exactly one stride");
  refused("Layout<Layout<_8,_1>,_1>", "expected a number or a tuple of numbers, got the layout 8:1",
          "for example 24 or (8,(2,4))");
  refused("LayoutRight{}", "LayoutRight stands where no shape is before it",
          "for example make_layout((8,64), LayoutRight)");
  refused("Int<x>", "expected a number in a constant, found '>'", "for example Int<8> or C<8>");
  refused("Shape<>{}", "an empty tuple", "give at least one number");
  refused("make_layout((8,64), strides=(64,1))", "make_layout has no argument 'strides'", signature);
  refused("make_layout(stride=(64,1))", "make_layout lacks the argument before the named ones", signature);
  refused("make_layout((8,64), (64,1), stride=(64,1))", "the argument 'stride' of make_layout is given twice",
          signature);
  refused("make_layout(shape=(8,64), (64,1))", "an argument without a name stands after one with a name", signature);
  refused("make_composed_layout(Sw<3,3,3>, outer=8:1, offset=0)", "expected the argument 'offset', found 'outer'",
          "make_composed_layout(inner, offset, outer)");
  refused("make_composed_layout(8:1, 1, 4:1)", "8:1 o 1 o 4:1 is not a layout",
          "an offset belongs between a swizzle and a layout");
  refused("gmem_ptr[16b](0x10)", "a pointer must be followed by a layout",
          "for example smem_ptr[16b](unset) o (8,64):(64,1)");
  refused("Sw<3,4,3> o gmem_ptr[16b](0x10) o 8:1", "Sw<3,4,3> stands before a pointer that is not into shared memory",
          "a swizzle acts on addresses of shared memory: smem_ptr[16b](unset)");
  refused("gmem_ptr o 8:1", "gmem_ptr needs the bits of an element", "for example gmem_ptr[16b](unset)");
  CHECK(value("ptr<nothing, smem> o 8:1") == value("K_SW128<nothing>"));
  refused("tensor(raw_ptr(0x480: f16, smem, S<3,4,3>) o 8:1)",
          "the pointer 0x480 is not a multiple of 1024, the period of Sw<3,4,3> in bytes",
          "the XOR acts on absolute addresses, so this tile starts inside a pattern; write (unset) for an aligned one");
  refused("make_swizzle(3,4,99)", "expected a small number in a swizzle, got 99",
          "write make_swizzle(3,4,3): bits, base, shift");
}

TEST_CASE("cute types: growth is bounded") {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "Shape<";
  CHECK(value(deep) == "an expression over layouts: 65 levels of brackets are more than the limit of 64");
  std::string composed;
  for (int i = 0; i < 200; ++i) composed += "ComposedLayout<";
  CHECK(value(composed) == "an expression over layouts: 65 levels of brackets are more than the limit of 64");
  std::string tensors;
  for (int i = 0; i < 200; ++i) tensors += "tensor<";
  CHECK(value(tensors) == "an expression over layouts: 65 levels of brackets are more than the limit of 64");
  std::string wide = "Shape<C<1>";
  for (int i = 0; i < 1024; ++i) wide += ",C<1>";
  CHECK(value(wide + ">") == "an expression over layouts: 1025 numbers are more than the limit of 1024");
  std::string called = "make_shape(1)";
  for (int i = 0; i < 60; ++i) called = "make_shape(" + called + ")";
  CHECK(value(called).starts_with("("));
}
