// SPDX-License-Identifier: Apache-2.0
#include "cluster/arrivals.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int warp_threads = 32, warpgroup_threads = 128;

constexpr int warpgroups(int threads) { return (threads + warpgroup_threads - 1) / warpgroup_threads; }

void require_threads(const ClusterShape& shape, int threads) {
  if (shape.size() == 1 || threads == warp_threads || (threads > 0 && threads % warpgroup_threads == 0)) return;
  throw Error(fmt::format("CUTLASS releases no stage of a cluster by {} consumer threads", threads),
              "32, or a multiple of 128 (CUTLASS, PipelineTmaAsync)");
}

// Which rank a thread is for, whether or not that CTA shares anything. Of 16 ranks each has one thread.
std::optional<int> spread(int thread, int threads) {
  if (threads == warp_threads) {
    if (thread % 2 != 0) return std::nullopt;
    return 4 * (thread / 8) + thread % 8 / 2;
  }
  if (thread % 8 != 0) return std::nullopt;
  const int place = 4 * (thread / warp_threads % 4) + thread / 8 % 4;
  return place ^ (place & 3) << 2;  // Swizzle<2,0,-2>
}

}  // namespace

std::vector<PipelineArrivals> pipeline_arrivals(const ClusterMma& mma, const PipelineThreads& threads) {
  const ClusterShape& c = mma.shape;
  require_threads(c, threads.consumers);
  const int a = mma.cta_group, groups = warpgroups(threads.consumers), leaders = c.x / a + c.y - 1;
  const bool is_alone = c.x * c.y == 1, is_pair = a == 2;
  const int polled = threads.loads + threads.mmas + threads.epilogue + threads.epilogue_loads;
  std::vector<PipelineArrivals> all;
  if (!is_pair)
    all.push_back({"PipelineTmaAsync", "sm_90", 1, true, is_alone ? threads.consumers : (c.x + c.y - 1) * groups,
                   is_alone ? "consumer threads" : "a warpgroup of each CTA of its x and y"});
  const std::string_view of =
      is_pair ? "a commit of each leader of its x and y" : "a commit of each CTA of its x and y";
  const std::vector<PipelineArrivals> of_sm100 = {
      {"PipelineTmaUmmaAsync", "sm_100", 1, true, leaders, of},
      {"PipelineTmaUmmaAsync kRow", "sm_100", 1, true, c.y, "a commit for each tile of N that has its rows"},
      {"PipelineTmaUmmaAsync kCol", "sm_100", 1, true, c.x / a, "a commit for each tile of M that has its columns"},
      {"PipelineTmaTransformAsync", "sm_100", 1, true, leaders * groups, "the same, of each warpgroup"},
      {"PipelineUmmaAsync", "sm_100", 1, false, a * threads.epilogue,
       is_pair ? "epilogue threads of both CTAs" : "epilogue threads"},
      {"PipelineTransactionAsync", "sm_100", threads.epilogue_loads, true, threads.epilogue,
       "epilogue threads: C of the epilogue"},
      {"PipelineCLCFetchAsync", "sm_100", 1, true, threads.scheduler + c.size() * polled,
       "scheduler, and all other threads of every CTA, at CTA 0"},
      {"PipelineAsync, CLC throttle", "sm_100", threads.loads, false, threads.scheduler, "scheduler threads"}};
  all.insert(all.end(), of_sm100.begin(), of_sm100.end());
  return all;
}

std::optional<int> sm90_release(const ClusterShape& shape, int rank, int thread, int threads) {
  require_threads(shape, threads);
  require_rank(shape, rank);
  const std::optional<int> to = spread(thread, threads);
  if (!to || *to >= shape.x * shape.y) return std::nullopt;
  const ClusterCoordinate own = shape.at(rank), other = shape.at(*to);
  if (other.x != own.x && other.y != own.y) return std::nullopt;
  return to;
}

}  // namespace swz
