// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ptx/value_builder.hpp"

namespace swz {

namespace {

// What a table of lop3 may stand for: one of two operands, another of that and the third.
constexpr ValueOp logic_operations[] = {ValueOp::bit_and, ValueOp::bit_or, ValueOp::bit_xor};

std::uint64_t apply(ValueOp what, std::uint64_t a, std::uint64_t b) {
  if (what == ValueOp::bit_and) return a & b;
  return what == ValueOp::bit_or ? a | b : a ^ b;
}

}  // namespace

void PtxValueBuilder::results(std::uint32_t instruction, std::span<ValueId> out) {
  const PtxInstruction& one = at(instruction);
  const OpcodeParts parts(one.opcode);
  const auto operands = module_.operands_of(one);
  if (operands.empty()) return;
  const std::string_view name = parts.first();
  const bool has_list = operands[0].kind == PtxOperandKind::list;
  if (name == "setp") {
    out[0] = compared(instruction, parts, 1);
    if (has_list && out[0] != no_value && parts.all[2].size() > 1 && !operand_type(parts.all[2]).is_integer())
      out[0] = no_value;  // p|q with a third condition: rare
    if (has_list && out[0] != no_value) out[1] = op(ValueOp::bit_xor, out[0], v_.constant(1, 1), 1);
    return;
  }
  if (name == "shfl" && parts.has("idx")) {
    const ValueId value = use(instruction, 1, 32), lane = use(instruction, 2, 32), bounds = use(instruction, 3, 32);
    if (value == no_value) return;
    // The CuTe DSL takes the address of shared memory of lane 0.
    if (is_one_in_block(value)) out[0] = value;
    else if (number_of(lane) && *number_of(lane) < 32 && number_of(bounds) == 31)
      out[0] = op(ValueOp::lane_of, value, lane, 32);
    return;
  }
  if (name == "mov" && has_list && operands.size() > 1 && operands[1].kind == PtxOperandKind::list) {
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(operands[0].parts, operands[1].parts) && i < out.size(); ++i)
      out[i] = read(module_.operands[operands[1].part + i], operand_type(parts.last()).bits);
    return;
  }
  if (name == "mov" && has_list) {
    // The low half is the first.
    const auto type = operand_type(parts.last());
    const ValueId whole = use(instruction, 1, type.bits);
    if (operands[0].parts != 2 || whole == no_value || type.bits > 64) return;
    const int half = type.bits / 2;
    out[0] = cut(whole, half);
    out[1] = op(ValueOp::shift_right, whole, v_.constant(static_cast<std::uint64_t>(half), 32), type.bits);
    return;
  }
  if (name == "ld" || name == "ldu") {
    const auto held = [&](const PtxOperand& operand) {
      return operand.kind == PtxOperandKind::reg ? kernel_.registers[operand.id].bits : 0;
    };
    if (!has_list) out[0] = loaded(instruction, parts, 0, held(operands[0]));
    for (std::uint32_t i = 0; has_list && i < operands[0].parts && i < out.size(); ++i)
      out[i] = loaded(instruction, parts, i, held(module_.operands[operands[0].part + i]));
    return;
  }
  if (has_list) return;
  out[0] = result(instruction, parts);
  // A barrier that reduces gives all threads the same.
  const bool is_of_the_warp = name == "vote" || name == "activemask" || name == "redux" ||
                              ((name == "bar" || name == "barrier") && parts.has("red"));
  if (out[0] == no_value && is_of_the_warp && operands[0].kind == PtxOperandKind::reg)
    out[0] = unknown(instruction, 0, kernel_.registers[operands[0].id].bits, false);
}

// The address of an object that all lanes have together plus something: what stands behind no such object may be anywhere.
bool PtxValueBuilder::is_of_shared_object(ValueId address, int depth) const {
  constexpr int deepest = 16;
  if (address == no_value || depth == deepest) return false;
  const PtxValue& value = v_.values_[address];
  if (value.op == ValueOp::add)
    return is_of_shared_object(value.a, depth + 1) || is_of_shared_object(value.b, depth + 1);
  if (value.op == ValueOp::generic_of_shared || value.op == ValueOp::param) return true;
  if (value.op == ValueOp::symbol) return kernel_.is_entry && module_.symbols[value.number].space == PtxSpace::param;
  return value.op == ValueOp::unknown && value.a != no_value && v_.origin(address).is("cvta") &&
         !v_.origin(address).has("local");
}

