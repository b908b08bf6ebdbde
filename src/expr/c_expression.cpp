#include "expr/c_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "expr/scanner.hpp"

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

// Longer symbols before those they begin with; in the order of Code.
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
static_assert(std::ranges::all_of(operators,
                                  [](const Operator& row) { return &operators[row_of(row.code)] == &row; }));

constexpr int or_strength = 1, and_strength = 2, strongest = 10;

constexpr std::array types{"int",     "unsigned", "long",     "size_t",   "char",    "short",   "auto",     "const",
                           "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t", "uintptr_t"};

bool is_number_part(char c) { return is_word(c) || c == '\''; }

// Text to steps. Binary operators are read by precedence climbing: a loop for operators of one strength, one level of
// recursion for each stronger one, so that only brackets, unary operators and ?: make it deep; those are counted.
//
//   "addr ^ 3 << 1"  first, constant 3, constant 1, shift_left, bit_xor
class CParser {
 public:
  CParser(std::string_view text, std::string_view address, const CoordinateNames& names)
      : text_(text), address_(address), names_(names), scanner_(text) {}

  // The whole text as one expression.
  void read() {
    if (scanner_.at_end())
      throw Error("the expression is empty", fmt::format("for example '{0} ^ (({0} >> 3) & 0x70)'", address_));
    conditional();
    if (!scanner_.at_end()) refuse_rest();
  }

  std::vector<CStep>& steps() { return steps_; }
  bool has_coordinates() const { return has_coordinates_; }

 private:
  // Brackets, unary operators and ?: make the recursion deeper.
  template <class F>
  void deeper(const F& f) {
    require_within_here(limits::c_nesting, ++nesting_);
    f();
    --nesting_;
  }

  std::size_t emit(Code code, std::uint64_t value, Span span) {
    require_within_here(limits::c_steps, static_cast<std::int64_t>(steps_.size()) + 1);
    steps_.push_back({code, value, span});
    return steps_.size() - 1;
  }
  void land(std::size_t jump) { steps_[jump].value = steps_.size(); }

  void require_within_here(const Limit& limit, std::int64_t count) {
    try {
      require_within(limit, count);
    } catch (const Error& e) {
      throw e.at(scanner_.here());
    }
  }

  void conditional() {
    binary(or_strength);
    const Span question = scanner_.here();
    if (!scanner_.accept('?')) return;
    deeper([&] {
      const std::size_t to_else = emit(Code::jump_if_zero, 0, question);
      conditional();
      scanner_.expect(':', "between the two answers of ?");
      const std::size_t to_end = emit(Code::jump, 0, question);
      land(to_else);
      conditional();
      land(to_end);
    });
  }

  void binary(int strength) {
    if (strength > strongest) return unary();
    binary(strength + 1);
    while (true) {
      const Span place = scanner_.here();
      if (strength == or_strength || strength == and_strength) {
        if (!scanner_.accept_symbol(strength == or_strength ? "||" : "&&")) return;
        lazy(strength, place);
        continue;
      }
      const Operator* op = operator_here();
      if (op == nullptr || op->strength != strength) return;
      scanner_.accept_symbol(op->symbol);
      refuse_doubled(op->symbol, place);
      const Span symbol = scanner_.since(place.begin);
      binary(strength + 1);
      emit(op->code, 0, symbol);
    }
  }

  // a && b is a ? b != 0 : 0, a || b is a ? 1 : b != 0.
  void lazy(int strength, Span place) {
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
  }

  const Operator* operator_here() {
    for (const Operator& op : operators) {
      bool stands = true;
      for (std::size_t i = 0; i < op.symbol.size(); ++i) stands = stands && scanner_.peek(i) == op.symbol[i];
      if (!stands) continue;
      const char next = scanner_.peek(op.symbol.size());
      if ((op.symbol == "|" || op.symbol == "&") && next == op.symbol[0]) return nullptr;
      return &op;
    }
    return nullptr;
  }

  // ++ and +=, which C reads as one symbol.
  void refuse_doubled(std::string_view symbol, Span place) {
    const std::size_t end = place.begin + symbol.size();
    const char next = end < text_.size() ? text_[end] : '\0';
    const bool doubled =
        symbol.size() == 1 && (symbol == "+" || symbol == "-" || symbol == "*") && next == symbol[0];
    const bool assigns = next == '=' && symbol != "<=" && symbol != ">=" && symbol != "==" && symbol != "!=";
    if (doubled || assigns)
      throw Error(fmt::format("'{}{}' changes a variable or is not an operator of C", symbol, next),
                  "an expression has a value and changes nothing", {place.begin, end + 1});
  }

  void unary() {
    const Span place = scanner_.here();
    const char c = scanner_.peek();
    if (c != '~' && c != '-' && c != '!') return primary();
    deeper([&] {
      scanner_.accept(c);
      if (c == '-') refuse_doubled("-", place);
      unary();
    });
    emit(c == '~' ? Code::complement : c == '-' ? Code::negate : Code::logical_not, 0, place);
  }

