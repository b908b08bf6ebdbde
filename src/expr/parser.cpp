#include "expr/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "expr/functions.hpp"

namespace swz {
namespace {

bool is_number(const Value& v) {
  const auto* t = std::get_if<IntTuple>(&v);
  return t != nullptr && t->is_int();
}

}  // namespace

Evaluation Parser::whole() {
  Value value = expression();
  if (!scanner_.at_end())
    throw Error(fmt::format("expected the end of the expression, {}", scanner_.found()), hint_for_rest(),
                scanner_.here());
  return {std::move(value), std::move(notes_)};
}

std::string Parser::hint_for_rest() {
  const char c = scanner_.peek();
  if (c == '>') return "there is no '<' before it";
  if (c == '@') return "basis strides (1@0) of coordinate tensors are not supported";
  if (c == '(' || c == '_' || (c >= '0' && c <= '9')) return "join layouts with ' o ', and tuple elements with ','";
  return "functions, layouts and ' o ' make an expression; see swz help layout";
}

void Parser::deeper() {
  placed(scanner_.here().begin, [&] { require_within(limits::expression_nesting, ++nesting_); });
}

void Parser::count_operation() {
  placed(scanner_.here().begin, [&] { require_within(limits::expression_operations, ++operations_); });
}

void Parser::count_number() {
  placed(scanner_.here().begin, [&] { require_within(limits::expression_numbers, ++numbers_); });
}

// expression = postfix { "o" postfix }, composed from the right
Value Parser::expression() {
  std::vector<Operand> operands;
  do operands.push_back(operand());
  while (scanner_.accept_word("o") || scanner_.accept_symbol("∘") || joins_old_pointer());

  const Operand& last = operands.back();
  if (std::holds_alternative<Pointer>(last.what))
    throw Error("a smem_ptr must be followed by a layout", "for example smem_ptr[16b](unset) o (8,64):(64,1)",
                scanner_.since(last.begin));
  if (operands.size() > 1 && last.called)
    throw Error("the coordinate belongs to the last layout alone, not to the composition",
                "write (A o B)(7,25), or A o (B(7,25)) if that is meant", scanner_.since(last.begin));
  Value result = std::get<Value>(last.what);
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    count_operation();
    result =
        placed(operands[i].begin, [&] { return apply(operands[i], i > 0 ? &operands[i - 1] : nullptr, result); });
  }
  return result;
}

Parser::Operand Parser::operand() {
  const std::size_t begin = scanner_.here().begin;
  if (const auto p = pointer()) return {*p, begin};
  bool called = false;
  Value value = postfix(called);
  return {std::move(value), begin, called};
}

// left o right. A pointer with an address must fit the swizzle that stands before it.
Value Parser::apply(const Operand& left, const Operand* before_left, const Value& right) {
  const auto* p = std::get_if<Pointer>(&left.what);
  if (!p) return compose(std::get<Value>(left.what), right);
  const auto* value = before_left ? std::get_if<Value>(&before_left->what) : nullptr;
  const auto* s = value ? std::get_if<Swizzle>(value) : nullptr;
  if (s && p->address % s->period() != 0)
    throw Error(fmt::format("the pointer 0x{:x} is not a multiple of {}, the period of {} in bytes", p->address,
                            s->period(), to_string(*s)),
                "the XOR acts on absolute addresses, so this tile starts inside a pattern; write (unset) for an "
                "aligned one");
  return ComposedLayout::smem_ptr(Swizzle(), static_cast<int>(p->element_bits), as_layout(right));
}

Value Parser::postfix(bool& called) {
  const std::size_t begin = scanner_.here().begin;
  Value value = primary();
  while (scanner_.peek() == '(' && !is_number(value)) {
    scanner_.accept('(');
    const std::vector<Value> arguments = list();
    value = placed(begin, [&] { return call(value, arguments); });
    called = true;
  }
  return value;
}

