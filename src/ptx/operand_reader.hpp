// SPDX-License-Identifier: Apache-2.0
// PtxOperandReader: what names mean at their place, and the operands of an instruction.
//
//   { .reg .b32 %r<3>; add.s32 %r1, %r2, 4; { .reg .b32 %r1; … } }     the inner %r1 is another register
//                                           { .reg .b32 %r<2>; … }       here too, and %r2 is the outer one
//
// A scope gives names a meaning; at its end they mean again what they meant before. The names of a range get their
// meaning when they are first read: a range hides what the scopes around it have bound. A name without a meaning may be
// a label further on: the operand waits until the scope that has the label ends.
//
// Used only inside src/ptx.
#pragma once

#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "ptx/module.hpp"
#include "ptx/scanner.hpp"

namespace swz {

class PtxOperandReader : protected PtxScanner {
 protected:
  explicit PtxOperandReader(PtxModule& module) : PtxScanner(*module.text), module_(module) {}

  // What a name means, and the scope that gave it this meaning.
  struct Meaning {
    PtxOperand operand;
    std::size_t scope = 0;
  };
  // What a name meant before a scope gave it another meaning.
  struct Shadowed {
    std::string_view name;
    std::optional<Meaning> before;
  };
  struct RegisterRange {
    std::string_view prefix;
    std::uint64_t count = 0;
    int bits = 32;
  };
  struct Scope {
    std::vector<Shadowed> shadowed;
    std::vector<RegisterRange> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<std::uint32_t> open;  // operands of kind unknown that may be labels
  };

  void bind(std::string_view name, const PtxOperand& operand, Scope& scope) {
    const Meaning meaning{operand, static_cast<std::size_t>(&scope - scopes_.data())};
    const auto [entry, is_new] = names_.try_emplace(name, meaning);
    scope.shadowed.push_back({name, is_new ? std::nullopt : std::optional(entry->second)});
    entry->second = meaning;
  }

  void close_scope() {
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (auto shadowed = scope.shadowed.rbegin(); shadowed != scope.shadowed.rend(); ++shadowed) {
      if (shadowed->before) names_[shadowed->name] = *shadowed->before;
      else names_.erase(shadowed->name);
    }
    for (const std::uint32_t operand : scope.open) {
      const auto label = scope.labels.find(open_names_[operand]);
      if (label != scope.labels.end()) {
        module_.operands[operand].kind = PtxOperandKind::label;
        module_.operands[operand].id = label->second;
      } else {
        scopes_.back().open.push_back(operand);
      }
    }
  }

  PtxOperand new_register(std::string_view name, int bits, Scope& scope) {
    require_within(limits::ptx_registers, static_cast<std::int64_t>(kernel_->registers.size()) + 1);
    kernel_->registers.push_back({name, bits});
    PtxOperand meaning{.kind = PtxOperandKind::reg, .id = static_cast<std::uint32_t>(kernel_->registers.size() - 1)};
    bind(name, meaning, scope);
    return meaning;
  }

  PtxOperand new_symbol(const PtxSymbol& symbol, Scope& scope) {
    module_.symbols.push_back(symbol);
    PtxOperand meaning{.kind = PtxOperandKind::symbol, .id = static_cast<std::uint32_t>(module_.symbols.size() - 1)};
    bind(symbol.name, meaning, scope);
    return meaning;
  }

