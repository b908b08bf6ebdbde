// SPDX-License-Identifier: Apache-2.0
// Scale factors: worked examples, one to one, inverses, and the copy from shared memory.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "tmem/scale_factor.hpp"

using namespace swz;

TEST_CASE("tensor memory as a layout: the bytes of scale_place") {
  for (const int n : {8, 64, 128, 192, 256})
    for (const int group : {1, 2})
      for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b}) {
        const ScalePlacement p{&require_scale_kind(MmaKind::mxf8f6f4, 32), operand, 128, n, group};
        if (operand == ScaleOperand::a && group == 2) continue;  // an open question of the sheet
        const Layout layout = p.layout(3);
        const std::int64_t rows = p.is_split() ? p.n : (p.rows() + 127) / 128 * 128;
        REQUIRE(layout.size() == rows * 12 * p.copies());
        int faults = 0;
        for (std::int64_t i = 0; i < layout.size(); ++i) {
          const ScalePlace at = scale_place(p, {i % rows, i / rows % 12}, 0);
          const int lane = at.lanes[static_cast<std::size_t>(i / rows / 12)];
          faults += layout(i) != tmem_address(lane, at.column) * std::int64_t{4} + at.byte;
        }
        INFO("N ", n, " group ", group);
        CHECK(faults == 0);
      }
}

TEST_CASE("tensor memory: the worked examples") {
  const auto place = [](MmaKind kind, int vec, ScaleOperand operand, int m, int n, int group, ScaleCoordinate at,
                        int column) {
    return scale_place({&require_scale_kind(kind, vec), operand, m, n, group}, at, column);
  };
  using Lanes = std::vector<int>;
  ScalePlace p = place(MmaKind::mxf8f6f4, 32, ScaleOperand::a, 128, 128, 1, {72, 2}, 64);
  CHECK(p.lanes == Lanes{8, 40, 72, 104});
  CHECK(p.column == 66);
  CHECK(p.byte == 2);
  CHECK(p.mma == 2);
  CHECK(p.sf_id == 2);
  p = place(MmaKind::mxf4nvf4, 16, ScaleOperand::b, 128, 256, 1, {200, 6}, 80);
  CHECK(p.lanes == Lanes{8, 40, 72, 104});
  CHECK(p.column == 94);
  CHECK(p.byte == 2);
  CHECK(p.mma == 1);
  CHECK(p.address_column == 88);
  CHECK(p.sf_id == 0);
  p = place(MmaKind::mxf4nvf4, 16, ScaleOperand::b, 128, 256, 2, {200, 1}, 0);
  CHECK(p.lanes == Lanes{72, 104});
  CHECK(p.column == 2);
  CHECK(p.byte == 1);
  p = place(MmaKind::mxf4, 32, ScaleOperand::a, 128, 256, 1, {0, 6}, 16);
  CHECK(p.mma == 3);
  CHECK(p.address_column == 20);
  CHECK(p.sf_id == 2);
  CHECK(place(MmaKind::mxf4, 32, ScaleOperand::b, 128, 256, 1, {0, 6}, 16).address_column == 24);
  // K 96 of sm_103a: MMA j begins at factor 6j or 3j, ids 0, 2 or 0, 3, 2, 1.
  for (int mma = 0; mma < 4; ++mma) {
    const ScaleKind& block16 = require_scale_kind(MmaKind::mxf4nvf4, 16, KSize::k96);
    const ScaleKind& block32 = require_scale_kind(MmaKind::mxf4, 32, KSize::k96);
    CHECK(scale_place({&block16}, {0, 6 * mma}, 0).sf_id == (mma % 2 == 0 ? 0 : 2));
    CHECK(scale_place({&block32}, {0, 3 * mma}, 0).sf_id == (4 - mma) % 4);
  }
  CHECK_THROWS_WITH(require_scale_kind(MmaKind::mxf4, 16), "kind mxf4 has no scale vectors of 16 elements");
  CHECK_THROWS_WITH(require_scale_kind(MmaKind::f16, 32), "kind f16 has no scale factors");
}

TEST_CASE("sm_107: K 128 of fp4, and A in 128 lanes") {
  const ScaleKind& k128 = require_scale_kind(MmaKind::mxf4nvf4, 16, KSize::twice);
  ScalePlacement p{&k128, ScaleOperand::a, 128, 256, 1};
  using Lanes = std::vector<int>;
  // The sheet's example: scale 5 of row 70.
  ScalePlace at = scale_place(p, {70, 5}, 0);
  CHECK(at.lanes == Lanes{6, 38, 70, 102});
  CHECK(at.column == 6);
  CHECK(at.byte == 1);
  CHECK(p.mma_k() == 128);
  p.in_128_lanes = true;
  at = scale_place(p, {70, 5}, 0);
  CHECK(at.lanes == Lanes{70});
  CHECK(at.column == 1);
  CHECK(at.byte == 1);
  CHECK(p.copies() == 1);
  // Eight factors are two columns: the next MMA begins there, with id 0.
  at = scale_place(p, {70, 13}, 10);
  CHECK(at.mma == 1);
  CHECK(at.address_column == 12);
  CHECK(at.sf_id == 0);
  int faults = 0;
  const Layout layout = p.layout(4);
  REQUIRE(layout.size() == 128 * 16);
  for (int i = 0; i < 128 * 16; ++i) {
    const ScaleCoordinate factor{i % 128, i / 128};
    const ScalePlace place = scale_place(p, factor, 3);
    faults += place.lanes != Lanes{i % 128} || place.column != 3 + i / 128 / 4 || place.byte != i / 128 % 4;
    faults += scale_at(p, place.lanes[0], place.column, place.byte, 3) != factor;
    faults += layout(i) != tmem_address(place.lanes[0], place.column - 3) * std::int64_t{4} + place.byte;
  }
  CHECK(faults == 0);
  CHECK_THROWS_WITH(require_scale_kind(MmaKind::mxf8f6f4, 32, KSize::twice),
                    "how many scale factors mxf8f6f4 takes with K 64 is not settled");
}

