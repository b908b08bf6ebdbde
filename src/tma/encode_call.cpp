// SPDX-License-Identifier: Apache-2.0
#include "tma/encode_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/c_expression.hpp"
#include "expr/c_parser.hpp"

namespace swz {

namespace {

constexpr std::string_view function = "cuTensorMapEncodeTiled";
constexpr std::size_t argument_count = 12;
constexpr int deepest_definition = 8;

// The place at which the bracket that opens at `open` closes; npos if it does not.
std::size_t closing_of(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The place at which the template arguments that open at `open` close: "array<int, 2>"; `open` itself for a comparison.
std::size_t end_of_template(std::string_view text, std::size_t open) {
  std::size_t end = open + 1;
  const auto is_argument = [](char c) { return is_word(c) || c == ':' || c == ',' || c == ' ' || c == '*'; };
  while (end < text.size() && is_argument(text[end])) ++end;
  const bool is_template = open > 0 && is_word(text[open - 1]) && end < text.size() && text[end] == '>';
  return is_template ? end : open;
}

// The pieces between commas that are in no bracket. A comma at the end is allowed.
std::vector<std::string_view> pieces_at_commas(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '<') i = end_of_template(text, i);
    const char c = i < text.size() ? text[i] : ',';
    if (std::string_view("([{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(c) != std::string_view::npos) --depth;
    if (c != ',' || (depth != 0 && i < text.size())) continue;
    pieces.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

struct EncodeCall {
  std::string_view before;  // the text before the call
  std::vector<std::string_view> arguments;
};

std::optional<EncodeCall> find_call(std::string_view code) {
  for (std::size_t at = code.find(function); at != std::string_view::npos; at = code.find(function, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + function.size());
    if (open == std::string_view::npos || code[open] != '(') continue;
    const std::size_t close = closing_of(code, open);
    if (close == std::string_view::npos) continue;
    EncodeCall call{code.substr(0, at), pieces_at_commas(code.substr(open + 1, close - open - 1))};
    if (call.arguments.size() == argument_count) return call;
  }
  return std::nullopt;
}

// The next occurrence of a whole name in the text, from `from` on; npos if there is none.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !is_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

// The value in the last definition of a name: "{4096, 128}" or "4096 * 2". Empty if there is none.
std::string_view definition_of(std::string_view text, std::string_view name) {
  std::string_view found;
  for (std::size_t at = find_name(text, name, 0); at != std::string_view::npos; at = find_name(text, name, at + 1)) {
    const std::string_view line = text.substr(text.rfind('\n', at) + 1, at - text.rfind('\n', at) - 1);
    std::size_t next = text.find_first_not_of(" \t\r\n", at + name.size());
    if (next == std::string_view::npos) break;
    if (trimmed(line) == "#define") {
      found = trimmed(text.substr(next, text.find('\n', next) - next));
      continue;
    }
    if (text[next] == '[') {
      const std::size_t close = closing_of(text, next);
      if (close == std::string_view::npos) break;
      next = text.find_first_not_of(" \t\r\n", close + 1);
    }
    if (next == std::string_view::npos) break;
    const bool is_assigned = text[next] == '=' && next + 1 < text.size() && text[next + 1] != '=';
    if (is_assigned) next = text.find_first_not_of(" \t\r\n", next + 1);
    if (next == std::string_view::npos) break;
    if (text[next] == '{') {
      const std::size_t close = closing_of(text, next);
      if (close != std::string_view::npos) found = text.substr(next, close + 1 - next);
    } else if (is_assigned) {
      const std::string_view rest = text.substr(next);
      const std::vector<std::string_view> pieces = pieces_at_commas(rest.substr(0, rest.find(';')));
      if (!pieces.empty()) found = pieces.front();
    }
  }
  return found;
}

// Reads arguments with the definitions of the text, and collects the names that have none.
class CallReader {
 public:
  explicit CallReader(std::string_view definitions) : definitions_(definitions) {}

  const std::vector<std::string>& unknown() const { return unknown_; }
  const std::vector<std::string>& examples() const { return examples_; }  // how to define them

  std::uint64_t number(std::string_view what, std::string_view expression) {
    const std::string code = expanded(expression, 0);
    if (!unknown_.empty()) return 1;
    try {
      return CExpression(code, CNames{"", "", ""})(0);
    } catch (const Error& error) {
      throw Error(fmt::format("{} = {}: {}", what, quoted(expression), error.message()), error.hint);
    }
  }

  // The entries of an array, at most `count` of them.
  template <std::size_t n>
  void list(std::string_view what, std::string_view argument, int count, std::array<std::uint64_t, n>& to) {
    if (count <= 0) return;
    std::string_view braces = argument;
    if (argument.find('{') == std::string_view::npos) {
      const std::string name = array_name(argument);
      braces = definition_of(definitions_, name);
      if (braces.find('{') == std::string_view::npos) {
        ask_for(fmt::format("{}[{}]", name, count), count == 1 ? "{8192}" : "{64, 64}");
        return;
      }
    }
    const std::size_t open = braces.find('{');
    const std::size_t close = closing_of(braces, open);
    std::vector<std::string_view> entries;
    if (close != std::string_view::npos) entries = pieces_at_commas(braces.substr(open + 1, close - open - 1));
    // std::array<int, 2>{{1, 2}}
    if (entries.size() == 1 && entries[0].starts_with('{') && entries[0].ends_with('}'))
      entries = pieces_at_commas(entries[0].substr(1, entries[0].size() - 2));
    if (entries.size() < static_cast<std::size_t>(count))
      throw Error(fmt::format("{} has {}, and the rank needs {}", what, plural(std::ssize(entries), "entry"), count),
                  "strides have one entry less than the rank, the other arrays as many");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) && i < n; ++i)
      to[i] = number(fmt::format("{}[{}]", what, i), entries[i]);
  }

  // The name of an enumerator, or its number.
  std::string enumerator(std::string_view argument, std::string_view example) {
    for (int depth = 0; depth < deepest_definition; ++depth) {
      const std::size_t at = argument.find("CU_TENSOR_MAP_");
      if (at != std::string_view::npos) {
        std::size_t end = at;
        while (end < argument.size() && is_word(argument[end])) ++end;
        return std::string(argument.substr(at, end - at));
      }
      const std::string name = array_name(argument);
      if (name.empty() || is_digit(name[0])) return name;
      const std::string_view next = definition_of(definitions_, name);
      if (next.empty()) {
        ask_for(name, example);
        return "0";
      }
      argument = next;
    }
    return "0";
  }

 private:
  void ask_for(const std::string& name, std::string_view example) {
    if (std::ranges::find(unknown_, name) != unknown_.end()) return;
    unknown_.push_back(name);
    examples_.push_back(fmt::format("{} = {};", name, example));
  }

  // The name "dims" in "dims.data()", "&dims[0]", "(cuuint64_t*)dims" and "static_cast<T>(dims)".
  static std::string array_name(std::string_view argument) {
    if (argument.starts_with("static_cast") || argument.starts_with("reinterpret_cast"))
      argument.remove_prefix(std::min(argument.find('(') + 1, argument.size()));
    else if (argument.starts_with('(')) argument.remove_prefix(std::min(argument.find(')') + 1, argument.size()));
    while (!argument.empty() && !is_word(argument.front())) argument.remove_prefix(1);
    std::size_t end = 0;
    while (end < argument.size() && is_word(argument[end])) ++end;
    return std::string(argument.substr(0, end));
  }

  // Replaces sizeof(T) and names by their values.
  std::string expanded(std::string_view code, int depth) {
    constexpr std::size_t longest = 4096;
    std::string out;
    for (std::size_t at = 0; at < code.size() && out.size() <= longest;) {
      if (!is_word(code[at]) || is_digit(code[at])) {
        const std::size_t begin = at++;
        while (is_digit(code[begin]) && at < code.size() && (is_word(code[at]) || code[at] == '\'')) ++at;
        out += code.substr(begin, at - begin);
        continue;
      }
      std::size_t end = at;
      while (end < code.size() &&
             (is_word(code[end]) || code.substr(end).starts_with("::") || (code[end] == ':' && code[end - 1] == ':')))
        ++end;
      const std::string_view name = code.substr(at, end - at);
      at = end;
      if (name == "sizeof") out += bytes_of_type(code, at);
      else if (is_type(name) || name == "static_cast") out += name;
      else out += value_of_name(name, depth);
    }
    return out;
  }

  std::string value_of_name(std::string_view name, int depth) {
    const std::string_view definition = definition_of(definitions_, name);
    if (definition.empty()) {
      ask_for(std::string(name), "4096");
      return "1";
    }
    if (depth == deepest_definition)
      throw Error(fmt::format("the definition of {} does not end", quoted(name)), "give its number");
    const bool is_braced = definition.size() > 1 && definition.starts_with('{');
    const std::string_view inner = is_braced ? definition.substr(1, definition.size() - 2) : definition;
    return fmt::format("({})", expanded(inner, depth + 1));
  }

  // Reads the type after sizeof, and moves `at` past its bracket.
  static std::string bytes_of_type(std::string_view code, std::size_t& at) {
    const std::size_t open = code.find('(', at), close = code.find(')', at);
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      throw Error("sizeof needs a type in brackets", "sizeof(__nv_bfloat16)");
    at = close + 1;
    const DType& type = require_dtype(trimmed(code.substr(open + 1, close - open - 1)));
    return fmt::format("{}", std::max(1, type.memory_bits / 8));
  }

  std::string_view definitions_;
  std::vector<std::string> unknown_, examples_;
};

}  // namespace

bool holds_encode_call(std::string_view text) {
  return text.find(function) != std::string_view::npos && find_call(without_comments(text)).has_value();
}

PastedMap parse_encode_call(std::string_view text) {
  const std::string code = without_comments(text);
  const auto call = find_call(code);
  if (!call) throw Error(fmt::format("no call of {} with {} arguments", function, argument_count), "paste it whole");
  const std::vector<std::string_view>& a = call->arguments;
  CallReader read(call->before);
  PastedMap pasted;
  pasted.program = "source code";
  pasted.has_address = false;
  TensorMap& map = pasted.map;
  const std::uint64_t rank = read.number("tensorRank", a[2]);
  if (read.unknown().empty()) {
    if (rank > 64) throw Error(fmt::format("tensorRank = {}", rank), "a tensor has 1 to 5 dimensions");
    map.rank = static_cast<int>(rank);
    read.list("globalDim", a[4], map.dim_count(), map.dims);
    read.list("globalStrides", a[5], map.stride_count(), map.strides);
    read.list("boxDim", a[6], map.dim_count(), map.box);
    read.list("elementStrides", a[7], map.dim_count(), map.element_strides);
  }
  const std::string type = read.enumerator(a[1], "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16"),
                    interleave = read.enumerator(a[8], "CU_TENSOR_MAP_INTERLEAVE_NONE"),
                    swizzle = read.enumerator(a[9], "CU_TENSOR_MAP_SWIZZLE_128B"),
                    l2 = read.enumerator(a[10], "CU_TENSOR_MAP_L2_PROMOTION_NONE"),
                    oob = read.enumerator(a[11], "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE");
  if (!read.unknown().empty())
    throw Error(fmt::format("the text does not show what {} {}", join_and(read.unknown()),
                            read.unknown().size() == 1 ? "is" : "are"),
                fmt::format("write it above the call, for example {}", fmt::join(read.examples(), " ")));
  map.data_type = require_tensor_map_data_type(type);
  map.interleave = require_tensor_map_interleave(interleave);
  map.swizzle = require_tensor_map_swizzle(swizzle);
  map.l2_promotion = require_tensor_map_l2_promotion(l2);
  map.oob_fill = require_tensor_map_oob_fill(oob);
  if (!a[3].empty() && is_digit(a[3][0])) {
    map.global_address = read.number("globalAddress", a[3]);
    pasted.has_address = true;
  }
  return pasted;
}

}  // namespace swz
