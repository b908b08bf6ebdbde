// SPDX-License-Identifier: Apache-2.0
#include "ptx/lane_values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/lane_arithmetic.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

WarpValues::WarpValues(const PtxValues& values, const WarpOfBlock& warp, const PassState& pass, AlignedSums* sums)
    : v_(values), warp_(warp), known_(values.size()), blocks_(values.flow().blocks.size()), sums_(sums) {
  if (sums_ == nullptr) sums_ = &own_sums_.emplace(values);
  const std::int64_t count = warp.threads[0] * warp.threads[1] * warp.threads[2] - 32 * warp.warp;
  exist_ = count >= 32 ? 0xffffffffU : count <= 0 ? 0U : (1U << count) - 1;
  for (const auto& [phi, value] : pass.phis) known_.put(phi, finished(value, phi));
  for (const auto& [block, lanes] : pass.firsts) {
    blocks_.put(block, lanes);
    in_pass_.insert(block);
  }
}

const LaneValue& WarpValues::of(ValueId value) {
  find({false, value});
  return *known_.find(value);
}

LaneValue WarpValues::at(ValueId value) const {
  const LaneValue* lanes = known_.find(value);
  return lanes == nullptr ? unknown_because(value) : *lanes;
}

LaneValue WarpValues::finished(LaneValue lanes, ValueId value) const {
  if (lanes.kind == LaneKind::unknown && v_.is_uniform(value)) lanes.kind = LaneKind::uniform;
  if (lanes.kind == LaneKind::uniform) {
    lanes.zeros = v_.known(value).trailing_zeros();
    lanes.flips = ~v_.known(value).known() & low_mask(v_[value].bits);
  }
  if (lanes.kind == LaneKind::exact) lanes.bits = 64;
  return lanes;
}

// A node is opened before those that it needs and worked out after them. What needs itself finds itself unknown.
void WarpValues::find(Node asked) {
  std::vector<Node> work = {asked}, needs;
  while (!work.empty()) {
    const Node node = work.back();
    if (node.is_block ? blocks_.find(node.id) != nullptr : known_.find(node.id) != nullptr) {
      work.pop_back();
      continue;
    }
    if (node.is_block ? blocks_.open(node.id) : known_.open(node.id)) {
      needs.clear();
      add_needs(node, needs);
      const std::size_t before = work.size();
      for (const Node& need : needs)
        if (is_unseen(need)) work.push_back(need);
      if (work.size() != before) continue;
    }
    work.pop_back();
    ++steps_;
    if (node.is_block) blocks_.put(node.id, evaluated_block(node.id));
    else known_.put(node.id, finished(evaluated(node.id), node.id));
  }
}

void WarpValues::add_needs(const Node& node, std::vector<Node>& needs) const {
  if (node.is_block) {
    if (node.id == v_.flow().order[0]) return;
    bool passes_all = false;
    for (const std::uint32_t from : comes_from(node.id, passes_all)) {
      needs.push_back({true, from});
      if (const ValueId condition = v_.branch_of(from); !passes_all && condition != no_value)
        needs.push_back({false, condition});
    }
    return;
  }
  const PtxValue& value = v_[node.id];
  if (v_.known(node.id).is_constant() || (value.op == ValueOp::unknown && value.varies)) return;
  if (value.op == ValueOp::phi) return add_needs_of_phi(node.id, needs);
  for (const ValueId part : {value.a, value.b, value.c})
    if (part != no_value) needs.push_back({false, part});
}

LaneValue WarpValues::of_special(const PtxValue& value, ValueId id) const {
  const std::string_view name = v_.name_of(value);
  const auto& threads = warp_.threads;
  LaneValue result{.kind = LaneKind::exact};
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const std::int64_t thread = 32 * warp_.warp + static_cast<std::int64_t>(l);
    std::int64_t of_lane = 0;
    if (name == "%laneid") of_lane = static_cast<std::int64_t>(l);
    else if (!warp_.knows_shape) return unknown_because(id);
    else if (name == "%tid.x") of_lane = thread % threads[0];
    else if (name == "%tid.y") of_lane = thread / threads[0] % threads[1];
    else if (name == "%tid.z") of_lane = thread / (threads[0] * threads[1]);
    else return unknown_because(id);
    result.value[l] = static_cast<std::uint64_t>(of_lane);
  }
  return result;
}

