#include "ptx/lane_values.hpp"

#include <algorithm>
#include <bit>

#include "ptx/lane_arithmetic.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

namespace {

constexpr int deepest = 3000;

}  // namespace

WarpValues::WarpValues(const PtxValues& values, std::array<std::int64_t, 3> threads, std::int64_t warp, Passes passes)
    : v_(values), threads_(threads), warp_(warp), passes_(passes) {
  const std::int64_t count = threads[0] * threads[1] * threads[2] - 32 * warp;
  exist_ = count >= 32 ? 0xffffffffU : count <= 0 ? 0U : (1U << count) - 1;
}

const LaneValue& WarpValues::at(ValueId value, int depth) {
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  // A phi may ask for itself: it is unknown until it is known.
  known_.emplace(value, unknown_because(value));
  LaneValue out = depth > deepest ? unknown_because(value) : evaluated(value, depth + 1);
  if (out.kind == LaneKind::unknown && v_.is_uniform(value)) out.kind = LaneKind::uniform;
  if (out.kind == LaneKind::uniform) {
    out.zeros = v_.known(value).trailing_zeros();
    out.flips = ~v_.known(value).known() & low_mask(v_[value].bits);
  }
  if (out.kind == LaneKind::exact) out.bits = 64;
  return known_[value] = out;
}

LaneValue WarpValues::of_special(const PtxValue& value) const {
  const std::string_view name = v_.name_of(value);
  LaneValue out{.kind = LaneKind::exact};
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const std::int64_t thread = 32 * warp_ + static_cast<std::int64_t>(l);
    std::int64_t of_lane = 0;
    if (name == "%laneid") of_lane = static_cast<std::int64_t>(l);
    else if (name == "%tid.x") of_lane = thread % threads_[0];
    else if (name == "%tid.y") of_lane = thread / threads_[0] % threads_[1];
    else if (name == "%tid.z") of_lane = thread / (threads_[0] * threads_[1]);
    else return {};
    out.value[l] = static_cast<std::uint64_t>(of_lane);
  }
  return out;
}

LaneValue WarpValues::of_phi(ValueId id, int depth) {
  const PtxValue& value = v_[id];
  const PtxPhi& phi = v_.phi(value);
  const auto is_back = [&](const PtxPhi::From& from) { return from.block != no_block && v_.flow().dominates(phi.block, from.block); };
  const auto first = std::ranges::find_if_not(phi.from, is_back);
  if (first == phi.from.end() || first->value == no_value) return unknown_because(id);
  const bool is_loop = phi.from.size() > 1 && std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) { return from.value == first->value || is_back(from); });
  if (is_loop && passes_ == Passes::first) {
    LaneValue out = at(first->value, depth);
    out.is_sampled = true;
    return out;
  }
  if (v_.is_uniform(id)) return unknown_because(id);
  if (!is_loop) return joined(id, depth);
  LaneValue out = at(first->value, depth);
  if (out.kind == LaneKind::unknown || out.kind == LaneKind::uniform) return unknown_because(id);
  const auto shares = [&](const LinearForm& step) {
    return std::ranges::all_of(step.terms, [&](const LinearTerm& term) { return v_.is_uniform(term.value); });
  };
  if (v_.comes_together(value)) {
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
    if (only_flips) return flipped(out, 0, flips);
  }
  out.is_sampled = true;
  return out;
}