TEST_CASE("a sparse MMA: as many factors, each for twice as many k") {
  ScalePlacement p{&require_scale_kind(MmaKind::mxf4nvf4, 16), ScaleOperand::a, 128, 128, 1, true};
  CHECK(p.block() == 32);
  CHECK(p.mma_k() == 128);
  CHECK(scale_place(p, {0, 4}, 0).mma == 1);
}

TEST_CASE("what tcgen05.cp brings from the tiles of shared memory is where the MMA looks") {
  // Each tile is 32 rows of 16 bytes for 32x128b.warpx4; two tiles are 64 rows for 64x128b.warpx2::01_23.
  for (const int n : {64, 128, 192, 256})
    for (const int m : {128, 256})
      for (const int group : {1, 2})
        for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b}) {
          if (m == 256 && group == 1) continue;
          if (operand == ScaleOperand::a && m / group < 128) continue;  // an open question of the sheet
          const ScalePlacement p{&require_scale_kind(MmaKind::mxf8f6f4, 32), operand, m, n, group};
          const ScaleExtents extents{(p.rows() + 127) / 128 * 128, 8};
          const ScaleLayout smem("128x4_stage", extents);
          if (p.is_split()) continue;  // halves have tiles of their own: test_scale_way.cpp
          const TmemCopy& copy = require_tmem_copy("32x128b.warpx4");
          std::map<std::tuple<int, int, int>, std::int64_t> cells;  // lane, column, byte -> offset
          const std::int64_t unit = copy.rows * std::int64_t{16};
          for (std::int64_t first = 0; first < smem.size().count; first += unit)
            for (std::int64_t byte = 0; byte < unit; ++byte)
              for (int time = 0; time < copy.times; ++time)
                cells[{copy.lane(static_cast<int>(byte / 16), time), static_cast<int>(first / unit * 4 + byte % 16 / 4),
                       static_cast<int>(byte % 4)}] = first + byte;
          int faults = 0;
          for (std::int64_t row = 0; row < p.rows(); ++row)
            for (std::int64_t kb = 0; kb < 8; ++kb) {
              const ScalePlace place = scale_place(p, {row, kb}, 0);
              for (const int lane : place.lanes)
                faults += cells[{lane, place.column, place.byte}] != smem.offset({row, kb}).count;
            }
          INFO("M ", m, " N ", n, " group ", group, " operand ", static_cast<int>(operand));
          CHECK(faults == 0);
        }
}

// JAX's test stores (N, kb) as reshape(2, N / 64, 32, K, 4).transpose(3, 0, 2, 1, 4): 64 rows of 16 bytes for four factors,
// row 32 * half + n' % 32, byte 4 * (n' / 32) + kb % 4, copied with 64x128b.warpx2::01_23.
TEST_CASE("halves of N as JAX's test of a pair with M 128 stores and copies them") {
  const TmemCopy& copy = require_tmem_copy("64x128b.warpx2::01_23");
  for (const int n : {64, 128, 192, 256}) {
    const ScalePlacement p{&require_scale_kind(MmaKind::mxf8f6f4, 32), ScaleOperand::b, 128, n, 2};
    int faults = 0;
    for (int row = 0; row < n; ++row)
      for (int kb = 0; kb < 8; ++kb) {
        const int half = row / (n / 2), inside = row % (n / 2);
        const int source_row = 32 * half + inside % 32, byte = 4 * (inside / 32) + kb % 4;
        const ScalePlace place = scale_place(p, {row, kb}, 0);
        faults += place.lanes != std::vector{copy.lane(source_row, 0), copy.lane(source_row, 1)};
        faults += place.column != 4 * (kb / 4) + byte / 4 || place.byte != byte % 4;
      }
    INFO("N ", n);
    CHECK(faults == 0);
  }
}

TEST_CASE("tensor memory: every copy of every factor is found again, and nothing else lies there") {
  int faults = 0;
  std::int64_t told = 0, found = 0;
  for (const ScaleKind& kind : scale_kinds())
    for (const int n : {8, 64, 96, 128, 192, 256})
      for (const auto& [m, group] : {std::pair{128, 1}, {128, 2}, {256, 2}})
        for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b}) {
          const ScalePlacement p{&kind, operand, m, n, group};
          for (int row = 0; row < p.rows(); ++row)
            for (int factor = 0; factor < 12; ++factor) {
              const ScalePlace place = scale_place(p, {row, factor}, 40);
              for (const int lane : place.lanes) {
                ++told;
                faults += scale_at(p, lane, place.column, place.byte, 40) != ScaleCoordinate{row, factor};
              }
            }
          for (int lane = 0; lane < 128; ++lane)
            for (int column = 30; column < 40 + 3 * p.columns_per_word(); ++column)
              for (int byte = 0; byte < 4; ++byte) found += scale_at(p, lane, column, byte, 40).has_value();
        }
  CHECK(faults == 0);
  CHECK(found == told);
}
