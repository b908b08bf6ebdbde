// SPDX-License-Identifier: Apache-2.0
// Ranks, masks and their meanings: worked examples, and laws over every cluster of at most 16 CTAs.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "cluster/masks.hpp"

using namespace swz;

namespace {

// Every cluster of at most 16 CTAs in one plane, with both cta_groups that it can have.
std::vector<ClusterMma> all_clusters() {
  std::vector<ClusterMma> out;
  for (int x = 1; x <= 16; ++x)
    for (int y = 1; x * y <= 16; ++y)
      for (const int a : {1, 2})
        if (x % a == 0) out.push_back({{x, y}, a});
  return out;
}

std::vector<ClusterMask> masks(const ClusterMma& mma, MaskKind kind, std::vector<int> ranks) {
  std::vector<ClusterMask> out;
  for (const int rank : ranks) out.push_back(mask_of(mma, rank, kind));
  return out;
}

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "";
}

using Masks = std::vector<ClusterMask>;

}  // namespace

TEST_CASE("masks of CUTLASS, as clusters_tma.md has them") {
  using enum MaskKind;
  const std::vector<int> four{0, 1, 2, 3};
  const ClusterMma two_1{{2, 2}, 1}, two_2{{2, 2}, 2}, wide_1{{4, 2}, 1}, wide_2{{4, 2}, 2}, large_2{{4, 4}, 2};
  CHECK(masks(two_1, a, four) == Masks{0x5, 0xa, 0x5, 0xa});
  CHECK(masks(two_1, b, four) == Masks{0x3, 0x3, 0xc, 0xc});
  CHECK(masks(two_1, row_col, four) == Masks{0x7, 0xb, 0xd, 0xe});
  CHECK(masks(two_2, a, four) == Masks{0x5, 0xa, 0x5, 0xa});
  CHECK(masks(two_2, b, four) == Masks{0x1, 0x2, 0x4, 0x8});
  CHECK(masks(two_2, row_col, four) == Masks{0xf, 0xf, 0xf, 0xf});
  CHECK(masks(two_2, row, four) == Masks{0xf, 0xf, 0xf, 0xf});
  CHECK(masks(two_2, col, four) == Masks{0x3, 0x3, 0xc, 0xc});
  CHECK(masks(two_2, peer, four) == Masks{0x3, 0x3, 0xc, 0xc});
  CHECK(masks(wide_1, a, {0, 5}) == Masks{0x11, 0x22});
  CHECK(masks(wide_1, b, {0, 5}) == Masks{0x0f, 0xf0});
  CHECK(masks(wide_1, row_col, {0, 5}) == Masks{0x1f, 0xf2});
  CHECK(masks(wide_1, row, {0, 5}) == Masks{0x11, 0x22});
  CHECK(masks(wide_1, col, {0, 5}) == Masks{0x0f, 0xf0});
  CHECK(masks(wide_1, peer, {0, 5}) == Masks{0x01, 0x20});
  CHECK(masks(wide_2, a, {0, 1, 2, 3, 5}) == Masks{0x11, 0x22, 0x44, 0x88, 0x22});
  CHECK(masks(wide_2, b, {0, 1, 2, 3, 5}) == Masks{0x5, 0xa, 0x5, 0xa, 0xa0});
  CHECK(masks(wide_2, row_col, {0, 1, 2, 3, 5}) == Masks{0x3f, 0x3f, 0xcf, 0xcf, 0xf3});
  CHECK(masks(wide_2, peer, {0, 1, 2, 3, 5}) == Masks{0x3, 0x3, 0xc, 0xc, 0x30});
  CHECK(masks(large_2, a, {0}) == Masks{0x1111});
  CHECK(masks(large_2, b, {0}) == Masks{0x0005});
  CHECK(masks(large_2, row_col, {0}) == Masks{0x333f});
  CHECK(masks(large_2, peer, {0}) == Masks{0x0003});
}

TEST_CASE("laws of the masks of every cluster") {
  for (const ClusterMma& mma : all_clusters()) {
    CAPTURE(to_string(mma.shape));
    CAPTURE(mma.cta_group);
    ClusterMask all = 0;
    for (int rank = 0; rank < mma.shape.size(); ++rank) {
      CHECK(mma.shape.rank(mma.shape.at(rank)) == rank);
      const auto of = [&](MaskKind kind) { return mask_of(mma, rank, kind); };
      CHECK(std::popcount(of(MaskKind::a)) == mma.sharers_of_a());
      CHECK(std::popcount(of(MaskKind::b)) == mma.sharers_of_b());
      CHECK(of(MaskKind::row_col) == (of(MaskKind::row) | of(MaskKind::col)));
      CHECK(of(MaskKind::peer) == (of(MaskKind::row) & of(MaskKind::col)));
      // The sharers of an operand have its slices, each one.
      ClusterMask slices = 0;
      for (const int other : ranks_in(of(MaskKind::a))) {
        CHECK(mask_of(mma, other, MaskKind::a) == of(MaskKind::a));
        slices |= 1U << mma.slice_of_a(other);
      }
      CHECK(slices == (1U << mma.sharers_of_a()) - 1);
      CHECK(mma.half(mma.leader(rank)) == 0);
      CHECK((of(MaskKind::peer) >> mma.leader(rank) & 1U) == 1);
      CHECK((mma.cta_group == 1 ? !mma.peer(rank) : *mma.peer(*mma.peer(rank)) == rank));
      all |= of(MaskKind::a);
    }
    CHECK(all == (1U << mma.shape.size()) - 1);
  }
}

