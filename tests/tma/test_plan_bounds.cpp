// SPDX-License-Identifier: Apache-2.0
// Plans and remarks at the bounds of their conditions: extents, strides, ranks, a layout that does not begin at its base.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "tma/plan.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }

std::string refusal(const SmemDestination& to, const GmemOperand& operand, int max_rank = 5) {
  const auto result = plan_tile(to, operand, hopper(), max_rank);
  const auto* refused = std::get_if<Finding>(&result);
  return refused == nullptr ? "planned" : std::string(refused->rule);
}

SmemDestination rows_of_64(std::int64_t rows, std::int64_t offset, Bytes base = {}) {
  const Layout layout(std::vector<IntTuple>{rows, 64}, std::vector<IntTuple>{64, 1});
  return {ComposedLayout(Swizzle(), offset, layout), require_dtype("bf16"), Packing::packed, Major::K, base};
}

}  // namespace

TEST_CASE("plans: the smallest operand, lines 0 B apart, ranks 2 to 5") {
  const SmemDestination to = rows_of_64(8, 0);
  for (const TileExtents extents : {TileExtents{1, 64}, {8, 1}, {1, 1}, {8, 64}})
    CHECK(refusal(to, {extents, Bytes{128}}) != "operand");
  for (const TileExtents extents : {TileExtents{0, 64}, {8, 0}, {-1, 64}, {8, -1}})
    CHECK(refusal(to, {extents, Bytes{128}}) == "operand");
  CHECK(refusal(to, {{8, 64}, Bytes{0}}) != "operand");
  CHECK(refusal(to, {{8, 64}, Bytes{-1}}) == "operand");
  for (int rank = 2; rank <= 5; ++rank) CHECK(refusal(to, {{8, 64}, Bytes{128}}, rank) == "planned");
  for (const int rank : {-1, 0, 1, 6}) CHECK_THROWS_AS(refusal(to, {{8, 64}, Bytes{128}}, rank), Error);
}

TEST_CASE("plans: copies begin where the layout does, at multiples of 128 B") {
  const GmemOperand operand{{8, 64}, Bytes{128}};
  for (const std::int64_t offset : {0, 64, 128, 512}) {
    const auto result = plan_tile(rows_of_64(8, offset), operand, hopper(), 5);
    const auto* plan = std::get_if<TilePlan>(&result);
    REQUIRE(plan != nullptr);
    REQUIRE(plan->copies.size() == 1);
    CHECK(plan->copies[0].smem_offset.count == 2 * offset);
    CHECK(plan->request.count == 128);
  }
  CHECK(refusal(rows_of_64(8, 32), operand) == "smem-128");
  CHECK(refusal(rows_of_64(8, 32, Bytes{64}), operand) == "planned");
  CHECK(refusal(rows_of_64(8, 0, Bytes{64}), operand) == "smem-128");
  CHECK_THROWS_AS(refusal(rows_of_64(8, -1), operand), Error);
  // 8 rows of 128 B end with the 228 KiB, or one element past them.
  CHECK(refusal(rows_of_64(8, 0, Bytes{233472 - 1024}), operand) == "planned");
  CHECK_THROWS_AS(refusal(rows_of_64(8, 1, Bytes{233472 - 1024}), operand), Error);
}

TEST_CASE("plans: each mode steps past what the faster ones cover, or is refused with what they cover") {
  const auto told = [](std::vector<IntTuple> rows, std::vector<IntTuple> steps) {
    const Layout layout(std::vector<IntTuple>{std::move(rows), 64}, std::vector<IntTuple>{std::move(steps), 1});
    const SmemDestination to{
        ComposedLayout(Swizzle(), 0, layout), require_dtype("bf16"), Packing::packed, Major::K, {}};
    const TileExtents extents = to.extents();
    const auto result = plan_tile(to, {extents, Bytes{128}}, hopper(), 5);
    const auto* refused = std::get_if<Finding>(&result);
    return refused == nullptr ? "planned" : refused->rule + ": " + refused->message;
  };
  const auto inside = [](int step, int covered) {
    return "own-place: steps of " + std::to_string(step) + " elements begin inside of what faster modes cover, " +
           std::to_string(covered) + " elements";
  };
  CHECK(told({4, 2}, {64, 256}) == "planned");
  CHECK(told({4, 2}, {63, 256}) == inside(63, 64));
  CHECK(told({4, 2}, {64, 255}) == inside(255, 256));
  CHECK(told({2, 2}, {64, 127}) == inside(127, 128));
  CHECK(told({2, 2}, {128, 256}) == "planned");
  CHECK(told({2, 2}, {128, 191}) == inside(191, 192));
  CHECK(told({2, 2}, {128, 192}) == "planned");
}

TEST_CASE("plans: a dimension of a box has 256 entries") {
  const auto copies = [](std::int64_t rows, int rank) {
    const SmemDestination to = rows_of_64(rows, 0);
    const auto result = plan_tile(to, {{rows, 64}, Bytes{128}}, hopper(), rank);
    const auto* plan = std::get_if<TilePlan>(&result);
    return plan == nullptr ? std::size_t{0} : plan->copies.size();
  };
  CHECK(copies(256, 2) == 1);
  CHECK(copies(257, 2) == 257);  // a prime: equal boxes of one row
  CHECK(copies(512, 2) == 2);
  CHECK(copies(512, 3) == 1);  // 256 x 2
  CHECK(copies(768, 3) == 1);
}

TEST_CASE("remarks: overlapping entries, of dimensions with two entries or more") {
  const auto speaks = [](std::uint64_t dim, std::uint64_t stride) {
    const TensorMap map{
        .data_type = TensorMapDataType::bfloat16, .rank = 2, .dims = {64, dim}, .strides = {stride}, .box = {64, 1}};
    for (const TensorMapViolation& r : remarks(map, hopper()))
      if (r.rule == "stride-order") return true;
    return false;
  };
  CHECK_FALSE(speaks(1, 16));
  CHECK(speaks(2, 16));
  CHECK(speaks(2, 112));
  CHECK_FALSE(speaks(2, 128));
  CHECK_FALSE(speaks(2, 144));
}
