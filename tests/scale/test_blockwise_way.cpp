// SPDX-License-Identifier: Apache-2.0
// fp32 scale factors of wgmma: every register of every thread gets the factor of its row or column, from tiles that
// begin anywhere.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "scale/blockwise_way.hpp"

using namespace swz;

namespace {

BlockwiseTile tile_of(ScaleOperand operand, std::int64_t n = 128) {
  const bool is_a = operand == ScaleOperand::a;
  return {.operand = operand,
          .layout = &require_scale_layout(is_a ? "mn_major_tma_f32" : "linear_f32"),
          .rows_of_factor = is_a ? 1 : 128,
          .n = n};
}

// D of wgmma as PTX has it: row and column of register r of a thread.
std::int64_t row_of(int thread, int r) { return 16 * (thread / 32) + thread % 32 / 4 + 8 * (r / 2 % 2); }
std::int64_t column_of(int thread, int r) { return 8 * (r / 4) + 2 * (thread % 4) + r % 2; }

}  // namespace

TEST_CASE("the worked example") {
  BlockwiseTile tile = tile_of(ScaleOperand::a);
  tile.k = 256, tile.whole_rows = 4096, tile.whole_k = 7168, tile.first_row = 256, tile.first_k = 512;
  const BlockwiseWay::Stop stop = BlockwiseWay(tile).stop(70, 130);
  CHECK(stop.factor == ScaleCoordinate{326, 5});
  CHECK(stop.gmem == Bytes{83224});
  CHECK(stop.smem == Bytes{280});
  CHECK(stop.warpgroups == std::vector{1});
  CHECK(stop.threads == std::vector{24, 25, 26, 27});
  CHECK(std::vector(stop.registers.begin(), stop.registers.begin() + 6) == std::vector{0, 1, 4, 5, 8, 9});
  CHECK(stop.first_mma == 4);
  CHECK(stop.last_mma == 7);
}

TEST_CASE("every register of every thread has one row of A and one column of B") {
  for (const std::int64_t n : {8, 96, 128, 256}) {
    std::map<std::pair<int, int>, int> rows, columns;
    const BlockwiseWay a(tile_of(ScaleOperand::a, n)), b(tile_of(ScaleOperand::b, n));
    int faults = 0;
    for (std::int64_t row = 0; row < 128; ++row) {
      const BlockwiseWay::Stop stop = a.stop(row, 0);
      for (const int thread : stop.threads)
        for (const int r : stop.registers) {
          faults += row_of(thread, r) + 64 * stop.warpgroups.at(0) != row;
          ++rows[{128 * stop.warpgroups.at(0) + thread, r}];
        }
    }
    for (std::int64_t column = 0; column < n; ++column) {
      const BlockwiseWay::Stop stop = b.stop(column, 0);
      CHECK(stop.warpgroups == std::vector{0, 1});
      for (const int thread : stop.threads)
        for (const int r : stop.registers) {
          faults += column_of(thread, r) != column;
          ++columns[{thread, r}];
        }
    }
    CHECK(faults == 0);
    CHECK(rows.size() == static_cast<std::size_t>(2 * 128 * n / 2));
    CHECK(columns.size() == static_cast<std::size_t>(128 * n / 2));
  }
}

TEST_CASE("tiles that begin anywhere: the factors of the whole operand, and whose rows they are") {
  Random random(31);
  for (int round = 0; round < 300; ++round) {
    BlockwiseTile tile = tile_of(random.one_in(2) ? ScaleOperand::a : ScaleOperand::b, 8 * (1 + random.below(32)));
    tile.k = 32 * (1 + random.below(12));
    tile.first_row = random.below(1000), tile.first_k = 32 * random.below(40);
    tile.whole_rows = tile.first_row + tile.rows() + random.below(200);
    tile.whole_k = tile.first_k + tile.k + random.below(300);
    const BlockwiseWay way(tile);
    const std::int64_t row = random.below(tile.rows()), k = random.below(tile.k);
    const BlockwiseWay::Stop stop = way.stop(row, k);
    CHECK(stop.factor == ScaleCoordinate{(tile.first_row + row) / tile.rows_of_factor, (tile.first_k + k) / 128});
    CHECK(stop.gmem == way.gmem().offset(stop.factor));
    for (const std::int64_t edge : {stop.first_row, stop.last_row}) CHECK(way.stop(edge, k).factor == stop.factor);
    if (stop.first_row > 0) CHECK(way.stop(stop.first_row - 1, k).factor != stop.factor);
    for (std::int64_t mma = 0; mma < tile.k / 32; ++mma) {
      const bool has = (tile.first_k + 32 * mma) / 128 == stop.factor.kb;
      CHECK(has == (mma >= stop.first_mma && mma <= stop.last_mma));
    }
  }
}

TEST_CASE("what cannot be right is refused with its rule") {
  const auto refused = [](BlockwiseTile tile) {
    try {
      const BlockwiseWay way(tile);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("answered");
  };
  BlockwiseTile tile = tile_of(ScaleOperand::a);
  tile.whole_rows = tile.whole_k = 1024, tile.first_k = 16;
  CHECK(refused(tile) ==
        "the tile begins at k 16: an MMA of its 32 k takes two factors, of which one accumulator is summed");
  tile.first_k = 32;
  CHECK(refused(tile) == "answered");
  tile.layout = &require_scale_layout("128x4");
  CHECK(refused(tile) == "layout 128x4 has factors of 1 B; these have 4, fp32");
  tile = tile_of(ScaleOperand::b, 12);
  CHECK(refused(tile) == "wgmma has no N 12");
  tile = tile_of(ScaleOperand::a);
  tile.m = 96;
  CHECK(refused(tile) == "M 96 is not whole warpgroups of 64 rows");
}