// A layout at a coordinate, a slice, or a swizzle at a number.
Value Parser::call(const Value& callee, const std::vector<Value>& arguments) {
  if (const auto* s = std::get_if<Swizzle>(&callee)) {
    if (arguments.size() != 1) throw Error(fmt::format("{} takes one number", to_string(*s)));
    const std::int64_t x = as_int(arguments[0]);
    if (x < 0) throw Error(fmt::format("{} of the negative number {}", to_string(*s), x), "offsets start at 0");
    return IntTuple((*s)(x));
  }
  if (arguments.empty()) throw Error("a call without a coordinate", "for example L(7,25), L(3) or L(_,3)");
  std::vector<IntTuple> coordinates;
  for (const Value& v : arguments) {
    const auto* t = std::get_if<IntTuple>(&v);
    if (!t) throw Error(fmt::format("expected a coordinate, got {}", describe(v)), "for example L(7,25) or L(_,3)");
    coordinates.push_back(*t);
  }
  const IntTuple coordinate = coordinates.size() == 1 ? coordinates[0] : IntTuple(coordinates);
  const ComposedLayout l = as_composed(callee);
  if (!has_underscore(coordinate)) return IntTuple(offset_at(l, coordinate));
  if (!l.is_layout()) return slice(l, coordinate);
  Slice s = slice(l.layout(), coordinate);
  if (s.offset != 0)
    notes_.push_back(
        fmt::format("the slice at {} starts at offset {}; as in CuTe the layout does not hold it, it is "
                    "added to the pointer",
                    to_string(coordinate), s.offset));
  return ComposedLayout(std::move(s.layout));
}

Value Parser::primary() {
  const std::size_t begin = scanner_.here().begin;
  if (scanner_.peek() == '<') return tiler();
  if (scanner_.peek() == '_' && !(scanner_.peek(1) >= '0' && scanner_.peek(1) <= '9')) {
    scanner_.accept('_');
    return IntTuple::underscore();
  }
  if (const auto n = scanner_.integer()) {
    count_number();
    return maybe_layout(IntTuple(*n), begin);
  }
  if (scanner_.accept('(')) return maybe_layout(parenthesis(begin), begin);
  if (const std::string_view name = scanner_.identifier(); !name.empty()) return named(name, begin);
  if (scanner_.peek() == '?')
    throw Error("'?' is an unknown extent", "give every extent and stride a number", scanner_.here());
  throw Error(fmt::format("expected a layout, a number, a tuple or a function, {}", scanner_.found()),
              "for example (8,64):(64,1) or right_inverse((8,4):(4,1))", scanner_.here());
}

// The inside of ( … ): a tuple, a tiler of layouts, or one expression.
Value Parser::parenthesis(std::size_t begin) {
  std::vector<Value> items = list();
  if (items.empty()) throw Error("an empty tuple", "give at least one number", scanner_.since(begin));
  if (std::ranges::all_of(items, [](const Value& v) { return std::holds_alternative<IntTuple>(v); })) {
    std::vector<IntTuple> children;
    for (const Value& v : items) children.push_back(std::get<IntTuple>(v));
    return IntTuple(std::move(children));
  }
  if (items.size() == 1) return items[0];
  std::vector<Tiler> modes;
  for (const Value& v : items) modes.push_back(placed(begin, [&] { return as_tiler(v); }));
  return Tiler(std::move(modes));
}

// shape:stride when a ':' follows, else what stands there.
Value Parser::maybe_layout(Value shape, std::size_t begin) {
  if (!scanner_.accept(':')) return shape;
  const std::size_t stride_begin = scanner_.here().begin;
  Value stride;
  if (const auto n = scanner_.integer()) {
    count_number();
    stride = IntTuple(*n);
  } else if (scanner_.accept('(')) stride = parenthesis(stride_begin);
  else
    throw Error(fmt::format("expected a stride after ':', {}", scanner_.found()), "for example (8,64):(64,1)",
                scanner_.here());
  if (scanner_.peek() == '@')
    throw Error("basis strides (1@0) of coordinate tensors are not supported", "give plain numbers",
                scanner_.here());
  return placed(begin, [&]() -> Value {
    const IntTuple extents = as_tuple(shape);
    return ComposedLayout(Layout(extents, as_tuple(stride)));
  });
}

// <4:1, 8:2>, also nested and with _
Value Parser::tiler() {
  const std::size_t begin = scanner_.here().begin;
  scanner_.expect('<', "to open a tiler");
  deeper();
  std::vector<Tiler> modes;
  do {
    const Value v = expression();
    modes.push_back(placed(begin, [&] { return as_tiler(v); }));
  } while (scanner_.accept(','));
  scanner_.expect('>', "to close the tiler");
  --nesting_;
  return Tiler(std::move(modes));
}

// Arguments or tuple elements up to the ')' of a '(' that was read.
std::vector<Value> Parser::list() {
  std::vector<Value> items;
  if (scanner_.accept(')')) return items;
  deeper();
  do {
    if (scanner_.peek() == ')' && !items.empty()) break;  // (8,) as Python prints it
    items.push_back(expression());
  } while (scanner_.accept(','));
  --nesting_;
  if (!scanner_.accept(')'))
    throw Error(fmt::format("expected ',' or ')', {}", scanner_.found()), hint_for_rest(), scanner_.here());
  return items;
}

}  // namespace swz