// Local memory, what a caller gives a function and what a call gives back are each lane's own.
bool PtxValueBuilder::is_own_memory(const OpcodeParts& parts, ValueId address) const {
  for (std::size_t i = 1; i < parts.count; ++i) {
    const std::string_view space = parts.all[i].substr(0, parts.all[i].find(':'));
    if (space == "shared" || space == "global" || space == "const") return false;
    if (space == "local") return true;
    if (space == "param") return !is_of_shared_object(address);
  }
  return has_own_memory_ && !is_of_shared_object(address);
}

// The same address, the same value: of a parameter in every instruction, of memory that lanes share in this one.
ValueId PtxValueBuilder::loaded(std::uint32_t instruction, const OpcodeParts& parts, std::uint32_t element, int held) {
  const PtxInstruction& one = at(instruction);
  if (held == 0 || one.operands < 2 || parts.has("volatile")) return no_value;
  const ValueId address = v_.of_operand_[one.operand + 1 - kernel_.first_operand];
  if (address == no_value) return no_value;
  const OperandType type = operand_type(parts.last());
  const PtxValue& where = v_.values_[address];
  const PtxValue& base = where.op == ValueOp::add ? v_.values_[where.a] : where;
  const std::uint64_t added = where.op == ValueOp::add ? number_of(where.b).value_or(~std::uint64_t{0}) : 0;
  const bool is_param = kernel_.is_entry && (parts.has("param") || parts.has("param::entry")) &&
                        base.op == ValueOp::symbol && module_.symbols[base.number].space == PtxSpace::param;
  // Sign extension would make another number of it.
  if (is_param && added < (1 << 16) && type.bits != 0 && type.bits <= 64 && (type.kind != 's' || held == type.bits))
    return v_.make({.op = ValueOp::param,
                    .bits = static_cast<std::uint8_t>(type.bits),
                    .number = base.number << 32 | (added + element * static_cast<std::uint64_t>(type.bits / 8))});
  return unknown(instruction, element, held, is_own_memory(parts, address), address);
}

