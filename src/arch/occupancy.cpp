// SPDX-License-Identifier: Apache-2.0
#include "arch/occupancy.hpp"

#include <algorithm>

namespace swz {

namespace {

// Of an SM.
struct SmLimits {
  std::string_view target;  // its name without the variant
  int threads;
  int barriers;  // 0: the calculator has no limit before sm_90
};

// clang-format off
constexpr SmLimits rows[] = {
    {"sm_75",  1024,  0}, {"sm_80",  2048,  0}, {"sm_86",  1536,  0}, {"sm_87",  1536,  0}, {"sm_89",  1536,  0},
    {"sm_90",  2048, 64}, {"sm_100", 2048, 64}, {"sm_103", 2048, 64}, {"sm_110", 1536, 24}, {"sm_120", 1536, 24},
    {"sm_121", 1536, 24},
};
// clang-format on

constexpr int warp_threads = 32, most_threads = 1024, sub_partitions = 4;
constexpr int registers_of_sm = 65536, register_step = 256, most_registers = 256;

constexpr int rounded_up(int value, int step) { return (value + step - 1) / step * step; }

const SmLimits* limits_of(const Target& target) {
  std::string_view name = target.name;
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
  const auto found = std::ranges::find(rows, name, &SmLimits::target);
  return found == std::end(rows) ? nullptr : found;
}

// A sub-partition gives whole warps their registers. A launch is refused as if all sub-partitions had equally many warps.
std::optional<int> by_registers(const BlockNeeds& block, int warps) {
  if (block.registers == 0) return std::nullopt;
  const int of_warp = rounded_up(block.registers * warp_threads, register_step);
  if (block.registers > most_registers || of_warp * rounded_up(warps, sub_partitions) > registers_of_sm) return 0;
  return registers_of_sm / sub_partitions / of_warp * sub_partitions / warps;
}

std::optional<int> by_shared_memory(const Target& target, const BlockNeeds& block) {
  const std::int64_t step = target.smem_granularity.count;
  const std::int64_t bytes = (block.shared.count + target.reserved_smem.count + step - 1) / step * step;
  if (bytes == 0) return std::nullopt;
  if (bytes > target.smem_window().count) return 0;
  return static_cast<int>(target.smem_per_sm.count / bytes);
}

}  // namespace

std::vector<OccupancyLimit> Occupancy::limited_by() const {
  std::vector<OccupancyLimit> limits;
  for (const OccupancyLimit limit : occupancy_limits)
    if (allowed_by(limit) == blocks) limits.push_back(limit);
  return limits;
}

std::optional<Occupancy> occupancy(const Target& target, const BlockNeeds& block) {
  const SmLimits* sm = limits_of(target);
  if (sm == nullptr || block.threads < 1) return std::nullopt;
  const int warps = (block.threads + warp_threads - 1) / warp_threads;
  const int most_warps = sm->threads / warp_threads;
  Occupancy out{.blocks = target.max_ctas, .warps = 0, .most_warps = most_warps};
  const bool limits_barriers = sm->barriers > 0 && block.barriers > 0;
  out.allowed = {block.threads > most_threads ? 0 : most_warps / warps, by_registers(block, warps),
                 by_shared_memory(target, block), target.max_ctas,
                 limits_barriers ? std::optional(sm->barriers / block.barriers) : std::nullopt};
  for (const std::optional<int>& one : out.allowed) out.blocks = std::min(out.blocks, one.value_or(out.blocks));
  out.warps = out.blocks * warps;
  return out;
}

}  // namespace swz
