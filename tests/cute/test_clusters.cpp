// SPDX-License-Identifier: Apache-2.0
// Masks, releases and slices of clusters against CuTe and CUTLASS: every cluster of at most 16 CTAs with cta_group 1
// and 2, and tiles that 2 to 16 CTAs share. Planted mistakes must differ.
#include <doctest/doctest.h>

#include <set>

#include "cluster/arrivals.hpp"
#include "cluster/loads.hpp"
#include "cluster_answers.hpp"

using namespace swz;

namespace {

TilePlan plan_of(const CuteSlicedTile& t) {
  const SmemTile tile({.dtype = t.dtype,
                       .major = t.is_mn ? Major::MN : Major::K,
                       .mn = t.mn,
                       .k = t.k,
                       .swizzle = t.swizzle,
                       .order = t.is_k_first ? StackingOrder::k_first : StackingOrder::mn_first});
  const auto plan = plan_tile(tile, packed_operand(tile, sm_90a(), {4096, 4096}), sm_90a(), 2);
  REQUIRE(std::holds_alternative<TilePlan>(plan));
  return std::get<TilePlan>(plan);
}

// Offsets and coordinates of all CTAs. `rows_as_bytes`: the mistake of a slice that counts rows of the tile as bytes.
bool agrees(const CuteSlicedTile& t, const SlicedPlan& sliced, bool by_rows = false) {
  for (int cta = 0; cta < t.sharers; ++cta) {
    const std::vector<TileCopy> copies = sliced.copies_of(cta);
    const std::vector<CuteSlice>& slices = t.slices[static_cast<std::size_t>(cta)];
    if (copies.size() != slices.size()) return false;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const std::int64_t offset = by_rows ? cta * t.mn / t.sharers : copies[i].smem_offset.count;
      if (offset != slices[i].offset || copies[i].coordinate[0] != slices[i].coordinate[0] ||
          copies[i].coordinate[1] != slices[i].coordinate[1])
        return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("masks are those of CUTLASS in every cluster of at most 16 CTAs, and a mistake is not") {
  std::set<std::pair<int, int>> shapes;
  int of_b_is_a = 0, odd_leader = 0;
  for (const CuteMasks& c : cute_masks()) {
    CAPTURE(c.x);
    CAPTURE(c.y);
    CAPTURE(c.cta_group);
    CAPTURE(c.rank);
    const ClusterMma mma{{c.x, c.y}, c.cta_group};
    const auto is = [&](MaskKind kind) { return mask_of(mma, c.rank, kind); };
    CHECK(is(MaskKind::a) == c.a);
    CHECK(is(MaskKind::b) == c.b);
    CHECK(is(MaskKind::row_col) == c.row_col);
    CHECK(is(MaskKind::row) == c.row);
    CHECK(is(MaskKind::col) == c.col);
    CHECK(is(MaskKind::peer) == c.peer);
    CHECK((1U << mma.leader(c.rank) & c.peer) != 0);
    CHECK((c.cta_group == 1 || mma.leader(c.rank) % 2 == 0));
    shapes.insert({c.x, c.y});
    // Planted: the mask of the other operand; a leader with an odd rank.
    of_b_is_a += is(MaskKind::b) != c.a ? 1 : 0;
    odd_leader += c.cta_group == 2 && (mma.leader(c.rank) | 1) != mma.leader(c.rank) ? 1 : 0;
  }
  CHECK(shapes.size() == 50);
  CHECK(of_b_is_a > 300);
  CHECK(odd_leader > 200);
}

TEST_CASE("threads release the CTAs that CUTLASS's do") {
  const ClusterShape whole{16, 1};  // every rank has the same y
  for (int t = 0; t < 128; ++t)
    CHECK(sm90_release(whole, 0, t, 128).value_or(-1) == cutlass_warpgroup_release()[static_cast<std::size_t>(t)]);
  for (int t = 0; t < 32; ++t)
    CHECK(sm90_release(whole, 0, t, 32).value_or(-1) == cutlass_warp_release()[static_cast<std::size_t>(t)]);
}

TEST_CASE("slices are those of CuTe, and CuTe makes those that are refused where no copy may begin") {
  int agreed = 0, refused = 0, shared = 0, told = 0;
  for (const CuteSlicedTile& t : cute_sliced_tiles()) {
    CAPTURE(t.dtype);
    CAPTURE(t.swizzle);
    CAPTURE(t.is_mn);
    CAPTURE(t.is_k_first);
    CAPTURE(t.mn);
    CAPTURE(t.k);
    CAPTURE(t.sharers);
    const TilePlan whole = plan_of(t);
    const auto answer = slice_plan(whole, t.sharers);
    if (const auto* refusal = std::get_if<Finding>(&answer)) {
      CHECK(refusal->rule == "slice-128");
      bool is_torn = false;
      for (const CuteSlice& slice : t.slices[1]) is_torn = is_torn || slice.offset % 128 != 0;
      CHECK(is_torn);
      ++refused;
      continue;
    }
    const auto& sliced = std::get<SlicedPlan>(answer);
    REQUIRE(sliced.map.rank == t.rank);
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.rank); ++d) CHECK(sliced.map.box[d] == t.box[d]);
    CHECK(agrees(t, sliced));
    if (t.sharers > 1) told += agrees(t, sliced, true) ? 0 : 1;
    shared += t.sharers > 1 ? 1 : 0;
    ++agreed;
  }
  CHECK(agreed + refused == 410);
  CHECK(agreed >= 300);
  CHECK(told == shared);
  MESSAGE(agreed << " tiles agree, " << refused << " are refused");
}
