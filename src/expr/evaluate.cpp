// SPDX-License-Identifier: Apache-2.0
// The expression: operands, calls, tuples, tilers. See parser.hpp.
#include "expr/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/dtype.hpp"
#include "base/text.hpp"
#include "expr/parser.hpp"
#include "expr/tensor_memory.hpp"

namespace swz {
namespace {

bool is_number(const Value& v) {
  const auto* t = std::get_if<IntTuple>(&v);
  return t != nullptr && t->is_int();
}

// Checked first, because an unclosed '(' makes any later error misleading.
void require_balanced(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') open.push_back(i);
    if (text[i] != ')') continue;
    if (open.empty()) throw Error("this ')' closes nothing", "remove it, or add the '(' it belongs to", {i, i + 1});
    open.pop_back();
  }
  if (!open.empty())
    throw Error(open.size() == 1 ? "this '(' is not closed"
                                 : fmt::format("{} '(' are not closed; this is the last", open.size()),
                "add the missing ')'", {open.back(), open.back() + 1});
}

}  // namespace

Evaluation Parser::whole() {
  skip_label();
  Value value = expression();
  scanner_.accept(';');
  if (!scanner_.at_end())
    throw Error(fmt::format("expected the end of the expression, {}", scanner_.found()), hint_for_rest(),
                scanner_.here());
  return {std::move(value), std::move(notes_), smem_address_};
}

// expression = postfix { "o" postfix }, composed from the right
Value Parser::expression() {
  std::vector<Operand> operands;
  do operands.push_back(operand());
  while (scanner_.accept_word("o") || scanner_.accept("∘") || joins_old_pointer());

  const Operand& last = operands.back();
  if (std::holds_alternative<Pointer>(last.what))
    throw Error("a pointer must be followed by a layout", "for example smem_ptr[16b](unset) o (8,64):(64,1)",
                scanner_.since(last.begin));
  if (operands.size() > 1 && last.called)
    throw Error("the coordinate belongs only to the last layout, not to the composition",
                "write (A o B)(7,25), or A o (B(7,25)) if that is meant", scanner_.since(last.begin));
  Value result = std::get<Value>(last.what);
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    grow(limits::expression_operations, operations_);
    result = placed(operands[i].begin, [&] { return apply(operands[i], i > 0 ? &operands[i - 1] : nullptr, result); });
  }
  return result;
}

// Reads a pointer or a postfix.
Parser::Operand Parser::operand() {
  const std::size_t begin = scanner_.here().begin;
  if (auto p = pointer()) return {std::move(*p), begin};
  if (const std::string_view name = scanner_.next_name(); name == "tensor" || name == "Tensor") {
    scanner_.identifier();
    return {tensor(begin), begin};
  }
  Value value = primary();
  skip_braces();
  bool called = false;
  while (scanner_.peek() == '(' && !is_number(value)) {
    scanner_.accept('(');
    const std::vector<Value> arguments = list(')');
    std::vector<Value> all{value};
    all.insert(all.end(), arguments.begin(), arguments.end());
    value = placed(begin, [&] { return recorded("at", std::move(all), [&] { return call(value, arguments); }); });
    called = true;
  }
  return {std::move(value), begin, called};
}

// left o right. The address of a pointer must fit the swizzle before it.
Value Parser::apply(const Operand& left, const Operand* before_left, const Value& right) {
  const auto* p = std::get_if<Pointer>(&left.what);
  if (!p) {
    const Value& value = std::get<Value>(left.what);
    if (const auto* origin = std::get_if<IntTuple>(&value); origin && std::holds_alternative<BasisLayout>(right))
      add_origin(*origin);
    return recorded("composition", {value, right}, [&] { return compose(value, right); });
  }
  const auto* value = before_left ? std::get_if<Value>(&before_left->what) : nullptr;
  return apply_pointer(*p, value ? std::get_if<Swizzle>(value) : nullptr, right);
}

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
  if (const auto* b = std::get_if<BasisLayout>(&callee)) return call_basis(*b, coordinate);
  const ComposedLayout l = as_composed(callee);
  if (!has_underscore(coordinate)) return IntTuple(offset_at(l, coordinate));
  if (!l.is_layout()) return slice(l, coordinate);
  Slice s = slice(l.layout(), coordinate);
  if (s.offset != 0)
    notes_.push_back(note("slice-offset", fmt::format("the slice at {} starts at offset {}; as in CuTe the layout "
                                                      "does not hold it, it is added to the pointer",
                                                      to_string(coordinate), s.offset)));
  return ComposedLayout(std::move(s.layout));
}

