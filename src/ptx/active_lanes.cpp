// Which lanes are in a block, the first time that control comes there.
//
//   if (tid < 16) { B } C      B: lanes 0 to 15 of warp 0, none of the others; C: all, since whoever passes the branch passes C
//
// A block that every way from its dominator passes has the dominator's lanes; another one those of the edges that lead to it,
// if all edges that are taken have the same lanes.
#include "ptx/lane_values.hpp"

namespace swz {

ActiveLanes WarpValues::narrowed(const ActiveLanes& lanes, ValueId condition, bool is_negated) {
  if (condition == no_value || lanes.why != no_value) return lanes;
  const LaneValue& holds = of(condition);
  ActiveLanes out = lanes;
  out.is_sampled = out.is_sampled || (holds.kind != LaneKind::unknown && holds.is_sampled);
  // All or none: where it is none, the instruction is not there.
  if (holds.kind == LaneKind::uniform) return out;
  if (holds.kind != LaneKind::exact) {
    out.why = condition;
    return out;
  }
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if (((holds.value[l] & 1) != 0) == is_negated) out.lanes &= ~(1U << l);
  return out;
}

ActiveLanes WarpValues::in_block(std::uint32_t asked) {
  const PtxFlow& flow = v_.flow();
  // Lanes of which nobody can say which way they came.
  const auto parted_by = [&](std::uint32_t block) { return v_.branch_of(block) == no_value ? ValueId{0} : v_.branch_of(block); };
  if (const auto found = blocks_.find(asked); found != blocks_.end()) return found->second;
  // What it needs lies before it in `order`.
  std::vector<std::uint32_t> chain = {asked};
  while (!chain.empty()) {
    const std::uint32_t block = chain.back();
    if (blocks_.contains(block)) {
      chain.pop_back();
      continue;
    }
    if (block == flow.order[0]) {
      blocks_[block] = {exist_, false, no_value};
      continue;
    }
    const std::uint32_t above = flow.dominator[block];
    std::uint32_t meets = above;
    while (meets != no_block && meets != block && flow.position[meets] <= flow.position[block]) {
      const std::uint32_t next = flow.post_dominator[meets];
      if (next == meets) break;
      meets = next;
    }
    std::vector<std::uint32_t> needs;
    if (meets == block) needs.push_back(above);
    else for (const std::uint32_t from : flow.blocks[block].previous)
      if (flow.position[from] < flow.position[block]) needs.push_back(from);
    bool is_ready = true;
    for (const std::uint32_t need : needs)
      if (!blocks_.contains(need)) {
        chain.push_back(need);
        is_ready = false;
      }
    if (!is_ready) continue;
    ActiveLanes out;
    if (meets == block) {
      out = blocks_[above];
    } else {
      bool is_first = true;
      for (const std::uint32_t from : needs) {
        ActiveLanes more = blocks_[from];
        const PtxBlock& before = flow.blocks[from];
        const PtxInstruction& last = v_.kernel().instructions[before.end - 1];
        const ValueId condition = v_.branch_of(from);
        if (condition != no_value && before.next.size() == 2 && last.is("bra")) {
          // The second of `next` is the way on.
          more = narrowed(more, condition, before.next[0] != block);
        } else if (condition != no_value && !last.is("bra")) {
          more = narrowed(more, condition, true);  // those that left stay away
        } else if (before.next.size() > 1) {
          more.why = parted_by(from);
        }
        // A way that nobody takes in the first pass of a loop may be taken in a later one.
        const bool is_sampled = (!is_first && out.is_sampled) || more.is_sampled;
        if (is_first || out.lanes == 0) out = more;
        else if (more.lanes != out.lanes && more.lanes != 0) out.why = parted_by(above);
        out.is_sampled = is_sampled;
        is_first = false;
      }
      if (needs.empty()) out.why = parted_by(above);
    }
    out.is_sampled = out.is_sampled || v_.loses_lanes(block);
    blocks_[block] = out;
  }
  return blocks_[asked];
}

ActiveLanes WarpValues::at_instruction(std::uint32_t instruction) {
  return narrowed(in_block(v_.flow().block_of[instruction]), v_.of_guard(instruction), false);
}

}  // namespace swz