ValueId PtxValueBuilder::result(std::uint32_t instruction, const OpcodeParts& parts) {
  const std::string_view name = parts.first();
  const OperandType type = operand_type(parts.last());
  const int bits = type.bits;
  const auto all_known = [&](std::initializer_list<ValueId> values) {
    return std::ranges::find(values, no_value) == values.end();
  };
  if (name == "mov") {
    if (bits > 64 || bits == 0) return no_value;
    const PtxInstruction& one = at(instruction);
    if (one.operands < 2) return no_value;
    const PtxOperand& from = module_.operands[one.operand + 1];
    if (from.kind != PtxOperandKind::list) return use(instruction, 1, bits);
    if (from.parts != 2) return no_value;
    const int half = bits / 2;
    const ValueId low = read(module_.operands[from.part], half), high = read(module_.operands[from.part + 1], half);
    if (!all_known({low, high})) return no_value;
    return op(ValueOp::bit_or, low,
              op(ValueOp::shift_left, high, v_.constant(static_cast<std::uint64_t>(half), 32), bits), bits);
  }
  if (name == "cvta") {
    const ValueId from = use(instruction, 1, 64);
    if (from == no_value || bits == 0) return no_value;
    if (parts.has("shared") || parts.has("shared::cta")) {
      const bool is_to = parts.has("to");
      const ValueOp back = is_to ? ValueOp::generic_of_shared : ValueOp::shared_of_generic;
      if (v_.values_[from].op == back) return v_.values_[from].a;
      return op(is_to ? ValueOp::shared_of_generic : ValueOp::generic_of_shared, from, no_value, 64);
    }
    return unknown(instruction, 0, bits, false, from);
  }
  if (name == "cvt") return converted(instruction, parts);
  if (name == "elect") return no_value;
  if (!type.is_integer() && type.kind != 'p') return no_value;

  if (name == "set") return no_value;
  if (bits > 64 && name != "mov") return no_value;
  if (name == "selp") {
    const ValueId a = use(instruction, 1, bits), b = use(instruction, 2, bits), p = use(instruction, 3, 1);
    if (!all_known({a, b, p})) return no_value;
    return v_.make({.op = ValueOp::select, .bits = static_cast<std::uint8_t>(bits), .a = p, .b = a, .c = b});
  }
  if (name == "shf") return funnel_shift(instruction, parts);
  if (name == "lop3") return logic_table(instruction);
  if (name == "prmt") return permuted_bytes(instruction, parts);
  if (name == "bfe" || name == "bfi" || name == "bmsk" || name == "szext") return bit_field(instruction, parts, type);
  if (bits > 64 || parts.has("sat") || parts.has("cc")) return no_value;

  const ValueId a = use(instruction, 1, bits);
  if (a == no_value) return no_value;
  if (name == "not" || name == "cnot") {
    if (name == "not") return op(ValueOp::bit_xor, a, v_.constant(low_mask(bits), bits), bits);
    return v_.make({.op = ValueOp::equal,
                    .bits = static_cast<std::uint8_t>(bits),
                    .a = a,
                    .b = v_.constant(0, bits),
                    .number = static_cast<std::uint64_t>(bits)});
  }
  if (name == "neg") return negate(a, bits);
  if (name == "abs") {
    const ValueId is_negative = v_.make({.op = ValueOp::less_signed,
                                         .bits = 1,
                                         .a = a,
                                         .b = v_.constant(0, bits),
                                         .number = static_cast<std::uint64_t>(bits)});
    return v_.make({.op = ValueOp::select,
                    .bits = static_cast<std::uint8_t>(bits),
                    .a = is_negative,
                    .b = negate(a, bits),
                    .c = a});
  }
  if (name == "popc") return op(ValueOp::count_ones, a, no_value, 32);
  if (name == "clz") return op(ValueOp::count_leading_zeros, a, no_value, 32, static_cast<std::uint64_t>(bits));
  if (name == "brev") return op(ValueOp::reverse_bits, a, no_value, bits);

  const bool shifts = name == "shl" || name == "shr";
  const ValueId b = use(instruction, 2, shifts ? 32 : bits);
  if (b == no_value) return no_value;
  if (name == "add") return op(ValueOp::add, a, b, bits);
  if (name == "sub") return op(ValueOp::add, a, negate(b, bits), bits);
  if (name == "and") return op(ValueOp::bit_and, a, b, bits);
  if (name == "or") return op(ValueOp::bit_or, a, b, bits);
  if (name == "xor") return op(ValueOp::bit_xor, a, b, bits);
  if (name == "shl") return op(ValueOp::shift_left, a, b, bits);
  if (name == "shr") return op(type.kind == 's' ? ValueOp::shift_right_signed : ValueOp::shift_right, a, b, bits);
  if (name == "min" || name == "max") {
    const ValueId less = v_.make({.op = type.kind == 's' ? ValueOp::less_signed : ValueOp::less,
                                  .bits = 1,
                                  .a = a,
                                  .b = b,
                                  .number = static_cast<std::uint64_t>(bits)});
    const bool is_min = name == "min";
    return v_.make({.op = ValueOp::select,
                    .bits = static_cast<std::uint8_t>(bits),
                    .a = less,
                    .b = is_min ? a : b,
                    .c = is_min ? b : a});
  }
  if (name == "div" || name == "rem") {
    const bool is_signed = type.kind == 's', is_div = name == "div";
    if (const auto by = number_of(b); by && !is_signed && *by != 0 && (*by & (*by - 1)) == 0) {
      if (!is_div) return op(ValueOp::bit_and, a, v_.constant(*by - 1, bits), bits);
      std::uint64_t shift = 0;
      while (*by >> shift != 1) ++shift;
      return op(ValueOp::shift_right, a, v_.constant(shift, 32), bits);
    }
    const ValueOp what = is_div ? (is_signed ? ValueOp::divide_signed : ValueOp::divide)
                                : (is_signed ? ValueOp::remainder_signed : ValueOp::remainder);
    return op(what, a, b, bits);
  }
  if (name != "mul" && name != "mad" && name != "mul24" && name != "mad24") return no_value;

  const bool is_signed = type.kind == 's', is_24 = name.ends_with("24"), adds = name.starts_with("mad");
  const auto factor = [&](ValueId value, int wide) {
    if (is_24) value = cut(value, 24);
    return is_signed && (is_24 || wide > bits) ? as_signed(value, is_24 ? 24 : bits, wide) : value;
  };
  ValueId product = no_value;
  int width = bits;
  if (parts.has("lo") && !is_24) {
    product = op(ValueOp::multiply, a, b, bits);
  } else if (bits <= 32) {
    width = 2 * bits;
    product = op(ValueOp::multiply, factor(a, width), factor(b, width), width);
    const std::uint64_t from = is_24 ? 16 : static_cast<std::uint64_t>(bits);
    if (is_24 && parts.has("lo")) {
      product = cut(product, bits);
    } else if (!parts.has("wide")) {
      product = cut(op(ValueOp::shift_right, product, v_.constant(from, 32), width), bits);
    }
    if (!parts.has("wide")) width = bits;
  } else {
    return no_value;  // the high half of 64 x 64
  }
  if (!adds) return product;
  const ValueId c = use(instruction, 3, width);
  return c == no_value ? no_value : op(ValueOp::add, product, c, width);
}