Value Parser::primary() {
  const std::size_t begin = scanner_.here().begin;
  if (scanner_.peek() == '<') return tiler();
  if (scanner_.next_is("cute::_")) scanner_.accept("cute::");  // cute::_8, cute::_
  if (scanner_.peek() == '_' && !(scanner_.peek(1) >= '0' && scanner_.peek(1) <= '9')) {
    scanner_.accept('_');
    return IntTuple::underscore();
  }
  if (const auto n = scanner_.integer()) {
    grow(limits::expression_numbers, numbers_);
    return scanner_.peek() == '@' ? Value(basis_element(*n)) : maybe_layout(IntTuple(*n), begin);
  }
  if (scanner_.accept('(')) return maybe_layout(parenthesis(')', begin), begin);
  if (scanner_.accept('[')) return maybe_layout(parenthesis(']', begin), begin);
  if (auto layout = smem_layout_call()) return std::move(*layout);
  if (const std::string_view name = scanner_.identifier(); !name.empty()) return named(name, begin);
  if (scanner_.peek() == '?')
    throw Error("'?' is an unknown extent", "give every extent and stride a number", scanner_.here());
  throw Error(fmt::format("expected a layout, a number, a tuple or a function, {}", scanner_.found()),
              "for example (8,64):(64,1) or right_inverse((8,4):(4,1))", scanner_.here());
}

// Reads the inside of ( … ), or of [ … ] as Python prints a list.
Value Parser::parenthesis(char close, std::size_t begin) {
  std::vector<Value> items = list(close);
  if (items.size() == 1 && !std::holds_alternative<IntTuple>(items[0])) return items[0];
  return tuple_of_values(std::move(items), begin);
}

// Makes a tuple of numbers and tuples, or a tiler of layouts.
Value Parser::tuple_of_values(std::vector<Value> items, std::size_t begin) {
  if (items.empty()) throw Error("an empty tuple", "give at least one number", scanner_.since(begin));
  if (std::ranges::all_of(items, [](const Value& v) { return std::holds_alternative<IntTuple>(v); })) {
    std::vector<IntTuple> children;
    for (const Value& v : items) children.push_back(std::get<IntTuple>(v));
    return IntTuple(std::move(children));
  }
  std::vector<Tiler> modes;
  for (const Value& v : items) modes.push_back(placed(begin, [&] { return as_tiler(v); }));
  return Tiler(std::move(modes));
}

// Reads shape:stride if a ':' follows; otherwise returns the shape unchanged.
Value Parser::maybe_layout(Value shape, std::size_t begin) {
  if (!scanner_.accept(':')) return shape;
  const std::size_t stride_begin = scanner_.here().begin;
  Value stride;
  if (const auto n = scanner_.integer()) {
    grow(limits::expression_numbers, numbers_);
    stride = scanner_.peek() == '@' ? basis_element(*n) : IntTuple(*n);
  } else if (scanner_.accept('(')) stride = parenthesis(')', stride_begin);
  else if (scanner_.accept('[')) stride = parenthesis(']', stride_begin);
  else
    throw Error(fmt::format("expected a stride after ':', {}", scanner_.found()), "for example (8,64):(64,1)",
                scanner_.here());
  return placed(begin, [&]() -> Value {
    const IntTuple extents = as_tuple(shape);
    const auto* strides = std::get_if<IntTuple>(&stride);
    return layout_of(extents, strides && has_basis(*strides) ? *strides : as_tuple(stride));
  });
}

// Reads <4:1, 8:2>, also nested and with _.
Value Parser::tiler() {
  const std::size_t begin = scanner_.here().begin;
  scanner_.expect('<', "to open a tiler");
  grow(limits::expression_nesting, nesting_);
  std::vector<Tiler> modes;
  do {
    const Value v = expression();
    modes.push_back(placed(begin, [&] { return as_tiler(v); }));
  } while (scanner_.accept(','));
  scanner_.expect('>', "to close the tiler");
  --nesting_;
  return Tiler(std::move(modes));
}

// Reads arguments or tuple elements up to the `close` of a bracket that has been read.
std::vector<Value> Parser::list(char close) {
  std::vector<Value> items;
  if (scanner_.accept(close)) return items;
  grow(limits::expression_nesting, nesting_);
  do {
    if (scanner_.peek() == close && !items.empty()) break;  // (8,) as Python prints it
    items.push_back(expression());
  } while (scanner_.accept(','));
  --nesting_;
  if (!scanner_.accept(close))
    throw Error(fmt::format("expected ',' or '{}', {}", close, scanner_.found()), hint_for_rest(), scanner_.here());
  return items;
}

