// SPDX-License-Identifier: Apache-2.0
#include "ptx/loop_passes.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "ptx/lane_arithmetic.hpp"

namespace swz {

namespace {

// What one walk may take of the values of its kernel.
constexpr std::int64_t most_walk_values = 1 << 15;

// Of each loop, if there are so many around one another and it is not known when they end: at most 256 in all.
std::int64_t guessed_passes(std::size_t loops) {
  constexpr std::int64_t most[] = {16, 16, 16, 6, 4, 3, 2};
  return std::min(most[std::min(loops, std::size(most) - 1)], limits::ptx_guessed_passes.most);
}

}  // namespace

LoopPasses::End LoopPasses::walk(std::uint32_t instruction, ValueId value, const WarpOfBlock& warp,
                                 const Visit& visit) {
  const PtxFlow& flow = v_.flow();
  Walk walk{.warp = warp, .visit = visit, .firsts = {}, .phis = {}, .begin = steps_};
  for (std::uint32_t first = flow.loop[flow.block_of[instruction]]; first != no_block; first = flow.around[first])
    walk.firsts.push_back(first);
  std::ranges::reverse(walk.firsts);
  if (walk.firsts.empty() || std::ssize(walk.firsts) > limits::ptx_nested_loops.most ||
      steps_ > limits::ptx_loop_values.most)
    return End::stopped;
  walk.phis = changing(walk.firsts, {value, v_.of_guard(instruction)});
  WarpValues before(v_, warp, {}, &sums_);
  const bool is_through = run(walk, 0, {}, before);
  is_sampled_ = walk.is_sampled;
  steps_ += before.steps();
  if (!is_through) return End::stopped;
  return walk.is_open ? End::some : End::all;
}

bool LoopPasses::run(Walk& walk, std::size_t depth, const PassState& around, WarpValues& before) {
  if (depth == walk.firsts.size()) {
    ++walk.visits;
    return walk.visit(before);
  }
  const std::uint32_t first = walk.firsts[depth];
  PassState pass = around;
  ActiveLanes lanes = before.in_block(first);
  if (depth == 0) lanes.all_or_none = false;  // all passes or none
  walk.is_sampled = walk.is_sampled || !is_certain_to_enter(first, before);
  for (const ValueId phi : walk.phis[depth]) pass.phis[phi] = before.entering(phi);
  for (std::int64_t count = 0; lanes.lanes != 0 || lanes.why != no_value; ++count) {
    const bool is_guessed = lanes.all_or_none || lanes.why != no_value;
    walk.is_open = walk.is_open || is_guessed;
    if (count == (walk.is_open ? guessed_passes(walk.firsts.size()) : limits::ptx_loop_passes.most)) {
      walk.is_open = true;
      return true;
    }
    const bool has_steps = steps_ - walk.begin < most_walk_values && steps_ <= limits::ptx_loop_values.most;
    if (++walk.passes > limits::ptx_site_passes.most || !has_steps) {
      walk.is_open = walk.is_cut = true;
      return walk.visits > 0;
    }
    lanes.is_sampled = false;
    pass.firsts[first] = lanes;
    WarpValues now(v_, walk.warp, pass, &sums_);
    if (!run(walk, depth + 1, pass, now)) return false;
    if (walk.is_cut) return true;
    lanes = coming_back(walk, first, lanes, now);
    for (const ValueId phi : walk.phis[depth]) pass.phis[phi] = next_of(phi, now);
    steps_ += now.steps();
  }
  return true;
}

std::optional<std::int64_t> LoopPasses::executions(std::uint32_t instruction, const WarpOfBlock& warp) {
  std::int64_t count = 0;
  const End end = walk(instruction, no_value, warp, [&](WarpValues& pass) {
    const ActiveLanes lanes = pass.at_instruction(instruction);
    count += lanes.lanes != 0 ? 1 : 0;
    return lanes.are_certain();
  });
  if (end != End::all || is_sampled_) return std::nullopt;
  return count;
}

// The lanes on the ways into the loop. Those in its first block may be fewer in later passes.
bool LoopPasses::is_certain_to_enter(std::uint32_t first, WarpValues& before) const {
  for (const std::uint32_t from : v_.flow().blocks[first].previous)
    if (v_.flow().position[from] != no_block && !v_.flow().dominates(first, from) &&
        !before.along(from, first).are_certain())
      return false;
  return true;
}

ActiveLanes LoopPasses::coming_back(Walk& walk, std::uint32_t first, const ActiveLanes& now, WarpValues& pass) const {
  ActiveLanes back;
  for (const std::uint32_t from : v_.flow().blocks[first].previous) {
    if (v_.flow().position[from] == no_block || !v_.flow().dominates(first, from)) continue;
    const ActiveLanes coming = pass.along(from, first);
    if (coming.why != no_value) {  // as many as there are now
      walk.is_open = true;
      return now;
    }
    back.lanes |= coming.lanes;
    back.all_or_none = back.all_or_none || coming.all_or_none;
    walk.is_sampled = walk.is_sampled || coming.is_sampled;
  }
  return back;
}

LaneValue LoopPasses::next_of(ValueId phi, WarpValues& pass) const {
  const PtxPhi& joins = v_.phi(v_[phi]);
  std::optional<LaneValue> next;
  std::uint32_t came = 0;
  ValueId before = no_value;
  for (const PtxPhi::From& from : joins.from) {
    if (!v_.is_back(joins, from)) continue;
    if (from.value == no_value) return unknown_because(phi);
    const ActiveLanes lanes = pass.along(from.block, joins.block);
    if (lanes.why == no_value && lanes.lanes == 0) continue;
    const std::uint32_t coming = lanes.why == no_value ? lanes.lanes : ~std::uint32_t{0};
    const LaneValue value = pass.of(from.value);
    if (!next || before == from.value) next = value;
    else if (!add_lanes(*next, came, value, coming)) return unknown_because(phi);
    before = from.value;
    came |= coming;
  }
  return next.value_or(unknown_because(phi));
}

const std::vector<ValueId>& LoopPasses::branches_of(std::uint32_t first) {
  const auto [entry, is_new] = branches_.try_emplace(first);
  std::vector<ValueId>& branches = entry->second;
  if (!is_new) return branches;
  const PtxFlow& flow = v_.flow();
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
    if (flow.loop[block] == no_block || v_.branch_of(block) == no_value || !flow.dominates(first, block)) continue;
    std::uint32_t around = flow.loop[block];
    while (around != first && around != no_block) around = flow.around[around];
    if (around == first) branches.push_back(v_.branch_of(block));
  }
  return branches;
}

std::vector<std::vector<ValueId>> LoopPasses::changing(const std::vector<std::uint32_t>& firsts,
                                                       std::initializer_list<ValueId> of) {
  std::vector<std::vector<ValueId>> phis(firsts.size());
  std::vector<ValueId> work = branches_of(firsts[0]);
  work.insert(work.end(), of);
  std::unordered_set<ValueId> seen;
  while (!work.empty()) {
    const ValueId id = work.back();
    work.pop_back();
    if (id == no_value || v_.known(id).is_constant() || !seen.insert(id).second) continue;
    const PtxValue& value = v_[id];
    for (const ValueId part : {value.a, value.b, value.c}) work.push_back(part);
    if (value.op != ValueOp::phi) continue;
    const PtxPhi& phi = v_.phi(value);
    if (const auto first = std::ranges::find(firsts, phi.block); first != firsts.end())
      phis[static_cast<std::size_t>(first - firsts.begin())].push_back(id);
    for (const PtxPhi::From& from : phi.from) {
      work.push_back(from.value);
      work.push_back(from.condition);
    }
  }
  steps_ += static_cast<std::int64_t>(seen.size());
  return phis;
}

}  // namespace swz
