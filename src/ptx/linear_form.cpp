// SPDX-License-Identifier: Apache-2.0
#include "ptx/linear_form.hpp"

#include <algorithm>
#include <bit>

namespace swz {

namespace {

constexpr int most_depth = 64, most_steps = 512;
constexpr int most_proven_zeros = 20;

void add_term(LinearForm& form, const LinearTerm& more) {
  for (LinearTerm& one : form.terms) {
    if (one.value != more.value || one.is_progress != more.is_progress) continue;
    one.factor = (one.factor + more.factor) & low_mask(form.bits);
    return;
  }
  form.terms.push_back(more);
}

class FormCollector {
 public:
  FormCollector(const PtxValues& values, int bits, ValueId kept = no_value) : v_(values), kept_(kept) {
    form_.bits = bits;
  }

  // Adds factor * value.
  void collect(ValueId id, std::uint64_t factor, int depth = 0) {
    factor &= low_mask(form_.bits);
    if (factor == 0) return;
    // The bits of the value that count.
    const int need = form_.bits - std::countr_zero(factor);
    const PtxValue& value = v_[id];
    const auto as_number = [&] { constant(v_.known(id).low, factor, need <= value.bits ? value.bits : 64); };
    if (v_.known(id).is_constant() && !v_.is_of_array(id)) return as_number();
    if (id != kept_ && depth <= most_depth && ++steps_ <= most_steps && expand(id, value, factor, need, depth)) return;
    if (v_.known(id).is_constant() && value.op != ValueOp::symbol) return as_number();
    add_term(form_, {id, factor});
  }

  LinearForm take() {
    std::erase_if(form_.terms, [](const LinearTerm& one) { return one.factor == 0; });
    form_.constant &= low_mask(form_.bits);
    const auto size = std::int64_t{1} << std::min(form_.bits, 62);
    if (form_.bits == 64 || form_.written <= -size || form_.written >= size)
      form_.written = static_cast<std::int64_t>(form_.constant);
    return std::move(form_);
  }

 private:
  // bits: of the number, whose highest is its sign.
  void constant(std::uint64_t number, std::uint64_t factor, int bits) {
    form_.constant += factor * number;
    const std::uint64_t more =
        static_cast<std::uint64_t>(as_signed(factor, form_.bits)) * static_cast<std::uint64_t>(as_signed(number, bits));
    form_.written = as_signed(static_cast<std::uint64_t>(form_.written) + more, 64);
  }

  // False: the value is a term itself.
  bool expand(ValueId id, const PtxValue& value, std::uint64_t factor, int need, int depth) {
    const auto known = [&](ValueId of) -> const KnownValue& { return v_.known(of); };
    const auto both = [&](ValueId a, ValueId b) {
      collect(a, factor, depth + 1);
      collect(b, factor, depth + 1);
      return true;
    };
    const bool wraps_unseen = need <= value.bits;
    const auto number = [&]() { return known(value.b).low; };
    const bool has_number = value.b != no_value && known(value.b).is_constant();
    switch (value.op) {
      case ValueOp::add: {
        const std::uint64_t mask = low_mask(value.bits);
        if (wraps_unseen || known(value.b).high <= mask - known(value.a).high) return both(value.a, value.b);
        // x + (2^w - c) is x - c where x is at least c.
        if (has_number && known(value.a).low >= ((0 - number()) & mask)) {
          constant((0 - number()) & mask, 0 - factor, 64);
          collect(value.a, factor, depth + 1);
          return true;
        }
        return false;
      }
      case ValueOp::multiply:
        if (!has_number || !(wraps_unseen || (number() != 0 && known(value.a).high <= low_mask(value.bits) / number())))
          return false;
        collect(value.a, factor * number(), depth + 1);
        return true;
      case ValueOp::shift_left:
        if (!has_number || number() >= value.bits) return false;
        if (!wraps_unseen && known(value.a).high > low_mask(value.bits) >> number()) return false;
        collect(value.a, factor << number(), depth + 1);
        return true;
      case ValueOp::shift_right: {
        if (!has_number || number() >= value.bits) return false;
        const int by = static_cast<int>(number());
        if (std::countr_zero(factor) < by || known(value.a).trailing_zeros() < by) return false;
        collect(value.a, factor >> by, depth + 1);
        return true;
      }
      case ValueOp::bit_and: {
        if (!has_number) return false;
        // x & m is x without the bits that m clears, if those are known.
        const std::uint64_t cleared = ~number() & low_mask(need);
        if ((cleared & ~known(value.a).known()) != 0) return false;
        constant(known(value.a).ones & cleared, 0 - factor, 64);
        collect(value.a, factor, depth + 1);
        return true;
      }
      case ValueOp::bit_xor:
      case ValueOp::bit_or: {
        if (value.op == ValueOp::bit_xor && has_number && (number() & low_mask(need)) == low_mask(need)) {  // -x - 1
          constant(1, 0 - factor, 64);
          collect(value.a, 0 - factor, depth + 1);
          return true;
        }
        const std::uint64_t shared = ~known(value.a).zeros & ~known(value.b).zeros & low_mask(need);
        return shared == 0 && both(value.a, value.b);
      }
      case ValueOp::sign_extend: {
        const int from = static_cast<int>(value.number);
        if (need > from && (known(value.a).zeros >> (from - 1) & 1) == 0) return false;
        collect(value.a, factor, depth + 1);
        return true;
      }
      case ValueOp::generic_of_shared:
      case ValueOp::shared_of_generic:
        if (need > shared_window_bits) return false;
        collect(value.a, factor, depth + 1);
        return true;
      case ValueOp::select:
        if (!known(value.a).is_constant()) return false;
        collect(known(value.a).low != 0 ? value.b : value.c, factor, depth + 1);
        return true;
      case ValueOp::phi: {
        if (kept_ != no_value) return false;
        const auto advanced = induction(v_, id);
        if (!advanced || need > value.bits) return false;
        add_term(form_, {id, factor, true});
        collect(advanced->enters, factor, depth + 1);
        return true;
      }
      default: return false;
    }
  }