// nullopt: a or b is not known in each lane.
std::optional<LaneValue> WarpValues::of_exact(const PtxValue& value, const LaneValue* a, const LaneValue* b,
                                              ValueId id) const {
  if (a == nullptr || b == nullptr || a->kind != LaneKind::exact || b->kind != LaneKind::exact) return std::nullopt;
  LaneValue result{.kind = LaneKind::exact, .bits = value.bits, .is_sampled = a->is_sampled || b->is_sampled};
  return evaluate_lanes(value, *a, *b, result.value) ? result : unknown_because(id);
}

// An operation on two operands, one of which may be the same unknown number in all lanes.
LaneValue WarpValues::of_pair(const PtxValue& value, ValueId id) {
  if (const auto result = of_exact(value, known_.find(value.a), known_.find(value.b), id)) return *result;
  LaneValue a = at(value.a), b = at(value.b);
  ValueId b_id = value.b;
  const bool is_sampled = a.is_sampled || b.is_sampled;
  if (a.kind == LaneKind::unknown) return a;
  if (b.kind == LaneKind::unknown) return b;
  const bool is_a_simpler = a.kind == LaneKind::uniform ||
                            (a.kind == LaneKind::exact && b.kind != LaneKind::exact && b.kind != LaneKind::uniform);
  if (is_a_simpler && is_commutative(value.op)) {
    std::swap(a, b);
    b_id = value.a;
  }
  if (v_.is_uniform(id)) return unknown_because(id);
  const bool are_shared = a.kind == LaneKind::uniform && b.kind == LaneKind::uniform;
  std::optional<LaneValue> result = are_shared ? a : combined(value, a, b, b_id);
  if (!result) return unknown_because(id);
  if (value.op == ValueOp::add) result = aligned(*result, id);
  result->is_sampled = is_sampled;
  result->bits = std::min<int>(result->bits, value.bits);
  return *result;
}