// Where branches meet, each lane has the value of the block from which it came, if that is known.
LaneValue WarpValues::joined(ValueId id, int depth) {
  const PtxPhi& phi = v_.phi(v_[id]);
  if (std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) { return from.value != no_value && from.value == phi.from[0].value; }))
    return at(phi.from[0].value, depth);
  LaneValue out;
  std::uint32_t came = 0;
  constexpr int most_nested = 64;
  if (nested_ >= most_nested) return unknown_because(id);
  for (const PtxPhi::From& from : phi.from) {
    const bool is_behind = from.block == no_block || v_.flow().dominates(phi.block, from.block);
    if (is_behind || from.value == no_value) return unknown_because(id);
    ++nested_;
    const ActiveLanes lanes = narrowed(in_block(from.block), from.condition, from.is_negated);
    --nested_;
    if (lanes.why != no_value) return unknown_because(id);
    // Nobody in the first pass of a loop may be somebody in a later one.
    out.is_sampled = out.is_sampled || lanes.is_sampled;
    if (lanes.lanes == 0 && lanes.is_sampled && passes_ == Passes::all) return unknown_because(id);
    if (lanes.lanes == 0) continue;
    const LaneValue& more = at(from.value, depth);
    if (more.kind == LaneKind::unknown || more.kind == LaneKind::uniform) return unknown_because(id);
    const bool is_sampled = out.is_sampled || more.is_sampled;
    if (came == 0) {
      out = more;
    } else {
      // Both are known, and no lane may have come either way.
      if (out.kind != LaneKind::exact || more.kind != LaneKind::exact || (came & lanes.lanes) != 0) return unknown_because(id);
      for (std::size_t l = 0; l < warp_lanes; ++l)
        if (lanes.lanes >> l & 1) out.value[l] = more.value[l];
    }
    came |= lanes.lanes;
    out.is_sampled = is_sampled;
  }
  return came == 0 ? unknown_because(id) : out;
}

