// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/layout.hpp"
#include "layout/shape_algebra.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

TEST_SUITE("layout") {
  TEST_CASE("int_tuple: rank, depth, product, flatten") {
    const IntTuple t = Tuple{Tuple{2, 4}, 8};
    CHECK(to_string(t) == "((2,4),8)");
    CHECK(rank(t) == 2);
    CHECK(depth(t) == 2);
    CHECK(product(t) == 64);
    CHECK(to_string(flatten(t)) == "(2,4,8)");
    CHECK(to_string(unwrap(Tuple{Tuple{3}})) == "3");
    CHECK(rank(IntTuple(5)) == 1);
    CHECK(depth(IntTuple(5)) == 0);
    CHECK_THROWS_WITH_AS(mode(t, 2), "((2,4),8) has no mode 2", Error);
    CHECK_THROWS_AS(product(Tuple{std::int64_t{1} << 40, std::int64_t{1} << 40}), Error);
  }

  TEST_CASE("int_tuple: congruent and compatible") {
    const IntTuple a = Tuple{Tuple{2, 4}, 8};
    CHECK(congruent(a, Tuple{Tuple{1, 1}, 1}));
    CHECK_FALSE(congruent(a, Tuple{2, 8}));
    CHECK(compatible(IntTuple(64), a));
    CHECK(compatible(Tuple{8, 8}, a));
    CHECK_FALSE(compatible(a, Tuple{8, 8}));
    CHECK_FALSE(compatible(Tuple{4, 16}, a));
  }

  TEST_CASE("int_tuple: compact strides") {
    CHECK(to_string(compact_order(Tuple{4, 8})) == "(1,4)");
    CHECK(to_string(compact_order(Tuple{4, 8}, Tuple{1, 0})) == "(8,1)");
    CHECK(to_string(compact_order(Tuple{Tuple{2, 3}, 4})) == "((1,2),6)");
    // An extent of 1 takes no step: CuTe gives it stride 0.
    CHECK(to_string(compact_order(Tuple{4, 1, 8})) == "(1,0,4)");
    CHECK(to_string(compact_order(Tuple{4, 8, 2}, Tuple{2, 1, 3})) == "(8,1,32)");
    CHECK(to_string(compact_order(Tuple{Tuple{2, 3}, 4}, Tuple{2, 1})) == "((4,8),1)");
    CHECK_THROWS_WITH_AS(compact_order(Tuple{4, 8}, Tuple{1, 1}), "order (1,1) has 1 twice", Error);
    CHECK_THROWS_WITH_AS(compact_order(Tuple{4, 8}, Tuple{1, 2, 3}), "order (1,2,3) does not match shape (4,8)", Error);
  }

  TEST_CASE("int_tuple: coordinates and indices are inverse to each other") {
    test::RandomLayouts random(1);
    for (int n = 0; n < 200; ++n) {
      const IntTuple shape = random.shape(static_cast<int>(random.number(1, 5)));
      for (std::int64_t i = 0; i < product(shape); ++i) {
        const IntTuple c = idx2crd(i, shape);
        REQUIRE(congruent(c, shape));
        REQUIRE(crd2idx(c, shape) == i);
        REQUIRE(crd2idx(IntTuple(i), shape) == i);
      }
    }
  }

  TEST_CASE("int_tuple: coordinates that do not fit") {
    const IntTuple shape = Tuple{8, Tuple{2, 3}};
    CHECK(crd2idx(Tuple{7, 5}, shape) == 47);
    CHECK_THROWS_WITH_AS(crd2idx(Tuple{8, 0}, shape), "coordinate 8 is outside 8", Error);
    CHECK_THROWS_WITH_AS(crd2idx(Tuple{0, Tuple{1, 3}}, shape), "coordinate 3 is outside 3", Error);
    CHECK_THROWS_WITH_AS(crd2idx(Tuple{1, 2, 3}, shape), "coordinate (1,2,3) does not fit shape (8,(2,3))", Error);
    CHECK_THROWS_AS(crd2idx(IntTuple(-1), shape), Error);
  }
}
