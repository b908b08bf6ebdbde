// SPDX-License-Identifier: Apache-2.0
// ClusterShape: how many CTAs a cluster has along x, y and z, and which rank each of them has.
//
//   ClusterShape{4, 2}.rank({1, 1})  == 1 + 4 * 1 == 5       x fastest, then y, then z
//   ClusterShape{4, 2}.at(5)         == (1, 1, 0)
//
// A rank is %cluster_ctarank: the bit of the CTA in a multicast mask, and bits 31-24 of an address of its shared memory
// (cluster/address.hpp). PTX promises only 0 <= rank < %cluster_nctarank; the order is that of every mask of CUTLASS.
//
// Invariant (tested): at() inverts rank(). Measured on H100 and H200: 2,481 clusters
// (docs/verify.md, the probe `cluster`).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "arch/target.hpp"
#include "base/finding.hpp"

namespace swz {

// %cluster_ctaid.
struct ClusterCoordinate {
  int x = 0, y = 0, z = 0;
  bool operator==(const ClusterCoordinate&) const = default;
};
std::string to_string(const ClusterCoordinate& at);  // "(1, 1)", and with a z other than 0 "(1, 1, 2)"

struct ClusterShape {
  int x = 1, y = 1, z = 1;

  constexpr int size() const { return x * y * z; }
  constexpr int rank(const ClusterCoordinate& at) const { return at.x + x * (at.y + y * at.z); }
  constexpr ClusterCoordinate at(int rank) const { return {rank % x, rank / x % y, rank / (x * y)}; }
  bool operator==(const ClusterShape&) const = default;
};
std::string to_string(const ClusterShape& shape);  // "4x2", "2x2x2"

// How large a cluster of a target may be.
struct ClusterLimit {
  std::string_view target;  // the begin of its name: "sm_90"
  int portable = 0;         // 0: no clusters
  int most = 0;             // with cudaFuncAttributeNonPortableClusterSizeAllowed
  int mask_bits = 16;       // of a multicast mask
  std::string_view remark;  // what is known besides
  Source source;
};
std::span<const ClusterLimit> cluster_limits();
// Of a target before sm_90 that with 0.
const ClusterLimit& cluster_limit(const Target& target);

// Throws Error if a dimension is below 1, or the target has no cluster of this size; the hint names the nearest.
void require_cluster(const ClusterShape& shape, const Target& target);
// Throws Error if the cluster has no such rank.
void require_rank(const ClusterShape& shape, int rank);

}  // namespace swz
