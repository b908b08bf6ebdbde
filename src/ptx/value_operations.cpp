// SPDX-License-Identifier: Apache-2.0
// What instructions give, opcode by opcode: the table at the end of the class names the function of each.
#include <algorithm>
#include <bit>

#include "ptx/opcode.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

namespace {

struct Comparison {
  std::string_view name;
  ValueOp op;
  bool is_exchanged, is_inverted;  // b < a, !(a < b)
  bool is_unsigned = false;        // whatever the type says
};
constexpr Comparison comparisons[] = {{"eq", ValueOp::equal, false, false}, {"ne", ValueOp::equal, false, true},
                                      {"lt", ValueOp::less, false, false},  {"lo", ValueOp::less, false, false, true},
                                      {"gt", ValueOp::less, true, false},   {"hi", ValueOp::less, true, false, true},
                                      {"le", ValueOp::less, true, true},    {"ls", ValueOp::less, true, true, true},
                                      {"ge", ValueOp::less, false, true},   {"hs", ValueOp::less, false, true, true}};

struct BitOperation {
  std::string_view name;
  ValueOp op;
};
constexpr BitOperation bit_operations[] = {
    {"and", ValueOp::bit_and}, {"or", ValueOp::bit_or}, {"xor", ValueOp::bit_xor}};

std::uint64_t apply(ValueOp operation, std::uint64_t a, std::uint64_t b) {
  return *evaluate({.op = operation, .bits = 8}, a, b, 0);
}

// An instruction and the values that it gives.
class OperationReader : private ValueMaker {
 public:
  OperationReader(PtxValueBuilder& builder, PtxValues& values, std::uint32_t index, std::span<ValueId> results)
      : ValueMaker(values),
        builder_(builder),
        index_(index),
        instruction_(values.kernel().instructions[index]),
        parts_(instruction_.opcode),
        type_(operand_type(parts_.last())),
        operands_(values.module().operands_of(instruction_)),
        results_(results) {}

  // What a function of the table gets, beside the instruction.
  enum class Form {
    list,     // the results may be a list: the function gives the first one and puts the others in results_
    single,   // one result
    integer,  // one result, operands of an integer type of up to 64 bits
    unary,    // the same, and a_ is the first operand
    binary    // the same, and b_ is the second
  };
  struct Row {
    std::string_view name;
    Form form;
    ValueId (OperationReader::*value)();
  };
  // Null: nothing is known of its results.
  static const Row* find_row(std::string_view name);

  void read(const Row& row) {
    if (operands_.empty() || (has_list() && row.form != Form::list)) return;
    if (row.form >= Form::integer && !reads_integers(row.form)) return;
    results_[0] = (this->*row.value)();
  }

 private:
  bool has_list() const { return operands_[0].kind == PtxOperandKind::list; }
  bool is_signed() const { return type_.kind == 's'; }
  ValueId use(std::uint32_t operand, int bits) const {
    return operand < operands_.size() ? builder_.read(operands_[operand], bits) : no_value;
  }
  int bits_of(const PtxOperand& operand) const {
    return operand.kind == PtxOperandKind::reg ? v_.kernel().registers[operand.id].bits : 0;
  }
  std::span<const PtxOperand> parts_of(const PtxOperand& list) const { return v_.module().parts_of(list); }

  bool reads_integers(Form form) {
    bits_ = type_.bits;
    if (!type_.is_integer() || bits_ > 64 || parts_.has("sat") || parts_.has("cc") || parts_.has("relu")) return false;
    if (form >= Form::unary && (a_ = use(1, bits_)) == no_value) return false;
    return form != Form::binary || (b_ = use(2, bits_)) != no_value;
  }

  template <ValueOp operation>
  ValueId unary() {
    return op(operation, a_, no_value, bits_);
  }
  template <ValueOp operation>
  ValueId binary() {
    return op(operation, a_, b_, bits_);
  }

  // ---- moves, loads, what lanes share

  ValueId moved() {
    if (operands_.size() < 2) return no_value;
    const bool is_from_list = operands_[1].kind == PtxOperandKind::list;
    if (has_list()) return is_from_list ? each_moved() : halves();
    if (type_.bits > 64 || type_.bits == 0) return no_value;
    return is_from_list ? joined_halves() : use(1, type_.bits);
  }

