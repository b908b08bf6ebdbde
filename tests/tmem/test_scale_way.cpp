// SPDX-License-Identifier: Apache-2.0
// The way of scale factors: what the copies bring, byte by byte, is where the MMA looks; tiles of shared memory are tiles
// of global memory; the worked example.
#include <doctest/doctest.h>

#include <map>

#include "base/error.hpp"
#include "sweep.hpp"
#include "tmem/scale_way.hpp"

using namespace swz;
using enum MmaKind;

namespace {

struct Cell {
  int lane = 0, column = 0, byte = 0;
  auto operator<=>(const Cell&) const = default;
};

// Which byte of the stage lies in each byte of tensor memory after the copies, by only the shape of tcgen05.cp.
std::map<Cell, std::int64_t> copied(const ScaleWay& way) {
  std::map<Cell, std::int64_t> cells;
  const TmemCopy& shape = way.copy();
  const int row_bytes = shape.bits / 8;
  for (const ScaleWay::Copy& copy : way.copies())
    for (int row = 0; row < shape.rows; ++row)
      for (int time = 0; time < shape.times; ++time)
        for (int byte = 0; byte < row_bytes; ++byte)
          cells[{shape.lane(row, time), copy.column + byte / 4, byte % 4}] = copy.smem.count + row * row_bytes + byte;
  return cells;
}

template <class Tell>
void for_each_way(Tell tell) {
  Sweep every{5};
  for (const ScaleKind& kind : scale_kinds())
    for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b})
      for (const int group : {1, 2})
        for (const int m : {128, 256})
          for (const int n : {8, 64, 128, 136, 192, 256})
            for (const int mmas : {1, 4, 6})
              for (int cta = 0; cta < group; ++cta) {
                if ((m == 256 && group == 1) || !every.takes()) continue;
                const ScalePlacement p{&kind, operand, m, n, group};
                const int k = mmas * k_of(kind.kind, kind.k);
                tell(ScaleWay(p, {.k = k, .cta = cta, .column = 8}), mmas * kind.factors);
              }
}

}  // namespace

TEST_CASE("what the copies bring from shared memory is where the MMA looks, for every row and factor") {
  int faults = 0;
  std::int64_t checked = 0;
  for_each_way([&](const ScaleWay& way, int factors) {
    const auto cells = copied(way);
    const auto copies = way.copies();
    const auto steps = way.steps();
    for (std::int64_t row = 0; row < way.placement().rows(); ++row)
      for (std::int64_t kb = 0; kb < factors; ++kb) {
        const ScaleWay::Stop stop = way.stop({row, kb});
        for (const int lane : stop.place.lanes) {
          const auto cell = cells.find({lane, stop.place.column, stop.place.byte});
          faults += cell == cells.end() || cell->second != stop.smem.count;
          ++checked;
        }
        const ScaleWay::Copy& copy = copies[static_cast<std::size_t>(stop.copy)];
        faults += stop.smem < copy.smem || stop.place.column < copy.column || stop.place.column > copy.column + 3;
        const ScaleWay::Step& step = steps[static_cast<std::size_t>(stop.place.mma)];
        faults += step.address_column != stop.place.address_column || step.sf_id != stop.place.sf_id;
      }
    for (const auto& [cell, byte] : cells) faults += cell.column < 8 || cell.column >= 8 + way.columns();
  });
  CHECK(faults == 0);
  CHECK(checked > at_least(1'000'000, 5));
}

