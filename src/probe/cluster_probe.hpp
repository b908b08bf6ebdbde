// SPDX-License-Identifier: Apache-2.0
// Probe of a cluster: which rank has each CTA, what do addresses of the others say, and what does each CTA have after
// multicast loads?
//
//   addresses   cluster 2x3x2: each CTA says its %cluster_ctaid, its rank and where its memory begins, maps addresses
//               by mapa, and stores its rank into another CTA by a hand-made address, rank << 24 | offset
//   multicast   cluster 4x2: rank 3 loads a box to 0x980, mask 0xa1: ranks 0, 5 and 7 have it, rank 3 has not
//   slices      cluster 2x4, A of f16 128x64, mode 128B: the four CTAs of each x load a quarter each for all four; the
//               image of every CTA is that of the undivided copies
//
// Each CTA's barrier expects the bytes that swz predicts, whoever issues the loads. Its first phase must complete, and
// after all loads a second phase that expects none: so neither too few nor too many bytes go unnoticed.
//
// Values of the observation, for each rank: of `addresses` x, y, z of the CTA, the count of CTAs, the rank in its own
// address, each mapped address and the rank that getctarank says, and what 16 places got (a rank, or untouched_byte);
// of loads the bytes that its barrier counted, then the bytes of its window, as in probe/tma_probe.hpp.
#pragma once

#include "cluster/address.hpp"
#include "cluster/loads.hpp"
#include "probe/tma_probe.hpp"

namespace swz {

enum class ClusterAsk { addresses, multicast, slices };
constexpr std::string_view to_string(ClusterAsk ask) { return name_in({"addresses", "multicast", "slices"}, ask); }

struct ClusterMapping {
  ClusterAddress address;
  int rank = 0;
};

// One load that is multicast.
struct ClusterLoad {
  int rank = 0;  // who issues it
  ClusterMask mask = 0;
  TensorCoordinate start = {};
  Bytes to;
};

struct ClusterPlan {
  ClusterShape shape;
  ClusterAsk asks = ClusterAsk::addresses;
  // addresses: those that every CTA maps, and whom each rank stores to
  std::vector<ClusterMapping> mapped = {};
  std::vector<int> stores_to = {};
  // multicast
  TensorMap map = {};
  std::vector<ClusterLoad> loads = {};
  // slices: the tile of one CTA
  std::optional<SmemTile> tile = {};
  OperandRole role = OperandRole::a;
};

ClusterPlan draw_cluster(Random& random);

// Throws Error for a plan that the kernel could not execute.
void require_fine(const ClusterPlan& plan);

Kernel kernel_of(const ClusterPlan& plan);
Launch launch_of(std::span<const ClusterPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const ClusterPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const ClusterPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const ClusterPlan& plan);
std::string element_name(const ClusterPlan& plan, std::int64_t index);
std::string value_name(const ClusterPlan& plan, std::int64_t value);
Json to_json(const ClusterPlan& plan);
// Throws Error as require_fine does.
ClusterPlan cluster_plan(const Json& json);

}  // namespace swz
