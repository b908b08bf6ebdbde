// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/analysis.hpp"
#include "random_layouts.hpp"

using namespace swz;

namespace {

ComposedLayout C(const char* text) { return parse_layout(text); }

void check_by_brute_force(const ComposedLayout& l) {
  INFO(to_string(l));
  std::map<std::int64_t, std::int64_t> count;
  for (std::int64_t i = 0; i < l.size(); ++i) ++count[l(i)];
  const LayoutAnalysis a = analyse(l);
  const bool injective = static_cast<std::int64_t>(count.size()) == l.size();
  const bool contiguous = count.rbegin()->first - count.begin()->first + 1 == static_cast<std::int64_t>(count.size());
  REQUIRE(a.size == l.size());
  REQUIRE(a.cosize == count.rbegin()->first + 1);
  REQUIRE(a.injective == injective);
  REQUIRE(a.contiguous == contiguous);
  REQUIRE(a.bijective == (injective && contiguous));
  REQUIRE(a.collision.has_value() == !injective);
  if (a.collision) {
    REQUIRE(a.collision->first < a.collision->second);
    REQUIRE(l(a.collision->first) == a.collision->offset);
    REQUIRE(l(a.collision->second) == a.collision->offset);
  }
}

// Of a falling layout: from its lowest offset, where that is negative.
void check_falling(const ComposedLayout& l) {
  INFO(to_string(l));
  const std::int64_t last = l(l.size() - 1), first = l(0);
  CHECK(analyse(l).cosize == (last < 0 ? first - last : first) + 1);
  CHECK(analyse(l).injective == true);
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("analysis: agrees with counting the offsets") {
    test::RandomLayouts random(40);
    for (int n = 0; n < 1500; ++n) {
      const Layout l = n % 2 == 0 ? random.any(4) : random.compact(4, n % 4 == 1);
      check_by_brute_force(l);
      const int bits = static_cast<int>(random.number(1, 3));
      check_by_brute_force(ComposedLayout(Swizzle(bits, static_cast<int>(random.number(0, 3)), bits),
                                          n % 3 == 0 ? random.number(1, 20) : 0, l));
    }
  }

  TEST_CASE("analysis: large layouts by their strides, what these leave open is unknown") {
    const LayoutAnalysis tile = analyse(C("(65536,65536):(65536,1)"));
    CHECK(tile.bijective == true);
    CHECK(tile.cosize == std::int64_t{1} << 32);
    CHECK(analyse(C("(65536,65536):(131072,1)")).injective == true);
    CHECK(analyse(C("(65536,65536):(131072,1)")).contiguous == false);
    CHECK(analyse(C("(65536,65536):(0,1)")).injective == false);
    CHECK(analyse(C("(65536,65536):(0,1)")).contiguous == true);
    CHECK(analyse(C("(65536,65536):(0,1)")).bijective == false);
    CHECK(analyse(C("Sw<3,4,3> o smem_ptr[16b](unset) o (65536,65536):(65536,1)")).bijective == true);
    const LayoutAnalysis open = analyse(C("(65536,65536):(3,100001)"));
    CHECK(open.cosize == 65535 * 100004LL + 1);
    CHECK_FALSE(open.injective.has_value());
    CHECK_FALSE(open.bijective.has_value());
    const LayoutAnalysis swizzled = analyse(C("Sw<3,3,3> o 0 o (65536,65536):(131072,1)"));
    CHECK(swizzled.injective == true);
    CHECK_FALSE(swizzled.cosize.has_value());
  }

  TEST_CASE("analysis: as many coordinates as offsets, and one more") {
    // Too large to count: 2^31 coordinates. Two runs of 2^30 offsets side by side; then with one offset in common.
    for (const char* side_by_side : {"(1073741824,2):(1,1073741824)", "(1073741824,2):(-1,1073741824)",
                                     "(1073741824,2):(1,-1073741824)", "(2,1073741824):(1073741824,1)"})
      CHECK(analyse(C(side_by_side)).injective == true);
    for (const char* overlapping :
         {"(1073741824,2):(1,1073741823)", "(1073741824,2):(-1,1073741823)", "(2,1073741824):(1073741823,1)"})
      CHECK(analyse(C(overlapping)).injective == false);
    // One offset more than coordinates: runs that touch at no offset, of every second one.
    CHECK_FALSE(analyse(C("(1073741824,2):(2,1073741823)")).injective.has_value());
    CHECK(analyse(C("(1073741824,2):(2,2147483647)")).injective == true);
    CHECK_FALSE(analyse(C("(1073741824,2):(2,2147483646)")).injective.has_value());
  }

  TEST_CASE("analysis: the least offset, where nothing is swizzled") {
    CHECK(analyse(C("(1073741824,2):(-1,1073741824)")).cosize == 2147483648);
    CHECK(analyse(C("(1073741824,2):(1,1073741824)")).cosize == 2147483648);
  }

  TEST_CASE("analysis: an offset at which a falling mode ends at 0, one above and one below") {
    for (const std::int64_t extent : {2, 8, 31})
      for (std::int64_t offset = extent - 3; offset <= extent + 3; ++offset)
        check_falling(ComposedLayout(Swizzle(), offset, Layout(IntTuple(extent), IntTuple(-1))));
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    const auto cosize_of = [](std::int64_t offset) {
      return analyse(ComposedLayout(Swizzle(), offset, Layout(IntTuple(huge), IntTuple(-1)))).cosize;
    };
    CHECK(cosize_of(huge - 1) == huge);  // offsets 0 to 2^40 - 1
    CHECK(cosize_of(huge) == huge + 1);
    CHECK(cosize_of(huge + 1) == huge + 2);
    CHECK(cosize_of(huge - 2) == huge);  // from -1: their span
  }

  TEST_CASE("difference: the first index where the values part") {
    test::RandomLayouts random(41);
    for (int n = 0; n < 3000; ++n) {
      const Layout x = random.any(3);
      Layout y = random.any(3);
      if (n % 2 == 0) y = Layout(x.shape(), random.with_leaves(x.shape(), {1, 2, 4, 8}));
      const Swizzle s(2, 1, 2);
      const ComposedLayout a = n % 3 == 0 ? ComposedLayout(s, 0, x) : ComposedLayout(x);
      const ComposedLayout b = n % 5 == 0 ? ComposedLayout(s, 0, y) : ComposedLayout(y);
      INFO(to_string(a) << " and " << to_string(b));
      std::optional<std::int64_t> first;
      for (std::int64_t i = 0; i < std::min(a.size(), b.size()) && !first; ++i)
        if (a(i) != b(i)) first = i;
      const LayoutDifference d = difference(a, b);
      REQUIRE(d.index == first);
      REQUIRE(d.same == (a.size() == b.size() && !first));
      if (first) REQUIRE((d.a == a(*first) && d.b == b(*first)));
    }
  }

  TEST_CASE("difference: huge layouts without enumeration, and units") {
    CHECK(difference(C("(1048576,1048576):(1048576,1)"), C("(1048576,1048576):(1048576,1)")).same);
    const LayoutDifference d = difference(C("(1048576,1048576):(1,1048576)"), C("(1048576,1048576):(1,1048577)"));
    CHECK(d.index == 1048576);
    CHECK(d.b == 1048577);
    CHECK(difference(C("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"), C("Sw<3,3,3> o 0 o (8,64):(64,1)")).same);
    CHECK_FALSE(difference(C("Sw<3,4,3> o 0 o (8,64):(64,1)"), C("Sw<3,3,3> o 0 o (8,64):(64,1)")).same);
    CHECK_FALSE(difference(C("8:1"), C("4:1")).same);
    CHECK_FALSE(difference(C("8:1"), C("4:1")).index.has_value());
  }
}
