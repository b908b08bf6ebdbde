// SPDX-License-Identifier: Apache-2.0
#include "ptx/lane_values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/lane_arithmetic.hpp"
#include "ptx/linear_form.hpp"

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
  const LaneValue* found = known_.find(value);
  return found == nullptr ? unknown_because(value) : *found;
}

LaneValue WarpValues::finished(LaneValue out, ValueId value) const {
  if (out.kind == LaneKind::unknown && v_.is_uniform(value)) out.kind = LaneKind::uniform;
  if (out.kind == LaneKind::uniform) {
    out.zeros = v_.known(value).trailing_zeros();
    out.flips = ~v_.known(value).known() & low_mask(v_[value].bits);
  }
  if (out.kind == LaneKind::exact) out.bits = 64;
  return out;
}

// Each is opened before what it needs and worked out behind it. What needs itself finds itself unknown.
void WarpValues::find(Node asked) {
  std::vector<Node> work = {asked}, needs;
  while (!work.empty()) {
    const Node one = work.back();
    if (one.is_block ? blocks_.find(one.id) != nullptr : known_.find(one.id) != nullptr) {
      work.pop_back();
      continue;
    }
    if (one.is_block ? blocks_.open(one.id) : known_.open(one.id)) {
      needs.clear();
      add_needs(one, needs);
      const std::size_t before = work.size();
      for (const Node& need : needs)
        if (is_unseen(need)) work.push_back(need);
      if (work.size() != before) continue;
    }
    work.pop_back();
    ++steps_;
    if (one.is_block) blocks_.put(one.id, evaluated_block(one.id));
    else known_.put(one.id, finished(evaluated(one.id), one.id));
  }
}

void WarpValues::add_needs(const Node& node, std::vector<Node>& out) const {
  if (node.is_block) {
    if (node.id == v_.flow().order[0]) return;
    bool passes_all = false;
    for (const std::uint32_t from : comes_from(node.id, passes_all)) {
      out.push_back({true, from});
      if (const ValueId condition = v_.branch_of(from); !passes_all && condition != no_value)
        out.push_back({false, condition});
    }
    return;
  }
  const PtxValue& value = v_[node.id];
  if (v_.known(node.id).is_constant() || (value.op == ValueOp::unknown && value.varies)) return;
  if (value.op == ValueOp::phi) return add_needs_of_phi(node.id, out);
  for (const ValueId part : {value.a, value.b, value.c})
    if (part != no_value) out.push_back({false, part});
}

LaneValue WarpValues::of_special(const PtxValue& value, ValueId id) const {
  const std::string_view name = v_.name_of(value);
  const auto& threads = warp_.threads;
  LaneValue out{.kind = LaneKind::exact};
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const std::int64_t thread = 32 * warp_.warp + static_cast<std::int64_t>(l);
    std::int64_t of_lane = 0;
    if (name == "%laneid") of_lane = static_cast<std::int64_t>(l);
    else if (!warp_.knows_shape) return unknown_because(id);
    else if (name == "%tid.x") of_lane = thread % threads[0];
    else if (name == "%tid.y") of_lane = thread / threads[0] % threads[1];
    else if (name == "%tid.z") of_lane = thread / (threads[0] * threads[1]);
    else return unknown_because(id);
    out.value[l] = static_cast<std::uint64_t>(of_lane);
  }
  return out;
}

// nullopt: a or b is not known in each lane.
std::optional<LaneValue> WarpValues::of_exact(const PtxValue& value, const LaneValue* a, const LaneValue* b,
                                              ValueId id) const {
  if (a == nullptr || b == nullptr || a->kind != LaneKind::exact || b->kind != LaneKind::exact) return std::nullopt;
  LaneValue out{.kind = LaneKind::exact, .bits = value.bits, .is_sampled = a->is_sampled || b->is_sampled};
  return evaluate_lanes(value, *a, *b, out.value) ? out : unknown_because(id);
}