ValueId PtxValueBuilder::converted(std::uint32_t instruction, const OpcodeParts& parts) {
  const OperandType to = operand_type(parts.last());
  const OperandType result_type = parts.count >= 2 ? operand_type(parts.all[parts.count - 2]) : OperandType{};
  if (!to.is_integer() || !result_type.is_integer() || parts.has("sat") || parts.has("pack")) return no_value;
  const ValueId from = use(instruction, 1, to.bits);
  if (from == no_value) return no_value;
  const bool extends = to.kind == 's' && result_type.bits > to.bits;
  const ValueId out = extends ? as_signed(from, to.bits, result_type.bits) : cut(from, result_type.bits);
  // A register wider than the type holds the value extended by the sign of the type.
  const PtxOperand& into = module_.operands[at(instruction).operand];
  const int held = into.kind == PtxOperandKind::reg ? kernel_.registers[into.id].bits : result_type.bits;
  if (held > result_type.bits && result_type.kind == 's') return as_signed(out, result_type.bits, held);
  return out;
}

ValueId PtxValueBuilder::compared(std::uint32_t instruction, const OpcodeParts& parts, std::size_t first) {
  const OperandType type = operand_type(parts.last());
  if (!type.is_integer() || type.bits > 64 || parts.count < 3) return no_value;
  const auto operand = static_cast<std::uint32_t>(first);
  const ValueId a = use(instruction, operand, type.bits), b = use(instruction, operand + 1, type.bits);
  if (a == no_value || b == no_value) return no_value;
  const std::string_view how = parts.all[1];
  const bool is_unsigned = how == "lo" || how == "ls" || how == "hi" || how == "hs";
  const ValueOp less = type.kind == 's' && !is_unsigned ? ValueOp::less_signed : ValueOp::less;
  const auto test = [&](ValueOp what, ValueId x, ValueId y) {
    return v_.make({.op = what, .bits = 1, .a = x, .b = y, .number = static_cast<std::uint64_t>(type.bits)});
  };
  const auto inverse = [&](ValueId value) { return op(ValueOp::bit_xor, value, v_.constant(1, 1), 1); };
  ValueId out = no_value;
  if (how == "eq") out = test(ValueOp::equal, a, b);
  else if (how == "ne") out = inverse(test(ValueOp::equal, a, b));
  else if (how == "lt" || how == "lo") out = test(less, a, b);
  else if (how == "gt" || how == "hi") out = test(less, b, a);
  else if (how == "le" || how == "ls") out = inverse(test(less, b, a));
  else if (how == "ge" || how == "hs") out = inverse(test(less, a, b));
  else return no_value;
  if (parts.count == 3) return out;
  const ValueId more = use(instruction, operand + 2, 1);
  if (more == no_value) return no_value;
  if (parts.all[2] == "and") return op(ValueOp::bit_and, out, more, 1);
  if (parts.all[2] == "or") return op(ValueOp::bit_or, out, more, 1);
  if (parts.all[2] == "xor") return op(ValueOp::bit_xor, out, more, 1);
  return no_value;
}

// shf.l: the high half of b:a shifted to the left; shf.r: the low half of b:a shifted to the right.
ValueId PtxValueBuilder::funnel_shift(std::uint32_t instruction, const OpcodeParts& parts) {
  const ValueId a = use(instruction, 1, 32), b = use(instruction, 2, 32), by = use(instruction, 3, 32);
  if (a == no_value || b == no_value || by == no_value) return no_value;
  ValueId shift = op(ValueOp::bit_and, by, v_.constant(31, 32), 32);
  if (parts.has("clamp")) {
    const auto number = number_of(by);
    if (!number) return no_value;
    shift = v_.constant(std::min<std::uint64_t>(*number, 32), 32);
  }
  const ValueId thirty_two = v_.constant(32, 32);
  const ValueId both = op(ValueOp::bit_or, a, op(ValueOp::shift_left, b, thirty_two, 64), 64);
  if (parts.has("r")) return cut(op(ValueOp::shift_right, both, shift, 64), 32);
  return cut(op(ValueOp::shift_right, op(ValueOp::shift_left, both, shift, 64), thirty_two, 64), 32);
}

