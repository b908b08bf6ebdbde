#include "expr/c_expression.hpp"

#include <fmt/format.h>

#include <array>

#include "base/limits.hpp"
#include "expr/c_parser.hpp"

namespace swz {

using Code = CStep::Code;

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

std::uint64_t binary(Code code, std::uint64_t a, std::uint64_t b) {
  switch (code) {
    case Code::bit_or: return a | b;
    case Code::bit_xor: return a ^ b;
    case Code::bit_and: return a & b;
    case Code::equal: return a == b ? 1 : 0;
    case Code::unequal: return a != b ? 1 : 0;
    case Code::less: return a < b ? 1 : 0;
    case Code::less_equal: return a <= b ? 1 : 0;
    case Code::greater: return a > b ? 1 : 0;
    case Code::greater_equal: return a >= b ? 1 : 0;
    case Code::shift_left: return a << b;
    case Code::shift_right: return a >> b;
    case Code::add: return a + b;
    case Code::subtract: return a - b;
    case Code::multiply: return a * b;
    case Code::divide: return a / b;
    default: return a % b;
  }
}

CExpression::CExpression(std::string_view text, std::string_view address) : text_(text), address_(address) {
  CProgram program = compile_c(text, address);
  steps_ = std::move(program.steps);
  has_coordinates_ = program.has_coordinates;
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
