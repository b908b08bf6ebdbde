// SPDX-License-Identifier: Apache-2.0
#include "ptx/values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace swz {

namespace {

std::int64_t signed_of(std::uint64_t value, int bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(((value & low_mask(bits)) ^ sign) - sign);
}

std::uint64_t shifted_right_signed(std::uint64_t value, std::uint64_t by, int bits) {
  return static_cast<std::uint64_t>(signed_of(value, bits) >> (by > 63 ? 63 : by));
}

// Of a table with one entry for each combination of the three bits.
std::uint64_t any_bits_of(std::uint64_t table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t out = 0;
  for (unsigned entry = 0; entry < 8; ++entry)
    if (table >> entry & 1) out |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
  return out;
}

// Each of four nibbles of the selector names a byte of b:a; its bit 3 spreads the sign of that byte.
std::uint64_t bytes_of(std::uint64_t selector, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t all = b << 32 | (a & low_mask(32));
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t nibble = selector >> (4 * i) & 15;
    std::uint64_t byte = all >> (8 * (nibble & 7)) & 255;
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}

std::uint64_t reversed(std::uint64_t value, int bits) {
  std::uint64_t out = 0;
  for (int i = 0; i < bits; ++i) out |= (value >> i & 1) << (bits - 1 - i);
  return out;
}

bool is_commutative(ValueOp op) {
  return op == ValueOp::add || op == ValueOp::multiply || op == ValueOp::bit_and || op == ValueOp::bit_or ||
         op == ValueOp::bit_xor || op == ValueOp::equal;
}

}  // namespace

std::optional<std::uint64_t> evaluate(const PtxValue& value, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t mask = low_mask(value.bits);
  const int from = static_cast<int>(value.number);
  switch (value.op) {
    case ValueOp::constant: return value.number;
    case ValueOp::add: return (a + b) & mask;
    case ValueOp::multiply: return (a * b) & mask;
    case ValueOp::bit_and: return a & b & mask;
    case ValueOp::bit_or: return (a | b) & mask;
    case ValueOp::bit_xor: return (a ^ b) & mask;
    case ValueOp::shift_left: return b >= value.bits ? 0 : (a << b) & mask;
    case ValueOp::shift_right: return b >= value.bits ? 0 : (a & mask) >> b;
    case ValueOp::shift_right_signed: return shifted_right_signed(a, b, value.bits) & mask;
    case ValueOp::divide: return b == 0 ? std::nullopt : std::optional(a / b & mask);
    case ValueOp::remainder: return b == 0 ? std::nullopt : std::optional(a % b & mask);
    case ValueOp::divide_signed:
    case ValueOp::remainder_signed: {
      const std::int64_t x = signed_of(a, value.bits), y = signed_of(b, value.bits);
      if (y == 0 || y == -1) return std::nullopt;
      return static_cast<std::uint64_t>(value.op == ValueOp::divide_signed ? x / y : x % y) & mask;
    }
    case ValueOp::sign_extend: return static_cast<std::uint64_t>(signed_of(a, from)) & mask;
    case ValueOp::select: return (a & 1 ? b : c) & mask;
    case ValueOp::equal: return a == b;
    case ValueOp::less: return a < b;
    case ValueOp::less_signed: return signed_of(a, from) < signed_of(b, from);
    case ValueOp::any_bits: return any_bits_of(value.number, a, b, c) & mask;
    case ValueOp::bytes: return bytes_of(value.number, a, b) & mask;
    case ValueOp::count_ones: return static_cast<std::uint64_t>(std::popcount(a));
    case ValueOp::count_leading_zeros: return static_cast<std::uint64_t>(std::countl_zero(a) - (64 - from));
    case ValueOp::reverse_bits: return reversed(a, value.bits);
    default: return std::nullopt;
  }
}

int KnownValue::trailing_zeros() const { return std::countr_one(zeros); }

