// SPDX-License-Identifier: Apache-2.0
#include "cluster/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "arch/observations.hpp"
#include "base/error.hpp"
#include "cluster/mask_fault.hpp"

namespace swz {

namespace {

constexpr ClusterMask bit(int rank) { return ClusterMask{1} << rank; }

// Whether `other` is in the mask of this kind of the CTA at `at`. Both are in one plane z.
bool is_in(const ClusterMma& mma, MaskKind kind, const ClusterCoordinate& at, const ClusterCoordinate& other) {
  const int a = mma.cta_group;
  const bool is_row = other.x / a == at.x / a, is_col = other.y == at.y;
  switch (kind) {
    case MaskKind::a: return other.x == at.x;
    case MaskKind::b: return is_col && other.x % a == at.x % a;
    case MaskKind::row_col: return is_row || is_col;
    case MaskKind::row: return is_row;
    case MaskKind::col: return is_col;
    case MaskKind::peer: return is_row && is_col;
  }
  return false;
}

}  // namespace

std::optional<int> ClusterMma::peer(int rank) const {
  if (cta_group == 1) return std::nullopt;
  return rank ^ 1;
}

std::string_view what_is(MaskKind kind) {
  return name_in({"multicast of A", "multicast of B", "release of row and column (kRowCol)",
                  "release of the same M (kRow)", "release of the same N (kCol)", "both CTAs of the pair"},
                 kind);
}

void require_pairs(const ClusterMma& mma) {
  if (mma.cta_group == 1 || mma.shape.x % 2 == 0) return;
  const ClusterShape wider{mma.shape.x + 1, mma.shape.y, mma.shape.z};
  throw Error(fmt::format("a cluster of {} has no pairs: its extent along x is odd", to_string(mma.shape)),
              fmt::format("cta_group::2 pairs ranks 2i and 2i + 1, for example {}; or --cta-group 1 (PTX ISA 9.3, "
                          "9.7.16.5.1; CUTLASS: cluster x a multiple of 2)",
                          to_string(wider)));
}

ClusterMask mask_of(const ClusterMma& mma, int rank, MaskKind kind) {
  const ClusterCoordinate at = mma.at(rank);
  ClusterMask mask = 0;
  for (int y = 0; y < mma.shape.y; ++y)
    for (int x = 0; x < mma.shape.x; ++x) {
      const ClusterCoordinate other{x, y, at.z};
      if (is_in(mma, kind, at, other)) mask |= bit(mma.shape.rank(other));
    }
  return mask;
}

std::string mask_text(ClusterMask mask) { return fmt::format("{:#x}", mask); }

std::vector<int> ranks_in(ClusterMask mask) {
  std::vector<int> ranks;
  for (int rank = 0; rank < 32; ++rank)
    if ((mask & bit(rank)) != 0) ranks.push_back(rank);
  return ranks;
}

std::vector<MaskMeaning> meanings(ClusterMask mask, const ClusterShape& shape, int cta_group) {
  std::vector<MaskMeaning> all;
  for (const int a : {1, 2}) {
    if ((cta_group != 0 && a != cta_group) || shape.x % a != 0) continue;
    const ClusterMma mma{shape, a};
    for (const MaskKind kind : mask_kinds) {
      if (kind == MaskKind::peer && a == 1) continue;
      for (int rank = 0; rank < shape.size(); ++rank) {
        const ClusterMask of = mask_of(mma, rank, kind);
        const auto known = std::ranges::find_if(
            all, [&](const MaskMeaning& m) { return m.kind == kind && m.cta_group == a && m.mask == of; });
        if (known != all.end()) known->ranks.push_back(rank);
        else all.push_back({kind, a, {rank}, of, of ^ mask});
      }
    }
  }
  int fewest = 32;
  for (const MaskMeaning& m : all) fewest = std::min(fewest, std::popcount(m.differing));
  std::erase_if(all, [&](const MaskMeaning& m) { return std::popcount(m.differing) > fewest; });
  return all;
}

std::vector<ShapeOfMask> shapes_of(ClusterMask mask) {
  constexpr int most = 16;
  std::vector<ShapeOfMask> out;
  for (int x = 1; x <= most; ++x)
    for (int y = 1; x * y <= most; ++y)
      for (const int a : {1, 2}) {
        const ClusterMma mma{{x, y}, a};
        if (x % a != 0 || mask >> mma.shape.size() != 0) continue;
        for (const MaskKind kind : {MaskKind::a, MaskKind::b}) {
          ShapeOfMask found{mma, kind, {}};
          for (int rank = 0; rank < mma.shape.size(); ++rank)
            if (mask_of(mma, rank, kind) == mask) found.ranks.push_back(rank);
          if (!found.ranks.empty()) out.push_back(std::move(found));
        }
      }
  return out;
}

void require_mask(ClusterMask mask, const ClusterShape& shape) {
  if (mask == 0) throw Error("a mask of 0 names no CTA", "bit i is the CTA of rank i");
  const ClusterMask all = shape.size() >= 32 ? ~ClusterMask{0} : bit(shape.size()) - 1;
  if ((mask & ~all) == 0) return;
  throw Error(fmt::format("{} names rank {}, and a cluster of {} has ranks 0 to {}", mask_text(mask),
                          fmt::join(ranks_in(mask & ~all), ", "), to_string(shape), shape.size() - 1),
              fmt::format("inside of the cluster: {}; {}", mask_text(mask & all), mask_fault_text()));
}

std::string mask_fault_text() {
  const auto all = hardware_questions();
  const auto& seen = *std::ranges::find(all, "multicast-beyond", &HardwareQuestion::name);
  return fmt::format("with a bit beyond it {} ({} on {})", seen.result, to_string(seen.source.evidence), seen.gpu);
}

}  // namespace swz
