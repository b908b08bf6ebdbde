// SPDX-License-Identifier: Apache-2.0
#include "expr/c_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

using Code = CStep::Code;

namespace {

using Number = std::uint64_t;

struct Operator {
  std::string_view symbol;
  int strength;
  Code code;
  Number (*apply)(Number, Number);
};

// Longer symbols come before those that they begin with; Code has the same order.
// clang-format off
constexpr Operator operators[] = {
    {"<<", 8, Code::shift_left, [](Number a, Number b) { return a << b; }},
    {">>", 8, Code::shift_right, [](Number a, Number b) { return a >> b; }},
    {"<=", 7, Code::less_equal, [](Number a, Number b) -> Number { return a <= b; }},
    {">=", 7, Code::greater_equal, [](Number a, Number b) -> Number { return a >= b; }},
    {"==", 6, Code::equal, [](Number a, Number b) -> Number { return a == b; }},
    {"!=", 6, Code::unequal, [](Number a, Number b) -> Number { return a != b; }},
    {"<", 7, Code::less, [](Number a, Number b) -> Number { return a < b; }},
    {">", 7, Code::greater, [](Number a, Number b) -> Number { return a > b; }},
    {"|", 3, Code::bit_or, [](Number a, Number b) { return a | b; }},
    {"^", 4, Code::bit_xor, [](Number a, Number b) { return a ^ b; }},
    {"&", 5, Code::bit_and, [](Number a, Number b) { return a & b; }},
    {"+", 9, Code::add, [](Number a, Number b) { return a + b; }},
    {"-", 9, Code::subtract, [](Number a, Number b) { return a - b; }},
    {"*", 10, Code::multiply, [](Number a, Number b) { return a * b; }},
    {"/", 10, Code::divide, [](Number a, Number b) { return a / b; }},
    {"%", 10, Code::remainder, [](Number a, Number b) { return a % b; }},
};
// clang-format on
constexpr std::size_t row_of(Code code) {
  return static_cast<std::size_t>(code) - static_cast<std::size_t>(Code::shift_left);
}
static_assert(std::ranges::all_of(operators, [](const Operator& row) { return &operators[row_of(row.code)] == &row; }));

constexpr int or_strength = 1, and_strength = 2, of_equality = 6, of_comparison = 7, strongest = 10;

bool is_number_part(char c) { return is_word(c) || c == '\''; }

const Operator* operator_at(Scanner& scanner) {
  for (const Operator& op : operators) {
    bool stands = true;
    for (std::size_t i = 0; i < op.symbol.size(); ++i) stands = stands && scanner.peek(i) == op.symbol[i];
    if (!stands) continue;
    const char next = scanner.peek(op.symbol.size());
    if ((op.symbol == "|" || op.symbol == "&") && next == op.symbol[0]) return nullptr;
    return &op;
  }
  return nullptr;
}

}  // namespace

std::optional<Code> compound_assignment(Scanner& scanner) {
  for (const Operator& op : operators)
    if (op.strength != of_equality && op.strength != of_comparison && scanner.accept(std::string(op.symbol) + "="))
      return op.code;
  return std::nullopt;
}

const char* refusal(Code code, std::uint64_t right) {
  if (right == 0 && code == Code::divide) return "division by zero";
  if (right == 0 && code == Code::remainder) return "remainder of a division by zero";
  if (right > 63 && (code == Code::shift_left || code == Code::shift_right)) return "shift past bit 63";
  return nullptr;
}

std::uint64_t unary(Code code, std::uint64_t value) {
  if (code == Code::complement) return ~value;
  if (code == Code::negate) return ~value + 1;
  return value == 0 ? 1 : 0;
}

std::uint64_t binary(Code code, std::uint64_t a, std::uint64_t b) { return operators[row_of(code)].apply(a, b); }

void CParser::read() {
  if (scanner_.at_end())
    throw Error("the expression is empty", fmt::format("for example '{0} ^ (({0} >> 3) & 0x70)'", names_.address));
  const bool has_return = [&] {
    for (std::size_t at = text_.find("return"); at != std::string_view::npos; at = text_.find("return", at + 1)) {
      const bool is_begin = at == 0 || !is_word(text_[at - 1]);
      if (is_begin && (at + 6 == text_.size() || !is_word(text_[at + 6]))) return true;
    }
    return false;
  }();
  if (has_return || text_.find('{') != std::string_view::npos || scanner_.peek() == '#') return function();
  conditional();
  if (!scanner_.at_end()) refuse_rest();
}

