// SPDX-License-Identifier: Apache-2.0
// occupancy: examples that the calculator of CUDA gives too, and laws over all targets. tests/cute compares with the
// calculator itself.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "arch/occupancy.hpp"

namespace swz {
namespace {

using enum OccupancyLimit;

TEST_CASE("occupancy: examples, each with what limits it") {
  struct Example {
    const char* target;
    BlockNeeds block;
    int blocks, warps;
    std::vector<OccupancyLimit> limits;
  };
  const Example examples[] = {
      {"sm_90a", {256, 90, Bytes{40000}, 1}, 2, 16, {registers}},
      {"sm_90a", {256, 32, Bytes{0}, 0}, 8, 64, {threads, registers}},
      {"sm_90a", {384, 168, Bytes{227 * 1024}, 8}, 1, 12, {registers, shared_memory}},
      {"sm_90a", {128, 168, Bytes{24576}, 1}, 3, 12, {registers}},
      {"sm_90a", {32, 16, Bytes{0}, 0}, 32, 32, {blocks}},
      {"sm_90a", {32, 16, Bytes{0}, 16}, 4, 4, {barriers}},
      {"sm_80", {32, 16, Bytes{0}, 16}, 32, 32, {blocks}},
      {"sm_80", {1024, 65, Bytes{0}, 1}, 0, 0, {registers}},
      {"sm_86", {256, 40, Bytes{0}, 1}, 6, 48, {threads, registers}},
      {"sm_75", {256, 32, Bytes{0}, 1}, 4, 32, {threads}},
      {"sm_100a", {128, 32, Bytes{227 * 1024 + 1}, 0}, 0, 0, {shared_memory}},
  };
  for (const Example& one : examples) {
    CAPTURE(one.target);
    CAPTURE(one.block.threads);
    const auto of = occupancy(require_target(one.target), one.block);
    REQUIRE(of);
    CHECK(of->blocks == one.blocks);
    CHECK(of->warps == one.warps);
    CHECK(of->limited_by() == one.limits);
  }
}

TEST_CASE("occupancy: whoever needs more never has more, and the limits have room for what is said") {
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    if (!occupancy(target, {.threads = 32})) {
      CHECK((target.name == "sm_88" || target.name.starts_with("sm_107")));
      continue;
    }
    for (int threads = 32; threads <= 1024; threads += 96)
      for (int registers = 0; registers < 256; registers += 17)
        for (std::int64_t shared = 0; shared <= target.max_smem_per_cta.count; shared += 9973) {
          const BlockNeeds block{threads, registers, Bytes{shared}, 2};
          const auto of = occupancy(target, block);
          REQUIRE(of);
          REQUIRE(of->warps <= of->most_warps);
          REQUIRE(of->warps * 32 * registers <= 65536);
          REQUIRE(of->blocks * (shared + target.reserved_smem.count) <= target.smem_per_sm.count);
          REQUIRE_FALSE(of->limited_by().empty());
          BlockNeeds more = block;
          more.registers += 8;
          more.shared.count += 512;
          more.barriers += 1;
          REQUIRE(occupancy(target, more)->blocks <= of->blocks);
        }
  }
}

}  // namespace
}  // namespace swz