ValueId PtxValueBuilder::bit_field(std::uint32_t instruction, const OpcodeParts& parts, OperandType type) {
  const int bits = type.bits;
  if (parts.first() == "bmsk" || parts.first() == "szext" || bits > 64) return no_value;
  const bool inserts = parts.first() == "bfi";
  const std::uint32_t at_operand = inserts ? 3 : 2;
  const ValueId a = use(instruction, 1, bits), position = use(instruction, at_operand, 32),
                length = use(instruction, at_operand + 1, 32);
  const auto from = number_of(position), count = number_of(length);
  if (a == no_value || !from || !count) return no_value;
  // Both are read as 8 bits.
  const auto p = static_cast<int>(*from & 255), n = static_cast<int>(*count & 255);
  const std::uint64_t mask = low_mask(n);
  const auto shift = v_.constant(static_cast<std::uint64_t>(p), 32);
  if (inserts) {
    const ValueId b = use(instruction, 2, bits);
    if (b == no_value) return no_value;
    if (n == 0 || p >= bits) return b;
    const std::uint64_t field = (mask << p) & low_mask(bits);
    const ValueId moved = op(ValueOp::bit_and, op(ValueOp::shift_left, a, shift, bits), v_.constant(field, bits), bits);
    return op(ValueOp::bit_or, op(ValueOp::bit_and, b, v_.constant(~field, bits), bits), moved, bits);
  }
  if (type.kind != 's') {
    if (n == 0) return v_.constant(0, bits);
    return op(ValueOp::bit_and, op(ValueOp::shift_right, a, shift, bits), v_.constant(mask, bits), bits);
  }
  // The sign is the last bit of the field, or of the register where the field goes beyond it.
  if (n == 0) return v_.constant(0, bits);
  const ValueId moved = op(ValueOp::shift_right_signed, a, shift, bits);
  return n >= bits ? moved : as_signed(moved, n, bits);
}

// A mode other than the default one stands for a selector, by the two low bits of c.
ValueId PtxValueBuilder::permuted_bytes(std::uint32_t instruction, const OpcodeParts& parts) {
  struct Mode {
    std::string_view name;
    std::array<std::uint64_t, 4> selector;
  };
  static constexpr Mode modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  const ValueId a = use(instruction, 1, 32), b = use(instruction, 2, 32);
  const auto given = number_of(use(instruction, 3, 32));
  if (a == no_value || b == no_value || !given) return no_value;
  std::uint64_t selector = *given & 0xffff;
  for (const Mode& mode : modes)
    if (parts.has(mode.name)) selector = mode.selector[*given & 3];
  return op(ValueOp::bytes, a, b, 32, selector);
}

ValueId PtxValueBuilder::logic_table(std::uint32_t instruction) {
  const std::uint32_t first = 1;
  const std::array<ValueId, 3> of = {use(instruction, first, 32), use(instruction, first + 1, 32),
                                     use(instruction, first + 2, 32)};
  const auto given = number_of(use(instruction, first + 3, 32));
  if (!given || std::ranges::find(of, no_value) != of.end() || at(instruction).has("BoolOp")) return no_value;
  const std::uint64_t table = *given & 255;
  // Each operand as a table.
  constexpr std::array<std::uint64_t, 3> column = {0xf0, 0xcc, 0xaa};
  for (const auto& [x, y, z] : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 2, 0}}) {
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y), k = static_cast<std::size_t>(z);
    for (const ValueOp inner : logic_operations) {
      if (apply(inner, column[i], column[j]) == table) return op(inner, of[i], of[j], 32);
      for (const ValueOp outer : logic_operations)
        if (apply(outer, apply(inner, column[i], column[j]), column[k]) == table)
          return op(outer, op(inner, of[i], of[j], 32), of[k], 32);
    }
    // x & ~y, which masks are.
    if ((column[i] & ~column[j] & 255) == table)
      return op(ValueOp::bit_and, of[i], op(ValueOp::bit_xor, of[j], v_.constant(low_mask(32), 32), 32), 32);
  }
  return v_.make({.op = ValueOp::any_bits, .bits = 32, .a = of[0], .b = of[1], .c = of[2], .number = table});
}

}  // namespace swz
