// Parser: text to Value, evaluating as it reads. The grammar stands in evaluate.hpp; each rule is one function.
//
// Errors carry the place of what was read. A counter for each kind of growth (nesting, numbers, operations) ends
// hostile texts early.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "expr/scanner.hpp"

namespace swz {

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  // The whole text as one expression.
  Evaluation whole();

 private:
  // Where a smem_ptr stands between a swizzle and a layout; not a value of its own.
  struct Pointer {
    std::int64_t element_bits = 0;
    std::int64_t address = 0;  // 0 when unset
  };
  struct Operand {
    std::variant<Value, Pointer> what;
    std::size_t begin = 0;
    bool called = false;  // it ended in a call: B(7,25)
  };

  // parser.cpp: operators and brackets
  Value expression();
  Operand operand();
  Value apply(const Operand& left, const Operand* before_left, const Value& right);
  Value postfix(bool& called);
  Value call(const Value& callee, const std::vector<Value>& arguments);
  Value primary();
  Value parenthesis(std::size_t begin);
  Value maybe_layout(Value shape, std::size_t begin);
  Value tiler();
  std::vector<Value> list();

  // parser_names.cpp: what begins with a name
  Value named(std::string_view name, std::size_t begin);
  Value swizzle(std::size_t begin);
  Value named_atom(const struct NamedAtom& atom, std::size_t begin);
  std::optional<Pointer> pointer();
  bool joins_old_pointer();

  void deeper();
  void count_operation();
  void count_number();
  std::string hint_for_rest();

  // Runs f; an Error without a place gets the place of what was read since `begin`.
  template <class F>
  auto placed(std::size_t begin, const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& e) {
      throw e.at(scanner_.since(begin));
    }
  }

  Scanner scanner_;
  int nesting_ = 0;
  int numbers_ = 0;
  int operations_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace swz
