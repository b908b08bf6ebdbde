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
// A symbol may have constants added, "s+16". What is more, "s+(1<<4)" or an element of a vector "v.x", is an operand
// that is not understood: an operand is never only what its first word says.
//
// Used only inside src/ptx.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "ptx/constant_reader.hpp"
#include "ptx/module.hpp"

namespace swz {

class PtxOperandReader : protected PtxConstantReader {
 protected:
  using PtxConstantReader::PtxConstantReader;

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

  bool is_bound(std::string_view name) const {
    return names_.contains(name) ||
           std::ranges::any_of(scopes_, [&](const Scope& scope) { return find_range(name, scope) != nullptr; });
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

  // The operands up to `close`, after the opening bracket.
  PtxOperand list_operand(char close, int depth) {
    std::vector<PtxOperand> parts;
    while (skip_space() && *at_ != close && *at_ != ';' && *at_ != '}')
      parts.push_back(whole_operand(close, depth + 1));
    if (!take(close)) add_missing(fmt::format("',' or '{}'", close));
    return gathered(PtxOperandKind::list, parts);
  }

  // [%r1+4], [s+4*4+8], [%rd1, {%r1, %r2}], after the opening bracket. What is added and is no number, or more than a
  // sum, makes the address one that is not understood.
  PtxOperand address_operand(int depth) {
    std::vector<PtxOperand> parts;
    std::int64_t added = 0;
    bool is_understood = true;
    while (skip_space() && *at_ != ']' && *at_ != ';' && *at_ != '}') {
      if (*at_ == '+' || *at_ == '-') {
        const bool minus = *at_++ == '-';
        const PtxOperand offset = operand(depth + 1, true);
        if (offset.kind == PtxOperandKind::number) added = sum(added, minus ? negative(offset.value) : offset.value);
        else is_understood = false;
      } else {
        parts.push_back(operand(depth + 1, true));
      }
      if (is_next('+') || is_next('-')) continue;
      if (is_operator_next()) {
        skip_expression(depth);
        is_understood = false;
      }
      end_operand(']');
    }
    if (!take(']')) add_missing("',' or ']'");
    if (!is_understood && !parts.empty()) parts.front() = {};
    return gathered(PtxOperandKind::address, parts, added);
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

  // What is between two operands of a list that ends with `close`.
  void end_operand(char close) {
    if (take(',')) {
      if (is_next(close) || is_next(';')) add_missing("an operand");
    } else if (!is_next(close) && !is_next(';') && !is_next('}')) {
      add_missing(fmt::format("',' or '{}'", close));
      if (at_ != end_ && (*at_ == ')' || *at_ == ']' || *at_ == '"')) ++at_;
    }
  }

  // An operand of an instruction or a list, and the comma after it.
  PtxOperand whole_operand(char close, int depth) {
    PtxOperand whole = operand(depth, false);
    while (whole.kind == PtxOperandKind::symbol && (is_next('+') || is_next('-'))) {
      const auto added = constant_term(depth);
      if (!added) break;
      whole.value = sum(whole.value, *added);
    }
    if (whole.kind != PtxOperandKind::reg && is_operator_next()) {
      skip_expression(depth);
      whole = {};
    }
    end_operand(close);
    return whole;
  }

  PtxOperand operand(int depth, bool is_in_address) {
    require_within(limits::ptx_nesting, depth);
    if (!skip_space()) return {};
    if (take('{')) return with_predicate(list_operand('}', depth), depth, is_in_address);
    const char next = at_ + 1 == end_ ? '\0' : at_[1];
    if (*at_ == '(' && next == '.') return cast_operand(depth);
    if (is_digit(*at_) || std::string_view("(-+.").find(*at_) != std::string_view::npos)
      if (const auto constant = constant_operand(depth, is_in_address)) return *constant;
    if (take('(')) return list_operand(')', depth);
    if (take('[')) return address_operand(depth);
    if (is_digit(*at_) || ((*at_ == '-' || *at_ == '.') && is_digit(next))) return number_operand();
    if (std::string_view("!-+~").find(*at_) != std::string_view::npos) return signed_operand(depth, is_in_address);
    if (!begins_name(*at_)) {
      add_missing("an operand");
      if (*at_ != ';' && *at_ != '}') ++at_;
      return {};
    }
    return with_predicate(named_operand(!is_in_address, depth), depth, is_in_address);
  }

  // d|p, {a, b}|p
  PtxOperand with_predicate(const PtxOperand& first, int depth, bool is_in_address) {
    if (!take('|')) return first;
    return gathered(PtxOperandKind::list, {first, operand(depth + 1, is_in_address)});
  }

  // !%p1, -%r1; "!7" and "~7" are expressions.
  PtxOperand signed_operand(int depth, bool is_in_address) {
    const char sign = *at_++;
    PtxOperand of = operand(depth + 1, is_in_address);
    const bool is_number = of.kind == PtxOperandKind::number && (sign == '-' || sign == '+');
    if (!is_number && (of.kind != PtxOperandKind::reg || sign == '~')) return {};
    if (sign != '+') of.negated = !of.negated;
    return of;
  }

  // (.s64)4
  PtxOperand cast_operand(int depth) {
    at_ += 2;
    word();
    take(')');
    operand(depth + 1, false);
    return {};
  }

  PtxOperand named_operand(bool may_have_index, int depth) {
    const char* first = at_++;
    take_while(is_name);
    std::string_view name(first, static_cast<std::size_t>(at_ - first));
    if (name == "_") return {.kind = PtxOperandKind::sink};
    if (name == "WARP_SZ") return {.kind = PtxOperandKind::number, .value = 32};
    // "%tid.x" is a name; "v.x" is an element of a vector, whatever the vector is called.
    const bool is_declared = name[0] != '%' || is_bound(name);
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      take_while(is_name);
      if (is_declared) return {};
      name = {first, static_cast<std::size_t>(at_ - first)};
    }
    if (const auto meaning = find_name(name))
      return may_have_index && meaning->kind == PtxOperandKind::symbol && take('[') ? element_address(depth) : *meaning;
    constexpr std::string_view instructions[] = {"ret", "exit", "trap", "brkpt"};  // that are one word
    if (!is_branch_ && std::ranges::find(instructions, name) != std::end(instructions))
      add_syntax_error("';' is missing before " + quoted(name));
    unresolved_.push_back(name);
    return {.kind = PtxOperandKind::unknown, .id = static_cast<std::uint32_t>(unresolved_.size())};
  }

  // "s[4]" of an array: an address that is not known, after the opening bracket.
  PtxOperand element_address(int depth) {
    skip_constant(depth);
    skip_expression(depth);
    require(']');
    return gathered(PtxOperandKind::address, {PtxOperand{}});
  }

  PtxKernel* kernel_ = nullptr;
  bool is_branch_ = false;  // the instruction that is read names labels
  std::unordered_map<std::string_view, Meaning> names_;
  std::vector<Scope> scopes_;
  std::vector<std::string_view> unresolved_;
  std::unordered_map<std::uint32_t, std::string_view> open_names_;
};

}  // namespace swz
