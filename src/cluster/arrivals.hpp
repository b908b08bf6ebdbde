// SPDX-License-Identifier: Apache-2.0
// Arrivals: what CUTLASS's pipelines write into mbarrier.init, for the CTAs of a cluster.
//
//   cluster 2x2, 128 consumer threads
//     PipelineTmaAsync (sm_90)       full 1 and the bytes; empty (2 + 2 - 1) * ceil(128 / 128) = 3
//     PipelineTmaUmmaAsync (sm_100)  full 1 and the bytes; empty 2 / a + 2 - 1: one commit of each leader of its row
//                                    and column
//
//     its kRow and kCol               empty 2 and 2 / a: only the leaders with its rows, or its columns
//     CLC fetch (sm_100)             full 1 and 16 bytes in every CTA; empty 32 + 4 * (32 + 32 + 128 + 32) = 928 at CTA 0
//
// An sm_90 consumer releases a stage by one arrival of each of its warpgroups at every CTA of its own x and its own y:
//
//   warpgroup: thread t with t % 8 == 0 signals Swizzle<2,0,-2> of 4 (warp % 4) + (t / 8) % 4; cluster 2x2, rank 1:
//     t 0 -> 0, t 40 -> 1, t 120 -> 3; no thread signals 2, which has neither its x nor its y
//   a single warp: an even t signals 4 (t / 8) + (t % 8) / 2
//
// Other numbers of consumer threads in a cluster than 32 or multiples of 128 trap in CUTLASS.
//
// Source: CUTLASS 4.2 and 4.7, pipeline/sm90_pipeline.hpp and sm100_pipeline.hpp; tested against spread_arrivals of
// CUTLASS (tests/cute).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cluster/masks.hpp"

namespace swz {

struct PipelineThreads {
  int consumers = 128;  // of the sm_90 mainloop, or of the transform
  int epilogue = 128;   // that read the accumulator
  // Of an sm_100 kernel: a warp each for the scheduler, the loads, the MMAs, and the loads of the epilogue.
  int scheduler = 32, loads = 32, mmas = 32, epilogue_loads = 32;
};

// The counts of the two barriers of a stage.
struct PipelineArrivals {
  std::string_view pipeline;  // "PipelineTmaAsync"
  std::string_view target;    // "sm_90"
  int full = 1;
  bool counts_bytes = true;  // the full barrier also waits for the bytes
  int empty = 0;
  std::string_view empties;  // "consumers of its x and y"
};
std::vector<PipelineArrivals> pipeline_arrivals(const ClusterMma& mma, const PipelineThreads& threads);

// The rank to which consumer thread `thread` of `threads` signals that a stage is free, as the CTA of `rank`; none for
// most threads. Throws Error for a number of threads that CUTLASS does not take.
std::optional<int> sm90_release(const ClusterShape& shape, int rank, int thread, int threads);

}  // namespace swz
