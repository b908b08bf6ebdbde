// SPDX-License-Identifier: Apache-2.0
#include "ptx/site_trips.hpp"

#include <algorithm>

namespace swz {

namespace {

// Whether every way back leads to a block that all ways to its beginning pass.
bool is_reducible(const PtxFlow& flow) {
  for (const std::uint32_t block : flow.order)
    for (const std::uint32_t next : flow.blocks[block].next)
      if (flow.position[next] <= flow.position[block] && !flow.dominates(next, block)) return false;
  return true;
}

}  // namespace

SiteTrips::SiteTrips(const PtxValues& values, const std::array<std::int64_t, 3>& threads)
    : v_(values), sums_(values), loops_(values, sums_), is_reducible_(is_reducible(values.flow())) {
  const std::int64_t warps =
      std::min<std::int64_t>((threads[0] * threads[1] * threads[2] + warp_lanes - 1) / warp_lanes, 32);
  for (std::int64_t w = 0; w < warps; ++w) {
    warps_.push_back({threads, w, values.knows_shape()});
    every_pass_.push_back(std::make_unique<WarpValues>(values, warps_.back(), PassState{}, &sums_));
  }
}

std::optional<std::int64_t> SiteTrips::of_warp(std::uint32_t instruction, std::size_t warp) {
  if (loops_.has_loop(instruction)) return loops_.executions(instruction, warps_[warp]);
  const ActiveLanes lanes = every_pass_[warp]->at_instruction(instruction);
  if (!lanes.are_certain()) return std::nullopt;
  return lanes.lanes != 0 ? 1 : 0;
}

std::optional<std::vector<std::int64_t>> SiteTrips::of(std::uint32_t instruction) {
  const std::uint32_t block = v_.flow().block_of[instruction];
  if (!is_reducible_ || v_.flow().position[block] == no_block) return std::nullopt;
  const auto [entry, is_new] = known_.try_emplace({block, v_.of_guard(instruction)});
  if (!is_new) return entry->second;
  std::vector<std::int64_t> trips;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    const auto of = of_warp(instruction, w);
    if (!of) return std::nullopt;
    trips.push_back(*of);
  }
  entry->second = std::move(trips);
  return entry->second;
}

}  // namespace swz
