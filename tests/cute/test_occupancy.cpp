// SPDX-License-Identifier: Apache-2.0
// occupancy against cuda_occupancy.h: every limit of random blocks on every target.
#include <doctest/doctest.h>

#include <algorithm>
#include <climits>
#include <random>

#include "arch/occupancy.hpp"
#include "cuda_occupancy_blocks.hpp"

namespace swz {
namespace {

TEST_CASE("occupancy: every limit is that of NVIDIA's calculator") {
  struct Device {
    const char* target;
    int major, minor, threads;
  };
  constexpr Device devices[] = {{"sm_75", 7, 5, 1024},    {"sm_80", 8, 0, 2048},    {"sm_86", 8, 6, 1536},
                                {"sm_87", 8, 7, 1536},    {"sm_89", 8, 9, 1536},    {"sm_90a", 9, 0, 2048},
                                {"sm_100a", 10, 0, 2048}, {"sm_103a", 10, 3, 2048}, {"sm_110a", 11, 0, 1536},
                                {"sm_120a", 12, 0, 1536}, {"sm_121a", 12, 1, 1536}};
  std::mt19937 random(1);
  const auto below = [&](std::int64_t end) { return static_cast<int>(random() % static_cast<std::uint32_t>(end)); };
  long runs = 0;
  for (const Device& device : devices) {
    const Target& target = require_target(device.target);
    const auto bytes = [](Bytes of) { return static_cast<std::size_t>(of.count); };
    const CudaDevice gpu{device.major,
                         device.minor,
                         device.threads,
                         bytes(target.smem_per_sm),
                         bytes(target.max_smem_per_cta),
                         bytes(target.reserved_smem)};
    for (int i = 0; i < 20000; ++i) {
      CudaBlock block{1 + below(1024), below(257), below(17), 0, 0};
      if (below(2) == 0)
        block.registers = std::min(block.registers, 65536 / ((block.threads + 127) / 128 * 128) / 8 * 8);
      const int shared = below(3) == 0 ? 0 : below(target.max_smem_per_cta.count + 2000);
      block.static_shared = static_cast<std::size_t>(std::min(shared, below(48 * 1024 + 1)));
      block.dynamic_shared = static_cast<std::size_t>(shared) - block.static_shared;
      const std::array<int, 6> expected = cuda_blocks(gpu, block);
      const auto of = occupancy(target, {block.threads, block.registers, Bytes{shared}, block.barriers});
      REQUIRE(of);
      CAPTURE(device.target);
      CAPTURE(block.threads);
      CAPTURE(block.registers);
      CAPTURE(shared);
      REQUIRE(of->blocks == expected[0]);
      for (std::size_t limit = 0; limit < of->allowed.size(); ++limit)
        REQUIRE(of->allowed[limit].value_or(INT_MAX) == expected[limit + 1]);
      runs += of->blocks > 0 ? 1 : 0;
    }
  }
  CHECK(runs > 100000);
}

}  // namespace
}  // namespace swz
