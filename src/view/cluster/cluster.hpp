// SPDX-License-Identifier: Apache-2.0
// Views of a cluster: what `swz cluster` answers.
//
//   a cluster   the masks of every CTA, the slices that each loads, the bytes and arrivals of its barriers
//   a mask      who receives, and whose mask it is
//   an address  whose shared memory it is, and the same place in other CTAs
//   a response  of cluster launch control
//
// The picture has a square for each CTA, once for A and once for B: those of one colour share a tile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/address.hpp"
#include "cluster/arrivals.hpp"
#include "cluster/launch_control.hpp"
#include "cluster/loads.hpp"
#include "view/document/document.hpp"

namespace swz {

struct ClusterView {
  ClusterMma mma;
  const Target* target = nullptr;
  std::optional<MmaExtents> tile = {};
  std::optional<SharedOperand> a = {}, b = {};  // with a tile
  std::optional<SharedScales> scales = {};      // of a block-scaled kind
  std::string_view kind = {};                   // of tcgen05.mma; empty if not given
  std::optional<int> rank = {};
  PipelineThreads threads = {};

  // Why some operand has no slices; null if both have.
  const Finding* refusal() const;
};
Document view_cluster(const ClusterView& view);
// Of an operand that is not shared the rows that the CTA loads, "rows 128-255"; "its own" if they are not known.
std::string own_rows_text(const ClusterMma& mma, const SharedOperand* operand, int rank);

struct ClusterMaskView {
  ClusterMask mask = 0;
  std::optional<ClusterShape> shape = {};
  int cta_group = 0;  // 0: both
};
Document view_cluster_mask(const ClusterMaskView& view);
// "ranks 0 (0, 0), 1 (1, 0)"; without a shape "ranks 0, 1".
std::string receivers_text(const ClusterMaskView& view);
// What a person looks for first: "multicast of A of ranks 0, 1, cta_group::1". found: of meanings().
std::string mask_verdict(const std::vector<MaskMeaning>& found);

struct ClusterAddressView {
  ClusterAddress address;
  std::optional<ClusterShape> shape = {};
  std::optional<int> to = {};  // mapa
  const Target* target = nullptr;
};
Document view_cluster_address(const ClusterAddressView& view);

Document view_launch_control(const LaunchControlResponse& response);

}  // namespace swz