  ValueId each_moved() {
    const auto from = parts_of(operands_[1]);
    const std::size_t count = std::min({parts_of(operands_[0]).size(), from.size(), results_.size()});
    for (std::size_t i = 0; i < count; ++i) results_[i] = builder_.read(from[i], type_.bits);
    return results_[0];
  }

  // The first register gets the low half.
  ValueId halves() {
    const ValueId whole = use(1, type_.bits);
    if (operands_[0].parts != 2 || whole == no_value || type_.bits > 64) return no_value;
    const int half = type_.bits / 2;
    const ValueId low = cut(whole, half);
    results_[1] = op(ValueOp::shift_right, whole, constant(static_cast<std::uint64_t>(half), 32), type_.bits);
    return low;
  }

  ValueId joined_halves() {
    const auto from = parts_of(operands_[1]);
    if (from.size() != 2) return no_value;
    const int half = type_.bits / 2;
    const ValueId low = builder_.read(from[0], half), high = builder_.read(from[1], half);
    if (low == no_value || high == no_value) return no_value;
    if (half == 32) return joined_words(low, high);
    const ValueId shift = constant(static_cast<std::uint64_t>(half), 32);
    return op(ValueOp::bit_or, low, op(ValueOp::shift_left, high, shift, type_.bits), type_.bits);
  }

  // The halves of one number are that number. SASS adds the halves one by one: S = low + c, and the carry of S to high.
  ValueId joined_words(ValueId low, ValueId high, int depth = 0) {
    const ValueId whole = half_of(low, ValueOp::bit_and, low_mask(32));
    if (whole != no_value && whole == half_of(high, ValueOp::shift_right, 32)) return whole;
    constexpr int deepest = 64;
    const auto added = whole != no_value && v_[whole].op == ValueOp::add && v_[v_[whole].a].bits <= 32
                           ? number_of(v_[whole].b)
                           : std::nullopt;
    if (added && *added >> 32 == 0 && depth < deepest)
      if (const auto rest = without_carry(high, whole))
        return op(ValueOp::add, joined_words(v_[whole].a, rest->value, depth + 1),
                  constant(*added + (rest->added << 32), 64), 64);
    return op(ValueOp::bit_or, low, op(ValueOp::shift_left, high, constant(32, 32), 64), 64);
  }

  // x of x & number, or of x >> number, if x has 64 bits.
  ValueId half_of(ValueId id, ValueOp operation, std::uint64_t number) const {
    const PtxValue& value = v_[id];
    const bool is_half = value.op == operation && number_of(value.b) == number && v_[value.a].bits == 64;
    return is_half ? value.a : no_value;
  }

  struct WithoutCarry {
    ValueId value = no_value;
    std::uint64_t added = 0;
  };
  // high - c of the sum high + carry(sum) + c.
  std::optional<WithoutCarry> without_carry(ValueId high, ValueId sum) {
    std::uint64_t added = 0;
    PtxValue value = v_[high];
    if (value.op == ValueOp::add && number_of(value.b)) {
      added = *number_of(value.b);
      value = v_[value.a];
    }
    if (is_carry(value, sum)) return WithoutCarry{constant(0, 32), added};
    if (value.op != ValueOp::add) return std::nullopt;
    if (is_carry(v_[value.b], sum)) return WithoutCarry{value.a, added};
    if (is_carry(v_[value.a], sum)) return WithoutCarry{value.b, added};
    return std::nullopt;
  }
  // (sum >> 32) != 0 ? 1 : 0
  bool is_carry(const PtxValue& value, ValueId sum) const {
    if (value.op != ValueOp::select || number_of(value.b) != 1 || number_of(value.c) != 0) return false;
    const PtxValue& is_not = v_[value.a];
    if (is_not.op != ValueOp::bit_xor || number_of(is_not.b) != 1) return false;
    const PtxValue& is_zero = v_[is_not.a];
    return is_zero.op == ValueOp::equal && number_of(is_zero.b) == 0 &&
           half_of(is_zero.a, ValueOp::shift_right, 32) == sum;
  }

