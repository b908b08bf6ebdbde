// SPDX-License-Identifier: Apache-2.0
// What layouts refuse, with the numbers in the hint, at n and n + 1.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"
#include "layout/layout.hpp"
#include "layout/tiling.hpp"
#include "told.hpp"

namespace swz {
namespace {

using Tuple = std::vector<IntTuple>;

TEST_CASE("modes: the last one and the one behind it") {
  const IntTuple t = Tuple{2, 3, 4};
  CHECK(told([&] { mode(t, 2); }) == "taken");
  CHECK(told([&] { mode(t, 3); }) == "(2,3,4) has no mode 3 | modes are numbered 0 to 2");
  CHECK(told([&] { mode(IntTuple(5), 1); }) == "5 has no mode 1 | modes are numbered 0 to 0");
  const Layout l{Tuple{2, 3, 4}, Tuple{1, 2, 6}};
  CHECK(told([&] { take(l, 0, 4); }) ==
        "take: modes [0, 4) are not in (2,3,4):(1,2,6) | it has modes 0 to 2; the end is one past the last");
  CHECK(told([&] { group(l, 2, 2); }).find("group: modes [2, 2) are not in") == 0);
  CHECK(told([&] { replace(l, 3, l); }).find("replace: modes [3, 4) are not in") == 0);
}

TEST_CASE("negative strides: refused from an extent of 2 on, which steps") {
  const auto of = [](std::int64_t extent, std::int64_t stride) { return Layout{IntTuple(extent), IntTuple(stride)}; };
  CHECK(told([&] { complement(of(1, -1), 8); }) == "taken");
  CHECK(told([&] { complement(of(2, -1), 8); }) ==
        "complement: 2:-1 has a negative stride | it is defined for non-negative strides");
  CHECK(told([&] { complement(of(2, 1), 8); }) == "taken");
  CHECK(told([&] { left_inverse(of(1, -1)); }) == "taken");
  CHECK(told([&] { left_inverse(of(2, -1)); }).find("left_inverse: 2:-1 has a negative stride") == 0);
}

TEST_CASE("coordinates: the last one and the one behind it") {
  const IntTuple shape = Tuple{8, Tuple{2, 3}};
  CHECK(told([&] { crd2idx(IntTuple(47), shape); }) == "taken");
  CHECK(told([&] { crd2idx(IntTuple(48), shape); }) == "coordinate 48 is outside (8,(2,3)) | it must be from 0 to 47");
  CHECK(told([&] { crd2idx(IntTuple(-1), shape); }) == "coordinate -1 is outside (8,(2,3)) | it must be from 0 to 47");
  CHECK(told([&] { crd2idx(Tuple{7, 6}, shape); }) == "coordinate 6 is outside (2,3) | it must be from 0 to 5");
  CHECK(told([&] { crd2idx(Tuple{7}, shape); }).find("coordinate (7) does not fit shape (8,(2,3))") == 0);
  CHECK(told([&] { crd2idx(Tuple{1, 2}, IntTuple(8)); }).find("coordinate (1,2) does not fit shape 8") == 0);
  CHECK(crd2idx(Tuple{7, Tuple{1, 2}}, shape) == 47);
}

TEST_CASE("extents, spans and how many extents a layout may have") {
  const auto made = [](std::int64_t extent, std::int64_t stride) {
    return told([&] { Layout{IntTuple(extent), IntTuple(stride)}; });
  };
  const std::int64_t most = INT64_MAX;
  CHECK(made(1, 5) == "taken");
  CHECK(made(0, 1).find("extent 0 in shape 0 is not positive") == 0);
  CHECK(made(-1, 1).find("extent -1 in shape -1 is not positive") == 0);
  CHECK(made(2, most - 1) == "taken");  // the cosize is the largest number
  CHECK(made(2, most) != "taken");
  CHECK(made(2, -(most - 1)) == "taken");
  CHECK(made(2, -most) != "taken");
  CHECK(made(most, 1) == "taken");
  CHECK(told([&] { Layout{Tuple{2, 2}, Tuple{most / 2, -(most / 2)}}; }) == "taken");
  CHECK(told([&] { Layout{Tuple{2, 2}, Tuple{most / 2 + 1, -(most / 2)}}; }) != "taken");
  const auto many = [](std::size_t n) {
    const Tuple ones(n, IntTuple(1));
    return told([&] { Layout{ones, ones}; });
  };
  CHECK(many(4096) == "taken");
  CHECK(many(4097).find("one layout: 4097 extents are more than the limit of 4096") == 0);
  CHECK(told([] { Layout(Tuple{2, 3}, IntTuple(1)); }).find("shape (2,3) and stride 1 have different nesting") == 0);
}

TEST_CASE("orders of compact layouts") {
  CHECK(to_string(compact_order(Tuple{2, 3, 4}, Tuple{3, 2, 1})) == "(12,4,1)");
  CHECK(to_string(compact_order(Tuple{2, 3, 4}, Tuple{-1, 0, 7})) == "(1,2,6)");
  CHECK(told([] {
          compact_order(Tuple{2, 3}, Tuple{0, 0});
        }) == "order (0,0) has 0 twice | every mode needs its own place");
  CHECK(told([] {
          compact_order(Tuple{2, Tuple{3, 4}}, Tuple{0, Tuple{1, 2, 3}});
        }).find("order (1,2,3) does not match shape (3,4)") == 0);
}

TEST_CASE("the smallest sizes: an empty list of modes, one mode, modes of extent 1") {
  const auto text = [](const std::vector<FlatMode>& modes) {
    return to_string(Layout(std::span<const FlatMode>(modes)));
  };
  CHECK(text({}) == "1:0");
  CHECK(text({{4, 2}}) == "4:2");
  CHECK(text({{4, 2}, {1, 0}}) == "(4,1):(2,0)");
  const std::vector<FlatMode> modes{{1, 7}, {2, 1}, {1, 0}, {3, 2}, {4, 100}, {5, 0}};
  CHECK(text(coalesce_modes(modes)) == "(6,4,5):(1,100,0)");
  CHECK(text(moving_modes(modes)) == "(2,3,4):(1,2,100)");
  CHECK(text(sorted_by_stride({{2, 8}, {3, 1}, {4, -2}})) == "(4,3,2):(-2,1,8)");
  CHECK(text(coalesce_endless({})) == "1:0");
  CHECK(text(coalesce_endless(std::vector<FlatMode>{{2, 1}, {1, 2}})) == "2:1");
  CHECK(text(coalesce_endless(std::vector<FlatMode>{{2, 1}, {1, 3}})) == "(2,1):(1,3)");
  CHECK(cosize(Layout(IntTuple(1), IntTuple(0))) == 1);
  CHECK(cosize(Layout(Tuple{4, 8}, Tuple{8, -1})) == 32);
}

TEST_CASE("how far a layout goes on along its last mode") {
  const Layout l(Tuple{4, 8}, Tuple{1, std::int64_t{1} << 40});
  CHECK(told([&] { require_reach(l, 4 * ((std::int64_t{1} << 23) - 1)); }) == "taken");
  CHECK(told([&] { require_reach(l, 4 * (std::int64_t{1} << 23)); }) != "taken");
  CHECK(told([&] { require_reach(Layout(), INT64_MAX); }) == "taken");
}

TEST_CASE("slices of a swizzled layout: what is kept and where it starts") {
  const ComposedLayout l(Swizzle(3, 3, 3), 0, Layout(Tuple{8, 64}, Tuple{64, 1}));
  CHECK(to_string(slice(l, Tuple{IntTuple(2), IntTuple::underscore()})) == "Sw<3,3,3> o 128 o (64):(1)");
  CHECK(to_string(slice(l, Tuple{IntTuple(0), IntTuple::underscore()})) == "Sw<3,3,3> o 0 o (64):(1)");
  CHECK(offset_at(l, Tuple{1, 0}) == 72);
  CHECK(offset_at(l, Tuple{7, 63}) == Swizzle(3, 3, 3)(511));
}

}  // namespace
}  // namespace swz
