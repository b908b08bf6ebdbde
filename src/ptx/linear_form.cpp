// SPDX-License-Identifier: Apache-2.0
#include "ptx/linear_form.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace swz {

namespace {

constexpr int most_depth = 64, most_steps = 512;
constexpr int most_proven_zeros = 20;

void add_term(LinearForm& form, const LinearTerm& added) {
  for (LinearTerm& term : form.terms) {
    if (term.value != added.value || term.is_progress != added.is_progress) continue;
    term.factor = (term.factor + added.factor) & low_mask(form.bits);
    return;
  }
  form.terms.push_back(added);
}

void erase_zeros(LinearForm& form) {
  std::erase_if(form.terms, [](const LinearTerm& term) { return term.factor == 0; });
}

class FormCollector {
 public:
  // `kept` is a term as it is.
  FormCollector(const PtxValues& values, int bits, ValueId kept = no_value) : v_(values), kept_(kept) {
    form_.bits = bits;
  }

  LinearForm form_of(ValueId value, std::uint64_t factor) {
    collect(value, factor, 0);
    erase_zeros(form_);
    form_.constant &= low_mask(form_.bits);
    const auto size = std::int64_t{1} << std::min(form_.bits, 62);
    if (form_.bits == 64 || form_.written <= -size || form_.written >= size)
      form_.written = static_cast<std::int64_t>(form_.constant);
    return std::move(form_);
  }

 private:
  // An operation times a factor, whose operands are to be added instead.
  struct Product {
    const PtxValue& value;
    std::uint64_t factor;
    int need;  // how many low bits of the value count, modulo 2^bits of the form
    int depth;
    bool wraps_unseen() const { return need <= value.bits; }
  };

  // Adds factor * value.
  void collect(ValueId id, std::uint64_t factor, int depth) {
    factor &= low_mask(form_.bits);
    if (factor == 0) return;
    const PtxValue& value = v_[id];
    const Product product{value, factor, form_.bits - std::countr_zero(factor), depth};
    const auto number = v_.number_of(id);
    const int number_bits = product.wraps_unseen() ? value.bits : 64;
    if (number && !v_.is_of_array(id)) return add_number(*number, factor, number_bits);
    if (id != kept_ && depth <= most_depth && ++steps_ <= most_steps && expand(id, product)) return;
    if (number && value.op != ValueOp::symbol) return add_number(*number, factor, number_bits);
    add_term(form_, {id, factor});
  }
  bool add(ValueId operand, std::uint64_t factor, const Product& product) {
    collect(operand, factor, product.depth + 1);
    return true;
  }
  bool add_both(const Product& product) {
    return add(product.value.a, product.factor, product) && add(product.value.b, product.factor, product);
  }

  // bits: of the number, whose highest is its sign.
  void add_number(std::uint64_t number, std::uint64_t factor, int bits) {
    form_.constant += factor * number;
    const std::uint64_t added =
        static_cast<std::uint64_t>(as_signed(factor, form_.bits)) * static_cast<std::uint64_t>(as_signed(number, bits));
    form_.written = as_signed(static_cast<std::uint64_t>(form_.written) + added, 64);
  }

  // False: the value is a term itself.
  bool expand(ValueId id, const Product& product) {
    switch (product.value.op) {
      case ValueOp::add: return expand_sum(product);
      case ValueOp::multiply: return expand_multiplication(product);
      case ValueOp::shift_left: return expand_left_shift(product);
      case ValueOp::shift_right: return expand_right_shift(product);
      case ValueOp::bit_and: return expand_mask(product);
      case ValueOp::bit_or: return expand_disjoint(product);
      case ValueOp::bit_xor: return expand_inversion(product) || expand_disjoint(product);
      case ValueOp::sign_extend: return expand_sign_extension(product);
      case ValueOp::generic_of_shared:
      case ValueOp::shared_of_generic:
        return product.need <= shared_window_bits && add(product.value.a, product.factor, product);
      case ValueOp::select: return expand_selection(product);
      case ValueOp::phi: return expand_loop_phi(id, product);
      default: return false;
    }
  }

  bool expand_sum(const Product& product) {
    const PtxValue& value = product.value;
    const std::uint64_t mask = low_mask(value.bits);
    const KnownValue &a = v_.known(value.a), &b = v_.known(value.b);
    if (product.wraps_unseen() || b.high <= mask - a.high) return add_both(product);
    // x + (2^w - c) is x - c if x is at least c.
    const std::uint64_t subtracted = (0 - b.low) & mask;
    if (!b.is_constant() || a.low < subtracted) return false;
    add_number(subtracted, 0 - product.factor, 64);
    return add(value.a, product.factor, product);
  }