  ValueId shuffled() {
    if (!parts_.has("idx")) return no_value;
    const ValueId value = use(1, 32), lane = use(2, 32), bounds = use(3, 32);
    if (value == no_value) return no_value;
    // The CuTe DSL takes the address of shared memory of lane 0.
    if (is_same_in_block(value)) return value;
    const bool is_of_one_lane = number_of(lane) && *number_of(lane) < 32 && number_of(bounds) == 31;
    return is_of_one_lane ? op(ValueOp::lane_of, value, lane, 32) : no_value;
  }

  // The same in every thread of the block, whenever it is read: of constants, symbols and parameters. False: not known.
  bool is_same_in_block(ValueId id, int depth = 0) const {
    const PtxValue& value = v_[id];
    if (value.op == ValueOp::special) return v_.name_of(value).starts_with("%ctaid");
    if (value.op == ValueOp::unknown || value.op == ValueOp::phi || value.op == ValueOp::lane_of || depth == 5)
      return false;
    const auto holds = [&](ValueId part) { return part == no_value || is_same_in_block(part, depth + 1); };
    return holds(value.a) && holds(value.b) && holds(value.c);
  }

  // All lanes have the same result, or those that have the same `members`.
  ValueId shared_by_warp() { return shared_by(false, no_value); }
  ValueId shared_by(bool varies, ValueId members) {
    const auto registers = has_list() ? parts_of(operands_[0]) : operands_.first(1);
    for (std::uint32_t i = 0; i < std::min(registers.size(), results_.size()); ++i)
      if (const int bits = bits_of(registers[i])) results_[i] = builder_.unknown(index_, i, bits, varies, members);
    return results_[0];
  }
  // vote.sync and redux.sync: the last operand is the mask of the lanes that take part.
  ValueId shared_by_members() {
    if (!parts_.has("sync")) return shared_by_warp();
    const ValueId members = use(static_cast<std::uint32_t>(operands_.size()) - 1, 32);
    return shared_by(members == no_value, members);
  }
  ValueId shared_by_barrier() { return parts_.has("red") ? shared_by_warp() : no_value; }

  ValueId loaded() {
    if (!has_list()) return loaded_element(0, bits_of(operands_[0]));
    const auto elements = parts_of(operands_[0]);
    for (std::uint32_t i = 0; i < std::min(elements.size(), results_.size()); ++i)
      results_[i] = loaded_element(i, bits_of(elements[i]));
    return results_[0];
  }

  // From equal addresses equal values: of a parameter by any instruction, of memory that lanes share by this
  // instruction.
  ValueId loaded_element(std::uint32_t element, int register_bits) {
    if (register_bits == 0 || parts_.has("volatile")) return no_value;
    const ValueId address = v_.of_operand(instruction_, 1);
    if (address == no_value) return no_value;
    if (const auto param = param_at(address, element, register_bits)) return *param;
    return builder_.unknown(index_, element, register_bits, is_own_memory(address), address);
  }

  std::optional<ValueId> param_at(ValueId address, std::uint32_t element, int register_bits) {
    const PtxValue& value = v_[address];
    const PtxValue& base = value.op == ValueOp::add ? v_[value.a] : value;
    const std::uint64_t added = value.op == ValueOp::add ? number_of(value.b).value_or(~std::uint64_t{0}) : 0;
    const bool is_param = v_.kernel().is_entry && (parts_.has("param") || parts_.has("param::entry")) &&
                          base.op == ValueOp::symbol && v_.module().symbols[base.number].space == PtxSpace::param;
    if (!is_param || added >= (1 << 16) || type_.bits == 0 || type_.bits > 64) return std::nullopt;
    if (is_signed() && register_bits != type_.bits) return std::nullopt;  // it is sign-extended
    const std::uint64_t byte = added + element * static_cast<std::uint64_t>(type_.bits / 8);
    return op(ValueOp::param, no_value, no_value, type_.bits, base.number << 32 | byte);
  }