// Of two operands, of which one may be the same unknown number in all lanes.
LaneValue WarpValues::of_pair(const PtxValue& value, ValueId id) {
  if (const auto out = of_exact(value, known_.find(value.a), known_.find(value.b), id)) return *out;
  LaneValue a = at(value.a), b = at(value.b);
  const bool is_sampled = a.is_sampled || b.is_sampled;
  const auto sampled = [&](LaneValue out) {
    out.is_sampled = is_sampled;
    out.bits = std::min<int>(out.bits, value.bits);
    return out;
  };
  if (a.kind == LaneKind::unknown) return a;
  if (b.kind == LaneKind::unknown) return b;
  ValueId b_id = value.b;
  const bool turns = a.kind == LaneKind::uniform ||
                     (a.kind == LaneKind::exact && b.kind != LaneKind::exact && b.kind != LaneKind::uniform);
  const bool commutes = value.op == ValueOp::add || value.op == ValueOp::bit_and || value.op == ValueOp::bit_or ||
                        value.op == ValueOp::bit_xor || value.op == ValueOp::multiply;
  if (turns && commutes) {
    std::swap(a, b);
    b_id = value.a;
  }
  if (v_.is_uniform(id)) return unknown_because(id);
  if (a.kind == LaneKind::uniform && b.kind == LaneKind::uniform) return sampled(a);
  const KnownValue& known = v_.known(b_id);
  const std::uint64_t may = ~known.zeros & low_mask(value.bits);
  const bool is_number = is_same_in_all(b);
  const int zeros = b.kind == LaneKind::uniform ? std::max(b.zeros, proven_zeros(v_, b_id)) : 0;
  std::optional<LaneValue> out;
  switch (value.op) {
    case ValueOp::add:
      if (b.kind != LaneKind::exact) {
        a = as_sum(a);
        b = as_sum(b);
      }
      if (b.kind == LaneKind::uniform) out = moved(a, zeros);
      else if (b.kind == LaneKind::exact) out = sum_with(a, b, value.bits);
      else if (a.kind == LaneKind::shifted && b.kind == LaneKind::shifted) {
        const int both = std::min({a.zeros, b.zeros});
        out = sum_with(a, b, value.bits);
        out->zeros = both;
        out->bits = std::min(a.bits, b.bits);
      }
      break;
    case ValueOp::bit_or:
    case ValueOp::bit_xor: {
      const bool is_xor = value.op == ValueOp::bit_xor;
      if (b.kind == LaneKind::uniform) {
        // An OR without common bits is an XOR.
        if (is_xor || (a.kind == LaneKind::exact && (bits_of_any(a) & may) == 0))
          out = flipped(a, known.ones, may & ~known.ones);
      } else if (b.kind == LaneKind::exact) {
        const bool is_apart = a.kind == LaneKind::flipped
                                  ? ((bits_of_any(a) | a.flips) & bits_of_any(b)) == 0
                                  : a.kind == LaneKind::shifted && bits_of_any(b) <= low_mask(std::min(a.zeros, 63)) &&
                                        (bits_of_any(a) & bits_of_any(b)) == 0;
        if (is_xor || is_apart) out = flipped_with(a, b);
      } else if (is_xor && a.kind == LaneKind::flipped && b.kind == LaneKind::flipped) {
        LaneValue values = b;
        values.kind = LaneKind::exact;
        out = flipped(*flipped_with(a, values), 0, b.flips);
        out->bits = std::min(a.bits, b.bits);
      }
      break;
    }
    case ValueOp::bit_and:
      if (b.kind == LaneKind::uniform) {
        // The mask is known where some lane has a bit.
        if (a.kind == LaneKind::exact && (bits_of_any(a) & ~known.known()) == 0) out = masked(a, known.ones);
      } else if (is_number) {
        out = masked(a, b.value[0]);
      }
      break;
    case ValueOp::multiply:
      if (is_number && a.kind == LaneKind::shifted && b.value[0] != 0) {
        out = changed(a, [&](std::uint64_t lane) { return lane * b.value[0] & low_mask(value.bits); });
        out->zeros = std::min(64, a.zeros + std::countr_zero(b.value[0]));
      }
      break;
    case ValueOp::shift_left:
      if (is_number && b.value[0] < value.bits && (a.kind == LaneKind::shifted || a.kind == LaneKind::flipped)) {
        out = changed(a, [&](std::uint64_t lane) { return lane << b.value[0] & low_mask(value.bits); });
        out->flips = a.flips << b.value[0] & low_mask(value.bits);
        out->zeros = std::min(64, a.zeros + static_cast<int>(b.value[0]));
        out->bits = std::min<int>(value.bits, a.bits + static_cast<int>(b.value[0]));
      }
      break;
    case ValueOp::shift_right: {
      if (!is_number || b.value[0] >= value.bits) break;
      const auto by = static_cast<int>(b.value[0]);
      const bool keeps = a.kind == LaneKind::flipped || (a.kind == LaneKind::shifted && a.zeros >= by);
      if (!keeps) break;
      const int bits = std::min<int>(a.bits, value.bits);
      out = changed(a, [&](std::uint64_t lane) { return (lane & low_mask(bits)) >> by; });
      out->flips = (a.flips & low_mask(bits)) >> by;
      out->zeros = std::max(0, a.zeros - by);
      if (a.kind == LaneKind::flipped) out->zeros = std::countr_zero(out->flips);
      // Above all bits of the value there are zeros, above those that are known anything.
      out->bits = a.kind == LaneKind::flipped && a.bits >= value.bits ? bits : bits - by;
      break;
    }
    default: break;
  }
  if (out && value.op == ValueOp::add) out = aligned(*out, id);
  return out ? sampled(*out) : unknown_because(id);
}