  void primary() {
    const std::size_t begin = scanner_.here().begin;
    if (is_digit(scanner_.peek())) return number(begin);
    const std::string_view name = scanner_.type_name();
    if (!name.empty()) return named(name, scanner_.since(begin));
    if (!scanner_.accept('('))
      throw Error("expected a number, a name or '(', " + scanner_.found(), {}, scanner_.here());
    deeper([&] { conditional(); });
    if (scanner_.at_end()) throw Error("this '(' is not closed", "add the missing ')'", {begin, begin + 1});
    if (!scanner_.accept(')')) refuse_rest();
  }

  void number(std::size_t begin) {
    std::size_t end = begin;
    while (end < text_.size() && is_number_part(text_[end])) ++end;
    const std::string_view digits = text_.substr(begin, end - begin);
    scanner_.accept_symbol(digits);
    try {
      emit(Code::constant,
           parse_unsigned(digits, 64, {"for example 112, 0x70 or 0b1110000", "numbers have 64 bits"}),
           {begin, end});
    } catch (const Error& e) {
      throw e.at({begin, end});
    }
  }

  void named(std::string_view name, Span place) {
    const bool is_coordinate = name == names_.row || name == names_.col;
    if (!is_coordinate && name != address_) refuse_name(name, place);
    if ((is_coordinate && has_address_) || (!is_coordinate && has_coordinates_))
      throw Error(fmt::format("both {} and {} are named", address_, is_coordinate ? name : "row or col"),
                  "an expression is one of an address, or one of a row and a column", place);
    has_address_ = has_address_ || !is_coordinate;
    has_coordinates_ = has_coordinates_ || is_coordinate;
    emit(name == names_.col ? Code::second : Code::first, 0, place);
  }

  [[noreturn]] void refuse_name(std::string_view name, Span place) {
    if (std::find(types.begin(), types.end(), name) != types.end())
      throw Error(fmt::format("{} is a type", quoted(name)),
                  "leave casts out: all numbers are unsigned with 64 bits", place);
    const std::string names = fmt::format(
        "an address is called {}, a coordinate row and col; --var {} calls the address so", address_, name);
    throw Error(fmt::format("unknown name {}", quoted(name)),
                did_you_mean(name, {std::string(address_), "row", "col"}, names), place);
  }

  [[noreturn]] void refuse_rest() {
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

  std::string_view text_, address_;
  CoordinateNames names_;
  Scanner scanner_;
  std::vector<CStep> steps_;
  int nesting_ = 0;
  bool has_address_ = false, has_coordinates_ = false;
};

}  // namespace

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

CExpression::CExpression(std::string_view text, std::string_view address, const CoordinateNames& names)
    : text_(text), address_(address) {
  require_within(limits::c_bytes, static_cast<std::int64_t>(text.size()));
  CParser parser(text, address, names);
  try {
    parser.read();
  } catch (const Error& e) {
    throw e.in_text(text);
  }
  steps_ = std::move(parser.steps());
  has_coordinates_ = parser.has_coordinates();
}

void CExpression::fail(const CStep& step, const char* why, std::uint64_t first, std::uint64_t second) const {
  const std::string at =
      has_coordinates_ ? fmt::format("row = {}, col = {}", first, second) : fmt::format("{} = {}", address_, first);
  const bool is_shift = step.code == Code::shift_left || step.code == Code::shift_right;
  throw Error(fmt::format("{} at {}", why, at),
              is_shift ? "numbers have 64 bits: shift by 0 to 63" : "make sure that the divisor is never 0",
              step.span)
      .in_text(text_);
}

std::uint64_t CExpression::operator()(std::uint64_t first, std::uint64_t second) const {
  std::array<std::uint64_t, limits::c_steps.most>
      stack;            // not cleared: a step reads only what an earlier one pushed
  std::size_t top = 0;  // how many numbers are on the stack
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const CStep& step = steps_[at];
    switch (step.code) {
      case Code::constant: stack[top++] = step.value; break;
      case Code::first: stack[top++] = first; break;
      case Code::second: stack[top++] = second; break;
      case Code::jump: at = static_cast<std::size_t>(step.value) - 1; break;
      case Code::jump_if_zero:
        if (stack[--top] == 0) at = static_cast<std::size_t>(step.value) - 1;
        break;
      case Code::as_bool: stack[top - 1] = stack[top - 1] != 0 ? 1 : 0; break;
      case Code::complement:
      case Code::negate:
      case Code::logical_not: stack[top - 1] = unary(step.code, stack[top - 1]); break;
      default: {
        const std::uint64_t right = stack[--top];
        if (const char* why = refusal(step.code, right)) fail(step, why, first, second);
        stack[top - 1] = binary(step.code, stack[top - 1], right);
      }
    }
  }
  return stack[0];
}

}  // namespace swz
