// SPDX-License-Identifier: Apache-2.0
// Masks of a cluster: which CTAs a multicast load reaches, and which a commit releases.
//
//   ClusterMma{{4, 2}, 1}, rank 5 at (1, 1)
//     A   0x22   the CTAs of its x: ranks 1 and 5, they have the same rows of M
//     B   0xf0   the CTAs of its y: ranks 4-7, they have the same columns of N
//     release 0xf2 = both; of an SM90 kernel the CTAs that its consumers signal
//   ClusterMma{{4, 2}, 2}, rank 5: MMA pair (4, 5), the odd half
//     A   0x22   B 0xa0: those of the same half    release 0xf3: both CTAs of each pair    peer 0x30, leader 4
//
// A CTA pair is along x: a = cta_group, v = x mod a, m = x div a, n = y.
//
//   A    OR over every y' of bit (x, y')              the same half, the same m
//   B    OR over every x' with x' mod a == v of bit (x', y)
//   row_col   every (x', y') with x' div a == m or y' == y     row: the first condition    col: the second
//
// The names kRow and kCol are CUTLASS's; its comments on them contradict each other, its code is the formula above.
// All masks stay in the plane z of the rank.
//
// Source: CUTLASS 4.2 and 4.7, create_tma_multicast_mask and PipelineTmaUmmaAsync; tested against CuTe's for every
// cluster of at most 16 CTAs (tests/cute).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/row_of.hpp"
#include "cluster/shape.hpp"

namespace swz {

using ClusterMask = std::uint32_t;  // bit i is the CTA of rank i; 16 bits before sm_107

// The MMAs of a cluster: each is executed by one CTA, or by two neighbours along x.
struct ClusterMma {
  ClusterShape shape;
  int cta_group = 1;

  ClusterCoordinate at(int rank) const { return shape.at(rank); }
  int half(int rank) const { return at(rank).x % cta_group; }    // v
  int tile_m(int rank) const { return at(rank).x / cta_group; }  // m
  int tile_n(int rank) const { return at(rank).y; }              // n
  int sharers_of_a() const { return shape.y; }                   // CTAs that read the same part of A
  int sharers_of_b() const { return shape.x / cta_group; }
  int slice_of_a(int rank) const { return tile_n(rank); }  // which slice of A the rank loads
  int slice_of_b(int rank) const { return tile_m(rank); }
  int leader(int rank) const { return rank - half(rank); }  // the CTA of the pair that issues MMAs
  std::optional<int> peer(int rank) const;                  // none without a pair
};

enum class MaskKind { a, b, row_col, row, col, peer };
constexpr MaskKind mask_kinds[] = {MaskKind::a,   MaskKind::b,   MaskKind::row_col,
                                   MaskKind::row, MaskKind::col, MaskKind::peer};
// "a", "b", "kRowCol", "kRow", "kCol", "peer"
constexpr std::string_view to_string(MaskKind kind) {
  return name_in({"a", "b", "kRowCol", "kRow", "kCol", "peer"}, kind);
}
std::string_view what_is(MaskKind kind);  // "multicast of A"

// Throws Error unless the shape has pairs along x if cta_group is 2.
void require_pairs(const ClusterMma& mma);

ClusterMask mask_of(const ClusterMma& mma, int rank, MaskKind kind);

// "0x22"
std::string mask_text(ClusterMask mask);
std::vector<int> ranks_in(ClusterMask mask);

// ---- from a mask back to its meaning

struct MaskMeaning {
  MaskKind kind = MaskKind::a;
  int cta_group = 1;
  std::vector<int> ranks;     // whose mask it is, or would be
  ClusterMask mask = 0;       // of the first of them
  ClusterMask differing = 0;  // bits in which the given one differs; 0: it is this mask
};

// Every meaning of a mask in a cluster, for both cta_groups or the given one; if it has none, those that differ in the
// fewest bits. A meaning that every mask of one bit has (a dimension of 1) is included.
std::vector<MaskMeaning> meanings(ClusterMask mask, const ClusterShape& shape, int cta_group = 0);

// The clusters of at most 16 CTAs in which the mask is one of A or B.
struct ShapeOfMask {
  ClusterMma mma;
  MaskKind kind = MaskKind::a;
  std::vector<int> ranks;
};
std::vector<ShapeOfMask> shapes_of(ClusterMask mask);

// Throws Error if the mask is 0 or names a CTA that the cluster does not have; the hint has the bits that it may have.
void require_mask(ClusterMask mask, const ClusterShape& shape);

}  // namespace swz