TEST_CASE("each mask of a cluster means what it is, and 0x33 of a 4x4 means nothing") {
  for (const ClusterMma& mma : all_clusters())
    for (int rank = 0; rank < mma.shape.size(); ++rank)
      for (const MaskKind kind : mask_kinds) {
        if (kind == MaskKind::peer && mma.cta_group == 1) continue;
        const std::vector<MaskMeaning> found = meanings(mask_of(mma, rank, kind), mma.shape, mma.cta_group);
        bool is_named = false;
        for (const MaskMeaning& m : found)
          is_named = is_named || (m.kind == kind && m.differing == 0 &&
                                  std::find(m.ranks.begin(), m.ranks.end(), rank) != m.ranks.end());
        CHECK(is_named);
      }
  // Every mask of a 4x4 without pairs has four bits in a row or a column, or seven.
  const std::vector<MaskMeaning> near = meanings(0x33, {4, 4}, 1);
  CHECK(near.front().differing != 0);
  // Both CTAs of pair 0, and of the pair below it.
  const std::vector<MaskMeaning> row = meanings(0x33, {4, 2}, 2);
  REQUIRE(row.size() == 1);
  CHECK(row[0].kind == MaskKind::row);
  CHECK(row[0].ranks == std::vector{0, 1, 4, 5});
}

TEST_CASE("the clusters of a mask have it") {
  for (const ClusterMask mask : {0x5U, 0xfU, 0x11U, 0xf0U, 0x1111U, 0x8U}) {
    const std::vector<ShapeOfMask> found = shapes_of(mask);
    CHECK_FALSE(found.empty());
    for (const ShapeOfMask& one : found)
      for (const int rank : one.ranks) CHECK(mask_of(one.mma, rank, one.kind) == mask);
  }
  CHECK(shapes_of(0x7f01).empty());
}

TEST_CASE("what no cluster has is refused with the nearest") {
  CHECK(message_of([] {
          require_mask(0x133, {4, 2});
        }) ==
        "0x133 names rank 8, and a cluster of 4x2 has ranks 0 to 7 | inside of the cluster: 0x33; with a bit beyond it "
        "the "
        "kernel ends with CUDA_ERROR_LAUNCH_FAILED, also if another bit is inside (measured on NVIDIA H100 and NVIDIA "
        "H200, driver 580.159.04)");
  CHECK(message_of([] { require_mask(0, {4, 2}); }) == "a mask of 0 names no CTA | bit i is the CTA of rank i");
  CHECK(message_of([] { require_mask(0xff, {4, 2}); }).empty());
  CHECK(message_of([] {
          require_pairs({{3, 2}, 2});
        })
            .starts_with("a cluster of 3x2 has no pairs: its extent along x is odd | cta_group::2 pairs ranks 2i and "
                         "2i + 1, for example "
                         "4x2"));
  CHECK(message_of([] { require_pairs({{3, 2}, 1}); }).empty());
  CHECK(message_of([] { require_rank({4, 2}, 8); }) == "a cluster of 4x2 has no rank 8 | its ranks are 0 to 7");
}

TEST_CASE("cluster sizes by target") {
  const auto refused = [](ClusterShape shape, const char* target) {
    return message_of([&] { require_cluster(shape, require_target(target)); });
  };
  CHECK(refused({4, 4}, "sm_90a").empty());
  CHECK(refused({4, 4}, "sm_100a").empty());
  CHECK(refused({8, 4}, "sm_107a").empty());
  CHECK(refused({4, 8}, "sm_90a")
            .starts_with("a cluster of 4x8 has more CTAs than sm_90a allows: 16 | for example 4x4;"));
  CHECK(refused({9, 1}, "sm_120a")
            .starts_with("a cluster of 9x1 has more CTAs than sm_120a allows: 8 | for example 5x1"));
  CHECK(
      refused({1, 1}, "sm_80") ==
      "sm_80 has no clusters | clusters begin with sm_90 (CUDA Programming Guide, thread block clusters (documented))");
  CHECK(refused({0, 4}, "sm_90a") == "a cluster of 0x4 has no CTA | every extent is 1 or more");
  CHECK(refused({1024, 1024, 1024}, "sm_90a").starts_with("a cluster of 1024x1024x1024 has more CTAs"));
  for (const Target& target : targets()) {
    const ClusterLimit& limit = cluster_limit(target);
    CHECK(limit.portable <= limit.most);
    CHECK(limit.most <= limit.mask_bits);
    CHECK((limit.most > 0) == target.has_tma);
    // The nearest that a refusal names is legal.
    if (limit.most > 0) CHECK(refused({limit.most, 1}, std::string(target.name).c_str()).empty());
  }
}