void CParser::append(const std::vector<CStep>& steps) {
  const std::size_t begin = steps_.size();
  for (const CStep& step : steps) {
    const bool jumps = step.code == Code::jump || step.code == Code::jump_if_zero;
    emit(step.code, jumps ? step.value + begin : step.value, step.span);
    steps_.back().needs_sign = step.needs_sign;
  }
}

void CParser::operate(Code code, bool is_left_signed, Span span) {
  const bool is_shift = code == Code::shift_left || code == Code::shift_right;
  const bool is_comparison = code >= Code::less_equal && code <= Code::greater;
  const bool is_both_signed = is_left_signed && is_signed_;
  const bool is_order = is_comparison && code != Code::equal && code != Code::unequal;
  emit(code, 0, span);
  steps_.back().needs_sign = code == Code::shift_right
                                 ? is_left_signed
                                 : (is_order || code == Code::divide || code == Code::remainder) && is_both_signed;
  is_signed_ = is_shift ? is_left_signed : is_comparison || is_both_signed;
}

std::size_t CParser::emit(Code code, std::uint64_t value, Span span) {
  require_within_here(limits::c_steps, static_cast<std::int64_t>(steps_.size()) + 1);
  steps_.push_back({code, value, span});
  return steps_.size() - 1;
}

void CParser::require_within_here(const Limit& limit, std::int64_t count) {
  try {
    require_within(limit, count);
  } catch (const Error& e) {
    throw e.at(scanner_.here());
  }
}

void CParser::conditional() {
  binary(or_strength);
  const Span question = scanner_.here();
  if (!scanner_.accept('?')) return;
  deeper([&] {
    const std::size_t to_else = emit(Code::jump_if_zero, 0, question);
    conditional();
    scanner_.expect(':', "between the two answers of ?");
    const std::size_t to_end = emit(Code::jump, 0, question);
    const bool is_signed = is_signed_;
    land(to_else);
    conditional();
    land(to_end);
    is_signed_ = is_signed_ && is_signed;
  });
}

void CParser::binary(int strength) {
  if (strength > strongest) return unary();
  binary(strength + 1);
  while (true) {
    const Span place = scanner_.here();
    if (strength == or_strength || strength == and_strength) {
      if (!scanner_.accept(strength == or_strength ? "||" : "&&")) return;
      lazy(strength, place);
      continue;
    }
    const Operator* op = operator_at(scanner_);
    if (op == nullptr || op->strength != strength) return;
    scanner_.accept(op->symbol);
    refuse_doubled(op->symbol, place);
    const Span symbol = scanner_.since(place.begin);
    const bool is_left_signed = is_signed_;
    binary(strength + 1);
    operate(op->code, is_left_signed, symbol);
  }
}

// a && b is a ? b != 0 : 0, a || b is a ? 1 : b != 0.
void CParser::lazy(int strength, Span place) {
  const std::size_t to_else = emit(Code::jump_if_zero, 0, place);
  const auto right = [&] {
    binary(strength + 1);
    emit(Code::as_bool, 0, place);
  };
  if (strength == and_strength) right();
  else emit(Code::constant, 1, place);
  const std::size_t to_end = emit(Code::jump, 0, place);
  land(to_else);
  if (strength == and_strength) emit(Code::constant, 0, place);
  else right();
  land(to_end);
  is_signed_ = has_types_;
}

// Refuses ++ and +=, which C reads as one symbol.
void CParser::refuse_doubled(std::string_view symbol, Span place) {
  const std::size_t end = place.begin + symbol.size();
  const char next = end < text_.size() ? text_[end] : '\0';
  const bool doubled = symbol.size() == 1 && (symbol == "+" || symbol == "-" || symbol == "*") && next == symbol[0];
  const bool assigns = next == '=' && symbol != "<=" && symbol != ">=" && symbol != "==" && symbol != "!=";
  if (doubled || assigns)
    throw Error(fmt::format("'{}{}' changes a variable or is not an operator of C", symbol, next),
                "an expression has a value and changes nothing", {place.begin, end + 1});
}

