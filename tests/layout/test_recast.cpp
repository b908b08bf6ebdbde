// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/composed_layout.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

namespace {

ComposedLayout C(const char* text) { return parse_layout(text); }

// Which coordinate of the upcast layout holds this coordinate: contiguous modes lose their low part.
IntTuple unit_of(const IntTuple& coordinate, const IntTuple& stride, std::int64_t n) {
  if (!stride.is_tuple()) {
    const std::int64_t d = std::abs(stride.value());
    return d == 0 || d >= n ? coordinate : IntTuple(coordinate.value() / (n / d));
  }
  Tuple children;
  for (std::size_t i = 0; i < rank(stride); ++i) children.push_back(unit_of(mode(coordinate, i), mode(stride, i), n));
  return children;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("upcast: the unit of an offset is the offset of its unit") {
    test::RandomLayouts random(30);
    int upcasts = 0;
    for (int run = 0; run < 2000; ++run) {
      const Layout l = run % 2 == 0 ? random.any(4) : random.compact(4);
      const std::int64_t n = random.pick<std::int64_t>({1, 2, 3, 4, 8});
      INFO("upcast(" << to_string(l) << ", " << n << ")");
      try {
        const Layout u = upcast(l, n);
        for (std::int64_t i = 0; i < l.size(); ++i) {
          const IntTuple c = idx2crd(i, l.shape());
          REQUIRE(offset_at(u, unit_of(c, l.stride(), n)) == l(i) / n);
        }
        ++upcasts;
      } catch (const Error&) {
        // Refused: a stride is neither a multiple nor a divisor of n, or some coordinate breaks the law.
        bool divides = true;
        bool law = true;
        for (const FlatMode& m : l.modes())
          divides = divides && (m.stride == 0 || m.stride % n == 0 || n % m.stride == 0);
        if (divides) {
          std::vector<std::int64_t> strides;
          for (const FlatMode& m : l.modes()) strides.push_back((m.stride + n - 1) / n);
          for (std::int64_t i = 0; i < l.size(); ++i) {
            const std::vector<std::int64_t> units = flat_values(unit_of(idx2crd(i, l.shape()), l.stride(), n));
            std::int64_t sum = 0;
            for (std::size_t m = 0; m < units.size(); ++m) sum += units[m] * strides[m];
            law = law && sum == l(i) / n;
          }
        }
        REQUIRE_FALSE((divides && law));
      }
    }
    CHECK(upcasts > 800);
    CHECK(to_string(upcast(C("(8,64):(64,1)").layout(), 8)) == "(8,8):(8,1)");
    CHECK_THROWS_WITH_AS(upcast(C("(2,2):(1,1)").layout(), 2),
                         "upcast((2,2):(1,1), 2): the modes inside a unit of 2 reach offset 2, so units overlap",
                         Error);
    CHECK_THROWS_WITH_AS(upcast(C("4:3").layout(), 2),
                         "upcast(4:3, 2): stride 3 neither divides 2 nor is divided by it", Error);
    CHECK_THROWS_AS(upcast(C("4:1").layout(), 0), Error);
  }

  TEST_CASE("downcast: the parts of each element, and upcast takes it back") {
    test::RandomLayouts random(31);
    int downcasts = 0;
    for (int run = 0; run < 1000; ++run) {
      const Layout l = random.compact(4);
      const std::int64_t n = random.pick<std::int64_t>({1, 2, 4, 8});
      INFO("downcast(" << to_string(l) << ", " << n << ")");
      try {
        const Layout d = downcast(l, n);
        REQUIRE(d.size() == l.size() * n);
        std::multiset<std::int64_t> parts;
        std::multiset<std::int64_t> expected;
        for (std::int64_t i = 0; i < d.size(); ++i) parts.insert(d(i));
        for (std::int64_t i = 0; i < l.size(); ++i)
          for (std::int64_t j = 0; j < n; ++j) expected.insert(l(i) * n + j);
        REQUIRE(parts == expected);
        REQUIRE(upcast(d, n) == l);
        ++downcasts;
      } catch (const Error&) {
        std::int64_t ones = 0;
        for (const FlatMode& m : l.modes()) ones += m.stride == 1 ? 1 : 0;
        REQUIRE(ones != 1);
      }
    }
    CHECK(downcasts > 500);
    CHECK_THROWS_WITH_AS(downcast(C("(8,2):(1,1)").layout(), 8), "downcast((8,2):(1,1), 8): 2 modes have stride 1",
                         Error);
    CHECK_THROWS_WITH_AS(downcast(C("4:2").layout(), 2), "downcast(4:2, 2): 0 modes have stride 1", Error);
  }

  TEST_CASE("recast: the smem_ptr form keeps its swizzle, the plain form changes its unit") {
    const ComposedLayout halves = C("Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1)");
    CHECK(to_string(recast(halves, 16, 128)) == "Sw<3,4,3> o smem_ptr[128b](unset) o (64,2):(8,1)");
    CHECK(to_string(recast(halves.plain(), 16, 128)) == "Sw<3,0,3> o 0 o (64,2):(8,1)");
    CHECK(to_string(recast(halves, 16, 8)) == "Sw<3,4,3> o smem_ptr[8b](unset) o (64,32):(128,1)");
    CHECK(to_string(recast(halves.plain(), 16, 8)) == "Sw<3,4,3> o 0 o (64,32):(128,1)");
    CHECK(to_string(recast(C("(64,16):(64,1)"), 16, 32)) == "(64,8):(32,1)");
    CHECK(recast(halves, 16, 16) == halves);
    CHECK_THROWS_WITH_AS(recast(halves, 32, 128), "recast: the layout has 16-bit elements, not 32-bit", Error);
    CHECK_THROWS_WITH_AS(recast(halves, 16, 256),
                         "Sw<3,4,3> moves 16-byte pieces and would tear elements of 256 bits apart", Error);
    CHECK_THROWS_WITH_AS(recast(halves.plain(), 16, 256), "Sw<3,3,3> does not keep units of 16 whole", Error);
  }

  TEST_CASE("a factor that is not positive is refused, whatever the form of the layout") {
    const ComposedLayout halves = C("Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1)");
    for (const ComposedLayout& l : {halves, halves.plain(), C("(64,16):(64,1)")})
      for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}}) {
        const std::string why = "the factor " + std::to_string(n) + " is not positive";
        CHECK_THROWS_WITH_AS(upcast(l, n), ("upcast: " + why).c_str(), Error);
        CHECK_THROWS_WITH_AS(downcast(l, n), ("downcast: " + why).c_str(), Error);
      }
  }

  TEST_CASE("recast of a swizzled layout names the same bytes") {
    const Swizzle modes[] = {Swizzle(0, 4, 3), Swizzle(1, 4, 3), Swizzle(2, 4, 3), Swizzle(3, 4, 3), Swizzle(2, 5, 2)};
    for (const Swizzle& s : modes)
      for (const int from : {4, 8, 16, 32, 64})
        for (const int to : {8, 16, 32, 64, 128}) {
          if (to <= from) continue;
          const ComposedLayout narrow =
              ComposedLayout::smem_ptr(s, from, Layout(Tuple{16, 1024 / from}, Tuple{1024 / from, 1}));
          const ComposedLayout wide = recast(narrow, from, to);
          const std::int64_t n = to / from;
          for (std::int64_t r = 0; r < 16; ++r)
            for (std::int64_t c = 0; c < 1024 / from; ++c)
              REQUIRE(offset_at(narrow, Tuple{r, c}) / n == offset_at(wide, Tuple{r, c / n}));
        }
  }

  TEST_CASE("max_common_vector stops at what a swizzle moves") {
    CHECK(max_common_vector(C("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"), C("(8,64):(64,1)")) == 8);
    CHECK(max_common_vector(C("Sw<3,3,3> o 0 o (8,64):(64,1)"), C("(8,64):(64,1)")) == 8);
    CHECK(max_common_vector(C("Sw<3,3,3> o 0 o (8,64):(64,1)"), C("Sw<3,3,3> o 0 o (8,64):(64,1)")) == 512);
    CHECK(max_common_vector(C("Sw<3,4,3> o smem_ptr[16b](unset) o (64,8):(1,64)"), C("(64,8):(8,1)")) == 1);
  }
}