// smem + (4 * tid + (-smem & 1023)): what is shared is a multiple of 1024, which no summand shows. Modulo 2^j the terms that all
// lanes share vanish, so that the others are the lanes.
LaneValue WarpValues::aligned(LaneValue sum, ValueId id) {
  for (const int bits : {10, 7}) {
    if (sum.kind != LaneKind::shifted || sum.zeros >= bits) return sum;
    const LinearForm* form = sums_->of_lanes(id, bits);
    if (form == nullptr) continue;
    LaneValue low = same_in_all(form->constant, bits);
    bool is_known = true;
    for (const LinearTerm& term : form->terms) {
      const LaneValue lanes = is_known ? at(term.value) : LaneValue{};
      is_known = is_known && lanes.kind == LaneKind::exact;
      for (std::size_t l = 0; l < warp_lanes && is_known; ++l) low.value[l] += term.factor * lanes.value[l];
    }
    const std::uint64_t mask = low_mask(bits), shared = low.value[0] - sum.value[0];
    for (std::size_t l = 0; l < warp_lanes; ++l)
      is_known = is_known && ((low.value[l] - sum.value[l] - shared) & mask) == 0;
    if (!is_known) continue;
    sum.zeros = bits;
    return changed(sum, [&](std::uint64_t lane) { return lane + (shared & mask); });
  }
  return sum;
}

// p ? s + 4 * tid : s, of which the first is the second and something that each lane knows.
LaneValue WarpValues::of_choice(const PtxValue& value, const LaneValue& p, ValueId id) {
  const int bits = value.bits;
  const LinearForm form = difference(linear_form(v_, value.b, bits), linear_form(v_, value.c, bits));
  LaneValue apart = same_in_all(form.constant, bits);
  for (const LinearTerm& term : form.terms) {
    const LaneValue lanes = term.is_progress ? LaneValue{} : at(term.value);
    if (lanes.kind != LaneKind::exact) return unknown_because(id);
    apart.is_sampled = apart.is_sampled || lanes.is_sampled;
    for (std::size_t l = 0; l < warp_lanes; ++l) apart.value[l] += term.factor * lanes.value[l];
  }
  for (std::size_t l = 0; l < warp_lanes; ++l) apart.value[l] = p.value[l] & 1 ? apart.value[l] & low_mask(bits) : 0;
  LaneValue base = at(value.c);
  if (base.kind == LaneKind::unknown) return base;
  if (base.kind == LaneKind::uniform)
    base = {.kind = LaneKind::shifted, .zeros = proven_zeros(v_, value.c), .is_sampled = base.is_sampled};
  const bool is_sampled = base.is_sampled || apart.is_sampled || p.is_sampled;
  const auto sum = sum_with(base, apart, bits);
  if (!sum) return unknown_because(id);
  LaneValue out = *sum;
  out.bits = std::min(out.bits, bits);
  out.is_sampled = is_sampled;
  return out;
}

// p ? s + 4 * tid + 8192 : s + 4 * tid, where all lanes choose alike and what the two differ by is the same in all: the second and
// an unknown number that all lanes share.
LaneValue WarpValues::of_shared_choice(const PtxValue& value, ValueId id) {
  const LinearForm form = difference(linear_form(v_, value.b, value.bits), linear_form(v_, value.c, value.bits));
  int zeros = form.constant == 0 ? 64 : std::countr_zero(form.constant);
  for (const LinearTerm& term : form.terms) {
    if (term.is_progress ? !v_.comes_together(v_[term.value]) : !v_.is_uniform(term.value)) return unknown_because(id);
    zeros = std::min(zeros, std::countr_zero(term.factor) + proven_zeros(v_, term));
  }
  const LaneValue base = as_sum(at(value.c));
  if (base.kind != LaneKind::exact && base.kind != LaneKind::shifted)
    return unknown_because(base.kind == LaneKind::unknown ? base.why : id);
  LaneValue out = moved(base, zeros);
  out.bits = std::min<int>(out.bits, value.bits);
  out.is_sampled = base.is_sampled || at(value.a).is_sampled;
  return out;
}