std::size_t PtxValues::Hash::operator()(const PtxValue& value) const {
  std::uint64_t hash = value.number * 0x9e3779b97f4a7c15;
  for (const std::uint64_t part : {std::uint64_t{value.a}, std::uint64_t{value.b}, std::uint64_t{value.c},
                                   std::uint64_t{value.bits} << 8 | static_cast<std::uint64_t>(value.op)}) {
    hash = (hash ^ part) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

ValueId PtxValues::constant(std::uint64_t number, int bits) {
  return make({.op = ValueOp::constant, .bits = static_cast<std::uint8_t>(bits), .number = number & low_mask(bits)});
}

ValueId PtxValues::make(PtxValue value) {
  const auto number_of = [&](ValueId id) -> std::optional<std::uint64_t> {
    if (id == no_value) return 0;
    return values_[id].op == ValueOp::constant ? std::optional(values_[id].number) : std::nullopt;
  };
  if (value.a != no_value) {
    const auto a = number_of(value.a), b = number_of(value.b), c = number_of(value.c);
    if (a && b && c)
      if (const auto folded = evaluate(value, *a, *b, *c)) return constant(*folded, value.bits);
    if (is_commutative(value.op) && a && !b) {
      std::swap(value.a, value.b);
      return make(value);
    }
    const bool fits = values_[value.a].bits <= value.bits;
    // x + 0, x | 0, x ^ 0, x << 0 and x * 1 are x; x + 1 + 2 is x + 3.
    if (b && fits) {
      const bool adds = value.op == ValueOp::add || value.op == ValueOp::bit_or || value.op == ValueOp::bit_xor ||
                        value.op == ValueOp::shift_left || value.op == ValueOp::shift_right;
      if ((*b == 0 && adds) || (*b == 1 && value.op == ValueOp::multiply)) return value.a;
      if (*b == low_mask(value.bits) && value.op == ValueOp::bit_and) return value.a;
      const PtxValue& inner = values_[value.a];
      if ((value.op == ValueOp::add || value.op == ValueOp::bit_xor) && inner.op == value.op &&
          inner.bits == value.bits)
        if (const auto more = number_of(inner.b)) {
          const std::uint64_t both = value.op == ValueOp::add ? *b + *more : *b ^ *more;
          return make({.op = value.op, .bits = value.bits, .a = inner.a, .b = constant(both, value.bits)});
        }
    }
    if (b && *b == 0 && (value.op == ValueOp::bit_and || value.op == ValueOp::multiply)) return constant(0, value.bits);
    if (const auto known = recognised(value)) return *known;
    if (value.op == ValueOp::select && a) return (*a & 1) != 0 ? value.b : value.c;
    if (value.op == ValueOp::select && value.b == value.c) return value.b;
  }
  const auto [found, is_new] = ids_.try_emplace(value, static_cast<ValueId>(values_.size()));
  if (is_new) {
    values_.push_back(value);
    origin_.push_back(building_);
  }
  return found->second;
}

// Divisions by a constant, which compilers write as multiplications:
//
//   x * 613566757 >> 32 = t;  (((x - t) >> 1) + t) >> 2     is x / 7:  (2^32 + 613566757) * 7 = 2^35 + 3, and 3 * x < 2^35
//   x - 7 * (x / 7)                                         is x % 7
//
// x * m >> s is x / d for every x below 2^w if m * d = 2^s + e with e <= 2^(s - w).
std::optional<ValueId> PtxValues::recognised(const PtxValue& value) {
  const auto number_of = [&](ValueId id) -> std::optional<std::uint64_t> {
    if (id == no_value || values_[id].op != ValueOp::constant) return std::nullopt;
    return values_[id].number;
  };
  const auto has = [&](ValueId id, ValueOp op, int bits) {
    return id != no_value && values_[id].op == op && values_[id].bits == bits;
  };
  if (value.op == ValueOp::select)
    if (const auto out = rounded_up(value)) return out;
  const auto b = number_of(value.b);
  if (value.op == ValueOp::shift_right && b) {
    const PtxValue inner = values_[value.a];
    const auto more = number_of(inner.b);
    if (inner.op == ValueOp::shift_right && more && inner.bits - static_cast<int>(*more) <= value.bits &&
        *more + *b < inner.bits)
      return make({.op = ValueOp::shift_right, .bits = inner.bits, .a = inner.a, .b = constant(*more + *b, 32)});
    const auto quotient = [&](ValueId x, std::uint64_t m, int shift) -> std::optional<ValueId> {
      const int width = values_[x].bits;
      if (width > 32 || m == 0 || shift < width || shift > 62) return std::nullopt;
      const std::uint64_t power = std::uint64_t{1} << shift, d = (power + m - 1) / m;
      if (d < 2 || d > low_mask(31) || m > ~std::uint64_t{0} / d || m * d - power > std::uint64_t{1} << (shift - width))
        return std::nullopt;
      return make({.op = ValueOp::divide, .bits = static_cast<std::uint8_t>(width), .a = x, .b = constant(d, 32)});
    };
    // No product wraps.
    if (inner.op == ValueOp::multiply && more &&
        *more <= low_mask(inner.bits - std::min<int>(inner.bits, values_[inner.a].bits))) {
      if (const auto out = quotient(inner.a, *more, static_cast<int>(*b))) return out;
    }
    if (inner.op == ValueOp::add && inner.bits == 32 && value.bits == 32) {
      for (const auto& [half, t] : {std::pair(inner.a, inner.b), std::pair(inner.b, inner.a)}) {
        if (!has(half, ValueOp::shift_right, 32) || number_of(values_[half].b) != 1 ||
            !has(t, ValueOp::shift_right, 64) || number_of(values_[t].b) != 32)
          continue;
        const PtxValue difference = values_[values_[half].a], wide = values_[values_[t].a];
        const auto m = number_of(wide.b);
        if (difference.op != ValueOp::add || difference.bits != 32 || wide.op != ValueOp::multiply || !m ||
            *m > low_mask(32))
          continue;
        const ValueId minus_t = make({.op = ValueOp::multiply, .bits = 32, .a = t, .b = constant(low_mask(32), 32)});
        const bool is_x_minus_t =
            (difference.a == wide.a && difference.b == minus_t) || (difference.b == wide.a && difference.a == minus_t);
        if (is_x_minus_t)
          if (const auto out = quotient(wide.a, (std::uint64_t{1} << 32) + *m, 33 + static_cast<int>(*b))) return out;
      }
    }
  }
  if (value.op == ValueOp::multiply && b && values_[value.a].op == ValueOp::multiply &&
      values_[value.a].bits == value.bits)
    if (const auto more = number_of(values_[value.a].b))
      return make({.op = ValueOp::multiply,
                   .bits = value.bits,
                   .a = values_[value.a].a,
                   .b = constant(*b * *more, value.bits)});
  if (value.op == ValueOp::add && value.b != no_value) {
    for (const auto& [x, product] : {std::pair(value.a, value.b), std::pair(value.b, value.a)}) {
      if (!has(product, ValueOp::multiply, value.bits)) continue;
      const PtxValue quotient = values_[values_[product].a];
      const auto factor = number_of(values_[product].b), d = number_of(quotient.b);
      if (quotient.op == ValueOp::divide && quotient.a == x && factor && d &&
          ((*factor + *d) & low_mask(value.bits)) == 0)
        return make({.op = ValueOp::remainder, .bits = value.bits, .a = x, .b = quotient.b});
    }
  }
  return std::nullopt;
}

bool reads_rows(const PtxModule& module, const PtxKernel& kernel) {
  const auto operands =
      std::span(module.operands).subspan(kernel.first_operand, kernel.end_operand - kernel.first_operand);
  return std::ranges::any_of(operands, [&](const PtxOperand& one) {
    if (one.kind != PtxOperandKind::symbol || module.symbols[one.id].space != PtxSpace::special) return false;
    const std::string_view name = module.symbols[one.id].name;
    return name == "%tid" || name == "%tid.y" || name == "%tid.z";
  });
}

// p & m == 0 ? p : p + (m + 1 - (p & m)), where m + 1 is a power of two: p rounded up, p + m & ~m.
std::optional<ValueId> PtxValues::rounded_up(const PtxValue& value) {
  const auto is_number = [&](ValueId id) { return id != no_value && values_[id].op == ValueOp::constant; };
  const PtxValue* test = &values_[value.a];
  ValueId stays = value.b, moves = value.c;
  if (test->op == ValueOp::bit_xor && is_number(test->b) && values_[test->b].number == 1) {
    test = &values_[test->a];
    std::swap(stays, moves);
  }
  if (test->op != ValueOp::equal || !is_number(test->b) || values_[test->b].number != 0) return std::nullopt;
  const ValueId rest_id = test->a;
  const PtxValue& rest = values_[rest_id];
  if (rest.op != ValueOp::bit_and || rest.a != stays || !is_number(rest.b)) return std::nullopt;
  const std::uint64_t below = values_[rest.b].number, mask = low_mask(value.bits);
  if ((below & (below + 1)) != 0 || below >= mask) return std::nullopt;
  // moves = stays - rest + below + 1, in any order.
  std::uint64_t of_stays = 0, of_rest = 0, number = 0;
  std::vector<std::pair<ValueId, std::uint64_t>> open = {{moves, 1}};
  for (int steps = 0; !open.empty(); ++steps) {
    const auto [id, factor] = open.back();
    open.pop_back();
    const PtxValue& one = values_[id];
    if (id == stays) of_stays += factor;
    else if (id == rest_id) of_rest += factor;
    else if (one.op == ValueOp::constant) number += factor * one.number;
    else if (steps > 8 || one.bits != value.bits) return std::nullopt;
    else if (one.op == ValueOp::multiply && is_number(one.b)) open.emplace_back(one.a, factor * values_[one.b].number);
    else if (one.op == ValueOp::add) open.insert(open.end(), {{one.a, factor}, {one.b, factor}});
    else return std::nullopt;
  }
  if ((of_stays & mask) != 1 || (of_rest & mask) != mask || (number & mask) != below + 1) return std::nullopt;
  const ValueId sum = make({.op = ValueOp::add, .bits = value.bits, .a = stays, .b = constant(below, value.bits)});
  return make({.op = ValueOp::bit_and, .bits = value.bits, .a = sum, .b = constant(~below, value.bits)});
}

std::uint32_t PtxValues::register_id(ValueId id) const {
  if (values_[id].op == ValueOp::phi) return phi(values_[id]).reg;
  for (const PtxOperand* one = module_->operands_of(origin(id)).data(); one != nullptr;) {
    if (one->kind == PtxOperandKind::reg) return one->id;
    one = one->kind == PtxOperandKind::list && one->parts > 0 ? module_->parts_of(*one).data() : nullptr;
  }
  return no_register;
}

std::string_view PtxValues::register_of(ValueId id) const {
  const std::uint32_t reg = register_id(id);
  return reg == no_register ? std::string_view() : kernel_->registers[reg].name;
}

std::string PtxValues::register_text(ValueId id) const {
  const std::uint32_t reg = register_id(id);
  if (reg == no_register) return {};
  return std::string(kernel_->registers[reg].name) + (ordinal_[reg] == 1 ? "" : "#" + std::to_string(ordinal_[reg]));
}

}  // namespace swz