  bool expand_multiplication(const Product& product) {
    const PtxValue& value = product.value;
    const auto number = v_.number_of(value.b);
    if (!number) return false;
    const bool is_whole = *number != 0 && v_.known(value.a).high <= low_mask(value.bits) / *number;
    return (product.wraps_unseen() || is_whole) && add(value.a, product.factor * *number, product);
  }

  bool expand_left_shift(const Product& product) {
    const PtxValue& value = product.value;
    const auto by = v_.number_of(value.b);
    if (!by || *by >= value.bits) return false;
    const bool is_whole = v_.known(value.a).high <= low_mask(value.bits) >> *by;
    return (product.wraps_unseen() || is_whole) && add(value.a, product.factor << *by, product);
  }

  bool expand_right_shift(const Product& product) {
    const PtxValue& value = product.value;
    const auto number = v_.number_of(value.b);
    if (!number || *number >= value.bits) return false;
    const int by = static_cast<int>(*number);
    if (std::countr_zero(product.factor) < by || v_.known(value.a).trailing_zeros() < by) return false;
    return add(value.a, product.factor >> by, product);
  }

  // x & m is x minus the bits that m clears, if those are known.
  bool expand_mask(const Product& product) {
    const auto mask = v_.number_of(product.value.b);
    if (!mask) return false;
    const KnownValue& x = v_.known(product.value.a);
    const std::uint64_t cleared = ~*mask & low_mask(product.need);
    if ((cleared & ~x.known()) != 0) return false;
    add_number(x.ones & cleared, 0 - product.factor, 64);
    return add(product.value.a, product.factor, product);
  }

  // ~x is -x - 1.
  bool expand_inversion(const Product& product) {
    const auto mask = v_.number_of(product.value.b);
    if (!mask || (*mask & low_mask(product.need)) != low_mask(product.need)) return false;
    add_number(1, 0 - product.factor, 64);
    return add(product.value.a, 0 - product.factor, product);
  }

  // x | y and x ^ y are x + y if no bit is 1 in both.
  bool expand_disjoint(const Product& product) {
    const KnownValue &a = v_.known(product.value.a), &b = v_.known(product.value.b);
    return (~a.zeros & ~b.zeros & low_mask(product.need)) == 0 && add_both(product);
  }

  bool expand_sign_extension(const Product& product) {
    const int from = static_cast<int>(product.value.number);
    const bool is_positive = (v_.known(product.value.a).zeros >> (from - 1) & 1) != 0;
    return (product.need <= from || is_positive) && add(product.value.a, product.factor, product);
  }

  bool expand_selection(const Product& product) {
    const auto condition = v_.number_of(product.value.a);
    return condition && add(*condition != 0 ? product.value.b : product.value.c, product.factor, product);
  }

  bool expand_loop_phi(ValueId id, const Product& product) {
    if (kept_ != no_value || !product.wraps_unseen()) return false;
    const auto advanced = induction(v_, id);
    if (!advanced) return false;
    add_term(form_, {id, product.factor, true});
    return add(advanced->enters, product.factor, product);
  }

  const PtxValues& v_;
  ValueId kept_;
  LinearForm form_;
  int steps_ = 0;
};

// The terms are proven to be multiples of 2^bits of the form.
bool terms_vanish(const PtxValues& values, const LinearForm& form) {
  return std::ranges::all_of(form.terms,
                             [&](const LinearTerm& term) { return proven_zeros(values, term) >= form.bits; });
}

}  // namespace

LinearForm linear_form(const PtxValues& values, ValueId value, int bits, int shift) {
  return FormCollector(values, bits).form_of(value, std::uint64_t{1} << shift);
}

LinearForm difference(const LinearForm& a, const LinearForm& b) {
  LinearForm form = a;
  for (const LinearTerm& term : b.terms)
    add_term(form, {term.value, (0 - term.factor) & low_mask(a.bits), term.is_progress});
  erase_zeros(form);
  form.constant = (a.constant - b.constant) & low_mask(a.bits);
  form.written = as_signed(form.constant, a.bits);
  return form;
}

std::optional<Induction> induction(const PtxValues& values, ValueId id) {
  const PtxValue& value = values[id];
  if (value.op != ValueOp::phi) return std::nullopt;
  const PtxPhi& phi = values.phi(value);
  Induction advanced;
  for (const PtxPhi::From& from : phi.from) {
    if (from.value == no_value) return std::nullopt;
    if (!values.is_back(phi, from)) {
      if (advanced.enters != no_value && advanced.enters != from.value) return std::nullopt;
      advanced.enters = from.value;
      continue;
    }
    if (from.value == id) continue;
    LinearForm step = FormCollector(values, value.bits, id).form_of(from.value, 1);
    const auto self = std::ranges::find(step.terms, id, &LinearTerm::value);
    if (self == step.terms.end() || self->factor != 1) return std::nullopt;
    step.terms.erase(self);
    advanced.steps.push_back(std::move(step));
  }
  if (advanced.enters == no_value) return std::nullopt;
  return advanced;
}