// A function of what this warp shares, though others may hold something else: in a pass that all lanes share.
LaneValue WarpValues::of_unknown(const PtxValue& value, ValueId id) {
  if (v_.origin(id).is("elect") && value.bits == 1) {
    LaneValue out{.kind = LaneKind::exact, .is_sampled = true};
    out.value[0] = 1;
    return out;
  }
  if (value.a == no_value || value.varies ||
      v_.loses_lanes(v_.flow().block_of[static_cast<std::uint32_t>(value.number >> 8)]))
    return unknown_because(id);
  LaneValue out{.kind = LaneKind::uniform};
  for (const ValueId part : {value.a, value.b, value.c}) {
    if (part == no_value) continue;
    const LaneValue of_what = at(part);
    const bool is_sum =
        of_what.kind == LaneKind::exact || of_what.kind == LaneKind::shifted || of_what.kind == LaneKind::flipped;
    if (of_what.kind != LaneKind::uniform && !(is_sum && has_one_value(of_what) && of_what.bits >= v_[part].bits))
      return unknown_because(id);
    out.is_sampled = out.is_sampled || of_what.is_sampled;
  }
  return out;
}

LaneValue WarpValues::of_selection(const PtxValue& value, ValueId id) {
  const LaneValue p = at(value.a);
  if (p.kind == LaneKind::uniform && !v_.is_uniform(id)) return of_shared_choice(value, id);
  if (p.kind != LaneKind::exact) return unknown_because(p.kind == LaneKind::unknown ? p.why : id);
  LaneValue out = at(value.b);
  const LaneValue other = at(value.c);
  const bool takes_first = is_same_in_all(p) && (p.value[0] & 1) != 0,
             takes_second = is_same_in_all(p) && (p.value[0] & 1) == 0;
  if (takes_second) out = other;
  else if (!takes_first) {
    if (out.kind != LaneKind::exact || other.kind != LaneKind::exact) return of_choice(value, p, id);
    for (std::size_t l = 0; l < warp_lanes; ++l) out.value[l] = p.value[l] & 1 ? out.value[l] : other.value[l];
    out.is_sampled = out.is_sampled || other.is_sampled;
  }
  out.is_sampled = out.is_sampled || p.is_sampled;
  return out.kind == LaneKind::uniform ? unknown_because(id) : out;
}

LaneValue WarpValues::evaluated(ValueId id) {
  const PtxValue& value = v_[id];
  if (v_.known(id).is_constant()) return same_in_all(v_.known(id).low, 64);
  switch (value.op) {
    case ValueOp::special: return of_special(value, id);
    case ValueOp::phi: return of_phi(id);
    case ValueOp::unknown: return of_unknown(value, id);
    case ValueOp::select: return of_selection(value, id);
    case ValueOp::lane_of: {
      const LaneValue from = at(value.a), lane = at(value.b);
      if (from.kind != LaneKind::exact || !is_same_in_all(lane)) return unknown_because(id);
      LaneValue out = same_in_all(from.value[lane.value[0] & 31], 64);
      out.is_sampled = from.is_sampled;
      return out;
    }
    case ValueOp::sign_extend: {
      LaneValue from = at(value.a);
      const int bits = static_cast<int>(value.number);
      if (from.kind == LaneKind::exact)
        return changed(from, [&](std::uint64_t lane) { return *evaluate(value, lane, 0, 0); });
      if (from.kind != LaneKind::shifted && from.kind != LaneKind::flipped) return unknown_because(id);
      // Modulo 2^bits it is the same.
      from.bits = std::min(from.bits, bits);
      return from;
    }
    case ValueOp::generic_of_shared:
    case ValueOp::shared_of_generic: {
      const LaneValue from = at(value.a);
      if (from.kind == LaneKind::unknown || from.kind == LaneKind::uniform) return from;
      return moved(from, shared_window_bits);
    }
    case ValueOp::symbol:
    case ValueOp::param: return unknown_because(id);
    default: break;
  }
  if (value.a == no_value) return unknown_because(id);
  if (value.c == no_value && value.b != no_value) return of_pair(value, id);
  std::array<LaneValue, 3> all;
  const ValueId ids[] = {value.a, value.b, value.c};
  LaneValue out{.kind = LaneKind::exact};
  for (std::size_t i = 0; i < 3 && ids[i] != no_value; ++i) {
    all[i] = at(ids[i]);
    if (all[i].kind != LaneKind::exact) return unknown_because(all[i].kind == LaneKind::unknown ? all[i].why : id);
    out.is_sampled = out.is_sampled || all[i].is_sampled;
  }
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const auto lane = evaluate(value, all[0].value[l], all[1].value[l], all[2].value[l]);
    if (!lane) return unknown_because(id);
    out.value[l] = *lane;
  }
  return out;
}

}  // namespace swz
