// SPDX-License-Identifier: Apache-2.0
// The way of scale factors to mma.sync: the worked examples, and what the MMA reads is what its lanes have loaded.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "fragment/block_scaled.hpp"
#include "scale/warp_way.hpp"

using namespace swz;

namespace {

const BlockScaledMma& form_of(MmaKind kind, int scale_vec, bool is_sparse = false) {
  return *find_block_scaled({kind, is_sparse, scale_vec}).front();
}

}  // namespace

// mma_block_scale.md, section 8: thread 133 is lane 5 of warp 4.
TEST_CASE("CUTLASS's cooperative NVFP4 of 128 x 128 x 128, thread 133") {
  const WarpScaleWay a({&form_of(MmaKind::mxf4nvf4, 4), ScaleOperand::a, 128, 128});
  const WarpScaleWay b({&form_of(MmaKind::mxf4nvf4, 4), ScaleOperand::b, 128, 128});
  const auto holds = [](const WarpScaleWay::Stop& stop) {
    return std::ranges::count(stop.warps, 4) == 1 && std::ranges::count(stop.lanes, 5) == 1;
  };
  std::set<std::int64_t> rows, columns;
  for (std::int64_t row = 0; row < 128; ++row) {
    if (holds(a.stop({row, 0}))) rows.insert(row);
    if (holds(b.stop({row, 0}))) columns.insert(row);
  }
  CHECK(rows == std::set<std::int64_t>{9, 73});
  CHECK(columns == std::set<std::int64_t>{17, 25, 49, 57, 81, 89, 113, 121});
  CHECK(a.stop({9, 0}).smem.count == 144);
  CHECK(a.stop({73, 0}).smem.count == 152);
  CHECK(a.stop({9, 4}).smem.count == 656);
  CHECK(a.stop({73, 4}).smem.count == 664);
  CHECK(b.stop({17, 0}).smem.count == 272);
  CHECK(b.stop({25, 0}).smem.count == 400);
  CHECK(b.stop({49, 0}).smem.count == 276);
  CHECK(b.stop({57, 0}).smem.count == 404);
  CHECK(a.stop({73, 4}).fragment_byte == 12);
  CHECK(a.stop({73, 4}).mma == 1);
}

TEST_CASE("every lane that an MMA reads has loaded the factor of its row and block") {
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b})
      for (const auto& [warps_m, warps_n] : {std::pair{4, 2}, std::pair{2, 2}, std::pair{2, 4}}) {
        const WarpScaleTile tile{&form, operand, 128, 2 * std::max(form.k, 4 * form.block()), warps_m, warps_n};
        const WarpScaleWay way(tile);
        const bool is_a = operand == ScaleOperand::a;
        // (warp, atom, mma, lane, register byte) -> (row, kb); each lane's bytes are used once.
        std::map<std::tuple<int, int, int, int, int>, ScaleCoordinate> loaded;
        std::set<std::tuple<int, int, int>> bytes;
        int faults = 0;
        for (ScaleCoordinate at; at.row < tile.rows; ++at.row)
          for (at.kb = 0; at.kb < tile.k / form.block(); ++at.kb) {
            const WarpScaleWay::Stop stop = way.stop(at);
            for (const int warp : stop.warps)
              for (const int lane : stop.lanes) {
                loaded[{warp, stop.atom, stop.mma, lane, stop.register_byte}] = at;
                faults += !bytes.insert({warp, lane, stop.fragment_byte}).second;
              }
          }
        const Fragment read = scale_fragment(form, is_a ? Operand::sfa : Operand::sfb, {});
        for (int warp = 0; warp < warps_m * warps_n; ++warp)
          for (int atom = 0; atom < way.atoms(); ++atom)
            for (int mma = 0; mma < way.mmas(); ++mma)
              for (int row = 0; row < (is_a ? 16 : 8); ++row)
                for (int block = 0; block < form.scale_vec; ++block) {
                  const Holder holder =
                      holders_of(read, is_a ? Coordinate{row, block} : Coordinate{block, row}).front();
                  const auto found = loaded.find({warp, atom, mma, holder.thread, block});
                  if (found == loaded.end()) {
                    ++faults;
                    continue;
                  }
                  faults += found->second.kb != std::int64_t{mma} * form.scale_vec + block;
                  faults += found->second.row % (is_a ? 16 : 8) != row;
                  const int of_warp = is_a ? warp % warps_m : warp / warps_m;
                  faults += found->second.row / 16 % (is_a ? warps_m : warps_n) != of_warp;
                }
        CHECK(faults == 0);
      }
}

TEST_CASE("tiles that are not whole are refused") {
  const BlockScaledMma& form = form_of(MmaKind::mxf4nvf4, 4);
  CHECK_THROWS_WITH(WarpScaleWay({&form, ScaleOperand::a, 96, 128}),
                    "M 96 is not a multiple of 64: 4 warps have 16 rows each");
  CHECK_THROWS_WITH(WarpScaleWay({&form, ScaleOperand::a, 128, 96}),
                    "K 96 is not a multiple of 64: the tile is whole MMAs");
  CHECK_THROWS_WITH(WarpScaleWay({&form_of(MmaKind::mxf4, 2), ScaleOperand::a, 128, 64}),
                    "K 64 is not a multiple of 128: a row of a 128x4 tile has four factors");
}