void CParser::unary() {
  const Span place = scanner_.here();
  const char c = scanner_.peek();
  if (c != '~' && c != '-' && c != '!') return primary();
  deeper([&] {
    scanner_.accept(c);
    if (c == '-') refuse_doubled("-", place);
    unary();
  });
  emit(c == '~' ? Code::complement : c == '-' ? Code::negate : Code::logical_not, 0, place);
  if (c == '!') is_signed_ = has_types_;
}

void CParser::primary() {
  const std::size_t begin = scanner_.here().begin;
  if (is_digit(scanner_.peek())) return number(begin);
  const std::string_view name = scanner_.type_name();
  if (!name.empty()) {
    const Span place = scanner_.since(begin);
    if (!named_cast(name, place)) named(name, place);
    return;
  }
  if (cast()) return;
  if (!scanner_.accept('(')) throw Error("expected a number, a name or '(', " + scanner_.found(), {}, scanner_.here());
  deeper([&] { conditional(); });
  if (scanner_.at_end()) throw Error("this '(' is not closed", "add the missing ')'", {begin, begin + 1});
  if (!scanner_.accept(')')) refuse_rest();
}

void CParser::number(std::size_t begin) {
  std::size_t end = begin;
  while (end < text_.size() && is_number_part(text_[end])) ++end;
  const std::string_view digits = text_.substr(begin, end - begin);
  is_signed_ = has_types_ && digits.find_first_of("uU") == std::string_view::npos;
  scanner_.accept(digits);
  try {
    emit(Code::constant, parse_unsigned(digits, 64, {"for example 112, 0x70 or 0b1110000", "numbers have 64 bits"}),
         {begin, end});
  } catch (const Error& e) {
    throw e.at({begin, end});
  }
}

void CParser::named(std::string_view name, Span place) {
  if (const Variable* variable = find_variable(name)) {
    is_signed_ = variable->is_signed;
    return append(variable->steps);
  }
  is_signed_ = false;
  const bool is_coordinate = name == names_.row || name == names_.col;
  if (!is_coordinate && name != names_.address) refuse_name(name, place);
  if ((is_coordinate && has_address_) || (!is_coordinate && has_coordinates_))
    throw Error(fmt::format("both {} and {} are named", names_.address,
                            is_coordinate ? std::string(name) : fmt::format("{} or {}", names_.row, names_.col)),
                "an expression is one of an address, or one of a row and a column", place);
  has_address_ = has_address_ || !is_coordinate;
  has_coordinates_ = has_coordinates_ || is_coordinate;
  emit(name == names_.col ? Code::second : Code::first, 0, place);
}

void CParser::refuse_name(std::string_view name, Span place) {
  if (is_type(name))
    throw Error(fmt::format("{} is a type", quoted(name)), "a cast is (uint32_t)x, and its value follows", place);
  std::vector<std::string> known;
  for (const std::string& own : {names_.address, names_.row, names_.col})
    if (!own.empty()) known.push_back(own);
  if (is_function_)
    throw Error(fmt::format("unknown name {}", quoted(name)),
                did_you_mean(name, known, "write constants and template arguments as numbers"), place);
  throw Error(
      fmt::format("unknown name {}", quoted(name)),
      did_you_mean(name, known,
                   fmt::format("an address is called {0}, a coordinate {1} and {2}; --var {3} calls the address "
                               "so, --row and --col name a coordinate",
                               names_.address, names_.row, names_.col, name)),
      place);
}

void CParser::refuse_rest() {
  const Span place = scanner_.here();
  const char c = scanner_.peek();
  std::string hint;
  if (c == '=') hint = "only the right side of an assignment: an expression";
  if (c == ';') hint = "one expression, without the ';'";
  if (c == '(' || c == '[') hint = "functions and arrays are not read: write the expression out";
  if (c == '.') hint = "numbers are whole";
  if (c == ')') throw Error("this ')' closes nothing", "remove it, or add the '(' it belongs to", place);
  throw Error("expected an operator, " + scanner_.found(), hint, place);
}

}  // namespace swz