// nullopt: the lanes of the result are not known, up to something they share.
std::optional<LaneValue> WarpValues::combined(const PtxValue& value, const LaneValue& a, const LaneValue& b,
                                              ValueId b_id) const {
  const bool is_shared = b.kind == LaneKind::uniform, is_number = is_same_in_all(b);
  switch (value.op) {
    case ValueOp::add: return sum(a, b, b_id, value.bits);
    case ValueOp::bit_or:
    case ValueOp::bit_xor:
      return is_shared ? combined_with(value.op, a, v_.known(b_id), value.bits) : combined_with(value.op, a, b);
    case ValueOp::bit_and: {
      if (is_number) return masked(a, b.value[0]);
      // A shared mask must be known at the bits that some lane has.
      const bool is_known = a.kind == LaneKind::exact && (bits_of_any(a) & ~v_.known(b_id).known()) == 0;
      return is_shared && is_known ? masked(a, v_.known(b_id).ones) : std::nullopt;
    }
    case ValueOp::multiply: return is_number ? scaled(a, b.value[0], value.bits) : std::nullopt;
    case ValueOp::shift_left: return is_number ? shifted_left(a, b.value[0], value.bits) : std::nullopt;
    case ValueOp::shift_right: return is_number ? shifted_right(a, b.value[0], value.bits) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<LaneValue> WarpValues::sum(const LaneValue& a, const LaneValue& b, ValueId b_id, int bits) const {
  if (b.kind == LaneKind::exact) return sum_with(a, b, bits);
  if (b.kind == LaneKind::uniform) return moved(a, std::max(b.zeros, proven_zeros(v_, b_id)));
  return sum_of_shifted(as_sum(a), as_sum(b), bits);
}

// The sum of the terms in each lane. nullopt: a term is not known in each lane.
std::optional<LaneValue> WarpValues::lanes_of(const LinearForm& form) const {
  LaneValue sum = same_in_all(form.constant, form.bits);
  for (const LinearTerm& term : form.terms) {
    const LaneValue lanes = term.is_progress ? LaneValue{} : at(term.value);
    if (lanes.kind != LaneKind::exact) return std::nullopt;
    sum.is_sampled = sum.is_sampled || lanes.is_sampled;
    for (std::size_t l = 0; l < warp_lanes; ++l) sum.value[l] += term.factor * lanes.value[l];
  }
  return sum;
}

// smem + (4 * tid + (-smem & 1023)): what is shared is a multiple of 1024, which no summand shows. Modulo 2^j the terms
// that all lanes share vanish, so the other terms are the lanes.
LaneValue WarpValues::aligned(LaneValue sum, ValueId id) {
  for (const int bits : {10, 7}) {
    if (sum.kind != LaneKind::shifted || sum.zeros >= bits) return sum;
    const LinearForm* form = sums_->of_lanes(id, bits);
    const auto low = form == nullptr ? std::nullopt : lanes_of(*form);
    if (!low) continue;
    const std::uint64_t mask = low_mask(bits), shared = low->value[0] - sum.value[0];
    bool is_same = true;
    for (std::size_t l = 0; l < warp_lanes; ++l)
      is_same = is_same && ((low->value[l] - sum.value[l] - shared) & mask) == 0;
    if (!is_same) continue;
    sum.zeros = bits;
    return changed(sum, [&](std::uint64_t lane) { return lane + (shared & mask); });
  }
  return sum;
}

// p ? s + 4 * tid : s, if the first is the second plus something that is known in each lane.
LaneValue WarpValues::of_choice(const PtxValue& value, const LaneValue& condition, ValueId id) {
  const int bits = value.bits;
  auto apart = lanes_of(difference(linear_form(v_, value.b, bits), linear_form(v_, value.c, bits)));
  if (!apart) return unknown_because(id);
  for (std::size_t l = 0; l < warp_lanes; ++l)
    apart->value[l] = condition.value[l] & 1 ? apart->value[l] & low_mask(bits) : 0;
  LaneValue base = at(value.c);
  if (base.kind == LaneKind::unknown) return base;
  if (base.kind == LaneKind::uniform)
    base = {.kind = LaneKind::shifted, .zeros = proven_zeros(v_, value.c), .is_sampled = base.is_sampled};
  auto sum = sum_with(base, *apart, bits);
  if (!sum) return unknown_because(id);
  sum->bits = std::min(sum->bits, bits);
  sum->is_sampled = base.is_sampled || apart->is_sampled || condition.is_sampled;
  return *sum;
}

// p ? s + 4 * tid + 8192 : s + 4 * tid, if all lanes choose alike and the difference is the same in all: the second
// plus an unknown number that all lanes share.
LaneValue WarpValues::of_shared_choice(const PtxValue& value, ValueId id) {
  const LinearForm form = difference(linear_form(v_, value.b, value.bits), linear_form(v_, value.c, value.bits));
  int zeros = form.constant == 0 ? 64 : std::countr_zero(form.constant);
  for (const LinearTerm& term : form.terms) {
    if (term.is_progress ? !v_.comes_together(v_[term.value]) : !v_.is_uniform(term.value)) return unknown_because(id);
    zeros = std::min(zeros, proven_zeros(v_, term));
  }
  const LaneValue base = as_sum(at(value.c));
  if (base.kind != LaneKind::exact && base.kind != LaneKind::shifted)
    return unknown_because(base.kind == LaneKind::unknown ? base.why : id);
  LaneValue result = moved(base, zeros);
  result.bits = std::min<int>(result.bits, value.bits);
  result.is_sampled = base.is_sampled || at(value.a).is_sampled;
  return result;
}

// A function of what this warp shares, in a pass that all lanes share. Other warps may hold something else.
LaneValue WarpValues::of_unknown(const PtxValue& value, ValueId id) {
  if (v_.origin(id).is("elect") && value.bits == 1) {
    LaneValue elected{.kind = LaneKind::exact, .is_sampled = true};
    elected.value[0] = 1;
    return elected;
  }
  if (value.a == no_value || value.varies) return unknown_because(id);
  // Lanes that left a loop in different passes hold what a load gave in different passes.
  const auto instruction = static_cast<std::uint32_t>(value.number >> 8);
  if (v_.loses_lanes(v_.flow().block_of[instruction]) && !is_pure(v_.kernel().instructions[instruction].name()))
    return unknown_because(id);
  LaneValue shared{.kind = LaneKind::uniform};
  for (const ValueId part : {value.a, value.b, value.c}) {
    if (part == no_value) continue;
    const LaneValue lanes = at(part);
    const bool is_sum =
        lanes.kind == LaneKind::exact || lanes.kind == LaneKind::shifted || lanes.kind == LaneKind::flipped;
    if (lanes.kind == LaneKind::unknown && lanes.why != no_value) return unknown_because(lanes.why);
    if (lanes.kind != LaneKind::uniform && !(is_sum && has_one_value(lanes) && lanes.bits >= v_[part].bits))
      return unknown_because(id);
    shared.is_sampled = shared.is_sampled || lanes.is_sampled;
  }
  return shared;
}

LaneValue WarpValues::of_selection(const PtxValue& value, ValueId id) {
  const LaneValue condition = at(value.a);
  if (condition.kind == LaneKind::uniform && !v_.is_uniform(id)) return of_shared_choice(value, id);
  if (condition.kind != LaneKind::exact)
    return unknown_because(condition.kind == LaneKind::unknown ? condition.why : id);
  LaneValue chosen;
  if (is_same_in_all(condition)) {
    chosen = at((condition.value[0] & 1) != 0 ? value.b : value.c);
  } else {
    chosen = at(value.b);
    const LaneValue second = at(value.c);
    if (chosen.kind != LaneKind::exact || second.kind != LaneKind::exact) return of_choice(value, condition, id);
    for (std::size_t l = 0; l < warp_lanes; ++l)
      if ((condition.value[l] & 1) == 0) chosen.value[l] = second.value[l];
    chosen.is_sampled = chosen.is_sampled || second.is_sampled;
  }
  chosen.is_sampled = chosen.is_sampled || condition.is_sampled;
  return chosen.kind == LaneKind::uniform ? unknown_because(id) : chosen;
}

LaneValue WarpValues::of_other_lane(const PtxValue& value, ValueId id) const {
  const LaneValue from = at(value.a), lane = at(value.b);
  if (from.kind != LaneKind::exact || !is_same_in_all(lane)) return unknown_because(id);
  LaneValue result = same_in_all(from.value[lane.value[0] & 31], 64);
  result.is_sampled = from.is_sampled;
  return result;
}

LaneValue WarpValues::of_sign_extension(const PtxValue& value, ValueId id) const {
  LaneValue from = at(value.a);
  if (from.kind == LaneKind::exact)
    return changed(from, [&](std::uint64_t lane) { return *evaluate(value, lane, 0, 0); });
  if (from.kind != LaneKind::shifted && from.kind != LaneKind::flipped) return unknown_because(id);
  // Modulo 2^bits it is the same.
  from.bits = std::min(from.bits, static_cast<int>(value.number));
  return from;
}

LaneValue WarpValues::of_address_in_window(const PtxValue& value) const {
  const LaneValue from = at(value.a);
  return from.kind == LaneKind::unknown || from.kind == LaneKind::uniform ? from : moved(from, shared_window_bits);
}

// Any operation, if its operands are known in each lane.
LaneValue WarpValues::of_exact_operands(const PtxValue& value, ValueId id) const {
  const ValueId operands[] = {value.a, value.b, value.c};
  std::array<LaneValue, 3> lanes;
  LaneValue exact{.kind = LaneKind::exact};
  for (std::size_t i = 0; i < 3 && operands[i] != no_value; ++i) {
    lanes[i] = at(operands[i]);
    if (lanes[i].kind != LaneKind::exact)
      return unknown_because(lanes[i].kind == LaneKind::unknown ? lanes[i].why : id);
    exact.is_sampled = exact.is_sampled || lanes[i].is_sampled;
  }
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const auto lane = evaluate(value, lanes[0].value[l], lanes[1].value[l], lanes[2].value[l]);
    if (!lane) return unknown_because(id);
    exact.value[l] = *lane;
  }
  return exact;
}

LaneValue WarpValues::evaluated(ValueId id) {
  const PtxValue& value = v_[id];
  if (v_.known(id).is_constant()) return same_in_all(v_.known(id).low, 64);
  switch (value.op) {
    case ValueOp::special: return of_special(value, id);
    case ValueOp::phi: return of_phi(id);
    case ValueOp::unknown: return of_unknown(value, id);
    case ValueOp::select: return of_selection(value, id);
    case ValueOp::lane_of: return of_other_lane(value, id);
    case ValueOp::sign_extend: return of_sign_extension(value, id);
    case ValueOp::generic_of_shared:
    case ValueOp::shared_of_generic: return of_address_in_window(value);
    case ValueOp::symbol:
    case ValueOp::param: return unknown_because(id);
    default: break;
  }
  if (value.a == no_value) return unknown_because(id);
  return value.b != no_value && value.c == no_value ? of_pair(value, id) : of_exact_operands(value, id);
}

}  // namespace swz
