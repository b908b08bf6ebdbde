// SPDX-License-Identifier: Apache-2.0
// SiteTrips: how often each warp of a block executes an instruction, if it is proven.
//
//   if (tid < 48) for (i = 0; i < 8; ++i) st.shared …      of 128 threads: 8, 8, 0 and 0 times; lanes do not count
//
// It is proven if neither a branch around the instruction nor a way out of its loops nor its guard depends on what is
// not known, such as a parameter; loops are followed pass by pass. It holds for a block with all its threads whose
// warps come to the end.
//
// Invariant (tested by running): every execution has as many.
//
// Used only inside src/ptx.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/lane_values.hpp"
#include "ptx/loop_passes.hpp"

namespace swz {

class SiteTrips {
 public:
  // threads: of a block of at most 32 warps.
  SiteTrips(const PtxValues& values, const std::array<std::int64_t, 3>& threads);

  // By warp. nullopt: not proven.
  std::optional<std::vector<std::int64_t>> of(std::uint32_t instruction);

 private:
  std::optional<std::int64_t> of_warp(std::uint32_t instruction, std::size_t warp);

  const PtxValues& v_;
  AlignedSums sums_;
  LoopPasses loops_;
  std::vector<WarpOfBlock> warps_;
  std::vector<std::unique_ptr<WarpValues>> every_pass_;  // of each warp
  bool is_reducible_ = true;                             // each loop has one entry
  // Instructions of one block with one guard are executed as often.
  std::map<std::pair<std::uint32_t, ValueId>, std::optional<std::vector<std::int64_t>>> known_;
};

}  // namespace swz
