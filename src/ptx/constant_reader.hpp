// SPDX-License-Identifier: Apache-2.0
// PtxConstantReader: numbers, constant expressions, and what is missing where no PTX goes on.
//
//   0x1F, 017, 0f3F800000       numbers
//   4*8-1, (4+4)*16, -(5)       products and sums: 31, 128, -5, modulo 2^64
//   1 << 4, (a > b) ? 4 : 5     expressions that are skipped: they have no value here
//
// Used only inside src/ptx. Source: PTX ISA 9.1, 4.5 (constants).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "ptx/module.hpp"
#include "ptx/scanner.hpp"

namespace swz {

class PtxConstantReader : protected PtxScanner {
 protected:
  explicit PtxConstantReader(PtxModule& module) : PtxScanner(*module.text), module_(module) {}

  void add_syntax_error(const std::string& message) {
    constexpr std::size_t most = 100;
    auto& errors = module_.syntax_errors;
    if (errors.size() < most && (errors.empty() || errors.back().line != line_)) errors.push_back({line_, message});
  }
  // `what`: "',' or ';'", "an operand".
  void add_missing(const std::string& what) {
    const std::string_view next = next_text();
    add_syntax_error(what + " is missing before " + (at_ == end_ ? std::string(next) : quoted(next)));
  }
  bool require(char c) {
    if (take(c)) return true;
    add_missing(quoted(std::string(1, c)));
    return false;
  }

  // ---- numbers and expressions

  PtxOperand number_operand() {
    const bool minus = take('-');
    skip_space();
    const char* first = at_;
    take_while([](char c) { return is_word(c) || c == '.'; });
    const bool is_power = at_ != end_ && (*at_ == '-' || *at_ == '+') && lower_case(at_[-1]) == 'e';  // 1.5E-3
    if (is_power && std::find(first, at_, '.') != at_) {
      ++at_;
      take_while(is_digit);
    }
    const std::string_view text(first, static_cast<std::size_t>(at_ - first));
    std::optional<std::uint64_t> bits;
    if (text.size() > 2 && text[0] == '0' && (lower_case(text[1]) == 'f' || lower_case(text[1]) == 'd'))
      bits = find_digits(text.substr(2), 16);
    else if (text.find('.') == text.npos)
      bits = text.size() > 1 && text[0] == '0' && is_digit(text[1]) ? find_digits(text, 8) : find_unsigned(text);
    if (!bits) return {};  // a decimal fraction: nothing depends on it
    return {.kind = PtxOperandKind::number, .value = static_cast<std::int64_t>(minus ? 0 - *bits : *bits)};
  }

  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  static std::int64_t negative(std::int64_t a) { return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)); }

  std::optional<std::int64_t> constant_factor(int depth) {
    require_within(limits::ptx_nesting, depth);
    if (take('(')) {
      const auto inner = constant_sum(depth + 1);
      return inner && take(')') ? inner : std::nullopt;
    }
    if (take('+')) return constant_factor(depth + 1);
    if (is_next('-') && at_ + 1 != end_ && !is_digit(at_[1])) {
      ++at_;
      const auto of = constant_factor(depth + 1);
      return of ? std::optional(negative(*of)) : std::nullopt;
    }
    const bool begins = skip_space() && (is_digit(*at_) || *at_ == '-');
    const PtxOperand number = begins ? number_operand() : PtxOperand{};
    return number.kind == PtxOperandKind::number ? std::optional(number.value) : std::nullopt;
  }
  std::optional<std::int64_t> constant_product(int depth) {
    auto value = constant_factor(depth);
    while (value && is_operator_next() && (*at_ == '*' || *at_ == '/' || *at_ == '%')) {
      const char sign = *at_++;
      const auto by = constant_factor(depth);
      // Whether a number is signed is not read.
      if (!by || (sign != '*' && (*value < 0 || *by <= 0))) return std::nullopt;
      const auto product =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) * static_cast<std::uint64_t>(*by));
      value = sign == '*' ? product : sign == '/' ? *value / *by : *value % *by;
    }
    return value;
  }
  std::optional<std::int64_t> constant_sum(int depth) {
    auto value = constant_product(depth);
    while (value && skip_space() && (*at_ == '+' || *at_ == '-')) {
      const bool minus = *at_++ == '-';
      const auto product = constant_product(depth);
      if (!product) return std::nullopt;
      value = sum(*value, minus ? negative(*product) : *product);
    }
    return value;
  }
  // What `read` returns; if that is no value, nothing of the text is read.
  template <class Read>
  std::optional<std::int64_t> tried(const Read& read) {
    const char* before = at_;
    const auto line = line_;
    const std::optional<std::int64_t> value = read();
    if (!value) {
      at_ = before;
      line_ = line;
    }
    return value;
  }
  // In brackets of an address, a sum is of the address.
  std::optional<PtxOperand> constant_operand(int depth, bool is_in_address) {
    const auto value = tried([&] { return is_in_address ? constant_product(depth) : constant_sum(depth); });
    return value ? std::optional(PtxOperand{.kind = PtxOperandKind::number, .value = *value}) : std::nullopt;
  }

  // "+16" or "- 4*8" of a sum.
  std::optional<std::int64_t> constant_term(int depth) {
    const bool minus = *at_ == '-';
    const auto value = tried([&] {
      ++at_;
      return constant_product(depth);
    });
    return value && minus ? std::optional(negative(*value)) : value;
  }

  // An operator of a constant expression; before "%r1" or "!%p1" a comma is missing.
  bool is_operator_next() {
    if (!skip_space() || std::string_view("+-*/%<>=!&|^?").find(*at_) == std::string_view::npos) return false;
    const char next = at_ + 1 == end_ ? '\0' : at_[1];
    return *at_ == '%' ? !is_letter(next) : *at_ != '!' || next == '=';
  }
  // Operators and constants in turn, "<< 4", "? 4 : 5".
  void skip_expression(int depth) {
    while (is_operator_next()) {
      const bool is_choice = *at_ == '?';
      skip_operators();
      skip_constant(depth);
      if (!is_choice) continue;
      skip_expression(depth);
      if (require(':')) skip_constant(depth);
    }
  }
  void skip_operators() {
    while (skip_space() && std::string_view("+-*/%<>=!&|^?~").find(*at_) != std::string_view::npos) ++at_;
  }
  void skip_constant(int depth) {
    require_within(limits::ptx_nesting, depth);
    skip_operators();
    if (!take('(')) {
      if (word().empty()) add_missing("a constant");
      return;
    }
    const bool is_cast = take('.');
    if (is_cast) word();
    else skip_constant(depth + 1);
    skip_expression(depth + 1);
    require(')');
    if (is_cast) skip_constant(depth + 1);
  }

  PtxModule& module_;
};

}  // namespace swz
