// SPDX-License-Identifier: Apache-2.0
// D in tensor memory: the formulas of PTX's data paths, the worked examples, one to one, inverse, layout.
#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "base/error.hpp"
#include "tmem/accumulator.hpp"

using namespace swz;

namespace {

// (lane, column) of (row of the CTA, n), written once more from the table of the data paths.
struct Expected {
  int lane, column;
};
Expected by_table(char path, int r, int n, int all) {
  switch (path) {
    case 'B':
    case 'E': return {n >= all / 2 ? r + 64 : r, n % (all / 2)};
    case 'C':
    case 'F': return {32 * (r / 16) + r % 16, n};
    case 'G': return {r + 32 * (n / (all / 4)), n % (all / 4)};
    default: return {r, n};
  }
}

}  // namespace

TEST_CASE("every data path, N and element: as the table says, one to one, element is the inverse, layout the same") {
  for (const DataPath& path : data_paths())
    for (int n = 8 * path.parts; n <= 256; n += 8 * path.parts) {
      const Accumulator d(path, n);
      const Layout layout = d.layout();
      REQUIRE(layout.size() == path.rows() * n);
      CHECK(d.columns() * path.parts == n);
      std::set<std::tuple<int, int, int>> taken;
      int faults = 0;
      for (int m = 0; m < path.m; ++m)
        for (int c = 0; c < n; ++c) {
          const TmemCell cell = d.place({m, c});
          const int r = m % path.rows();
          const Expected expected = by_table(path.name[0], r, c, n);
          faults += cell.cta != m / path.rows() || cell.lane != expected.lane || cell.column != expected.column;
          faults += cell.lane >= tmem_lanes || cell.column >= d.columns();
          faults += d.element(cell) != Coordinate{m, c};
          faults += layout(r + std::int64_t{c} * path.rows()) != tmem_address(cell.lane, cell.column);
          faults += !taken.insert({cell.cta, cell.lane, cell.column}).second;
        }
      INFO(path.name, " N ", n);
      CHECK(faults == 0);
      // What D leaves out has no element: half of the lanes where rows are scattered, nothing elsewhere.
      int empty = 0;
      for (int cta = 0; cta < path.cta_group; ++cta)
        for (int lane = 0; lane < tmem_lanes; ++lane)
          for (int column = 0; column < d.columns(); ++column) empty += !d.element({cta, lane, column});
      CHECK(empty == (path.is_scattered ? 64 * d.columns() * path.cta_group : 0));
      CHECK_FALSE(d.element({path.cta_group, 0, 0}));
      CHECK_FALSE(d.element({0, 0, d.columns()}));
    }
}

TEST_CASE("worked examples of the data paths") {
  struct Case {
    DataPathQuery query;
    int n;
    Coordinate at;
    TmemCell cell;
  };
  const Case cases[] = {{{64, 1, false}, 128, {37, 5}, {0, 69, 5}},
                        {{128, 2, false}, 256, {100, 200}, {1, 100, 72}},
                        {{256, 2, false}, 64, {200, 63}, {1, 72, 63}},
                        {{32, 1, true}, 64, {7, 40}, {0, 71, 8}},
                        {{64, 1, true}, 256, {63, 128}, {0, 127, 0}}};
  for (const Case& c : cases) {
    const Accumulator d(require_data_path(c.query), c.n);
    CHECK(d.place(c.at) == c.cell);
    CHECK(d.element(c.cell) == c.at);
  }
  CHECK(tmem_address(69, 32 + 5) == 0x00450025);
  CHECK(to_string(Accumulator(require_data_path({128, 2}), 256).layout()) == "(64,(128,2)):(65536,(1,4194304))");
  CHECK(to_string(Accumulator(require_data_path({64, 1}), 128).layout()) == "((16,4),128):((65536,2097152),1)");
}

TEST_CASE("every shape of tcgen05.mma has one data path") {
  int shapes = 0;
  for (const MmaShape& shape : mma_shapes())
    for (const int m : shape.m)
      for (const bool sparse : {false, true}) {
        if (m == 0 || (shape.sparsity != Sparsity::either && (shape.sparsity == Sparsity::sparse) != sparse)) continue;
        const DataPathQuery query{m, shape.group == "cta_group::2" ? 2 : 1, shape.is_ws(), sparse};
        int fitting = 0;
        for (const DataPath& path : data_paths()) fitting += find_data_path(query) == &path;
        INFO(shape.group, " M ", m);
        CHECK(fitting == 1);
        ++shapes;
      }
  CHECK(shapes > 20);
}

TEST_CASE("what does not exist") {
  const auto error = [](const DataPathQuery& query) {
    try {
      require_data_path(query);
    } catch (const Error& e) {
      return e.message() + "\n" + e.hint;
    }
    return std::string();
  };
  CHECK(error({64, 2}) ==
        "tcgen05.mma has no M 64 with cta_group::2\nM is 128 and 256; nearest: 128; M 64 exists "
        "with cta_group::1 and .ws");
  CHECK(error({256, 1, true}) ==
        "tcgen05.mma has no M 256 with cta_group::1, .ws\nM is 32, 64 and 128; nearest: 128; M 256 "
        "exists with cta_group::2");
  CHECK(error({128, 2, true}) == ".ws does not exist with cta_group::2\nleave one of them out");
  CHECK_THROWS_WITH(Accumulator(require_data_path({32, 1, true}), 66),
                    "N 66 does not fit data path G, which cuts it into 4 parts");
}
