// SPDX-License-Identifier: Apache-2.0 What lanes hold where several ways meet: at the beginning of a loop, for passes
// that are not counted, and after branches.
//
//   p = phi(smem + 4 * tid, p + 128)        lanes 0, 4, 8, … plus a multiple of 128, which all share: in every pass
//   x = phi(tid, 2 * x)                     unknown: in every pass the lanes are at other distances (loop_passes.hpp walks them)
#include <algorithm>
#include <bit>
#include <iterator>

#include "ptx/lane_arithmetic.hpp"
#include "ptx/lane_values.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

void WarpValues::add_needs_of_phi(ValueId id, std::vector<Node>& needs) const {
  if (v_.is_uniform(id)) return;
  const PtxPhi& phi = v_.phi(v_[id]);
  const bool is_loop = is_loop_phi(phi);
  for (const PtxPhi::From& from : phi.from) {
    if (v_.is_back(phi, from) || from.value == no_value || from.block == no_block) continue;
    needs.push_back({false, from.value});
    if (is_loop) return;
    needs.push_back({true, from.block});
    if (from.condition != no_value) needs.push_back({false, from.condition});
  }
}

// One value enters, the others come from the loop's own blocks.
bool WarpValues::is_loop_phi(const PtxPhi& phi) const {
  const auto is_back = [&](const PtxPhi::From& from) { return v_.is_back(phi, from); };
  const auto first = std::ranges::find_if_not(phi.from, is_back);
  return first != phi.from.end() && std::ranges::any_of(phi.from, is_back) &&
         std::ranges::all_of(phi.from,
                             [&](const PtxPhi::From& from) { return from.value == first->value || is_back(from); });
}

// n = warp; while (…) n &= 0xff: each pass leaves the value of every lane as it was.
bool WarpValues::is_kept(ValueId id, const LaneValue& entering) const {
  const PtxPhi& phi = v_.phi(v_[id]);
  return std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) {
    if (!v_.is_back(phi, from)) return true;
    ValueId next = from.value;
    std::uint64_t mask = low_mask(entering.bits);
    while (next != no_value && next != id && v_[next].op == ValueOp::bit_and && v_.known(v_[next].b).is_constant()) {
      mask &= v_.known(v_[next].b).ones;
      next = v_[next].a;
    }
    const auto stays = [&](std::uint64_t value) { return (value & low_mask(entering.bits) & ~mask) == 0; };
    return next == id && std::ranges::all_of(entering.value, stays);
  });
}

LaneValue WarpValues::of_phi(ValueId id) {
  const PtxValue& value = v_[id];
  const PtxPhi& phi = v_.phi(value);
  const auto first =
      std::ranges::find_if_not(phi.from, [&](const PtxPhi::From& from) { return v_.is_back(phi, from); });
  if (v_.is_uniform(id) || first == phi.from.end() || first->value == no_value) return unknown_because(id);
  if (!is_loop_phi(phi)) return joined(id);
  const LaneValue entering = at(first->value);
  if (entering.kind == LaneKind::exact && is_kept(id, entering)) return entering;
  if (entering.kind == LaneKind::unknown || entering.kind == LaneKind::uniform || !v_.comes_together(value))
    return unknown_because(id);
  const auto is_shared = [&](const LinearForm& step) {
    return std::ranges::all_of(step.terms, [&](const LinearTerm& term) { return v_.is_uniform(term.value); });
  };
  if (const auto advanced = induction(v_, id); advanced && std::ranges::all_of(advanced->steps, is_shared))
    return moved(entering, proven_zeros(v_, LinearTerm{id, 1, true}));
  std::uint64_t flips = 0;
  const bool only_flips = std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) {
    if (from.value == first->value || from.value == id) return true;
    const PtxValue& next = v_[from.value];
    if (next.op != ValueOp::bit_xor || next.a != id || !v_.is_uniform(next.b)) return false;
    flips |= ~v_.known(next.b).zeros & low_mask(next.bits);
    return true;
  });
  return only_flips ? flipped(entering, 0, flips) : unknown_because(id);
}

// After branches, each lane has the value of the block from which it came, if that is known.
LaneValue WarpValues::joined(ValueId id) {
  const PtxPhi& phi = v_.phi(v_[id]);
  const bool is_loop = std::ranges::any_of(phi.from, [&](const PtxPhi::From& from) { return v_.is_back(phi, from); });
  return is_loop ? unknown_because(id) : of_ways(id);
}

LaneValue WarpValues::entering(ValueId id) {
  for (const PtxPhi::From& from : v_.phi(v_[id]).from) {
    if (v_.is_back(v_.phi(v_[id]), from) || from.value == no_value || from.block == no_block) continue;
    find({false, from.value});
    find({true, from.block});
    if (from.condition != no_value) find({false, from.condition});
  }
  return of_ways(id);
}

