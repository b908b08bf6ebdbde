// SPDX-License-Identifier: Apache-2.0
// CParser: from text to the steps of a CExpression. Binary operators are read by precedence climbing: a loop for
// operators of one strength, and one level of recursion for each stronger one. So only brackets, unary operators and
// ?: make the recursion deep; these are counted.
//
//   "addr ^ 3 << 1"                                   first, constant 3, constant 1, shift_left, bit_xor
//   "int c = col ^ (row & 7); return row * 64 + c;"   c represents its steps, which are repeated at each use
//
// Invariant: the steps of a variable are complete by themselves; a copy only moves their jumps.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "expr/c_expression.hpp"
#include "expr/scanner.hpp"

namespace swz {

// Replaces comments by blanks, so that spans of both texts are the same. Throws Error for a division of Python, which
// is a comment of C: "i // 8 * 64 + j". `names` are names of numbers besides those that the text has before it.
std::string without_comments(std::string_view text, std::vector<std::string> names = {});

bool is_type(std::string_view word);  // "uint32_t", "const"

// Reads +=, <<= and the like: the operator before the '='. None, and nothing is read, if there is none.
std::optional<CStep::Code> compound_assignment(Scanner& scanner);

class CParser {
 public:
  CParser(std::string_view text, CNames names) : text_(text), names_(std::move(names)), scanner_(text) {}

  // Reads the whole text as one expression, or as a function.
  void read();

  std::vector<CStep>& steps() { return steps_; }
  bool has_coordinates() const { return has_coordinates_; }
  const CNames& names() const { return names_; }  // for a function, its parameters
  bool is_function() const { return is_function_; }
  int address_bits() const { return address_bits_; }

 private:
  using Code = CStep::Code;
  struct Variable {
    std::string name, type;
    std::vector<CStep> steps;
    bool is_signed = false;
  };

  // Brackets, unary operators and ?: make the recursion deeper.
  template <class F>
  void deeper(const F& f) {
    require_within_here(limits::c_nesting, ++nesting_);
    f();
    --nesting_;
  }

  std::size_t emit(Code code, std::uint64_t value, Span span);
  void append(const std::vector<CStep>& steps);
  // Emits a binary operator, whose left side is signed or not; is_signed_ is that of the right side.
  void operate(Code code, bool is_left_signed, Span span);
  void land(std::size_t jump) { steps_[jump].value = steps_.size(); }
  void require_within_here(const Limit& limit, std::int64_t count);

  void conditional();
  void binary(int strength);
  void lazy(int strength, Span place);
  void refuse_doubled(std::string_view symbol, Span place);
  void unary();
  void primary();
  void number(std::size_t begin);
  void named(std::string_view name, Span place);
  [[noreturn]] void refuse_name(std::string_view name, Span place);
  [[noreturn]] void refuse_rest();

  // ---- c_function.cpp
  void function();
  void header(std::string_view before_body);
  void take_parameters(const std::vector<Variable>& parameters, Span place);
  void set_parameter(const Variable& parameter, Code code);
  void body();
  void declaration();
  void assignment(std::string_view name, Span place);
  std::vector<CStep> expression_alone();
  Variable* find_variable(std::string_view name);
  // Converts the value to the type of the variable.
  void set_variable(std::string_view name, std::string type, std::vector<CStep> before, Span place);
  // The words of a type at this place; empty if there is none.
  std::string type_here();
  // Reads "(uint8_t)", whose '(' comes next. False if it is not a cast; nothing is then read.
  bool cast();
  // The name has been read: static_cast<T>(x), T(x).
  bool named_cast(std::string_view name, Span place);
  void convert_to(std::string_view type, Span place);

  std::string_view text_;
  CNames names_;
  Scanner scanner_;
  std::vector<CStep> steps_;
  std::vector<Variable> variables_;
  std::string return_type_;
  int nesting_ = 0, address_bits_ = 64;
  bool has_address_ = false, has_coordinates_ = false, is_function_ = false;
  bool has_types_ = false;  // a type was written: C's signs are known
  bool is_signed_ = false;  // the value that was read last, in C
};

}  // namespace swz