TEST_CASE("a tile of the stage is a tile of global memory, byte for byte") {
  for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b})
    for (const int group : {1, 2})
      for (int cta = 0; cta < group; ++cta) {
        const ScalePlacement p{&require_scale_kind(mxf4nvf4, 16), operand, group * 128, 256, group};
        const ScaleWay way(p, {.k = 256, .whole = {1024, 64}, .origin = {512, 32}, .cta = cta});
        int faults = 0;
        const auto copies = way.copies();
        for (std::int64_t row = 0; row < p.rows(); ++row)
          for (std::int64_t kb = 0; kb < 16; ++kb) {
            const ScaleWay::Stop stop = way.stop({row, kb});
            const auto tile = copies[static_cast<std::size_t>(stop.copy)].gmem[0];
            faults += !tile || stop.gmem.count - tile->count != stop.smem.count % 512;
            const std::int64_t m = 512 + row + (operand == ScaleOperand::a ? cta * 128 : 0), k = 32 + kb;
            // cuBLAS's formula: 16 tiles along K.
            faults += stop.gmem.count != (m / 128 * 16 + k / 4) * 512 + m % 32 * 16 + m % 128 / 32 * 4 + k % 4;
          }
        CHECK(faults == 0);
      }
}

TEST_CASE("the worked example") {
  const ScalePlacement p{&require_scale_kind(mxf4nvf4, 16), ScaleOperand::b, 128, 256, 1};
  const ScaleWay way(p, {.k = 256, .column = 80});
  const ScaleWay::Stop stop = way.stop({200, 6});
  CHECK(stop.gmem.count == 2698);
  CHECK(stop.smem.count == 1674);
  CHECK(stop.copy == 3);
  CHECK(stop.place.column == 94);
  CHECK(stop.place.address_column == 88);
  const auto copies = way.copies();
  REQUIRE(copies.size() == 8);
  for (int i = 0; i < 8; ++i) {
    CHECK(copies[static_cast<std::size_t>(i)].smem.count == 512 * i);
    CHECK(copies[static_cast<std::size_t>(i)].column == 80 + 4 * i);
  }
  CHECK(full_name(way.copy()) == "32x128b.warpx4");
  // Two CTAs, M 128: two tiles at a time.
  const ScaleWay split({p.kind, ScaleOperand::b, 128, 256, 2}, {.k = 256});
  CHECK(full_name(split.copy()) == "64x128b.warpx2::01_23");
  REQUIRE(split.copies().size() == 4);
  CHECK(split.copies()[1].smem.count == 1024);
  CHECK(split.copies()[1].column == 4);
  CHECK(split.copies()[0].gmem == std::vector<std::optional<Bytes>>{Bytes{0}, Bytes{2048}});
  // Of N 128 each 64 rows have a tile of their own, which global memory has not.
  const ScaleWay narrow({p.kind, ScaleOperand::b, 128, 128, 2}, {.k = 256});
  CHECK(full_name(narrow.copy()) == "64x128b.warpx2::01_23");
  REQUIRE(narrow.copies().size() == 4);
  CHECK(narrow.copies()[0].gmem == std::vector<std::optional<Bytes>>{std::nullopt, std::nullopt});
  CHECK(narrow.stop({64, 0}).smem.count == 512);
  CHECK(narrow.stop({64, 0}).place.lanes == std::vector{64, 96});
  CHECK(narrow.stop({63, 5}).place.column == 5);
}

TEST_CASE("what has no way says why") {
  const auto way = [](ScalePlacement p, ScaleTile tile) { ScaleWay(p, tile); };
  const ScaleKind& kind = require_scale_kind(mxf8f6f4, 32);
  const ScalePlacement a{&kind};
  CHECK_THROWS_WITH(way(a, {.k = 100}), "--k 100 is not a whole number of MMAs of K 32");
  CHECK_THROWS_WITH(way(a, {.k = 128, .column = 509}), "the factors take 4 columns from 509 on; there are 512");
  CHECK_THROWS_WITH(way(a, {.k = 128, .whole = {128, 8}, .origin = {64, 0}}),
                    "the tile ends at row 192; --shape has 128");
  CHECK_THROWS_WITH(way(a, {.k = 128, .whole = {512, 8}, .origin = {64, 0}}),
                    "the tile begins inside a 128x4 tile: row 64, factor 0");
  CHECK_THROWS_WITH(ScaleWay(a, {.k = 128}).stop({128, 0}), "there is no row 128");
  CHECK_THROWS_WITH(ScaleWay(a, {.k = 128}).stop({0, 4}), "there is no factor 4");
}
