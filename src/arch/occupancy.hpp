// SPDX-License-Identifier: Apache-2.0
// Occupancy: how many blocks of a kernel an SM holds at once, and what does not allow more.
//
//   sm_90a, 256 threads, 90 registers, 40000 B of shared memory
//     registers  90 * 32 = 2880, in steps of 256: 3072 a warp; a quarter of the SM has 16384: 5 warps, the SM 20: 2 blocks
//     shared     40000 + 1024 reserved, in steps of 128: 41088 B of 233472: 5 blocks
//     threads    64 warps of the SM for 8 of a block: 8 blocks
//   2 blocks, 16 of 64 warps, limited by registers
//
// Of shared memory an SM is taken to give all that it can. What a launch needs besides (clusters, a limit of the driver)
// does not count.
//
// Source: cuda_occupancy.h of CUDA 13.5, against which the test compares every limit; resident threads: CUDA Programming
// Guide, technical specifications by compute capability. Targets without both have no occupancy: sm_88, sm_107.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "arch/target.hpp"
#include "base/units.hpp"

namespace swz {

struct BlockNeeds {
  int threads = 1;
  int registers = 0;  // of a thread
  Bytes shared = {};  // static and dynamic, without what is reserved
  int barriers = 0;   // named ones
};

enum class OccupancyLimit { threads, registers, shared_memory, blocks, barriers };

inline constexpr std::array occupancy_limits = {OccupancyLimit::threads, OccupancyLimit::registers,
                                                OccupancyLimit::shared_memory, OccupancyLimit::blocks,
                                                OccupancyLimit::barriers};

constexpr std::string_view to_string(OccupancyLimit limit) {
  return name_in({"threads", "registers", "shared_memory", "blocks", "barriers"}, limit);
}

struct Occupancy {
  int blocks = 0;  // 0: the kernel cannot be launched
  int warps = 0, most_warps = 0;
  // By limit; absent: it allows any number.
  std::array<std::optional<int>, occupancy_limits.size()> allowed = {};

  std::optional<int> allowed_by(OccupancyLimit limit) const { return allowed[static_cast<std::size_t>(limit)]; }
  std::vector<OccupancyLimit> limited_by() const;
};

// nullopt: the target's limits are not known.
std::optional<Occupancy> occupancy(const Target& target, const BlockNeeds& block);

}  // namespace swz