  const PtxValues& v_;
  ValueId kept_;
  LinearForm form_;
  int steps_ = 0;
};

// Modulo 2^k.
bool is_zero_below(const PtxValues& values, const LinearForm& form) {
  if (form.constant != 0) return false;
  return std::ranges::all_of(form.terms, [&](const LinearTerm& one) {
    return std::countr_zero(one.factor) + proven_zeros(values, one) >= form.bits;
  });
}

}  // namespace

LinearForm linear_form(const PtxValues& values, ValueId value, int bits, int shift) {
  FormCollector collector(values, bits);
  collector.collect(value, std::uint64_t{1} << shift);
  return collector.take();
}

LinearForm difference(const LinearForm& a, const LinearForm& b) {
  LinearForm out = a;
  for (const LinearTerm& one : b.terms)
    add_term(out, {one.value, (0 - one.factor) & low_mask(a.bits), one.is_progress});
  std::erase_if(out.terms, [](const LinearTerm& one) { return one.factor == 0; });
  out.constant = (a.constant - b.constant) & low_mask(a.bits);
  out.written = as_signed(out.constant, a.bits);
  return out;
}

std::optional<Induction> induction(const PtxValues& values, ValueId id) {
  const PtxValue& value = values[id];
  if (value.op != ValueOp::phi) return std::nullopt;
  const PtxPhi& phi = values.phi(value);
  Induction out;
  for (const PtxPhi::From& from : phi.from) {
    if (from.value == no_value) return std::nullopt;
    const bool is_back = from.block != no_block && values.flow().dominates(phi.block, from.block);
    if (!is_back) {
      if (out.enters != no_value && out.enters != from.value) return std::nullopt;
      out.enters = from.value;
      continue;
    }
    if (from.value == id) continue;
    FormCollector collector(values, value.bits, id);
    collector.collect(from.value, 1);
    LinearForm step = collector.take();
    const auto self = std::ranges::find(step.terms, id, &LinearTerm::value);
    if (self == step.terms.end() || self->factor != 1) return std::nullopt;
    step.terms.erase(self);
    out.steps.push_back(std::move(step));
  }
  if (out.enters == no_value) return std::nullopt;
  return out;
}

int proven_zeros(const PtxValues& values, const LinearTerm& term) {
  if (!term.is_progress) return values.known(term.value).trailing_zeros();
  const auto advanced = induction(values, term.value);
  int zeros = 64;
  for (const LinearForm& step : advanced->steps) {
    if (step.constant != 0) zeros = std::min(zeros, std::countr_zero(step.constant));
    for (const LinearTerm& one : step.terms)
      zeros = std::min(zeros, std::countr_zero(one.factor) + values.known(one.value).trailing_zeros());
  }
  return zeros;
}

int proven_zeros(const PtxValues& values, ValueId value, int bits, int shift) {
  const int known = std::min(values.known(value).trailing_zeros() + shift, bits);
  for (int zeros = std::min({values[value].bits + shift, bits, most_proven_zeros}); zeros > known; --zeros)
    if (is_zero_below(values, linear_form(values, value, zeros, shift))) return zeros;
  return known;
}

const LinearForm* AlignedSums::of_lanes(ValueId sum, int bits) {
  auto& all = bits == 10 ? of_10_ : of_7_;
  if (const auto* found = all.find(sum)) return found->get();
  LinearForm form = linear_form(v_, sum, bits);
  bool is_aligned = true;
  std::erase_if(form.terms, [&](const LinearTerm& term) {
    const bool is_shared = v_.is_uniform(term.value) || (term.is_progress && v_.comes_together(v_[term.value]));
    // Of what a loop adds to lanes that leave it one by one nobody knows what each has.
    is_aligned =
        is_aligned && (is_shared ? std::countr_zero(term.factor) + proven_zeros(v_, term) >= bits : !term.is_progress);
    return is_shared;
  });
  return all.put(sum, is_aligned ? std::make_unique<const LinearForm>(std::move(form)) : nullptr).get();
}

std::string to_string(const LinearForm& form, const PtxValues& values) {
  std::string out;
  const auto append = [&](std::int64_t factor, const std::string& name) {
    const bool is_negative = factor < 0;
    const std::uint64_t size =
        is_negative ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    if (out.empty()) out = is_negative ? "-" : "";
    else out += is_negative ? " - " : " + ";
    if (name.empty()) out += std::to_string(size);
    else out += size == 1 ? name : std::to_string(size) + "*" + name;
  };
  const auto name = [&](const LinearTerm& term) {
    const PtxValue& value = values[term.value];
    if (value.op == ValueOp::symbol || value.op == ValueOp::special) return std::string(values.name_of(value));
    if (value.op == ValueOp::param) {
      const auto symbol = static_cast<std::uint32_t>(value.number >> 32);
      const std::uint64_t byte = value.number & 0xffffffff;
      return std::string(values.module().symbols[symbol].name) + (byte == 0 ? "" : "[" + std::to_string(byte) + "]");
    }
    const std::string reg = values.register_text(term.value);
    return (term.is_progress ? "progress of " : "") + (reg.empty() ? "?" : reg);
  };
  for (const bool symbols : {true, false})
    for (const LinearTerm& term : form.terms)
      if ((values[term.value].op == ValueOp::symbol) == symbols) append(as_signed(term.factor, form.bits), name(term));
  if (form.written != 0 || out.empty()) append(form.written, "");
  return out;
}

}  // namespace swz