  // Local memory, the arguments of a function and the results of a call are each lane's own.
  bool is_own_memory(ValueId address) const {
    for (std::size_t i = 1; i < parts_.count; ++i) {
      const std::string_view space = parts_.all[i].substr(0, parts_.all[i].find(':'));
      if (space == "shared" || space == "global" || space == "const") return false;
      if (space == "local") return true;
      if (space == "param") return !is_of_shared_object(address);
    }
    return builder_.has_own_memory() && !is_of_shared_object(address);
  }

  // The address of an object that all lanes have in common, plus something. Any other address may be anywhere.
  bool is_of_shared_object(ValueId address, int depth = 0) const {
    constexpr int deepest = 16;
    if (address == no_value || depth == deepest) return false;
    const PtxValue& value = v_[address];
    if (value.op == ValueOp::add)
      return is_of_shared_object(value.a, depth + 1) || is_of_shared_object(value.b, depth + 1);
    if (value.op == ValueOp::generic_of_shared || value.op == ValueOp::param) return true;
    if (value.op == ValueOp::symbol)
      return v_.kernel().is_entry && v_.module().symbols[value.number].space == PtxSpace::param;
    return value.op == ValueOp::unknown && value.a != no_value && v_.origin(address).is("cvta") &&
           !v_.origin(address).has("local");
  }

  // ---- conversions and comparisons

  ValueId converted_address() {
    const ValueId from = use(1, 64);
    if (from == no_value || type_.bits == 0) return no_value;
    if (!parts_.has("shared") && !parts_.has("shared::cta"))
      return builder_.unknown(index_, 0, type_.bits, false, from);
    const bool is_to = parts_.has("to");
    const ValueOp inverse = is_to ? ValueOp::generic_of_shared : ValueOp::shared_of_generic;
    if (v_[from].op == inverse) return v_[from].a;
    return op(is_to ? ValueOp::shared_of_generic : ValueOp::generic_of_shared, from, no_value, 64);
  }

  // cvt.to.from
  ValueId converted() {
    const OperandType from = type_, to = parts_.count >= 2 ? operand_type(parts_.all[parts_.count - 2]) : OperandType{};
    if (!from.is_integer() || !to.is_integer() || parts_.has("sat") || parts_.has("pack")) return no_value;
    const ValueId value = use(1, from.bits);
    if (value == no_value) return no_value;
    const bool extends = from.kind == 's' && to.bits > from.bits;
    const ValueId result = extends ? sign_extended(value, from.bits, to.bits) : cut(value, to.bits);
    // A register that is wider than the type holds the value extended by the sign of the type.
    const int register_bits = bits_of(operands_[0]);
    return register_bits > to.bits && to.kind == 's' ? sign_extended(result, to.bits, register_bits) : result;
  }

  // p, or p|q, in which q is not p.
  ValueId set_predicate() {
    const ValueId holds = compared();
    if (!has_list() || holds == no_value) return holds;
    if (parts_.count > 3) return no_value;  // with a third condition q is another one
    results_[1] = inverted(holds, 1);
    return holds;
  }

  // setp.le.s32; setp.le.and.s32, which joins the result with a third operand.
  ValueId compared() {
    if (!type_.is_integer() || type_.bits > 64 || parts_.count < 3) return no_value;
    const auto comparison = std::ranges::find(comparisons, parts_.all[1], &Comparison::name);
    ValueId a = use(1, type_.bits), b = use(2, type_.bits);
    if (a == no_value || b == no_value || comparison == std::end(comparisons)) return no_value;
    const bool is_signed_less = comparison->op == ValueOp::less && is_signed() && !comparison->is_unsigned;
    if (comparison->is_exchanged) std::swap(a, b);
    ValueId holds = test(is_signed_less ? ValueOp::less_signed : comparison->op, a, b, type_.bits);
    if (comparison->is_inverted) holds = inverted(holds, 1);
    if (parts_.count == 3) return holds;
    const ValueId third = use(3, 1);
    const auto join = std::ranges::find(bit_operations, parts_.all[2], &BitOperation::name);
    if (third == no_value || join == std::end(bit_operations)) return no_value;
    return op(join->op, holds, third, 1);
  }

