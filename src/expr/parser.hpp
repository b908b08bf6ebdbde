// SPDX-License-Identifier: Apache-2.0
// Parser: from the text of an expression to its Value, evaluated as it is read. The grammar is in evaluate.hpp; each
// rule is one function.
//
//   Parser("make_layout(Shape<_8,_64>{}, LayoutRight{})").whole()     (8,64):(64,1)
//
// Files: evaluate.cpp has the expression itself, cute_types.cpp the types and calls of C++ and Python, cute_basis.cpp
// basis elements, cute_tensor.cpp the names and pointers before a printed layout, smem_layout_call.cpp the calls that
// make the layouts of shared memory.
//
// Errors carry the place of the text that was read. A counter for each kind of growth (nesting, numbers, operations)
// stops hostile texts early.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/evaluate.hpp"
#include "expr/scanner.hpp"
#include "smem/tile.hpp"

namespace swz {

// The name without cute::, cutlass:: and std:: before it.
std::string_view local_name(std::string_view name);

class Parser {
 public:
  // `operations`, if not null, receives every operation as it is evaluated.
  explicit Parser(std::string_view text, std::vector<RecordedCall>* operations = nullptr)
      : scanner_(text), recorded_(operations) {}

  // Evaluates the whole text as one expression.
  Evaluation whole();

 private:
  // A pointer before a layout, which is not a separate value. A pointer into shared memory makes the smem_ptr form;
  // any other leaves the layout unchanged.
  struct Pointer {
    std::int64_t element_bits = 0;
    std::int64_t address = 0;  // 0 if unset
    bool shared = true;
    Swizzle swizzle = {};                        // CuTe DSL writes it into the type of the pointer
    std::string note_rule = {}, note_text = {};  // note on the answer, if any
  };
  struct Operand {
    std::variant<Value, Pointer> what;
    std::size_t begin = 0;
    bool called = false;  // whether it ended in a call: B(7,25)
  };

  // evaluate.cpp
  Value expression();
  Operand operand();
  Value apply(const Operand& left, const Operand* before_left, const Value& right);
  Value apply_pointer(const Pointer& p, const Swizzle* before, const Value& right);
  Value call(const Value& callee, const std::vector<Value>& arguments);
  Value primary();
  Value parenthesis(char close, std::size_t begin);
  Value tuple_of_values(std::vector<Value> items, std::size_t begin);
  Value maybe_layout(Value shape, std::size_t begin);
  Value tiler();
  std::vector<Value> list(char close);
  Value named(std::string_view name, std::size_t begin);
  Value call_named(const Function& f, std::size_t begin);
  Value named_atom(const NamedAtom& a, std::size_t begin);
  Value swizzle(std::size_t begin);

  // cute_types.cpp
  std::optional<Value> cute_type(std::string_view name, std::size_t begin);
  Value layout_type(std::size_t begin);
  Value composed_type(char close, std::size_t begin);
  Value constant_type(std::size_t begin);
  std::optional<Value> major_marker(std::string_view function, const std::vector<Value>& before);
  std::vector<Value> type_arguments(std::string_view function, std::size_t begin);
  std::vector<Value> call_arguments(const Function& f);
  void skip_braces();

  // smem_layout_call.cpp
  std::optional<Value> smem_layout_call();
  Value smem_layout_of(std::string_view function, std::size_t begin);
  Value mma_shape_call(std::size_t begin);
  Value staged_call(std::string_view function, std::size_t begin);
  NamedAtom atom_kind();
  NamedAtom widest_kind(const DType*& dtype);
  Major layout_enum();
  const DType& element_type();
  void named_argument(std::string_view before);

  // cute_basis.cpp
  IntTuple basis_element(std::int64_t scale);
  IntTuple basis_type(bool scaled, std::size_t begin);
  Value call_basis(const BasisLayout& l, const IntTuple& coordinate);
  void add_origin(const IntTuple& origin);

  // cute_tensor.cpp
  void skip_label();
  std::optional<Pointer> pointer();
  std::optional<Pointer> address_of(Pointer p, std::size_t begin);
  void read_address(Pointer& p, std::string_view name);
  Pointer typed_pointer(std::size_t begin);
  std::variant<Value, Pointer> tensor(std::size_t begin);

  // Older CuTe prints Sw<3,4,3>_smem_ptr16b o …: the underscore joins swizzle and pointer.
  bool joins_old_pointer() { return scanner_.next_is("_smem_") && scanner_.accept('_'); }

  void add_notes(const std::vector<Finding>& notes);  // adds each note once
  // Throws Error at the next token if this growth passes its limit.
  void grow(const Limit& limit, int& counter) {
    placed(scanner_.here().begin, [&] { require_within(limit, ++counter); });
  }
  std::string hint_for_rest();

  // Returns f(), and records it as an operation of this name.
  template <class F>
  Value recorded(std::string_view name, std::vector<Value> arguments, const F& f) {
    if (recorded_ == nullptr) return f();
    recorded_->push_back({name, std::move(arguments)});
    return *(recorded_->back().result = f());
  }

  // Runs f. An Error without a place gets the place of the text read since `begin`.
  template <class F>
  auto placed(std::size_t begin, const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& e) {
      throw e.at(scanner_.since(begin));
    }
  }

  Scanner scanner_;
  int nesting_ = 0, numbers_ = 0, operations_ = 0;
  std::vector<Finding> notes_;
  std::int64_t smem_address_ = 0;
  std::vector<RecordedCall>* recorded_;
};

}  // namespace swz