// Of two operands, of which one may be the same unknown number in all lanes.
LaneValue WarpValues::of_pair(const PtxValue& value, ValueId id, int depth) {
  LaneValue a = at(value.a, depth), b = at(value.b, depth);
  const bool is_sampled = a.is_sampled || b.is_sampled;
  const auto sampled = [&](LaneValue out) {
    out.is_sampled = is_sampled;
    out.bits = std::min<int>(out.bits, value.bits);
    return out;
  };
  if (a.kind == LaneKind::unknown) return a;
  if (b.kind == LaneKind::unknown) return b;
  ValueId b_id = value.b;
  const bool turns = a.kind == LaneKind::uniform || (a.kind == LaneKind::exact && b.kind != LaneKind::exact && b.kind != LaneKind::uniform);
  const bool commutes = value.op == ValueOp::add || value.op == ValueOp::bit_and || value.op == ValueOp::bit_or || value.op == ValueOp::bit_xor || value.op == ValueOp::multiply;
  if (turns && commutes) {
    std::swap(a, b);
    b_id = value.a;
  }
  if (a.kind == LaneKind::exact && b.kind == LaneKind::exact) {
    for (std::size_t l = 0; l < warp_lanes; ++l) {
      const auto lane = evaluate(value, a.value[l], b.value[l], 0);
      if (!lane) return unknown_because(id);
      a.value[l] = *lane;
    }
    return sampled(a);
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
        if (is_xor || (a.kind == LaneKind::exact && (bits_of_any(a) & may) == 0)) out = flipped(a, known.ones, may & ~known.ones);
      } else if (b.kind == LaneKind::exact) {
        const bool is_apart = a.kind == LaneKind::flipped ? ((bits_of_any(a) | a.flips) & bits_of_any(b)) == 0
                                                          : a.kind == LaneKind::shifted && bits_of_any(b) <= low_mask(std::min(a.zeros, 63)) && (bits_of_any(a) & bits_of_any(b)) == 0;
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
  if (out && value.op == ValueOp::add) out = aligned(*out, id, depth);
  return out ? sampled(*out) : unknown_because(id);
}

// smem + (4 * tid + (-smem & 1023)): what is shared is a multiple of 1024, which no summand shows. Modulo 2^j the terms that all
// lanes share vanish, so that the others are the lanes.
LaneValue WarpValues::aligned(LaneValue sum, ValueId id, int depth) {
  for (const int bits : {10, 7}) {
    if (sum.kind != LaneKind::shifted || sum.zeros >= bits) return sum;
    const LinearForm form = linear_form(v_, id, bits);
    LaneValue low = same_in_all(form.constant, bits);
    bool is_known = true;
    for (const LinearTerm& term : form.terms) {
      if (v_.is_uniform(term.value) || (term.is_progress && v_.comes_together(v_[term.value]))) {
        is_known = is_known && std::countr_zero(term.factor) + proven_zeros(v_, term) >= bits;
        continue;
      }
      const LaneValue lanes = term.is_progress || !is_known ? LaneValue{} : at(term.value, depth);
      is_known = is_known && lanes.kind == LaneKind::exact;
      for (std::size_t l = 0; l < warp_lanes && is_known; ++l) low.value[l] += term.factor * lanes.value[l];
    }
    const std::uint64_t mask = low_mask(bits), shared = low.value[0] - sum.value[0];
    for (std::size_t l = 0; l < warp_lanes; ++l) is_known = is_known && ((low.value[l] - sum.value[l] - shared) & mask) == 0;
    if (!is_known) continue;
    sum.zeros = bits;
    return changed(sum, [&](std::uint64_t lane) { return lane + (shared & mask); });
  }
  return sum;
}

// p ? s + 4 * tid : s, of which the first is the second and something that each lane knows.
LaneValue WarpValues::of_choice(const PtxValue& value, const LaneValue& p, ValueId id, int depth) {
  const int bits = value.bits;
  const LinearForm form = difference(linear_form(v_, value.b, bits), linear_form(v_, value.c, bits));
  LaneValue apart = same_in_all(form.constant, bits);
  for (const LinearTerm& term : form.terms) {
    const LaneValue lanes = term.is_progress ? LaneValue{} : at(term.value, depth);
    if (lanes.kind != LaneKind::exact) return unknown_because(id);
    apart.is_sampled = apart.is_sampled || lanes.is_sampled;
    for (std::size_t l = 0; l < warp_lanes; ++l) apart.value[l] += term.factor * lanes.value[l];
  }
  for (std::size_t l = 0; l < warp_lanes; ++l) apart.value[l] = p.value[l] & 1 ? apart.value[l] & low_mask(bits) : 0;
  LaneValue base = at(value.c, depth);
  if (base.kind == LaneKind::unknown) return base;
  if (base.kind == LaneKind::uniform) base = {.kind = LaneKind::shifted, .zeros = proven_zeros(v_, value.c), .is_sampled = base.is_sampled};
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
LaneValue WarpValues::of_shared_choice(const PtxValue& value, ValueId id, int depth) {
  const LinearForm form = difference(linear_form(v_, value.b, value.bits), linear_form(v_, value.c, value.bits));
  int zeros = form.constant == 0 ? 64 : std::countr_zero(form.constant);
  for (const LinearTerm& term : form.terms) {
    if (term.is_progress ? !v_.comes_together(v_[term.value]) : !v_.is_uniform(term.value)) return unknown_because(id);
    zeros = std::min(zeros, std::countr_zero(term.factor) + proven_zeros(v_, term));
  }
  const LaneValue base = as_sum(at(value.c, depth));
  if (base.kind != LaneKind::exact && base.kind != LaneKind::shifted) return unknown_because(base.kind == LaneKind::unknown ? base.why : id);
  LaneValue out = moved(base, zeros);
  out.bits = std::min<int>(out.bits, value.bits);
  out.is_sampled = base.is_sampled || at(value.a, depth).is_sampled;
  return out;
}

LaneValue WarpValues::evaluated(ValueId id, int depth) {
  const PtxValue& value = v_[id];
  if (v_.known(id).is_constant()) return same_in_all(v_.known(id).low, 64);
  switch (value.op) {
    case ValueOp::special: return of_special(value).kind == LaneKind::exact ? of_special(value) : unknown_because(id);
    case ValueOp::phi: return of_phi(id, depth);
    case ValueOp::unknown: {
      if (v_.origin(id).is("elect") && value.bits == 1) {
        LaneValue out{.kind = LaneKind::exact, .is_sampled = true};
        out.value[0] = 1;
        return out;
      }
      if (value.a == no_value || value.varies) return unknown_because(id);
      // A function of what this warp shares, though others may hold something else: in a pass that all lanes share.
      if (v_.loses_lanes(v_.flow().block_of[static_cast<std::uint32_t>(value.number >> 8)])) return unknown_because(id);
      LaneValue out{.kind = LaneKind::uniform};
      for (const ValueId part : {value.a, value.b, value.c}) {
        if (part == no_value) continue;
        const LaneValue of_what = at(part, depth);
        const bool is_sum = of_what.kind == LaneKind::exact || of_what.kind == LaneKind::shifted || of_what.kind == LaneKind::flipped;
        if (of_what.kind != LaneKind::uniform && !(is_sum && has_one_value(of_what) && of_what.bits >= v_[part].bits)) return unknown_because(id);
        out.is_sampled = out.is_sampled || of_what.is_sampled;
      }
      return out;
    }
    case ValueOp::lane_of: {
      const LaneValue from = at(value.a, depth), lane = at(value.b, depth);
      if (from.kind != LaneKind::exact || !is_same_in_all(lane)) return unknown_because(id);
      LaneValue out = same_in_all(from.value[lane.value[0] & 31], 64);
      out.is_sampled = from.is_sampled;
      return out;
    }
    case ValueOp::sign_extend: {
      LaneValue from = at(value.a, depth);
      const int bits = static_cast<int>(value.number);
      if (from.kind == LaneKind::exact) return changed(from, [&](std::uint64_t lane) { return *evaluate(value, lane, 0, 0); });
      if (from.kind != LaneKind::shifted && from.kind != LaneKind::flipped) return unknown_because(id);
      // Modulo 2^bits it is the same.
      from.bits = std::min(from.bits, bits);
      return from;
    }
    case ValueOp::select: {
      const LaneValue p = at(value.a, depth);
      if (p.kind == LaneKind::uniform && !v_.is_uniform(id)) return of_shared_choice(value, id, depth);
      if (p.kind != LaneKind::exact) return unknown_because(p.kind == LaneKind::unknown ? p.why : id);
      LaneValue out = at(value.b, depth);
      const LaneValue& other = at(value.c, depth);
      const bool takes_first = is_same_in_all(p) && (p.value[0] & 1) != 0, takes_second = is_same_in_all(p) && (p.value[0] & 1) == 0;
      if (takes_second) out = other;
      else if (!takes_first) {
        if (out.kind != LaneKind::exact || other.kind != LaneKind::exact) return of_choice(value, p, id, depth);
        for (std::size_t l = 0; l < warp_lanes; ++l) out.value[l] = p.value[l] & 1 ? out.value[l] : other.value[l];
        out.is_sampled = out.is_sampled || other.is_sampled;
      }
      out.is_sampled = out.is_sampled || p.is_sampled;
      return out.kind == LaneKind::uniform ? unknown_because(id) : out;
    }
    case ValueOp::generic_of_shared:
    case ValueOp::shared_of_generic: {
      const LaneValue from = at(value.a, depth);
      if (from.kind == LaneKind::unknown || from.kind == LaneKind::uniform) return from;
      return moved(from, shared_window_bits);
    }
    case ValueOp::symbol:
    case ValueOp::param: return unknown_because(id);
    default: break;
  }
  if (value.a == no_value) return unknown_because(id);
  if (value.c == no_value && value.b != no_value) return of_pair(value, id, depth);
  std::array<LaneValue, 3> all;
  const ValueId ids[] = {value.a, value.b, value.c};
  LaneValue out{.kind = LaneKind::exact};
  for (std::size_t i = 0; i < 3 && ids[i] != no_value; ++i) {
    all[i] = at(ids[i], depth);
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
