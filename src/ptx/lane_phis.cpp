// SPDX-License-Identifier: Apache-2.0
// What lanes hold where several ways meet: in a loop, of which nobody says the pass, and behind branches.
//
//   p = phi(smem + 4 * tid, p + 128)        lanes 0, 4, 8, … plus a multiple of 128, which all share: in every pass
//   x = phi(tid, 2 * x)                     unknown: every pass has other distances (loop_passes.hpp takes one after the other)
#include <algorithm>

#include "ptx/lane_arithmetic.hpp"
#include "ptx/lane_values.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

void WarpValues::add_needs_of_phi(ValueId id, std::vector<Node>& out) const {
  if (v_.is_uniform(id)) return;
  const PtxPhi& phi = v_.phi(v_[id]);
  const bool is_loop = is_loop_phi(phi);
  for (const PtxPhi::From& from : phi.from) {
    const bool is_back = from.block != no_block && v_.flow().dominates(phi.block, from.block);
    if (is_back || from.value == no_value || from.block == no_block) continue;
    out.push_back({false, from.value});
    if (is_loop) return;
    out.push_back({true, from.block});
    if (from.condition != no_value) out.push_back({false, from.condition});
  }
}

// One value enters, the others come from the loop's own blocks.
bool WarpValues::is_loop_phi(const PtxPhi& phi) const {
  const auto is_back = [&](const PtxPhi::From& from) {
    return from.block != no_block && v_.flow().dominates(phi.block, from.block);
  };
  const auto first = std::ranges::find_if_not(phi.from, is_back);
  return first != phi.from.end() && std::ranges::any_of(phi.from, is_back) &&
         std::ranges::all_of(phi.from,
                             [&](const PtxPhi::From& from) { return from.value == first->value || is_back(from); });
}

LaneValue WarpValues::of_phi(ValueId id) {
  const PtxValue& value = v_[id];
  const PtxPhi& phi = v_.phi(value);
  const auto is_back = [&](const PtxPhi::From& from) {
    return from.block != no_block && v_.flow().dominates(phi.block, from.block);
  };
  const auto first = std::ranges::find_if_not(phi.from, is_back);
  if (v_.is_uniform(id) || first == phi.from.end() || first->value == no_value) return unknown_because(id);
  if (!is_loop_phi(phi)) return joined(id);
  const LaneValue out = at(first->value);
  if (out.kind == LaneKind::unknown || out.kind == LaneKind::uniform || !v_.comes_together(value))
    return unknown_because(id);
  const auto shares = [&](const LinearForm& step) {
    return std::ranges::all_of(step.terms, [&](const LinearTerm& term) { return v_.is_uniform(term.value); });
  };
  if (const auto advanced = induction(v_, id); advanced && std::ranges::all_of(advanced->steps, shares))
    return moved(out, proven_zeros(v_, LinearTerm{id, 1, true}));
  std::uint64_t flips = 0;
  const bool only_flips = std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) {
    if (from.value == first->value || from.value == id) return true;
    const PtxValue& next = v_[from.value];
    if (next.op != ValueOp::bit_xor || next.a != id || !v_.is_uniform(next.b)) return false;
    flips |= ~v_.known(next.b).zeros & low_mask(next.bits);
    return true;
  });
  return only_flips ? flipped(out, 0, flips) : unknown_because(id);
}

// Where branches meet, each lane has the value of the block from which it came, if that is known.
LaneValue WarpValues::joined(ValueId id) {
  const PtxPhi& phi = v_.phi(v_[id]);
  if (std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) {
        return from.value != no_value && from.value == phi.from[0].value;
      }))
    return at(phi.from[0].value);
  LaneValue out;
  std::uint32_t came = 0;
  for (const PtxPhi::From& from : phi.from) {
    const bool is_behind = from.block == no_block || v_.flow().dominates(phi.block, from.block);
    if (is_behind || from.value == no_value) return unknown_because(id);
    const ActiveLanes lanes = narrowed(found_in(from.block), from.condition, from.is_negated);
    if (lanes.why != no_value) return unknown_because(id);
    out.is_sampled = out.is_sampled || lanes.is_sampled;
    // Nobody in the first pass of a loop may be somebody in a later one.
    if (lanes.lanes == 0 && lanes.is_sampled) return unknown_because(id);
    if (lanes.lanes == 0) continue;
    const LaneValue more = at(from.value);
    if (more.kind == LaneKind::unknown || more.kind == LaneKind::uniform) return unknown_because(id);
    const bool is_sampled = out.is_sampled || more.is_sampled;
    if (came == 0) {
      out = more;
    } else {
      // Both are known, and no lane may have come either way.
      if (out.kind != LaneKind::exact || more.kind != LaneKind::exact || (came & lanes.lanes) != 0)
        return unknown_because(id);
      for (std::size_t l = 0; l < warp_lanes; ++l)
        if (lanes.lanes >> l & 1) out.value[l] = more.value[l];
    }
    came |= lanes.lanes;
    out.is_sampled = is_sampled;
  }
  return came == 0 ? unknown_because(id) : out;
}

}  // namespace swz