  ValueId selected_operand() {
    const ValueId a = use(1, bits_), b = use(2, bits_), p = use(3, 1);
    return a == no_value || b == no_value || p == no_value ? no_value : selected(p, a, b, bits_);
  }

  // ---- arithmetic

  ValueId difference() { return op(ValueOp::add, a_, negated(b_, bits_), bits_); }
  ValueId inverse() { return inverted(a_, bits_); }
  ValueId is_zero() { return op(ValueOp::equal, a_, constant(0, bits_), bits_, static_cast<std::uint64_t>(bits_)); }
  ValueId negative() { return negated(a_, bits_); }
  ValueId absolute() {
    const ValueId is_negative = test(ValueOp::less_signed, a_, constant(0, bits_), bits_);
    return selected(is_negative, negated(a_, bits_), a_, bits_);
  }
  ValueId counted_ones() { return op(ValueOp::count_ones, a_, no_value, 32); }
  ValueId counted_leading_zeros() {
    return op(ValueOp::count_leading_zeros, a_, no_value, 32, static_cast<std::uint64_t>(bits_));
  }

  ValueId is_less() { return test(is_signed() ? ValueOp::less_signed : ValueOp::less, a_, b_, bits_); }
  ValueId minimum() { return selected(is_less(), a_, b_, bits_); }
  ValueId maximum() { return selected(is_less(), b_, a_, bits_); }

  ValueId shifted(ValueOp operation) {
    const ValueId by = use(2, 32);
    return by == no_value ? no_value : op(operation, a_, by, bits_);
  }
  ValueId shifted_left() { return shifted(ValueOp::shift_left); }
  ValueId shifted_right() { return shifted(is_signed() ? ValueOp::shift_right_signed : ValueOp::shift_right); }

  // The power of two by which an unsigned number is divided.
  std::optional<std::uint64_t> divisor_power() const {
    const auto divisor = is_signed() ? std::nullopt : number_of(b_);
    return divisor && std::has_single_bit(*divisor) ? divisor : std::nullopt;
  }
  ValueId quotient() {
    if (const auto power = divisor_power())
      return op(ValueOp::shift_right, a_, constant(static_cast<std::uint64_t>(std::countr_zero(*power)), 32), bits_);
    return op(is_signed() ? ValueOp::divide_signed : ValueOp::divide, a_, b_, bits_);
  }
  ValueId remainder() {
    if (const auto power = divisor_power()) return op(ValueOp::bit_and, a_, constant(*power - 1, bits_), bits_);
    return op(is_signed() ? ValueOp::remainder_signed : ValueOp::remainder, a_, b_, bits_);
  }

  struct Product {
    ValueId value = no_value;
    int bits = 0;
  };
  // The product of the low `from` bits of both operands, in twice the bits of the type.
  ValueId whole_product(int from) {
    const auto factor = [&](ValueId id) { return is_signed() ? sign_extended(id, from, 2 * bits_) : cut(id, from); };
    return op(ValueOp::multiply, factor(a_), factor(b_), 2 * bits_);
  }
  ValueId high_part(ValueId product, int from) {
    return cut(op(ValueOp::shift_right, product, constant(static_cast<std::uint64_t>(from), 32), 2 * bits_), bits_);
  }
  Product product() {
    if (parts_.has("lo")) return {op(ValueOp::multiply, a_, b_, bits_), bits_};
    if (bits_ > 32) return {};  // the high half of 64 x 64
    const ValueId whole = whole_product(bits_);
    return parts_.has("wide") ? Product{whole, 2 * bits_} : Product{high_part(whole, bits_), bits_};
  }
  // mul24 multiplies 24 bits by 24: lo is bits 0 to 31 of the product, hi bits 16 to 47.
  Product product_24() {
    if (bits_ > 32) return {};
    const ValueId whole = whole_product(24);
    return {parts_.has("lo") ? cut(whole, bits_) : high_part(whole, 16), bits_};
  }
  ValueId plus_third(const Product& product) {
    const ValueId third = product.value == no_value ? no_value : use(3, product.bits);
    return third == no_value ? no_value : op(ValueOp::add, product.value, third, product.bits);
  }
  ValueId multiplied() { return product().value; }
  ValueId multiplied_24() { return product_24().value; }
  ValueId multiplied_added() { return plus_third(product()); }
  ValueId multiplied_24_added() { return plus_third(product_24()); }

