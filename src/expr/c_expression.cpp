// SPDX-License-Identifier: Apache-2.0
#include "expr/c_expression.hpp"

#include <fmt/format.h>

#include <array>

#include "base/limits.hpp"
#include "expr/c_parser.hpp"

namespace swz {

using Code = CStep::Code;

namespace {

constexpr std::string_view is_negative = "an operand is negative, and its sign matters,";

}  // namespace

CExpression::CExpression(std::string_view text, CNames names) : text_(text) {
  require_within(limits::c_bytes, static_cast<std::int64_t>(text.size()));
  const std::string code = without_comments(text, {names.address, names.row, names.col});
  CParser parser(code, std::move(names));
  try {
    parser.read();
  } catch (const Error& e) {
    throw e.in_text(text);
  }
  steps_ = std::move(parser.steps());
  has_coordinates_ = parser.has_coordinates();
  names_ = parser.names();
  is_function_ = parser.is_function();
  address_bits_ = parser.address_bits();
}

void CExpression::fail(const CStep& step, const std::string& why, std::uint64_t first, std::uint64_t second) const {
  const std::string at = has_coordinates_ ? fmt::format("{} = {}, {} = {}", names_.row, first, names_.col, second)
                                          : fmt::format("{} = {}", names_.address, first);
  const bool is_shift = step.code == Code::shift_left || step.code == Code::shift_right;
  const char* hint = why == is_negative ? "swz computes without a sign, and C has another value here: keep it above 0"
                     : is_shift         ? "numbers have 64 bits: shift by 0 to 63"
                                        : "make sure that the divisor is never 0";
  throw Error(fmt::format("{} at {}", why, at), hint, step.span).in_text(text_);
}

std::uint64_t CExpression::operator()(std::uint64_t first, std::uint64_t second) const {
  std::array<std::uint64_t, limits::c_steps.most> stack;  // not cleared: a step reads only what an earlier one pushed
  std::size_t top = 0;                                    // how many numbers are on the stack
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
        if (step.needs_sign && (stack[top - 1] | right) >> 63 != 0) fail(step, std::string(is_negative), first, second);
        stack[top - 1] = binary(step.code, stack[top - 1], right);
      }
    }
  }
  return stack[0];
}

}  // namespace swz
