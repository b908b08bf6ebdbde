// SPDX-License-Identifier: Apache-2.0
#include "cluster/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr Source guide{"CUDA Programming Guide, thread block clusters"};
constexpr std::string_view ask_runtime =
    "a small GPU or a MIG slice may have less: cudaOccupancyMaxPotentialClusterSize";

// A longer name comes before its begin. The last row is for every other target.
constexpr ClusterLimit rows[] = {
    {"sm_90",
     8,
     16,
     16,
     ask_runtime,
     {"CUDA Programming Guide; 8, 9 and 16 ran on H100, 17 did not", Evidence::measured}},
    {"sm_100", 8, 16, 16, ask_runtime, guide},
    {"sm_103", 8, 16, 16, "no document names this target; 16 is that of sm_100", {guide.where, Evidence::claimed}},
    {"sm_107",
     8,
     32,
     32,
     "no document states the limit; multicast masks have 32 bits",
     {"ptxas 13.5.37: .multicast::cluster::32b; the number is inferred", Evidence::claimed}},
    {"sm_110", 8, 16, 16, "no document names this target; 16 is that of sm_100", {guide.where, Evidence::claimed}},
    {"sm_12", 8, 8, 16, "CUTLASS uses 1x1 only; clusters of 4 were reported on an RTX 5090", guide},
    {"", 0, 0, 0, "clusters begin with sm_90", guide},
};

}  // namespace

std::string to_string(const ClusterCoordinate& at) {
  return at.z == 0 ? fmt::format("({}, {})", at.x, at.y) : fmt::format("({}, {}, {})", at.x, at.y, at.z);
}

std::string to_string(const ClusterShape& shape) {
  return shape.z == 1 ? fmt::format("{}x{}", shape.x, shape.y) : fmt::format("{}x{}x{}", shape.x, shape.y, shape.z);
}

std::span<const ClusterLimit> cluster_limits() { return rows; }

const ClusterLimit& cluster_limit(const Target& target) {
  return *std::ranges::find_if(rows, [&](const ClusterLimit& row) { return target.name.starts_with(row.target); });
}

void require_cluster(const ClusterShape& shape, const Target& target) {
  const ClusterLimit& limit = cluster_limit(target);
  constexpr int most = 64;  // so that no product overflows
  if (std::min({shape.x, shape.y, shape.z}) < 1)
    throw Error(fmt::format("a cluster of {} has no CTA", to_string(shape)), "every extent is 1 or more");
  if (limit.most == 0)
    throw Error(fmt::format("{} has no clusters", target.name),
                fmt::format("{} ({})", limit.remark, to_string(limit.source)));
  const bool is_large = std::max({shape.x, shape.y, shape.z}) > most;
  if (!is_large && shape.size() <= limit.most) return;
  // The largest legal shape that shortens the longest extent.
  ClusterShape nearest{std::min(shape.x, most), std::min(shape.y, most), std::min(shape.z, most)};
  while (nearest.size() > limit.most) {
    int& longest = nearest.z > std::max(nearest.x, nearest.y) ? nearest.z
                   : nearest.x > nearest.y                    ? nearest.x
                                                              : nearest.y;
    longest = (longest + 1) / 2;
  }
  throw Error(
      fmt::format("a cluster of {} has more CTAs than {} allows: {}", to_string(shape), target.name, limit.most),
      fmt::format("for example {}; above {} a kernel needs cudaFuncAttributeNonPortableClusterSizeAllowed ({})",
                  to_string(nearest), limit.portable, to_string(limit.source)));
}

void require_rank(const ClusterShape& shape, int rank) {
  if (rank >= 0 && rank < shape.size()) return;
  throw Error(fmt::format("a cluster of {} has no rank {}", to_string(shape), rank),
              fmt::format("its ranks are 0 to {}", shape.size() - 1));
}

}  // namespace swz
