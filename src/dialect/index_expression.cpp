// SPDX-License-Identifier: Apache-2.0
#include "dialect/index_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {

class IndexParser {
 public:
  IndexParser(Cursor& cursor, std::span<const std::string> names, std::vector<IndexExpression::Step>& steps)
      : cursor_(cursor), names_(names), steps_(steps) {}

  // Operators in one line of the table bind equally; operators further down bind tighter.
  void binary(std::size_t level = 0) {
    using Code = IndexExpression::Code;
    struct Operator {
      std::string_view symbol;
      Code code;
    };
    static constexpr std::array<std::array<Operator, 4>, 6> levels{{
        {{{"|", Code::bit_or}}},
        {{{"^", Code::bit_xor}}},
        {{{"&", Code::bit_and}}},
        {{{"<<", Code::left}, {">>", Code::right}}},
        {{{"+", Code::plus}, {"-", Code::minus}}},
        {{{"*", Code::times}, {"//", Code::divide}, {"/", Code::divide}, {"%", Code::modulo}}},
    }};
    if (level == levels.size()) return unary();
    binary(level + 1);
    while (true) {
      const std::size_t begin = cursor_.here().begin;
      const auto& row = levels[level];
      const auto found =
          std::ranges::find_if(row, [&](const Operator& o) { return !o.symbol.empty() && cursor_.next_is(o.symbol); });
      if (found == row.end() || cursor_.next_is("->")) return;
      cursor_.accept(found->symbol);
      binary(level + 1);
      push(found->code, 0, begin);
    }
  }

 private:
  void expect(char c) {
    if (!cursor_.accept(c)) fail(fmt::format("expected '{}'", c));
  }
  [[noreturn]] void fail(const std::string& what) {
    const std::string_view next = cursor_.rest().substr(0, 1);
    throw Error(fmt::format("{}, found {}", what, next.empty() ? "the end" : quoted(next)),
                "an index is written with + - * // % << >> & | ^ and the names of the coordinates",
                {cursor_.position(), cursor_.position() + 1});
  }
  void push(IndexExpression::Code code, std::int64_t value, std::size_t begin) {
    require_within(limits::c_steps, static_cast<std::int64_t>(steps_.size()) + 1);
    steps_.push_back({code, value, {begin, cursor_.position()}});
  }

  void unary() {
    require_within(limits::c_nesting, ++nesting_);
    const std::size_t begin = cursor_.here().begin;
    if (cursor_.accept('-')) {
      unary();
      push(IndexExpression::Code::negate, 0, begin);
    } else {
      primary();
    }
    --nesting_;
  }

  void primary() {
    const char c = cursor_.peek();
    const std::size_t begin = cursor_.position();
    if (cursor_.accept('(')) {
      binary();
      expect(')');
    } else if (is_digit(c)) {
      const auto value = cursor_.number(cursor_.accept("0x") ? 16 : 10);
      if (!value) {
        cursor_.move_to(begin);
        fail("a number does not fit in 64 bits");
      }
      push(IndexExpression::Code::constant, *value, begin);
    } else if (is_letter(c) || c == '_') {
      named(cursor_.take_while([](char part) { return is_word(part) || part == '.'; }), begin);
    } else {
      fail("expected a number, a coordinate or '('");
    }
  }

  // Reads a coordinate, or a function of TIR with two arguments.
  void named(std::string_view name, std::size_t begin) {
    using Code = IndexExpression::Code;
    if (cursor_.peek() != '(') {
      const auto found = std::ranges::find(names_, name);
      if (found == names_.end())
        throw Error(fmt::format("unknown name {}", quoted(name)),
                    fmt::format("names here: {}", fmt::join(names_, ", ")), {begin, cursor_.position()});
      return push(Code::name, found - names_.begin(), begin);
    }
    static constexpr std::array<std::pair<std::string_view, Code>, 7> functions{{{"bitwise_xor", Code::bit_xor},
                                                                                 {"bitwise_or", Code::bit_or},
                                                                                 {"bitwise_and", Code::bit_and},
                                                                                 {"shift_left", Code::left},
                                                                                 {"shift_right", Code::right},
                                                                                 {"floordiv", Code::divide},
                                                                                 {"floormod", Code::modulo}}};
    const std::string_view last = name.substr(name.rfind('.') + 1);
    const auto found = std::ranges::find(functions, last, &std::pair<std::string_view, Code>::first);
    if (found == functions.end())
      throw Error(fmt::format("{} is not a function of an index", quoted(name)),
                  "bitwise_xor, bitwise_or, bitwise_and, shift_left, shift_right, floordiv and floormod are read",
                  {begin, cursor_.position()});
    expect('(');
    binary();
    expect(',');
    binary();
    expect(')');
    push(found->second, 0, begin);
  }

  Cursor& cursor_;
  std::span<const std::string> names_;
  std::vector<IndexExpression::Step>& steps_;
  std::int64_t nesting_ = 0;
};

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

