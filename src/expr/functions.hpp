// The functions of the expression language: one row each, with the signature help shows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/evaluate.hpp"

namespace swz {

struct Function {
  std::string_view name;
  std::string_view signature;  // "complement(L [, cotarget])"
  std::string_view summary;
  std::size_t min_arguments;
  std::size_t max_arguments;
  Value (*call)(std::span<const Value> arguments);
};

std::span<const Function> functions();

// None when there is no function of this name.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

// Throws Error when the number of arguments is wrong.
Value call_function(const Function& f, std::span<const Value> arguments);

// left o right: a swizzle, an offset or a layout before a layout. Throws Error when it is not a layout.
Value compose(const Value& left, const Value& right);

}  // namespace swz
