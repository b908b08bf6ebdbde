// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>
#include <map>

#include "base/error.hpp"
#include "cluster/arrivals.hpp"

using namespace swz;

TEST_CASE("arrivals of the empty barriers") {
  const auto empty = [](const ClusterMma& mma, std::string_view pipeline, int consumers = 128) {
    for (const PipelineArrivals& one : pipeline_arrivals(mma, {consumers, 128}))
      if (one.pipeline == pipeline) return one.empty;
    return -1;
  };
  CHECK(empty({{1, 1}, 1}, "PipelineTmaAsync", 256) == 256);
  CHECK(empty({{2, 2}, 1}, "PipelineTmaAsync", 256) == 6);
  CHECK(empty({{2, 1}, 1}, "PipelineTmaAsync") == 2);
  CHECK(empty({{4, 2}, 1}, "PipelineTmaUmmaAsync") == 5);
  CHECK(empty({{4, 2}, 2}, "PipelineTmaUmmaAsync") == 3);
  CHECK(empty({{4, 2}, 2}, "PipelineTmaTransformAsync", 256) == 6);
  CHECK(empty({{4, 2}, 2}, "PipelineUmmaAsync") == 256);
  CHECK(empty({{4, 2}, 1}, "PipelineTmaUmmaAsync kRow") == 2);
  CHECK(empty({{4, 2}, 1}, "PipelineTmaUmmaAsync kCol") == 4);
  CHECK(empty({{4, 2}, 2}, "PipelineTmaUmmaAsync kCol") == 2);
  CHECK(empty({{4, 2}, 2}, "PipelineTransactionAsync") == 128);
  // 32 of the scheduler; 32 + 32 + 128 + 32 of each of 4 CTAs
  CHECK(empty({{2, 2}, 1}, "PipelineCLCFetchAsync") == 928);
  CHECK(empty({{2, 1}, 2}, "PipelineCLCFetchAsync") == 480);
  CHECK(empty({{4, 2}, 2}, "PipelineTmaAsync") == -1);  // sm_90 has no pairs
}

TEST_CASE("a stage of sm_90 is released once by each warpgroup at each CTA of its row and column") {
  CHECK(sm90_release({2, 2}, 1, 0, 128) == 0);
  CHECK(sm90_release({2, 2}, 1, 40, 128) == 1);
  CHECK(sm90_release({2, 2}, 1, 120, 128) == 3);
  for (const int threads : {32, 128})
    for (int x = 1; x <= 16; ++x)
      for (int y = 1; x * y <= 16; ++y) {
        const ClusterMma mma{{x, y}, 1};
        std::map<int, int> arrivals;  // at each rank
        for (int rank = 0; rank < mma.shape.size(); ++rank) {
          ClusterMask signalled = 0;
          for (int thread = 0; thread < threads; ++thread)
            if (const auto to = sm90_release(mma.shape, rank, thread, threads)) {
              CHECK((signalled >> *to & 1U) == 0);
              signalled |= 1U << *to;
              ++arrivals[*to];
            }
          CHECK(signalled == mask_of(mma, rank, MaskKind::row_col));
        }
        if (x * y == 1) continue;
        for (const auto& [rank, count] : arrivals) CHECK(count == pipeline_arrivals(mma, {threads, 128})[0].empty);
      }
}

TEST_CASE("numbers of threads that CUTLASS traps on are refused") {
  CHECK_THROWS_WITH_AS(pipeline_arrivals({{2, 1}, 1}, {96, 128}),
                       "CUTLASS releases no stage of a cluster by 96 consumer threads", Error);
  CHECK(pipeline_arrivals({{1, 1}, 1}, {96, 128})[0].empty == 96);
}

TEST_CASE("a stage that is shared in one direction is released by as many leaders as its mask has") {
  for (int a = 1; a <= 2; ++a)
    for (int x = a; x <= 16; x += a)
      for (int y = 1; x * y <= 16; ++y) {
        const ClusterMma mma{{x, y}, a};
        for (const PipelineArrivals& p : pipeline_arrivals(mma, {}))
          for (const auto& [name, kind] : {std::pair{"PipelineTmaUmmaAsync kRow", MaskKind::row},
                                           {"PipelineTmaUmmaAsync kCol", MaskKind::col},
                                           {"PipelineTmaUmmaAsync", MaskKind::row_col}})
            if (p.pipeline == name) CHECK(p.empty * a == std::popcount(mask_of(mma, 0, kind)));
      }
}