LaneValue WarpValues::of_ways(ValueId id) const {
  const LaneValue parted = of_parted_ways(id);
  if (parted.kind != LaneKind::unknown) return parted;
  const LaneValue same = of_same_ways(id);
  return same.kind == LaneKind::unknown ? of_one_way(id) : same;
}

// Whichever way a lane takes, it brings the same: the number of its warp, which a loop that may have no pass only masks.
LaneValue WarpValues::of_same_ways(ValueId id) const {
  const PtxPhi& phi = v_.phi(v_[id]);
  std::optional<LaneValue> same;
  for (const PtxPhi::From& from : phi.from) {
    if (v_.is_back(phi, from)) continue;
    if (from.value == no_value) return unknown_because(id);
    const LaneValue& value = at(from.value);
    if (value.kind != LaneKind::exact) return unknown_because(id);
    if (!same) {
      same = value;
      continue;
    }
    same->bits = std::min(same->bits, value.bits);
    same->is_sampled = same->is_sampled || value.is_sampled;
    const std::uint64_t mask = low_mask(same->bits);
    for (std::size_t l = 0; l < warp_lanes; ++l)
      if (((same->value[l] ^ value.value[l]) & mask) != 0) return unknown_because(id);
  }
  return same.value_or(unknown_because(id));
}

// It is known for each lane from which block it comes.
LaneValue WarpValues::of_parted_ways(ValueId id) const {
  const PtxPhi& phi = v_.phi(v_[id]);
  std::vector<PtxPhi::From> ways;
  std::ranges::copy_if(phi.from, std::back_inserter(ways),
                       [&](const PtxPhi::From& from) { return !v_.is_back(phi, from); });
  const auto is_first = [&](const PtxPhi::From& from) { return from.value == ways[0].value; };
  if (ways.empty() || ways[0].value == no_value) return unknown_because(id);
  if (std::ranges::all_of(ways, is_first)) return at(ways[0].value);
  LaneValue value;
  std::uint32_t came = 0;
  for (const PtxPhi::From& from : ways) {
    if (from.block == no_block || from.value == no_value) return unknown_because(id);
    const ActiveLanes lanes = narrowed(lanes_in(from.block), from.condition, from.is_negated);
    // A way that no lane takes in the first pass of a loop may be taken in a later one.
    if (lanes.why != no_value || (lanes.lanes == 0 && lanes.is_sampled)) return unknown_because(id);
    value.is_sampled = value.is_sampled || lanes.is_sampled;
    if (lanes.lanes == 0) continue;
    const LaneValue entering = at(from.value);
    if (entering.kind == LaneKind::unknown || entering.kind == LaneKind::uniform) return unknown_because(id);
    const bool is_sampled = value.is_sampled || entering.is_sampled;
    if (came == 0) value = entering;
    else if (!add_lanes(value, came, entering, lanes.lanes)) return unknown_because(id);
    came |= lanes.lanes;
    value.is_sampled = is_sampled;
  }
  return came == 0 ? unknown_because(id) : value;
}

// if (n > 1) p = s + 4 * tid; else p = s + 4 * tid + 512: all lanes come from one block, it is not known which. What all
// share is added to the first value, if the values are that far apart.
LaneValue WarpValues::of_one_way(ValueId id) const {
  const PtxPhi& phi = v_.phi(v_[id]);
  const int bits = v_[id].bits;
  if (!v_.comes_together(v_[id])) return unknown_because(id);
  ValueId first = no_value;
  int zeros = 64;
  for (const PtxPhi::From& from : phi.from) {
    if (v_.is_back(phi, from)) continue;
    if (from.value == no_value) return unknown_because(id);
    if (first == no_value) first = from.value;
    if (from.value == first) continue;
    const LinearForm apart = difference(linear_form(v_, from.value, bits), linear_form(v_, first, bits));
    if (apart.constant != 0) zeros = std::min(zeros, std::countr_zero(apart.constant));
    for (const LinearTerm& term : apart.terms) {
      if (term.is_progress || !v_.is_uniform(term.value)) return unknown_because(id);
      zeros = std::min(zeros, proven_zeros(v_, term));
    }
  }
  if (first == no_value) return unknown_because(id);
  const LaneValue base = as_sum(at(first));
  if (base.kind != LaneKind::exact && base.kind != LaneKind::shifted)
    return unknown_because(base.kind == LaneKind::unknown ? base.why : id);
  LaneValue result = moved(base, zeros);
  result.bits = std::min(result.bits, bits);
  return result;
}

}  // namespace swz