constexpr std::int64_t most_index = std::int64_t{1} << 61;

}  // namespace

IndexExpression::IndexExpression(Cursor& cursor, std::span<const std::string> names) {
  IndexParser(cursor, names, steps_).binary();
}

bool IndexExpression::has_bitwise() const {
  return std::ranges::any_of(steps_, [](const Step& s) { return s.code >= Code::bit_or && s.code <= Code::right; });
}

std::int64_t IndexExpression::applied(const Step& step, std::int64_t a, std::int64_t b) {
  const auto fail = [&](const char* why) -> std::int64_t {
    throw Error(why, "see the index at this place", step.span);
  };
  std::int64_t value = 0;
  switch (step.code) {
    case Code::bit_or: value = a | b; break;
    case Code::bit_xor: value = a ^ b; break;
    case Code::bit_and: value = a & b; break;
    case Code::left:
      if (b < 0 || b > 61 || a > most_index >> b || a < -(most_index >> b)) return fail("a shift out of 64 bits");
      value = a * (std::int64_t{1} << b);
      break;
    case Code::right:
      if (b < 0 || b > 62) return fail("a shift out of 64 bits");
      value = a >> b;
      break;
    case Code::plus: value = checked_add(a, b); break;
    case Code::minus: value = checked_add(a, -b); break;
    case Code::times: value = checked_mul(a, b); break;
    case Code::divide:
      if (b == 0) return fail("a division by 0");
      value = floor_div(a, b);
      break;
    case Code::modulo:
      if (b == 0) return fail("a remainder of a division by 0");
      value = a - floor_div(a, b) * b;
      break;
    default: break;
  }
  if (value > most_index || value < -most_index) return fail("an index beyond 61 bits");
  return value;
}

std::int64_t IndexExpression::operator()(std::span<const std::int64_t> values) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.code == Code::constant) {
      stack.push_back(step.value);
    } else if (step.code == Code::name) {
      stack.push_back(values[static_cast<std::size_t>(step.value)]);
    } else if (step.code == Code::negate) {
      stack.back() = -stack.back();
    } else {
      const std::int64_t right = stack.back();
      stack.pop_back();
      stack.back() = applied(step, stack.back(), right);
    }
  }
  return stack.back();
}

Interval IndexExpression::applied(Code code, Interval a, Interval b) {
  const auto hull = [&](auto f) {
    const std::array corners{f(a.least, b.least), f(a.least, b.most), f(a.most, b.least), f(a.most, b.most)};
    return Interval{std::ranges::min(corners), std::ranges::max(corners)};
  };
  const bool is_divisor = b.least > 0;
  switch (code) {
    case Code::bit_or:
    case Code::bit_xor: {
      const auto bits = std::bit_width(static_cast<std::uint64_t>(std::max({a.most, b.most, std::int64_t{0}})));
      return {0, (std::int64_t{1} << std::min<int>(static_cast<int>(bits), 61)) - 1};
    }
    case Code::bit_and: return {0, std::min(a.most, b.most)};
    case Code::left:
      return hull([](std::int64_t x, std::int64_t y) {
        return x > most_index >> std::clamp<std::int64_t>(y, 0, 61) ? most_index
                                                                    : x << std::clamp<std::int64_t>(y, 0, 61);
      });
    case Code::right:
      return hull([](std::int64_t x, std::int64_t y) { return x >> std::clamp<std::int64_t>(y, 0, 62); });
    case Code::plus: return {checked_add(a.least, b.least), checked_add(a.most, b.most)};
    case Code::minus: return {checked_add(a.least, -b.most), checked_add(a.most, -b.least)};
    case Code::times: return hull([](std::int64_t x, std::int64_t y) { return checked_mul(x, y); });
    case Code::divide: return is_divisor ? hull([](std::int64_t x, std::int64_t y) { return floor_div(x, y); }) : a;
    case Code::modulo:
      if (!is_divisor) return {0, 0};
      if (b.least == b.most && floor_div(a.least, b.least) == floor_div(a.most, b.least)) {
        const std::int64_t base = floor_div(a.least, b.least) * b.least;
        return {a.least - base, a.most - base};
      }
      return {0, b.most - 1};
    default: return a;
  }
}

Interval IndexExpression::bounds(std::span<const std::int64_t> extents) const {
  std::vector<Interval> stack;
  for (const Step& step : steps_) {
    if (step.code == Code::constant) {
      stack.push_back({step.value, step.value});
    } else if (step.code == Code::name) {
      stack.push_back({0, extents[static_cast<std::size_t>(step.value)] - 1});
    } else if (step.code == Code::negate) {
      stack.back() = {-stack.back().most, -stack.back().least};
    } else {
      const Interval right = stack.back();
      stack.pop_back();
      stack.back() = applied(step.code, stack.back(), right);
    }
  }
  return stack.back();
}

}  // namespace swz
