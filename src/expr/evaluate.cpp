#include "expr/evaluate.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/parser.hpp"

namespace swz {
namespace {

// Said first, because an unclosed '(' makes any later complaint misleading.
void require_balanced(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') open.push_back(i);
    if (text[i] != ')') continue;
    if (open.empty()) throw Error("this ')' closes nothing", "remove it, or add the '(' it belongs to", {i, i + 1});
    open.pop_back();
  }
  if (!open.empty())
    throw Error(open.size() == 1 ? "this '(' is not closed"
                                 : fmt::format("{} '(' are not closed; this is the last", open.size()),
                "add the missing ')'", {open.back(), open.back() + 1});
}

}  // namespace

Evaluation evaluate(std::string_view text) {
  require_within(limits::expression_bytes, static_cast<std::int64_t>(text.size()));
  try {
    require_balanced(text);
    return Parser(text).whole();
  } catch (const Error& e) {
    throw e.in_text(text);
  }
}

ComposedLayout parse_layout(std::string_view text) {
  const Evaluation e = evaluate(text);
  try {
    return as_composed(e.value);
  } catch (const Error& error) {
    throw error.at({0, text.size()}).in_text(text);
  }
}

}  // namespace swz
