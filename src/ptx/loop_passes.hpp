// SPDX-License-Identifier: Apache-2.0
// LoopPasses: the loops around an instruction, pass after pass, as one warp goes through them.
//
//   for (m = 0; m < 16; ++m) if (tid <= m) st.shared [s + 64 * tid + m]      16 passes: lane 0, lanes 0 and 1, … lanes 0 to 15
//
// Each pass begins with what the pass before it leaves in the registers that the loop changes, and with the lanes that
// come back. If the condition that ends a loop is not known, the walk goes on and says so.
//
// Used only inside src/ptx.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ptx/lane_values.hpp"

namespace swz {

class LoopPasses {
 public:
  LoopPasses(const PtxValues& values, AlignedSums& sums) : v_(values), sums_(sums) {}

  enum class End {
    all,      // every pass was seen, and no other is executed
    some,     // there may be more or fewer: it is not known when the loop ends, or it has very many passes
    stopped,  // the visitor did not want to go on, or this kernel has had its share of steps
  };
  // Calls `visit` in each pass for a site at the instruction, whose lanes `value` decides.
  using Visit = std::function<bool(WarpValues&)>;
  End walk(std::uint32_t instruction, ValueId value, const WarpOfBlock& warp, const Visit& visit);
  // The passes in which some lane executes an instruction in a loop. nullopt: another execution may have more or fewer.
  std::optional<std::int64_t> executions(std::uint32_t instruction, const WarpOfBlock& warp);
  bool has_loop(std::uint32_t instruction) const { return v_.flow().loop[v_.flow().block_of[instruction]] != no_block; }

 private:
  struct Walk {
    const WarpOfBlock& warp;
    const Visit& visit;
    std::vector<std::uint32_t> firsts;  // the blocks that begin the loops, of the outermost first
    std::vector<std::vector<ValueId>> phis;
    std::int64_t begin = 0;  // steps of the kernel before it
    std::int64_t passes = 0, visits = 0;
    bool is_open = false;
    bool is_cut = false;      // there are too many passes: those that were visited are some of them
    bool is_sampled = false;  // the lanes that come to a loop, or come back, are those of some executions
  };
  bool is_certain_to_enter(std::uint32_t first, WarpValues& before) const;
  bool run(Walk& walk, std::size_t depth, const PassState& around, WarpValues& before);
  ActiveLanes coming_back(Walk& walk, std::uint32_t first, const ActiveLanes& now, WarpValues& pass) const;
  LaneValue next_of(ValueId phi, WarpValues& pass) const;
  // By loop its phis on which one of the values or a branch of the loops depends.
  std::vector<std::vector<ValueId>> changing(const std::vector<std::uint32_t>& firsts,
                                             std::initializer_list<ValueId> of);
  const std::vector<ValueId>& branches_of(std::uint32_t first);

  const PtxValues& v_;
  AlignedSums& sums_;
  std::unordered_map<std::uint32_t, std::vector<ValueId>> branches_;  // of each outermost loop
  std::int64_t steps_ = 0;
  bool is_sampled_ = false;  // of the last walk
};

}  // namespace swz
