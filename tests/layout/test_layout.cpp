// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/composed_layout.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

namespace {

// The definition, written without the flat modes: coordinate times stride, leaf by leaf.
std::int64_t by_definition(const IntTuple& coordinate, const IntTuple& stride) {
  if (!stride.is_tuple()) return coordinate.value() * stride.value();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rank(stride); ++i) sum += by_definition(mode(coordinate, i), mode(stride, i));
  return sum;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("layout: every way to evaluate agrees with the definition") {
    test::RandomLayouts random(2);
    for (int n = 0; n < 300; ++n) {
      const Layout l = random.any(5);
      INFO(to_string(l));
      std::vector<std::int64_t> table(static_cast<std::size_t>(l.size()));
      tabulate(l, table);
      std::int64_t highest = 0;
      for (std::int64_t i = 0; i < l.size(); ++i) {
        const IntTuple c = idx2crd(i, l.shape());
        const std::int64_t expected = by_definition(c, l.stride());
        REQUIRE(l(i) == expected);
        REQUIRE(offset_at(l, c) == expected);
        REQUIRE(table[static_cast<std::size_t>(i)] == expected);
        highest = std::max(highest, expected);
      }
      CHECK(cosize(l) == highest + 1);
    }
  }

  TEST_CASE("layout: the example of the header") {
    const Layout l(Tuple{4, Tuple{2, 8}}, Tuple{2, Tuple{1, 8}});
    CHECK(to_string(l) == "(4,(2,8)):(2,(1,8))");
    CHECK(offset_at(l, Tuple{3, Tuple{1, 5}}) == 47);
    CHECK(l(23) == 23);
  }

  TEST_CASE("layout: what cannot be a layout") {
    CHECK_THROWS_WITH_AS(Layout(Tuple{8, 64}, Tuple{64}), "shape (8,64) and stride (64) have different nesting", Error);
    CHECK_THROWS_WITH_AS(Layout(Tuple{8, 0}, Tuple{1, 1}), "extent 0 in shape (8,0) is not positive", Error);
    CHECK_THROWS_WITH_AS(Layout(Tuple{8, -2}, Tuple{1, 1}), "extent -2 in shape (8,-2) is not positive", Error);
    CHECK_THROWS_AS(Layout(Tuple{std::int64_t{1} << 32, std::int64_t{1} << 32}, Tuple{0, 0}), Error);
    CHECK_THROWS_AS(Layout(Tuple{4, 4}, Tuple{std::int64_t{1} << 62, 1}), Error);
    // The largest offset fits, the cosize does not.
    CHECK_THROWS_AS(Layout(IntTuple(2), IntTuple(INT64_MAX)), Error);
    CHECK(cosize(Layout(IntTuple(2), IntTuple(INT64_MAX - 1))) == INT64_MAX);
  }

  TEST_CASE("layout: negative strides count their span") {
    const Layout l(IntTuple(4), IntTuple(-2));
    CHECK(l(3) == -6);
    CHECK(cosize(l) == 7);
  }

  TEST_CASE("layout: a slice and its offset together are the layout") {
    test::RandomLayouts random(3);
    for (int n = 0; n < 300; ++n) {
      const Layout l = random.any(4);
      if (rank(l) < 2) continue;
      // Keep a random mode, fix the others.
      const std::size_t kept = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(rank(l)) - 1));
      Tuple coordinate;
      Tuple full;
      for (std::size_t i = 0; i < rank(l); ++i) {
        const std::int64_t at = random.number(0, product(mode(l.shape(), i)) - 1);
        coordinate.push_back(i == kept ? IntTuple::underscore() : IntTuple(at));
        full.push_back(at);
      }
      INFO(to_string(l) << " at " << to_string(IntTuple(coordinate)));
      const Slice s = slice(l, coordinate);
      const ComposedLayout swizzled(Swizzle(2, 1, 3), 0, l);
      const ComposedLayout swizzled_slice = slice(swizzled, coordinate);
      REQUIRE(s.layout.size() == product(mode(l.shape(), kept)));
      for (std::int64_t i = 0; i < s.layout.size(); ++i) {
        full[kept] = i;
        REQUIRE(s.offset + s.layout(i) == offset_at(l, full));
        REQUIRE(swizzled_slice(i) == offset_at(swizzled, full));
      }
    }
  }

  TEST_CASE("layout: slices keep modes side by side") {
    const Layout l(Tuple{Tuple{4, 2}, 8}, Tuple{Tuple{1, 64}, 4});
    CHECK(to_string(slice(l, Tuple{Tuple{IntTuple::underscore(), 1}, 3}).layout) == "(4):(1)");
    CHECK(slice(l, Tuple{Tuple{IntTuple::underscore(), 1}, 3}).offset == 76);
    CHECK(to_string(slice(l, Tuple{IntTuple::underscore(), 3}).layout) == "((4,2)):((1,64))");
    CHECK(to_string(slice(l, IntTuple::underscore()).layout) == to_string(l));
    CHECK_THROWS_AS(slice(l, Tuple{IntTuple::underscore(), 3, 1}), Error);
  }
}
