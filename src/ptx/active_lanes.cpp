// SPDX-License-Identifier: Apache-2.0
// Which lanes are in a block, the first time that control comes there.
//
//   if (tid < 16) { B } C      B: lanes 0 to 15 of warp 0, none of the others; C: all, as every way from the branch passes C
//   if (tid < 16) exit; D      D: lanes 16 to 31 of warp 0
//
// A block that every way from its dominator passes has the dominator's lanes. Any other block has those of the edges
// that lead to it, if all edges that are taken have the same lanes.
#include "ptx/lane_values.hpp"

namespace swz {

ActiveLanes WarpValues::narrowed(const ActiveLanes& lanes, ValueId condition, bool is_negated) const {
  const bool is_empty = lanes.lanes == 0 && !lanes.is_sampled;
  if (condition == no_value || lanes.why != no_value || is_empty) return lanes;
  const LaneValue holds = at(condition);
  ActiveLanes left = lanes;
  left.is_sampled = left.is_sampled || (holds.kind != LaneKind::unknown && holds.is_sampled);
  // All lanes or none; with none, the instruction does not execute.
  if (holds.kind == LaneKind::uniform) {
    left.all_or_none = true;
    return left;
  }
  if (holds.kind != LaneKind::exact) {
    left.why = condition;
    return left;
  }
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if (((holds.value[l] & 1) != 0) == is_negated) left.lanes &= ~(1U << l);
  return left;
}

std::vector<std::uint32_t> WarpValues::comes_from(std::uint32_t block, bool& passes_all) const {
  const PtxFlow& flow = v_.flow();
  const std::uint32_t above = flow.dominator[block];
  std::uint32_t meets = above;
  while (meets != no_block && meets != block && flow.position[meets] <= flow.position[block]) {
    const std::uint32_t next = flow.post_dominator[meets];
    if (next == meets) break;
    meets = next;
  }
  passes_all = meets == block;
  if (passes_all) return {above};
  std::vector<std::uint32_t> before;
  for (const std::uint32_t from : flow.blocks[block].previous)
    if (flow.position[from] < flow.position[block]) before.push_back(from);
  return before;
}

ActiveLanes WarpValues::lanes_in(std::uint32_t block) const {
  const ActiveLanes* lanes = blocks_.find(block);
  return lanes == nullptr ? ActiveLanes{.why = ValueId{0}} : *lanes;
}

ActiveLanes WarpValues::lanes_along(std::uint32_t from, std::uint32_t to) const {
  ActiveLanes leaving = lanes_in(from);
  const PtxBlock& before = v_.flow().blocks[from];
  const PtxInstruction& last = v_.kernel().instructions[before.end - 1];
  const ValueId condition = v_.branch_of(from);
  // The second of `next` is the way on.
  if (condition != no_value && before.next.size() == 2 && last.is("bra"))
    return narrowed(leaving, condition, before.next[0] != to);
  if (condition != no_value && v_.flow().may_lose(v_.kernel(), from))
    return narrowed(leaving, condition, true);  // those that left stay away
  // Which way they take is not known.
  if (before.next.size() > 1 && leaving.why == no_value) leaving.why = condition == no_value ? ValueId{0} : condition;
  return leaving;
}

ActiveLanes WarpValues::evaluated_block(std::uint32_t block) {
  if (block == v_.flow().order[0]) return {.lanes = exist_};
  bool passes_all = false;
  const std::vector<std::uint32_t> ways = comes_from(block, passes_all);
  const std::uint32_t above = v_.flow().dominator[block];
  ActiveLanes there;
  if (passes_all) {
    there = lanes_in(above);
  } else {
    const auto parted = [&] { return v_.branch_of(above) == no_value ? ValueId{0} : v_.branch_of(above); };
    for (const std::uint32_t from : ways) {
      const ActiveLanes coming = lanes_along(from, block);
      // A way that no lane takes in the first pass of a loop may be taken in a later one.
      const bool is_sampled = there.is_sampled || coming.is_sampled,
                 all_or_none = there.all_or_none || coming.all_or_none;
      if (coming.why != no_value || there.lanes == 0) there = coming;
      else if (coming.lanes != there.lanes && coming.lanes != 0) there.why = parted();
      there.is_sampled = is_sampled;
      there.all_or_none = all_or_none;
      if (there.why != no_value) break;
    }
    if (ways.empty()) there.why = parted();
  }
  // A loop that lanes leave in different passes has fewer in later passes; a loop that no lane enters has none. A loop
  // with two entries has no block that begins it.
  const std::uint32_t loop = v_.flow().loop[block];
  if (!v_.loses_lanes(block) || in_pass_.contains(loop)) return there;
  const ActiveLanes enter = loop == block || loop == no_block ? there : lanes_in(loop);
  there.is_sampled = there.is_sampled || enter.lanes != 0 || enter.is_sampled || enter.why != no_value;
  return there;
}

ActiveLanes WarpValues::in_block(std::uint32_t block) {
  find({true, block});
  return *blocks_.find(block);
}

ActiveLanes WarpValues::along(std::uint32_t from, std::uint32_t to) {
  find({true, from});
  if (const ValueId condition = v_.branch_of(from); condition != no_value) find({false, condition});
  return lanes_along(from, to);
}

ActiveLanes WarpValues::at_instruction(std::uint32_t instruction) {
  const ValueId guard = v_.of_guard(instruction);
  if (guard != no_value) find({false, guard});
  return narrowed(in_block(v_.flow().block_of[instruction]), guard, false);
}

}  // namespace swz
