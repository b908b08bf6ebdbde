// SPDX-License-Identifier: Apache-2.0
// SassLine: one instruction of SASS, and the statements of PTX that do the same.
//
//   @P0 LEA R7, R6.reuse, UR4, 0x2        shl.b32 t0, R6, 2;
//                                         @P0 add.u32 R7, t0, UR4;
//
//   with guards_all: mov.b32 t0, 0; @P0 shl.b32 t0, R6, 2; @P0 add.u32 R7, t0, UR4;
//
// Registers keep their names: R7, UR4, P0. Intermediate results are in t (32 bits), q (64 bits) and tp (predicates),
// which no instruction reads that did not write them first. Statements that only write intermediate results have the
// guard of the instruction too: what they read is then what instructions under the same guard wrote. A constant c[0x0][…] is what it holds: a parameter, an extent of the block.
//
// An operand or a modifier that is not understood makes `fails` true; what was written is then given up, and the
// results of the instruction are unknown.
//
// Used only inside src/sass. Source: ../shared/facts of the project, pairs of PTX and SASS, and an H100.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sass/constant_bank.hpp"
#include "sass/sass_text.hpp"

namespace swz {

struct SassKernelContext {
  ConstantBank bank;
  // Local memory is words at [R1+n], each of which is a register: what was spilled.
  bool has_local_words = false;
};

// 48 of [R1+0x30]. nullopt: another address.
std::optional<std::int64_t> local_place(std::string_view address);

class SassLine {
 public:
  SassLine(const SassInstruction& instruction, std::span<const std::string_view> operands,
           const SassKernelContext& kernel);

  // ---- what it is
  std::string_view name() const { return modifiers_[0]; }  // "LDS"
  bool has(std::string_view modifier) const;               // "128"
  // Any modifier beside these makes it fail.
  void allow(std::initializer_list<std::string_view> modifiers);
  std::size_t count() const { return operands_.size(); }
  std::string_view operand(std::size_t place) const { return place < operands_.size() ? operands_[place] : ""; }
  std::span<const std::string_view> modifiers() const { return std::span(modifiers_).subspan(1); }

  void fail() { fails_ = true; }
  bool fails() const { return fails_; }

  // ---- operands
  static bool is_predicate(std::string_view operand);  // P0, !UP1, PT
  std::string source(std::size_t place);               // 32 bits, as an operand of PTX
  std::string inverted_source(std::size_t place);      // the one's complement where the text has -x or ~x
  bool is_negative(std::size_t place) const { return operand(place).starts_with('-'); }
  std::string source_pair(std::size_t place);  // 64 bits: a register and the next one
  std::string predicate(std::size_t place);    // "P0", "!P0"; PT is the predicate `yes`
  std::optional<std::int64_t> number(std::size_t place) const;
  bool is_zero(std::size_t place) const;             // RZ, URZ, 0
  std::string address(std::size_t place, int bits);  // of brackets: "t0+16"
  // `count` registers from this one on: {R4, R5}; sinks if it is RZ.
  std::string registers(std::size_t place, int count);
  std::string pair_at(std::string_view first, int add);  // the 64 bits of two registers, `add` after the first
  std::string register_after(std::string_view first, int add);
  std::string register_after(std::size_t place, int add) { return register_after(operand(place), add); }
  // 32 bits of c[0x0][0x210], `add` words further on.
  std::string constant(std::string_view operand, int add);

  // ---- results
  std::string result(std::size_t place);  // a register or a sink
  std::string result_predicate(std::size_t place);
  std::string result_pair(std::size_t place) { return registers(place, 2); }

  // ---- statements
  std::string new_word() { return fmt::format("t{}", words_++); }
  std::string new_pair() { return fmt::format("q{}", pairs_++); }
  std::string new_predicate() { return fmt::format("tp{}", predicates_++); }
  // An intermediate result.
  template <class... Parts>
  void compute(fmt::format_string<Parts...> format, Parts&&... parts) {
    add_computation(fmt::format(format, std::forward<Parts>(parts)...));
  }
  // Under the guard of the instruction.
  template <class... Parts>
  void act(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += guard_ + fmt::format(format, std::forward<Parts>(parts)...) + "; ";
  }
  // compute into a new word
  template <class... Parts>
  std::string word(fmt::format_string<Parts...> format, Parts&&... parts) {
    const std::string out = new_word(), statement = fmt::format(format, std::forward<Parts>(parts)...);
    const std::size_t at = statement.find(' ');
    compute("{} {}, {}", statement.substr(0, at), out, statement.substr(at + 1));
    return out;
  }
  const std::string& guard() const { return guard_; }
  void set_guard(std::string guard) { guard_ = std::move(guard); }
  // Intermediate results are worked out under the guard. Of a jump they are not: they become its guard.
  void guard_all() { guards_all_ = true; }
  std::string text() const { return text_.empty() ? std::string() : before_ + text_; }
  void forget() {
    text_.clear();
    words_ = pairs_ = predicates_ = 0;
  }

  // Gives up what was written, to write something else.
  void start_again() {
    forget();
    fails_ = false;
  }

  const SassKernelContext& kernel() const { return kernel_; }

  // The registers and predicates that it may write, if its first register has `count` of them: any predicate may be one.
  std::vector<std::string> written(int count) const;
  // The same if its results come first in the text.
  std::vector<std::string> results(int count) const { return parted(count).results; }
  // Nothing is known of these.
  void unknown(const std::vector<std::string>& names);
  // The results of an instruction that writes `count` registers are a function of its operands.
  void pure(int count);

  static constexpr int words = 32, pairs = 16, predicates = 64;  // that one instruction may need

 private:
  std::string plain_source(std::string_view operand);
  void add_computation(const std::string& statement);
  struct Parted {
    std::vector<std::string> results, sources;  // registers and predicates
  };
  Parted parted(int count) const;

  const SassInstruction& instruction_;
  std::span<const std::string_view> operands_;
  const SassKernelContext& kernel_;
  std::vector<std::string_view> modifiers_;
  std::string guard_, before_, text_;
  bool fails_ = false, guards_all_ = false;
  int words_ = 0, pairs_ = 0, predicates_ = 0;
};

}  // namespace swz
