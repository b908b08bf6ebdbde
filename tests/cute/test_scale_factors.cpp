// SPDX-License-Identifier: Apache-2.0
// Scale factors against CUTLASS: every element in global memory, every factor of a stage in shared and in tensor
// memory, the descriptors of the copies between them.
#include <doctest/doctest.h>

#include <map>

#include "arch/tensor_memory.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "scale_factors.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {

TEST_CASE("global memory: SFA, SFB and SFD of every configuration are tiles of 128x4") {
  std::map<std::string, int> same;
  std::size_t points = 0;
  for (const CuteScaleMemory& c : cute_scale_memories()) {
    CAPTURE(c.name);
    CAPTURE(c.rows);
    CAPTURE(c.k);
    const ScaleExtents extents{c.rows, (c.k + c.vec - 1) / c.vec};
    const ScaleLayout layout("128x4", extents);
    int different = 0;
    std::size_t i = 0;
    for (int batch = 0; batch < c.batches; ++batch)
      for (int k = 0; k < c.k; ++k)
        for (int row = 0; row < c.rows; ++row, ++i)
          different += layout.offset({row, k / c.vec}).count + batch * layout.size().count != c.offsets[i];
    CHECK(i == c.offsets.size());
    CHECK(different == 0);
    ++same[c.name];
    points += i;
  }
  MESSAGE(points << " elements");
  CHECK(same ==
        std::map<std::string, int>{
            {"Sm1xx SFA", 5}, {"Sm1xx SFB", 5}, {"Sm103 SFA", 5}, {"Sm103 SFB", 5}, {"SFD", 5}, {"SFD, MN-major", 5}});
  CHECK(points == 6U * (128 * 128 + 256 * 1024 + 3 * 256 * 128 + 2 * 300 * 1000 + 16));
}

TEST_CASE("a stage of a CTA: shared memory, tensor memory, and the copies between them") {
  int stages = 0, rounded = 0, halves = 0, empty = 0, copies = 0, long_steps = 0;
  std::size_t factors = 0;
  for (const CuteScaleStage& c : cute_scale_stages()) {
    CAPTURE(c.kind);
    CAPTURE(c.vec);
    CAPTURE(c.operand);
    CAPTURE(c.m);
    CAPTURE(c.n);
    CAPTURE(c.cta_group);
    const ScalePlacement placement{.kind = &require_scale_kind(require_mma_kind(c.kind).kind, c.vec),
                                   .operand = c.operand == 'a' ? ScaleOperand::a : ScaleOperand::b,
                                   .m = c.m,
                                   .n = c.n,
                                   .cta_group = c.cta_group};
    // An open question: CUTLASS has no block of 128 rows for the 64 rows of A that a CTA of M 128 has, so that its
    // stage is empty.
    if (c.operand == 'a' && c.m == 128 && c.cta_group == 2) {
      CHECK(c.rows == 0);
      CHECK(placement.rows() == 64);
      ++empty;
      continue;
    }
    CHECK(c.rows == (placement.rows() + 127) / 128 * 128);
    CHECK(c.times == placement.copies());
    const ScaleLayout smem("128x4_stage", {c.rows, c.factors});
    // CUTLASS's types round N up to 128 before they halve it, and pack two columns per word. What ran on a B200 is cut at N / 2 and
    // has four (tmem/scale_factor.hpp); for N 256 it is the same.
    if (placement.is_split() && c.n != 256) {
      CHECK(scale_place(placement, {placement.n / 2, 0}, 0).lanes.front() == 64);
      ++rounded;
      continue;
    }
    int different = 0;
    std::size_t i = 0, place = 0;
    for (int factor = 0; factor < c.factors; ++factor)
      for (int row = 0; row < c.rows; ++row) {
        different += smem.offset({row, factor}).count != c.smem[i++];
        const ScalePlace at = scale_place(placement, {row, factor}, 0);
        // CuTe gives the MMA the place of its first factor: a column, and the byte as id.
        if (row == 0 && factor % placement.kind->factors == 0)
          different +=
              (tmem_address(0, at.address_column) * 32 + static_cast<std::uint32_t>(at.sf_id) * 8) != c.tmem[place];
        for (const int lane : at.lanes)
          different +=
              (tmem_address(lane, at.column) * 32 + static_cast<std::uint32_t>(at.byte) * 8) != c.tmem[place++];
      }
    // K 96 (sm103_blockscaled_mma_warpspecialized.hpp): MMAs step through the same fragment by three or six factors.
    for (const ScaleKind& kind : scale_kinds()) {
      if (kind.k != KSize::k96 || row_of(kind.kind).name != c.kind || kind.vec != c.vec) continue;
      ScalePlacement k96 = placement;
      k96.kind = &kind;
      for (int factor = 0; factor < c.factors; factor += kind.factors, ++long_steps) {
        const ScalePlace at = scale_place(k96, {0, factor}, 0);
        const std::uint32_t address =
            tmem_address(0, at.address_column) * 32 + static_cast<std::uint32_t>(at.sf_id) * 8;
        different += address != c.tmem[static_cast<std::size_t>(factor * c.rows * c.times)];
      }
    }
    CHECK(i == c.smem.size());
    CHECK(place == c.tmem.size());
    CHECK(different == 0);
    factors += place;
    ++stages;
    // One copy of 32x128b.warpx4 for each tile, in the order of shared memory.
    const TmemCopy& copy = require_tmem_copy("32x128b.warpx4");
    const std::int64_t tile = std::int64_t{copy.rows} * copy.bits / 8;
    CHECK(c.copies.size() == (placement.is_split() ? 0 : static_cast<std::size_t>(smem.size().count / tile)));
    for (std::size_t t = 0; t < c.copies.size(); ++t) {
      const auto index = static_cast<std::int64_t>(t);
      CHECK(c.copies[t].first == 0x0000400800010000U + static_cast<std::uint64_t>(index * tile / 16));
      CHECK(c.copies[t].second == static_cast<std::uint32_t>(index * copy.columns() * 32));
      const SmemDescriptor word(c.copies[t].first, sm_100a());
      CHECK(word.start_address().count == index * tile);
      CHECK(word.stride_byte_offset().count == 8 * 16);
    }
    halves += placement.is_split();
    copies += static_cast<int>(c.copies.size());
  }
  MESSAGE(stages << " stages, " << factors << " places of a factor, " << copies << " copies");
  CHECK(stages + rounded == 4 * (3 * 2 + 3 * 2 + 3));
  CHECK(rounded == 3 * 3);
  CHECK(halves == 3);
  CHECK(empty == 4 * 2);
  CHECK(copies == 160);
  CHECK(long_steps == (4 * 5 - 3) * (3 + 3));                       // 8 factors of mxf4 by three, 16 of mxf4nvf4 by six
  CHECK(factors == 376832 - (128 + 128 + 256) * 2 * (8 + 16 + 8));  // without the rounded ones
}

}  // namespace swz