Value Parser::named(std::string_view name, std::size_t begin) {
  // Python's cute.make_layout, cutlass.cute.make_layout
  while ((name == "cute" || name == "cutlass" || name == "utils") && scanner_.accept('.')) name = scanner_.identifier();
  const std::string_view local = local_name(name);
  if (local == "Sw" || local == "S" || local == "Swizzle") return swizzle(begin);
  if (const Function* f = find_function(local)) return call_named(*f, begin);
  if (name == "tcgen05") {
    const std::string whole = std::string(name).append(scanner_.suffixes());
    add_notes(tensor_memory_notes(name, {}));
    return placed(begin, [&]() -> Value { return ComposedLayout(instruction_layout(whole)); });
  }
  if (auto type = cute_type(local, begin)) return std::move(*type);
  const std::vector<NamedAtom> atoms = named_atoms();
  if (const NamedAtom* a = find_atom(atoms, name)) return named_atom(*a, begin);
  std::vector<std::string> known = function_names();
  for (const NamedAtom& a : atoms) known.push_back(a.name);
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = "see swz layout --functions for the names an expression can use";
  throw Error(fmt::format("unknown name {}", quoted(name)), hint, {begin, begin + name.size()});
}

// Calls f with the arguments after its name, complement(4:2, 24). make_composed_layout may have a pointer as its
// offset.
Value Parser::call_named(const Function& f, std::size_t begin) {
  scanner_.expect('(', fmt::format("after {}", f.name()));
  grow(limits::expression_operations, operations_);
  if (f.name() == "make_composed_layout") return composed_type(')', begin);
  const std::vector<Value> arguments = call_arguments(f);
  Value result = placed(begin, [&] {
    require_count(f, arguments.size());
    return recorded(f.name(), arguments, [&] { return f.call(arguments); });
  });
  add_notes(function_notes(f.name(), arguments));
  return result;
}

// Reads K_SW128<bf16>, after its name.
Value Parser::named_atom(const NamedAtom& a, std::size_t begin) {
  scanner_.expect('<', fmt::format("and an element type after {}", a.name));
  const std::size_t type_begin = scanner_.here().begin;
  const std::string type(scanner_.type_name());
  const DType* dtype = placed(type_begin, [&] { return &require_dtype(type); });
  scanner_.expect('>', "after the element type");
  return placed(begin, [&]() -> Value { return atom(a.major, *a.mode, *dtype); });
}

// Reads Sw<3,4,3>, after its name.
Value Parser::swizzle(std::size_t begin) {
  scanner_.expect('<', "after the name of a swizzle");
  int parameters[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (i > 0) scanner_.expect(',', "between the parameters of a swizzle");
    const auto n = scanner_.integer();
    if (!n || *n < -62 || *n > 62)
      throw Error(
          fmt::format("expected a small number in a swizzle, {}", n ? fmt::format("got {}", *n) : scanner_.found()),
          "write Sw<3,4,3>: bits, base, shift", scanner_.since(begin));
    parameters[i] = static_cast<int>(*n);
  }
  scanner_.expect('>', "to close the swizzle");
  return placed(begin, [&]() -> Value { return Swizzle(parameters[0], parameters[1], parameters[2]); });
}

void Parser::add_notes(const std::vector<Finding>& notes) {
  for (const Finding& n : notes)
    if (std::ranges::find(notes_, n.message, &Finding::message) == notes_.end()) notes_.push_back(n);
}

std::string Parser::hint_for_rest() {
  const char c = scanner_.peek();
  if (c == '>') return "there is no '<' before it";
  if (c == '@') return "a basis element is a number and a mode: 1@0";
  if (c == '(' || c == '_' || (c >= '0' && c <= '9')) return "join layouts with ' o ', and tuple elements with ','";
  return "functions, layouts and ' o ' make an expression; see swz help layout";
}

Evaluation evaluate(std::string_view text, std::vector<RecordedCall>* operations) {
  require_within(limits::expression_bytes, static_cast<std::int64_t>(text.size()));
  try {
    require_balanced(text);
    return Parser(text, operations).whole();
  } catch (const Error& e) {
    throw e.in_text(text);
  }
}

ComposedLayout parse_layout(std::string_view text) { return parse_placed_layout(text).layout; }

PlacedLayout parse_placed_layout(std::string_view text) {
  const Evaluation e = evaluate(text);
  try {
    return {as_composed(e.value), e.smem_address};
  } catch (const Error& error) {
    throw error.at({0, text.size()}).in_text(text);
  }
}

}  // namespace swz