  // ---- bits

  // shf.l: the high half of b:a shifted to the left; shf.r: the low half of b:a shifted to the right.
  ValueId funnel_shifted() {
    const ValueId a = use(1, 32), b = use(2, 32), by = use(3, 32);
    if (a == no_value || b == no_value || by == no_value) return no_value;
    ValueId shift = op(ValueOp::bit_and, by, constant(31, 32), 32);
    if (parts_.has("clamp")) {
      const auto number = number_of(by);
      if (!number) return no_value;
      shift = constant(std::min<std::uint64_t>(*number, 32), 32);
    }
    const ValueId thirty_two = constant(32, 32);
    const ValueId both = op(ValueOp::bit_or, a, op(ValueOp::shift_left, b, thirty_two, 64), 64);
    if (parts_.has("r")) return cut(op(ValueOp::shift_right, both, shift, 64), 32);
    return cut(op(ValueOp::shift_right, op(ValueOp::shift_left, both, shift, 64), thirty_two, 64), 32);
  }

  struct Field {
    int position = 0, length = 0;
  };
  // The two operands are read as 8 bits. nullopt: not constant.
  std::optional<Field> field_at(std::uint32_t operand) const {
    const auto position = number_of(use(operand, 32)), length = number_of(use(operand + 1, 32));
    if (!position || !length) return std::nullopt;
    return Field{static_cast<int>(*position & 255), static_cast<int>(*length & 255)};
  }

  ValueId extracted_field() {
    const auto field = field_at(2);
    if (!field) return no_value;
    if (field->length == 0) return constant(0, bits_);
    const ValueId shift = constant(static_cast<std::uint64_t>(field->position), 32);
    if (!is_signed()) {
      const ValueId moved = op(ValueOp::shift_right, a_, shift, bits_);
      return op(ValueOp::bit_and, moved, constant(low_mask(field->length), bits_), bits_);
    }
    // The sign is the last bit of the field, or of the register if the field goes beyond it.
    const ValueId moved = op(ValueOp::shift_right_signed, a_, shift, bits_);
    return field->length >= bits_ ? moved : sign_extended(moved, field->length, bits_);
  }

  ValueId inserted_field() {
    const auto field = field_at(3);
    if (!field) return no_value;
    if (field->length == 0 || field->position >= bits_) return b_;
    const ValueId shift = constant(static_cast<std::uint64_t>(field->position), 32);
    const std::uint64_t mask = (low_mask(field->length) << field->position) & low_mask(bits_);
    const ValueId moved = op(ValueOp::bit_and, op(ValueOp::shift_left, a_, shift, bits_), constant(mask, bits_), bits_);
    return op(ValueOp::bit_or, op(ValueOp::bit_and, b_, constant(~mask, bits_), bits_), moved, bits_);
  }

  ValueId permuted_bytes() {
    const auto selector = number_of(use(3, 32));
    return selector ? op(ValueOp::bytes, a_, b_, 32, *selector & 0xffff) : no_value;
  }

  // lop3: many tables are two operations, the first on two operands, the second on its result and the third operand.
  ValueId logic_table() {
    const std::array<ValueId, 3> operands = {use(1, 32), use(2, 32), use(3, 32)};
    const auto given = number_of(use(4, 32));
    if (!given || std::ranges::find(operands, no_value) != operands.end()) return no_value;
    const std::uint64_t table = *given & 255;
    constexpr std::array<std::uint64_t, 3> column = {0xf0, 0xcc, 0xaa};  // each operand as a table
    using Order = std::array<std::size_t, 3>;
    for (const auto& [i, j, k] : {Order{0, 1, 2}, Order{0, 2, 1}, Order{1, 2, 0}}) {
      for (const BitOperation& inner : bit_operations) {
        const std::uint64_t both = apply(inner.op, column[i], column[j]);
        if (both == table) return op(inner.op, operands[i], operands[j], 32);
        for (const BitOperation& outer : bit_operations)
          if (apply(outer.op, both, column[k]) == table)
            return op(outer.op, op(inner.op, operands[i], operands[j], 32), operands[k], 32);
      }
      if ((column[i] & ~column[j] & 255) == table)  // x & ~y
        return op(ValueOp::bit_and, operands[i], inverted(operands[j], 32), 32);
    }
    return v_.make(
        {.op = ValueOp::any_bits, .bits = 32, .a = operands[0], .b = operands[1], .c = operands[2], .number = table});
  }

