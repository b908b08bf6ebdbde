// SPDX-License-Identifier: Apache-2.0
// Where CuTe 4.2 compiles and answers wrongly: swz refuses, with a witness. tests/cute holds the same cases against
// CuTe itself; this file needs no headers of CuTe.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"
#include "layout/tiling.hpp"

namespace swz {
namespace {

Layout layout(std::vector<IntTuple> shape, std::vector<IntTuple> stride) {
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}

Layout layout(std::int64_t extent, std::int64_t stride) { return Layout(IntTuple(extent), IntTuple(stride)); }

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    CHECK(!e.hint.empty());
    return e.message();
  }
  return "no refusal";
}

}  // namespace

TEST_CASE("a stride that is no digit of the left-hand side (NVIDIA/cutlass#3177)") {
  CHECK(refusal([] {
          composition(layout({4, 6, 8}, {2, 3, 5}), layout(6, 3));
        }) == "(4,6,8):(2,3,5) o 6:3 is not a layout: the values along 6:3 have no strides (values 0,6,7,8,9,15)");
}

TEST_CASE("modes that carry into each other (NVIDIA/cutlass#2955)") {
  CHECK(refusal([] {
          composition(layout({6, 2}, {1, 7}), layout({3, 2}, {2, 3}));
        }) ==
        "(6,2):(1,7) o (3,2):(2,3) is not a layout: the modes of the right-hand side carry into each other at "
        "index 5 "
        "(values 0,2,4,3,5,8)");
}

TEST_CASE("compositions that look like these and have an answer") {
  // NVIDIA/cutlass#1353: the left-hand side is 6:1.
  CHECK(to_string(composition(layout({2, 3}, {1, 2}), layout({2, 3}, {3, 1}))) == "(2,3):(3,1)");
  // NVIDIA/cutlass#2113: 0,5 of extent 10, then the second mode.
  CHECK(to_string(composition(layout({10, 2}, {16, 4}), layout({3, 4}, {1, 5}))) == "(3,(2,2)):(16,(80,4))");
  // 0,3,6,9 are 0, 3, 1+5, 4+5. CuTe answers ((2,2),4):((18,22),44); no public issue known.
  const Layout a = layout({5, 2}, {6, 22});
  const Layout b = layout({4, 4}, {3, 10});
  const Layout c = composition(a, b);
  CHECK(to_string(c) == "((2,2),4):((18,28),44)");
  for (std::int64_t i = 0; i < size(b); ++i) CHECK(c(i) == a(b(i)));
}

TEST_CASE("complements and inverses that do not exist (no public issue known)") {
  CHECK(refusal([] {
          complement(layout({2, 2}, {1, 3}), 12);
        }) ==
        "(2,2):(1,3) has no complement: stride 3 is not a multiple of 2, the block that its smaller strides cover, "
        "so "
        "copies overlap or leave holes");
  CHECK(refusal([] {
          left_inverse(layout({12, 4}, {3, 3}));
        }) == "(12,4):(3,3) has no left inverse that is a layout: stride 3 is below 36, where the smaller strides end");
}

TEST_CASE("copies that would share an offset (no public issue known)") {
  CHECK(refusal([] {
          logical_product(layout(2, 7), layout({4, 4}, {1, 4}));
        }) ==
        "(7,3):(1,14) o (4,4):(1,4) is not a layout: the modes of the right-hand side carry into each other at "
        "index 7 "
        "(values 0,1,2,3,4,5,6,14,15,16,17,18,19,20,28,29)");
}

TEST_CASE("units that would overlap (no public issue known)") {
  CHECK(refusal([] {
          upcast(layout({2, 2}, {1, 1}), 2);
        }) == "upcast((2,2):(1,1), 2): the modes inside a unit of 2 reach offset 2, so units overlap");
  CHECK(refusal([] { downcast(layout({8, 2}, {1, 1}), 8); }) == "downcast((8,2):(1,1), 8): 2 modes have stride 1");
  CHECK(refusal([] {
          upcast(ComposedLayout(Swizzle(2, 0, -3), 0, layout({2, 128}, {1, 2})), 8);
        }) == "Sw<2,0,-3> does not keep units of 8 whole");
}

}  // namespace swz
