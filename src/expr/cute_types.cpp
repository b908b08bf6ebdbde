// SPDX-License-Identifier: Apache-2.0
// The types and calls in which CuTe's layouts are written in C++ and Python.
//
//   cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > >     (8,64):(64,1)
//   Layout<Shape<_8,_64>, LayoutRight>{}                                                            (8,64):(64,1)
//   ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>    K_SW128<f16>
//   cute.make_layout((8, 64), stride=(64, 1))                                                       (8,64):(64,1)
//
// A type whose numbers are known at compile time is a value here; {} or () after it changes nothing. An extent that is
// known only at run time (Shape<int,_64>) is refused, as '?' is. LayoutLeft and LayoutRight represent the strides, or
// the order, of the shape before them.
//
// A keyword names the argument with this name in the signature of the function: stride= for
// "make_layout(shape [, stride])".
//
// Source: cute/layout.hpp, cute/numeric/integral_constant.hpp; cutlass/cute/core.py of CuTe DSL.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "expr/parser.hpp"

namespace swz {
namespace {

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 7> tuple_types = {"tuple", "Shape", "Stride",  "Step",
                                                         "Coord", "Tile",  "IntTuple"};
constexpr std::array<std::string_view, 4> constant_types = {"C", "Int", "integral_constant", "constant"};
constexpr std::array<std::string_view, 10> run_time_types = {"int",     "unsigned", "long",     "short",    "size_t",
                                                             "int32_t", "int64_t",  "uint32_t", "uint64_t", "auto"};
constexpr std::array<std::string_view, 2> left_names = {"LayoutLeft", "GenColMajor"};
constexpr std::array<std::string_view, 2> right_names = {"LayoutRight", "GenRowMajor"};

// The order with the last mode fastest: 2, 1, 0 for a tuple of three, at every level.
IntTuple row_major_order(const IntTuple& shape, std::int64_t& next) {
  if (!shape.is_tuple()) return next--;
  std::vector<IntTuple> children;
  for (const IntTuple& child : shape.children()) children.push_back(row_major_order(child, next));
  return children;
}

// The place of the argument `keyword`; none if the function has no argument of this name.
std::optional<std::size_t> argument_place(std::string_view signature, std::string_view keyword) {
  const std::size_t open = signature.find('(');
  signature = signature.substr(open + 1, signature.find(')') - open - 1);
  std::size_t place = 0;
  for (const std::string& part : split(signature, ',')) {
    const std::size_t begin = part.find_first_not_of(" [");
    if (begin != std::string::npos && part.substr(begin, part.find_last_not_of(" []") - begin + 1) == keyword)
      return place;
    ++place;
  }
  return std::nullopt;
}

}  // namespace

std::string_view local_name(std::string_view name) {
  for (const std::string_view space : {"cutlass::", "cute::", "std::", "__1::", "__cxx11::"})
    if (name.starts_with(space)) name.remove_prefix(space.size());
  return name;
}

std::optional<Value> Parser::cute_type(std::string_view name, std::size_t begin) {
  if (one_of(run_time_types, name))
    throw Error(fmt::format("'{}' is an unknown extent", name), "give every extent and stride a number",
                scanner_.since(begin));
  if (one_of(left_names, name) || one_of(right_names, name))
    throw Error(fmt::format("{} stands where no shape is before it", name),
                "for example make_layout((8,64), LayoutRight)", scanner_.since(begin));
  if (name == "Underscore" || name == "X") return IntTuple::underscore();
  if (name == "ArithTuple" && scanner_.accept('(')) return parenthesis(')', begin);
  if (name == "decltype" && scanner_.accept('(')) return parenthesis(')', begin);
  if (scanner_.peek() != '<') return std::nullopt;
  if (name == "Layout") return layout_type(begin);
  if (name == "ComposedLayout") {
    scanner_.accept('<');
    return composed_type('>', begin);
  }
  if (one_of(tuple_types, name)) return tuple_of_values(type_arguments(name, begin), begin);
  if (one_of(constant_types, name)) return constant_type(begin);
  if (name == "E" || name == "ScaledBasis") return basis_type(name == "ScaledBasis", begin);
  if (name == "ArithmeticTuple") return tuple_of_values(type_arguments(name, begin), begin);
  // compact_major<LayoutRight>(shape)
  if (name == "compact_major") {
    scanner_.expect('<', "after compact_major");
    const std::string_view major = local_name(scanner_.identifier());
    if (!one_of(left_names, major) && !one_of(right_names, major))
      throw Error(fmt::format("expected LayoutLeft or LayoutRight, {}", scanner_.found()),
                  "compact_major<LayoutRight>((8,64))", scanner_.since(begin));
    scanner_.expect('>', "after LayoutLeft or LayoutRight");
    return call_named(*find_function(one_of(right_names, major) ? "compact_row_major" : "compact_col_major"), begin);
  }
  return std::nullopt;
}

// <Shape<_8,_64>, Stride<_64,_1>>, after the name Layout
Value Parser::layout_type(std::size_t begin) {
  const std::vector<Value> arguments = type_arguments("make_layout", begin);
  if (arguments.empty() || arguments.size() > 2)
    throw Error(fmt::format("Layout has a shape and a stride, got {} arguments", arguments.size()),
                "for example Layout<Shape<_8,_64>,Stride<_64,_1>>", scanner_.since(begin));
  return placed(begin, [&] {
    as_tuple(arguments[0]);
    if (arguments.size() > 1 && !std::holds_alternative<IntTuple>(arguments[1])) as_tuple(arguments[1]);
    return call_function(*find_function("make_layout"), arguments);
  });
}

// Reads a swizzle, an offset or pointer, a layout, and `close`.
Value Parser::composed_type(char close, std::size_t begin) {
  grow(limits::expression_nesting, nesting_);
  const std::string_view names[] = {"inner", "offset", "outer"};
  const auto next = [&](std::size_t i) {
    const std::size_t at = scanner_.here().begin;
    if (i > 0) scanner_.expect(',', "between swizzle, offset and layout");
    if (const std::string_view keyword = scanner_.keyword(); !keyword.empty() && keyword != names[i])
      throw Error(fmt::format("expected the argument '{}', found {}", names[i], quoted(keyword)),
                  "make_composed_layout(inner, offset, outer)", scanner_.since(at));
  };
  next(0);
  const Value left = expression();
  next(1);
  const std::optional<Pointer> p = pointer();
  skip_braces();
  const Value offset = p ? Value(IntTuple()) : expression();
  next(2);
  const Value right = expression();
  scanner_.expect(close, "after the layout");
  --nesting_;
  return placed(begin, [&] {
    const Value inner = p ? apply_pointer(*p, std::get_if<Swizzle>(&left), right) : right;
    return recorded("composition", {left, inner}, [&] {
      if (p) return compose(left, inner);
      return call_function(*find_function("make_composed_layout"), std::array{left, offset, right});
    });
  });
}

// Reads <8>, <int, 8>, <(int)8> or <unsigned long, 8ul>, after the name of a constant.
Value Parser::constant_type(std::size_t begin) {
  scanner_.expect('<', "after the name of a constant");
  const auto type = [&] {
    while (!scanner_.identifier().empty()) {
    }
  };
  type();
  scanner_.accept(',');
  if (scanner_.accept('(')) {
    type();
    scanner_.expect(')', "after the type of a constant");
  }
  const auto n = scanner_.integer("uUlL");
  if (!n)
    throw Error(fmt::format("expected a number in a constant, {}", scanner_.found()), "for example Int<8> or C<8>",
                scanner_.since(begin));
  grow(limits::expression_numbers, numbers_);
  scanner_.expect('>', "to close the constant");
  return IntTuple(*n);
}

// LayoutRight and similar names, as the strides or the order that `function` needs for the last argument before them.
std::optional<Value> Parser::major_marker(std::string_view function, const std::vector<Value>& before) {
  const std::string_view name = local_name(scanner_.next_name());
  const bool right = one_of(right_names, name);
  if (before.empty() || !(right || one_of(left_names, name))) return std::nullopt;
  const std::size_t begin = scanner_.here().begin;
  scanner_.identifier();
  skip_braces();
  return placed(begin, [&]() -> Value {
    const IntTuple shape = as_tuple(before.back());
    std::int64_t last = static_cast<std::int64_t>(flat_values(shape).size());
    const IntTuple order = right ? row_major_order(shape, last) : IntTuple(0);
    return function == "make_layout" ? compact_order(shape, order) : order;
  });
}

// Reads the <A, B, …> of a type.
std::vector<Value> Parser::type_arguments(std::string_view function, std::size_t begin) {
  scanner_.expect('<', "to open the arguments of a type");
  grow(limits::expression_nesting, nesting_);
  std::vector<Value> arguments;
  if (scanner_.peek() != '>') {
    do {
      auto marker = major_marker(function, arguments);
      arguments.push_back(marker ? std::move(*marker) : expression());
    } while (scanner_.accept(','));
  }
  --nesting_;
  if (!scanner_.accept('>'))
    throw Error(fmt::format("expected ',' or '>' in a type, {}", scanner_.found()),
                "for example Layout<Shape<_8,_64>,Stride<_64,_1>>", scanner_.since(begin));
  return arguments;
}

// Reads the arguments of a call up to its ')': first those by position, then those by name.
std::vector<Value> Parser::call_arguments(const Function& f) {
  std::vector<std::optional<Value>> given;
  bool by_name = false;
  if (scanner_.accept(')')) return {};
  grow(limits::expression_nesting, nesting_);
  do {
    if (scanner_.peek() == ')' && !given.empty()) break;
    const std::size_t begin = scanner_.here().begin;
    const std::string_view keyword = scanner_.keyword();
    std::size_t place = given.size();
    if (!keyword.empty()) {
      const auto found = argument_place(f.signature, keyword);
      if (!found)
        throw Error(fmt::format("{} has no argument {}", f.name(), quoted(keyword)), std::string(f.signature),
                    scanner_.since(begin));
      place = *found;
      by_name = true;
    } else if (by_name)
      throw Error("an argument without a name stands after one with a name", std::string(f.signature), scanner_.here());
    std::vector<Value> before;
    for (const auto& v : given)
      if (v) before.push_back(*v);
    auto value = major_marker(f.name(), before);
    if (!value) value = expression();
    if (given.size() <= place) given.resize(place + 1);
    if (given[place])
      throw Error(fmt::format("the argument {} of {} is given twice", quoted(keyword), f.name()),
                  std::string(f.signature), scanner_.since(begin));
    given[place] = std::move(*value);
  } while (scanner_.accept(','));
  --nesting_;
  if (!scanner_.accept(')'))
    throw Error(fmt::format("expected ',' or ')', {}", scanner_.found()), hint_for_rest(), scanner_.here());
  std::vector<Value> arguments;
  for (auto& v : given) {
    if (!v)
      throw Error(fmt::format("{} lacks the argument before the named ones", f.name()), std::string(f.signature),
                  scanner_.here());
    arguments.push_back(std::move(*v));
  }
  return arguments;
}

// {} and () after a type construct a value of it.
void Parser::skip_braces() {
  while ((scanner_.next_is("{}") && scanner_.accept("{}")) || (scanner_.next_is("()") && scanner_.accept("()"))) {
  }
}

}  // namespace swz