  PtxValueBuilder& builder_;
  std::uint32_t index_;
  const PtxInstruction& instruction_;
  OpcodeParts parts_;
  OperandType type_;
  std::span<const PtxOperand> operands_;
  std::span<ValueId> results_;
  // From Form::integer, unary and binary on.
  int bits_ = 0;
  ValueId a_ = no_value, b_ = no_value;
};

const OperationReader::Row* OperationReader::find_row(std::string_view name) {
  using Reader = OperationReader;
  static constexpr Row rows[] = {
      {"abs", Form::unary, &Reader::absolute},
      {"activemask", Form::single, &Reader::shared_by_warp},
      {"add", Form::binary, &Reader::binary<ValueOp::add>},
      {"and", Form::binary, &Reader::binary<ValueOp::bit_and>},
      {"bar", Form::single, &Reader::shared_by_barrier},
      {"barrier", Form::single, &Reader::shared_by_barrier},
      {"bfe", Form::unary, &Reader::extracted_field},
      {"bfi", Form::binary, &Reader::inserted_field},
      {"brev", Form::unary, &Reader::unary<ValueOp::reverse_bits>},
      {"clz", Form::unary, &Reader::counted_leading_zeros},
      {"cnot", Form::unary, &Reader::is_zero},
      {"cvt", Form::single, &Reader::converted},
      {"cvta", Form::single, &Reader::converted_address},
      {"div", Form::binary, &Reader::quotient},
      {"ld", Form::list, &Reader::loaded},
      {"ldu", Form::list, &Reader::loaded},
      {"lop3", Form::integer, &Reader::logic_table},
      {"mad", Form::binary, &Reader::multiplied_added},
      {"mad24", Form::binary, &Reader::multiplied_24_added},
      {"max", Form::binary, &Reader::maximum},
      {"min", Form::binary, &Reader::minimum},
      {"mov", Form::list, &Reader::moved},
      {"mul", Form::binary, &Reader::multiplied},
      {"mul24", Form::binary, &Reader::multiplied_24},
      {"neg", Form::unary, &Reader::negative},
      {"not", Form::unary, &Reader::inverse},
      {"or", Form::binary, &Reader::binary<ValueOp::bit_or>},
      {"popc", Form::unary, &Reader::counted_ones},
      {"prmt", Form::binary, &Reader::permuted_bytes},
      {"redux", Form::single, &Reader::shared_by_members},
      {"rem", Form::binary, &Reader::remainder},
      {"sass_uniform", Form::list, &Reader::shared_by_warp},
      {"selp", Form::integer, &Reader::selected_operand},
      {"setp", Form::list, &Reader::set_predicate},
      {"shf", Form::integer, &Reader::funnel_shifted},
      {"shfl", Form::list, &Reader::shuffled},
      {"shl", Form::unary, &Reader::shifted_left},
      {"shr", Form::unary, &Reader::shifted_right},
      {"sub", Form::binary, &Reader::difference},
      {"vote", Form::single, &Reader::shared_by_members},
      {"xor", Form::binary, &Reader::binary<ValueOp::bit_xor>},
  };
  static_assert(std::ranges::is_sorted(rows, {}, &Row::name));
  const auto row = std::ranges::lower_bound(rows, name, {}, &Row::name);
  return row != std::end(rows) && row->name == name ? row : nullptr;
}

}  // namespace

void PtxValueBuilder::read_results(std::uint32_t index, std::span<ValueId> results) {
  if (const auto* row = OperationReader::find_row(instruction(index).name()))
    OperationReader(*this, v_, index, results).read(*row);
}

}  // namespace swz
