// SPDX-License-Identifier: Apache-2.0
// The post-conditions of algebra.hpp, for every coordinate of curated and random layouts.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/algebra.hpp"
#include "layout/shape_algebra.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

namespace {

Layout L(const char* text) { return parse_layout(text).layout(); }

std::set<std::int64_t> image(const Layout& l) {
  std::set<std::int64_t> out;
  for (std::int64_t i = 0; i < l.size(); ++i) out.insert(l(i));
  return out;
}

// Is the sequence g a layout? Tries every split, not only the one that the first stride suggests.
bool is_layout(const std::vector<std::int64_t>& g) {
  const std::size_t n = g.size();
  if (n == 1) return g[0] == 0;
  for (std::size_t run = 2; run <= n; ++run) {
    if (n % run != 0) continue;
    bool fits = true;
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < n && fits; ++i) {
      if (i % run == 0) rest.push_back(g[i]);
      fits = g[i] == g[i - i % run] + static_cast<std::int64_t>(i % run) * g[1];
    }
    if (fits && is_layout(rest)) return true;
  }
  return false;
}

// Is a o b a layout with b's shape? Every leaf along its axis, and the sum of the axes at every coordinate.
bool composes(const Layout& a, const Layout& b) {
  for (const FlatMode& m : b.modes()) {
    std::vector<std::int64_t> axis;
    for (std::int64_t i = 0; i < m.extent; ++i) axis.push_back(a(i * m.stride));
    if (!is_layout(axis)) return false;
  }
  for (std::int64_t i = 0; i < b.size(); ++i) {
    std::int64_t sum = 0;
    std::int64_t rest = i;
    for (const FlatMode& m : b.modes()) {
      sum += a(rest % m.extent * m.stride);
      rest /= m.extent;
    }
    if (sum != a(b(i))) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("coalesce: same values, as few modes as possible") {
    test::RandomLayouts random(10);
    for (int n = 0; n < 500; ++n) {
      const Layout l = n % 2 == 0 ? random.any(5) : random.compact(5);
      const Layout c = coalesce(l);
      INFO(to_string(l) << " -> " << to_string(c));
      REQUIRE(depth(c) <= 1);
      REQUIRE(c.size() == l.size());
      for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(c(i) == l(i));
      for (std::size_t m = 0; m + 1 < c.modes().size(); ++m)
        REQUIRE(c.modes()[m].extent * c.modes()[m].stride != c.modes()[m + 1].stride);
    }
    CHECK(to_string(coalesce(L("(2,(1,6)):(1,(6,2))"))) == "12:1");
    CHECK(to_string(coalesce(L("(2,(1,6)):(1,(6,2))"), Tuple{1, 1})) == "(2,6):(1,2)");
    CHECK(to_string(coalesce(L("(1,1):(3,7)"))) == "1:0");
    CHECK_THROWS_WITH_AS(coalesce(L("(2,2):(1,2)"), Tuple{1, 1, 1}), "profile (1,1,1) has more modes than (2,2):(1,2)",
                         Error);
  }

  TEST_CASE("coalesce by mode keeps the modes apart") {
    test::RandomLayouts random(11);
    for (int n = 0; n < 300; ++n) {
      const Layout l = random.any(5);
      Tuple profile(rank(l), IntTuple(1));
      const Layout c = coalesce(l, l.shape().is_tuple() ? IntTuple(profile) : IntTuple(1));
      REQUIRE(rank(c) == rank(l));
      for (std::size_t m = 0; m < rank(l); ++m) REQUIRE(size(mode(c, m)) == size(mode(l, m)));
      for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(c(i) == l(i));
    }
  }

  TEST_CASE("filter: the same offsets, no repeats by stride 0") {
    test::RandomLayouts random(12);
    for (int n = 0; n < 300; ++n) {
      const Layout l = random.any(5);
      const Layout f = filter(l);
      INFO(to_string(l) << " -> " << to_string(f));
      REQUIRE(image(f) == image(l));
      if (f.size() > 1)
        for (const FlatMode& m : f.modes()) REQUIRE((m.stride != 0 && m.extent > 1));
    }
  }

  TEST_CASE("composition: result(i) == a(b(i)), and refused exactly when no layout has these values") {
    test::RandomLayouts random(13);
    int composed = 0;
    int refused = 0;
    for (int n = 0; n < 6000; ++n) {
      const Layout a = n % 3 == 0 ? random.any(4) : random.compact(4, n % 3 == 1);
      const Layout b = n % 2 == 0 ? random.any(3) : random.compact(3);
      INFO(to_string(a) << " o " << to_string(b));
      try {
        const Layout r = composition(a, b);
        REQUIRE(compatible(b.shape(), r.shape()));
        for (std::int64_t i = 0; i < b.size(); ++i) REQUIRE(r(i) == a(b(i)));
        ++composed;
      } catch (const Error&) {
        REQUIRE_FALSE(composes(a, b));
        ++refused;
      }
    }
    MESSAGE("composed " << composed << ", rightly refused " << refused);
    CHECK(composed > 1000);
    CHECK(refused > 200);
  }

  TEST_CASE("composition: refusals carry the values") {
    CHECK_THROWS_WITH_AS(composition(L("(4,6,8):(2,3,5)"), L("6:3")),
                         "(4,6,8):(2,3,5) o 6:3 is not a layout: the values along 6:3 have no strides "
                         "(values 0,6,7,8,9,15)",
                         Error);
    CHECK_THROWS_WITH_AS(composition(L("(6,2):(1,7)"), L("(3,2):(2,3)")),
                         "(6,2):(1,7) o (3,2):(2,3) is not a layout: the modes of the right-hand side carry into each "
                         "other at index 5 (values 0,2,4,3,5,8)",
                         Error);
    CHECK(to_string(composition(L("(2,3):(1,2)"), L("(2,3):(3,1)"))) == "(2,3):(3,1)");
    CHECK(to_string(composition(L("(10,2):(16,4)"), L("(3,4):(1,5)"))) == "(3,(2,2)):(16,(80,4))");
    CHECK(to_string(composition(L("(20,2):(16,4)"), L("(4,5):(1,4)"))) == "(4,5):(16,64)");
    // Beyond a's size its last mode goes on.
    CHECK(to_string(composition(L("4:2"), L("8:1"))) == "8:2");
    CHECK_THROWS_AS(composition(L("(4,4):(4,1)"), L("3:-1")), Error);
  }

  TEST_CASE("composition: too many values to try") {
    // 2^28 steps remain for a digit of 3: they do not divide, and 2^30 values are too many to look at.
    CHECK_THROWS_WITH_AS(composition(L("(4,3,1073741824):(1,5,17)"), L("1073741824:1")),
                         "cannot tell whether (4,3,1073741824):(1,5,17) o 1073741824:1 is a layout: its strides do not "
                         "divide, and 1073741824 values are more than the 2097152 that are tried one by one",
                         Error);
  }

  TEST_CASE("composition: a left-hand side that goes on far is refused for what is read of it alone") {
    // The product of both cosizes does not fit in 64 bits; what is read ends below 2^26.
    CHECK_THROWS_WITH_AS(composition(L("(3,5,1099511627776):(5,1,15)"), L("1048576:3")),
                         "(3,5,1099511627776):(5,1,15) o 1048576:3 is not a layout: the values along 1048576:3 have "
                         "no strides (values 0,1,2,3,4,15,16,17,18,19,30,31,32,33,34,45,…)",
                         Error);
    CHECK_THROWS_WITH_AS(composition(L("(3,5,2):(5,1,4611686018427387900)"), L("16:3")),
                         "3 * 4611686018427387900 does not fit in 64 bits", Error);
  }

  TEST_CASE("composition by mode") {
    const Layout a = L("(12,(4,8)):(59,(13,1))");
    CHECK(to_string(composition(a, Tiler(std::vector<Tiler>{L("3:4"), L("8:2")}))) == "(3,(2,4)):(236,(26,1))");
    CHECK(to_string(composition(a, Tiler::from_shape(Tuple{3, IntTuple::underscore()}))) == "(3,(4,8)):(59,(13,1))");
    CHECK_THROWS_WITH_AS(composition(L("8:1"), Tiler::from_shape(Tuple{2, 2})),
                         "the tiler <2:1,2:1> has more modes than 8:1", Error);
  }

  TEST_CASE("complement: disjoint, ascending, fills") {
    test::RandomLayouts random(14);
    int found = 0;
    for (int n = 0; n < 3000; ++n) {
      const Layout l = n % 4 == 0 ? random.any(4) : random.compact(4, true);
      const std::int64_t cotarget = random.number(1, 200);
      INFO("complement(" << to_string(l) << ", " << cotarget << ")");
      try {
        const Layout c = complement(l, cotarget);
        const Layout f = filter(l);
        std::set<std::int64_t> covered;
        for (std::int64_t j = 0; j < c.size(); ++j) {
          if (j > 0) REQUIRE(c(j) > c(j - 1));
          for (std::int64_t i = 0; i < f.size(); ++i) REQUIRE(covered.insert(f(i) + c(j)).second);
        }
        REQUIRE(*covered.rbegin() + 1 == static_cast<std::int64_t>(covered.size()));
        REQUIRE(static_cast<std::int64_t>(covered.size()) >= cotarget);
        ++found;
      } catch (const Error&) {
        // No complement: the block [0, n) cannot be tiled by copies of l at the offsets of a layout, whose first
        // steps the smallest uncovered offset forces. Sorted strides decide; see algebra.cpp.
        bool divides = true;
        std::int64_t end = 1;
        std::multiset<std::pair<std::int64_t, std::int64_t>> sorted;
        for (const FlatMode& m : l.modes())
          if (m.extent > 1 && m.stride != 0) sorted.insert({m.stride, m.extent});
        for (const auto& [stride, extent] : sorted) {
          divides = divides && stride % end == 0;
          end = stride * extent;
        }
        REQUIRE_FALSE(divides);
      }
    }
    CHECK(found > 1000);
    CHECK(to_string(complement(L("4:2"), 24)) == "(2,3):(1,8)");
    CHECK(to_string(complement(L("4:1"), 24)) == "6:4");
    CHECK(to_string(complement(L("(2,2):(1,6)"), 24)) == "(3,2):(2,12)");
    CHECK_THROWS_WITH_AS(complement(L("(2,2):(1,3)"), 12),
                         "(2,2):(1,3) has no complement: stride 3 is not a multiple of 2, the block that its smaller "
                         "strides cover, so copies overlap or leave holes",
                         Error);
  }

  TEST_CASE("right_inverse: l(result(i)) == i, and no shorter than it must be") {
    test::RandomLayouts random(15);
    for (int n = 0; n < 2000; ++n) {
      const Layout l = n % 2 == 0 ? random.any(5) : random.compact(5);
      const Layout r = right_inverse(l);
      INFO(to_string(l) << " -> " << to_string(r));
      for (std::int64_t i = 0; i < r.size(); ++i) {
        REQUIRE(r(i) < l.size());
        REQUIRE(l(r(i)) == i);
      }
      if (n % 2 == 1) REQUIRE(r.size() == l.size());  // compact: all of it
    }
    const Layout tv = right_inverse(L("((4,8),(2,2)):((32,1),(16,8))"));
    const Layout expected = L("((8,2),(2,4)):((4,64),(32,1))");
    REQUIRE(tv.size() == expected.size());
    for (std::int64_t i = 0; i < tv.size(); ++i) CHECK(tv(i) == expected(i));
  }

  TEST_CASE("left_inverse: result(l(i)) == i, and refused for what is not injective") {
    test::RandomLayouts random(16);
    int found = 0;
    for (int n = 0; n < 2000; ++n) {
      const Layout l = n % 2 == 0 ? random.any(4) : random.compact(4, true);
      INFO(to_string(l));
      try {
        const Layout r = left_inverse(l);
        for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(r(l(i)) == i);
        ++found;
      } catch (const Error&) {
        // Compact layouts with gaps always have one.
        REQUIRE(n % 2 == 0);
      }
    }
    CHECK(found > 1000);
    CHECK_THROWS_WITH_AS(left_inverse(L("6:0")), "6:0 has no left inverse: indices 0 and 1 both give 0", Error);
    CHECK_THROWS_WITH_AS(left_inverse(L("(4,2):(1,0)")), "(4,2):(1,0) has no left inverse: indices 0 and 4 both give 0",
                         Error);
    CHECK_THROWS_WITH_AS(left_inverse(L("(1,2,2):(5,1,0)")),
                         "(1,2,2):(5,1,0) has no left inverse: indices 0 and 2 both give 0", Error);
    CHECK(to_string(left_inverse(L("(4,1):(1,0)"))) == "4:1");
    CHECK_THROWS_WITH_AS(left_inverse(L("(4,4):(1,2)")),
                         "(4,4):(1,2) has no left inverse that is a layout: stride 2 is below 4, where the smaller "
                         "strides end",
                         Error);
    CHECK_THROWS_WITH_AS(left_inverse(L("(2,2):(2,3)")),
                         "(2,2):(2,3) has no left inverse that is a layout: stride 3 is not a multiple of stride 2",
                         Error);
  }

  TEST_CASE("max_common_vector: the longest run from 0 that both hold in order") {
    test::RandomLayouts random(17);
    for (int n = 0; n < 500; ++n) {
      const Layout a = random.compact(4);
      const Layout b(a.shape(), random.compact(1).size() > 0 ? compact_order(a.shape(), IntTuple(0)) : a.stride());
      const Layout other = n % 2 == 0 ? b : a;
      INFO(to_string(a) << " and " << to_string(other));
      const std::int64_t vector = max_common_vector(a, other);
      const Layout common = max_common_layout(a, other);
      REQUIRE(common.size() == vector);
      for (std::int64_t i = 0; i < vector; ++i) {
        REQUIRE(a(common(i)) == i);
        REQUIRE(other(common(i)) == i);
      }
      if (n % 2 == 1) REQUIRE(vector == a.size());  // with itself: everything
    }
    CHECK(max_common_vector(L("(8,64):(64,1)"), L("(8,64):(64,1)")) == 512);
    CHECK(max_common_vector(L("(8,64):(64,1)"), L("(8,64):(1,8)")) == 1);
    CHECK(max_common_vector(L("(8,(8,8)):(8,(1,64))"), L("(8,64):(64,1)")) == 8);
  }

  TEST_CASE("max_common_layout: the same from both sides, inside both, and as long as any that is found by search") {
    // The longest run of a common index: R(i) by search, where there is but one candidate for each.
    const auto longest = [](const Layout& a, const Layout& b) {
      std::int64_t run = 0;
      for (bool found = true; found && run < std::min(a.size(), b.size());) {
        found = false;
        for (std::int64_t i = 0; !found && i < std::min(a.size(), b.size()); ++i) found = a(i) == run && b(i) == run;
        run += found ? 1 : 0;
      }
      return run;
    };
    test::RandomLayouts random(19);
    int shared = 0;
    for (int n = 0; n < 3000; ++n) {
      const Layout a = n % 3 == 0 ? random.any(3) : random.compact(3);
      const Layout b = n % 2 == 0 ? random.any(3) : random.compact(3);
      INFO(to_string(a) << " and " << to_string(b));
      const Layout common = max_common_layout(a, b);
      REQUIRE(to_string(max_common_layout(b, a)) == to_string(common));
      REQUIRE(max_common_vector(a, b) == size(common));
      for (std::int64_t i = 0; i < size(common); ++i) {
        REQUIRE(common(i) < std::min(a.size(), b.size()));
        REQUIRE(a(common(i)) == i);
        REQUIRE(b(common(i)) == i);
      }
      REQUIRE(size(common) <= longest(a, b));
      shared += size(common) > 1 ? 1 : 0;
    }
    CHECK(shared > 500);
    CHECK(max_common_vector(L("(2):(1)"), L("(32,8):(1,0)")) == 2);
    CHECK(to_string(max_common_layout(L("8:1"), L("64:1"))) == "8:1");
    CHECK(to_string(max_common_layout(L("64:1"), L("8:1"))) == "8:1");
    // By the right inverse of one the run is 1, by that of the other 4.
    CHECK(max_common_vector(L("(2,2,2):(1,1,2)"), L("(2,2,2):(4,1,2)")) == 4);
    CHECK(max_common_vector(L("(2,2,2):(4,1,2)"), L("(2,2,2):(1,1,2)")) == 4);
  }

  TEST_CASE("nullspace: everything in it goes to 0") {
    test::RandomLayouts random(18);
    for (int n = 0; n < 500; ++n) {
      const Layout l = random.any(5);
      const Layout k = nullspace(l);
      INFO(to_string(l) << " -> " << to_string(k));
      for (std::int64_t i = 0; i < k.size(); ++i) REQUIRE(l(k(i)) == 0);
      REQUIRE(k.size() * filter(l).size() == l.size());
    }
  }
}