int proven_zeros(const PtxValues& values, const LinearTerm& term) {
  const int of_factor = std::countr_zero(term.factor);
  if (!term.is_progress) return of_factor + values.known(term.value).trailing_zeros();
  const auto advanced = induction(values, term.value);
  int zeros = 64;
  for (const LinearForm& step : advanced->steps) {
    if (step.constant != 0) zeros = std::min(zeros, std::countr_zero(step.constant));
    for (const LinearTerm& added : step.terms)
      zeros = std::min(zeros, std::countr_zero(added.factor) + values.known(added.value).trailing_zeros());
  }
  return of_factor + zeros;
}

int proven_zeros(const PtxValues& values, ValueId value, int bits, int shift) {
  const int known = std::min(values.known(value).trailing_zeros() + shift, bits);
  for (int zeros = std::min({values[value].bits + shift, bits, most_proven_zeros}); zeros > known; --zeros) {
    const LinearForm form = linear_form(values, value, zeros, shift);
    if (form.constant == 0 && terms_vanish(values, form)) return zeros;
  }
  return known;
}

std::optional<std::int64_t> proven_remainder(const PtxValues& values, ValueId value, int bits, int shift) {
  const LinearForm form = linear_form(values, value, bits, shift);
  return terms_vanish(values, form) ? std::optional(static_cast<std::int64_t>(form.constant)) : std::nullopt;
}

const LinearForm* AlignedSums::of_lanes(ValueId sum, int bits) {
  auto& known = bits == 10 ? of_10_ : of_7_;
  if (const auto* form = known.find(sum)) return form->get();
  LinearForm form = linear_form(v_, sum, bits);
  bool is_aligned = true;
  std::erase_if(form.terms, [&](const LinearTerm& term) {
    const bool is_shared = v_.is_uniform(term.value) || (term.is_progress && v_.comes_together(v_[term.value]));
    // If lanes leave a loop one by one, it is not known what the loop has added to each.
    is_aligned = is_aligned && (is_shared ? proven_zeros(v_, term) >= bits : !term.is_progress);
    return is_shared;
  });
  return known.put(sum, is_aligned ? std::make_unique<const LinearForm>(std::move(form)) : nullptr).get();
}

std::string terms_key(const LinearForm& form) {
  std::vector<LinearTerm> terms = form.terms;
  std::ranges::sort(terms, {}, [](const LinearTerm& term) { return std::pair(term.value, term.is_progress); });
  std::string key;
  for (const LinearTerm& term : terms)
    key += (term.is_progress ? " p" : " v") + std::to_string(term.value) + "*" + std::to_string(term.factor);
  return key;
}

namespace {

// " + 16*%r7", the first term without its plus; "- 8" of an empty name.
void append_term(std::string& text, std::int64_t factor, const std::string& name) {
  const bool is_negative = factor < 0;
  const std::uint64_t size = is_negative ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
  if (text.empty()) text = is_negative ? "-" : "";
  else text += is_negative ? " - " : " + ";
  if (name.empty()) text += std::to_string(size);
  else text += size == 1 ? name : std::to_string(size) + "*" + name;
}

std::string name_of(const PtxValues& values, const LinearTerm& term) {
  const PtxValue& value = values[term.value];
  if (value.op == ValueOp::symbol || value.op == ValueOp::special) return std::string(values.name_of(value));
  if (value.op == ValueOp::param) {
    const std::uint64_t byte = value.number & 0xffffffff;
    return std::string(values.module().symbols[value.number >> 32].name) +
           (byte == 0 ? "" : "[" + std::to_string(byte) + "]");
  }
  const std::string reg = values.register_text(term.value);
  return (term.is_progress ? "progress of " : "") + (reg.empty() ? "?" : reg);
}

}  // namespace

std::string to_string(const LinearForm& form, const PtxValues& values) {
  std::string text;
  for (const bool symbols : {true, false})
    for (const LinearTerm& term : form.terms)
      if ((values[term.value].op == ValueOp::symbol) == symbols)
        append_term(text, as_signed(term.factor, form.bits), name_of(values, term));
  if (form.written != 0 || text.empty()) append_term(text, form.written, "");
  return text;
}

}  // namespace swz