  static const RegisterRange* find_range(std::string_view name, const Scope& scope) {
    if (scope.ranges.empty()) return nullptr;
    std::size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1])) --digits;
    if (digits == name.size() || name.size() - digits >= 10) return nullptr;
    std::uint64_t number = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    const auto holds = [&](const RegisterRange& range) {
      return range.prefix == name.substr(0, digits) && number < range.count;
    };
    const auto range = std::ranges::find_if(scope.ranges, holds);
    return range == scope.ranges.end() ? nullptr : &*range;
  }

  // %r<100> declares %r0 to %r99; a register that is never named costs nothing.
  std::optional<PtxOperand> find_name(std::string_view name) {
    const auto meaning = names_.find(name);
    const std::size_t bound = meaning == names_.end() ? 0 : meaning->second.scope;
    if (kernel_ != nullptr)
      for (std::size_t scope = scopes_.size(); --scope > bound;)
        if (const RegisterRange* range = find_range(name, scopes_[scope]))
          return new_register(name, range->bits, scopes_[scope]);
    if (meaning != names_.end()) return meaning->second.operand;
    if (kernel_ == nullptr) return std::nullopt;
    if (name[0] == '%') return new_symbol({.name = name, .space = PtxSpace::special, .line = line_}, scopes_.front());
    return std::nullopt;
  }

  // ---- operands

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

  // Constant expressions of numbers: 32*4, (4+4)*16. A sum is in brackets, as an address is a sum of its own. Without a
  // value nothing of the text is read.
  std::optional<std::int64_t> constant_factor(int depth) {
    require_within(limits::ptx_nesting, depth);
    if (take('(')) {
      const auto inner = constant_sum(depth + 1);
      return inner && take(')') ? inner : std::nullopt;
    }
    const bool begins = skip_space() && (is_digit(*at_) || (*at_ == '-' && at_ + 1 != end_ && is_digit(at_[1])));
    const PtxOperand number = begins ? number_operand() : PtxOperand{};
    return number.kind == PtxOperandKind::number ? std::optional(number.value) : std::nullopt;
  }
  std::optional<std::int64_t> constant_product(int depth) {
    auto value = constant_factor(depth);
    while (value && skip_space() && (*at_ == '*' || *at_ == '/' || *at_ == '%')) {
      const char sign = *at_++;
      const auto by = constant_factor(depth);
      if (!by || (sign != '*' && (*by == 0 || *by == -1))) return std::nullopt;
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
      const auto added = static_cast<std::uint64_t>(*product);
      value = static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) + (minus ? 0 - added : added));
    }
    return value;
  }
  std::optional<PtxOperand> constant_operand(int depth) {
    const char* before = at_;
    const auto line = line_;
    if (const auto value = constant_product(depth)) return PtxOperand{.kind = PtxOperandKind::number, .value = *value};
    at_ = before;
    line_ = line;
    return std::nullopt;
  }

  // The operands up to `close`, after the opening bracket.
  PtxOperand list_operand(char close, PtxOperandKind kind, int depth) {
    std::vector<PtxOperand> parts;
    std::int64_t added = 0;
    while (skip_space() && *at_ != close && *at_ != ';' && *at_ != '}') {
      const char* before = at_;
      if (kind == PtxOperandKind::address && (*at_ == '+' || *at_ == '-')) {
        const bool minus = *at_++ == '-';
        const PtxOperand offset = operand(depth + 1);
        if (offset.kind == PtxOperandKind::number) added += minus ? -offset.value : offset.value;
        else parts.push_back({});
      } else {
        parts.push_back(operand(depth + 1));
      }
      take(',');
      if (at_ == before) ++at_;
    }
    take(close);
    return gathered(kind, parts, added);
  }

  // A name that is not a register or symbol may be a label further on: it is kept by its place until the scope ends.
  PtxOperand gathered(PtxOperandKind kind, std::vector<PtxOperand> parts, std::int64_t value = 0) {
    const auto first = static_cast<std::uint32_t>(module_.operands.size());
    const auto count = static_cast<std::uint32_t>(parts.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (parts[i].kind != PtxOperandKind::unknown || parts[i].id == 0) continue;
      open_names_[first + i] = unresolved_[std::exchange(parts[i].id, 0) - 1];
      scopes_.back().open.push_back(first + i);
    }
    module_.operands.insert(module_.operands.end(), parts.begin(), parts.end());
    return {.kind = kind, .part = first, .parts = count, .value = value};
  }

  PtxOperand operand(int depth) {
    require_within(limits::ptx_nesting, depth);
    if (!skip_space()) return {};
    if (take('{')) return list_operand('}', PtxOperandKind::list, depth);
    if (*at_ == '(')
      if (const auto constant = constant_operand(depth)) return *constant;
    if (take('(')) return list_operand(')', PtxOperandKind::list, depth);
    if (take('[')) return list_operand(']', PtxOperandKind::address, depth);
    if (is_digit(*at_) || (*at_ == '-' && at_ + 1 != end_ && is_digit(at_[1]))) {
      if (const auto constant = constant_operand(depth)) return *constant;
      return number_operand();
    }
    if (*at_ == '!' || *at_ == '-') {
      ++at_;
      PtxOperand negated = operand(depth + 1);
      negated.negated = !negated.negated;
      return negated;
    }
    if (!begins_name(*at_)) {
      ++at_;
      return {};
    }
    const PtxOperand first = named_operand();
    if (!take('|')) return first;
    return gathered(PtxOperandKind::list, {first, operand(depth + 1)});  // d|p
  }

  PtxOperand named_operand() {
    const bool is_special = *at_ == '%';
    const char* first = at_++;
    take_while([&](char c) { return is_name(c) || (is_special && c == '.'); });
    const std::string_view name(first, static_cast<std::size_t>(at_ - first));
    if (name == "_") return {.kind = PtxOperandKind::sink};
    if (const auto meaning = find_name(name)) return *meaning;
    unresolved_.push_back(name);
    return {.kind = PtxOperandKind::unknown, .id = static_cast<std::uint32_t>(unresolved_.size())};
  }

  PtxModule& module_;
  PtxKernel* kernel_ = nullptr;
  std::unordered_map<std::string_view, Meaning> names_;
  std::vector<Scope> scopes_;
  std::vector<std::string_view> unresolved_;
  std::unordered_map<std::uint32_t, std::string_view> open_names_;
};

}  // namespace swz
