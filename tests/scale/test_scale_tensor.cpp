// SPDX-License-Identifier: Apache-2.0
// Orders of rows, groups, and what a reader gets from another layout.
#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "scale/formulas.hpp"
#include "scale/scale_tensor.hpp"

using namespace swz;
using Axis = ScaleDigit::Axis;

namespace {

const ScaleLayoutRow& tiles() { return require_scale_layout("128x4"); }

std::vector<const RowOrder*> orders_named(const std::vector<std::string>& names) {
  std::vector<const RowOrder*> orders;
  for (const std::string& name : names) orders.push_back(&require_row_order(name));
  return orders;
}

// Factors that share a byte, are beyond the size, or are not what lies there.
int faults_of(const ScaleTensor& tensor) {
  int faults = 0;
  std::set<std::int64_t> taken;
  const ScaleExtents& e = tensor.extents();
  for (ScaleCoordinate at; at.row < e.rows; ++at.row)
    for (at.kb = 0; at.kb < e.factors; ++at.kb) {
      const Bytes offset = tensor.offset(at);
      faults += !taken.insert(offset.count).second || offset >= tensor.size();
      const auto place = tensor.at(offset);
      faults += !place || place->is_padding || place->at != at;
    }
  std::int64_t found = 0;
  for (Bytes offset; offset < tensor.size(); ++offset.count) {
    const auto place = tensor.at(offset);
    found += place && !place->is_padding;
  }
  return faults + (found != e.rows * e.factors * tensor.row().bytes);
}

}  // namespace

TEST_CASE("every order of rows is its formula, with its inverse") {
  REQUIRE(order_formulas().size() == row_orders().size());
  for (const OrderFormula& f : order_formulas()) {
    CAPTURE(f.name);
    const RowOrder& order = require_row_order(f.name);
    int faults = 0;
    for (const std::int64_t rows : {32, 64, 256, 480, 1024})
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t place = RowPermutation(order, rows).place_of(row);
        faults += place != f.place(row, rows) || RowPermutation(order, rows).source_of(place) != row;
      }
    CHECK(faults == 0);
  }
  CHECK(RowPermutation(require_row_order("shuffle32"), 256).place_of(37) == 41);
  CHECK(RowPermutation(require_row_order("shuffle16"), 256).place_of(37) == 42);
  CHECK(RowPermutation(require_row_order("interleave8"), 256).place_of(165) == 77);
  CHECK_THROWS_WITH(require_row_order("shuffle64"), "'shuffle64' is not a known order of rows");
  CHECK_THROWS_WITH(RowPermutation(require_row_order("shuffle32"), 40),
                    "order shuffle32 has whole groups of 32 rows, not 40");
}

TEST_CASE("orders before a layout: the worked examples") {
  CHECK(ScaleTensor(tiles(), {256, 22}, {}, orders_named({"shuffle32"})).offset({37, 5}).count == 661);
  CHECK(ScaleTensor(tiles(), {256, 22}, {}, orders_named({"gated", "shuffle32"})).offset({200, 5}).count == 3777);
  CHECK(faults_of(ScaleTensor(tiles(), {256, 22}, {}, orders_named({"swap_halves", "gated", "shuffle32"}))) == 0);
}

TEST_CASE("groups: the worked examples") {
  const ScaleTensor rows(tiles(), {172, 8}, {Axis::row, {5, 130, 37}});
  CHECK(rows.offset({5, 5}).count == 1537);
  CHECK(rows.offset({170, 5}).count == 3637);
  CHECK(rows.size().count == (128 + 256 + 128) * 8);
  const ScaleTensor factors(tiles(), {200, 16}, {Axis::kb, {3, 8, 5}});
  CHECK(factors.offset({37, 3 + 2}).count == 1110);
  CHECK(factors.group_of({0, 11}) == 2);
}

TEST_CASE("groups of any sizes, also empty ones, are one to one") {
  Random random(33);
  for (int round = 0; round < 30; ++round) {
    const Axis axis = round % 2 == 0 ? Axis::row : Axis::kb;
    ScaleGroups groups{axis, {}};
    for (int i = 0; i < 5; ++i) groups.counts.push_back(random.below(axis == Axis::row ? 140 : 9));
    groups.counts.push_back(3);
    const std::int64_t all = std::accumulate(groups.counts.begin(), groups.counts.end(), std::int64_t{0});
    const ScaleExtents extents = axis == Axis::row ? ScaleExtents{all, 6} : ScaleExtents{150, all};
    for (const char* name : {"128x4", "8x4", "deepgemm_packed", "128x4_k8"}) {
      CAPTURE(name);
      CHECK(faults_of(ScaleTensor(require_scale_layout(name), extents, groups)) == 0);
    }
  }
  CHECK_THROWS_WITH(ScaleTensor(tiles(), {200, 8}, {Axis::row, {5, 130, 37}}),
                    "the groups have 172 rows together, the operand has 200");
}

TEST_CASE("what a reader gets: the factor that lies where it reads") {
  const auto tensor = [](const char* name, ScaleExtents e) { return ScaleTensor(require_scale_layout(name), e); };
  Random random(34);
  for (int round = 0; round < 40; ++round) {
    const ScaleExtents e{64 * (1 + random.below(5)), 4 * (1 + random.below(6))};
    const char* names[] = {"linear", "128x4", "8x4", "64x4", "128x4_k8", "deepgemm_packed", "marlin_group"};
    const ScaleTensor a = tensor(names[random.below(7)], e), b = tensor(names[random.below(7)], e);
    const ScaleDifference d = difference_of(a, b);
    std::int64_t different = 0;
    for (ScaleCoordinate at; at.row < e.rows; ++at.row)
      for (at.kb = 0; at.kb < e.factors; ++at.kb) different += a.offset(at) != b.offset(at);
    CHECK(d.different == different);
    REQUIRE(d.first.has_value() == (different > 0));
    if (!d.first) continue;
    CHECK(a.offset(d.first->at) == d.first->written);
    CHECK(b.offset(d.first->at) == d.first->read);
    if (d.first->instead && !d.first->instead->is_padding) CHECK(a.offset(d.first->instead->at) == d.first->read);
  }
  CHECK_THROWS_WITH(difference_of(tensor("linear", {8, 8}), tensor("linear_f32", {8, 8})),
                    "factors of linear have 1 bytes, of linear_f32 4");
}
