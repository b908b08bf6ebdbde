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
#include "tma/source_definition.hpp"

namespace swz {

namespace {

constexpr std::string_view function = "cuTensorMapEncodeTiled";
constexpr std::size_t argument_count = 12;
constexpr int deepest_definition = 8;

struct EncodeCall {
  std::size_t begin = 0;
  std::string_view before;  // the text before the call
  std::vector<std::string_view> arguments;
};

// The next call with all arguments, from a place on.
std::optional<EncodeCall> find_call(std::string_view code, std::size_t from = 0) {
  for (std::size_t at = code.find(function, from); at != std::string_view::npos; at = code.find(function, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + function.size());
    if (open == std::string_view::npos || code[open] != '(') continue;
    const std::size_t close = closing_of(code, open);
    if (close == std::string_view::npos) continue;
    EncodeCall call{at, code.substr(0, at), pieces_at_commas(code.substr(open + 1, close - open - 1))};
    if (call.arguments.size() == argument_count) return call;
  }
  return std::nullopt;
}

// The text in the brackets that are around all of it: "(x)" is "x".
std::string_view without_brackets(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with('(') && closing_of(text, 0) == text.size() - 1)
    text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

bool is_type_of_cast(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == ':' || c == '*' || c == ' '; });
}

// What is cast: "x" for "(void*)x" and "static_cast<T>(x)"; the text itself if it is not a cast.
std::string_view without_cast(std::string_view text) {
  text = without_brackets(text);
  for (const std::string_view cast : {"static_cast<", "reinterpret_cast<", "const_cast<"}) {
    const std::size_t open = text.find('(');
    if (text.starts_with(cast) && open != std::string_view::npos && closing_of(text, open) == text.size() - 1)
      return without_cast(text.substr(open));
  }
  const std::size_t close = text.starts_with('(') ? closing_of(text, 0) : std::string_view::npos;
  if (close == std::string_view::npos || !is_type_of_cast(text.substr(1, close - 1))) return text;
  const std::string_view rest = trimmed(text.substr(close + 1));
  if (rest.empty() || !(is_word(rest[0]) || rest[0] == '(' || rest[0] == '&' || rest[0] == ':')) return text;
  return without_cast(rest);
}

// "dims", "args.dims", "args->dims", "Config::dims"
bool is_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("::") || rest.starts_with("->")) ++i;
    else if (!is_word(text[i]) && text[i] != '.') return false;
  }
  return true;
}

// Whether the character at a place joins two words to one name: "::", "->" and '.'.
bool joins_words(std::string_view code, std::size_t at) {
  if (at == 0 || at + 1 >= code.size()) return false;
  const std::string_view two = code.substr(at, 2), last = code.substr(at - 1, 2);
  return code[at] == '.' || two == "::" || two == "->" || last == "::" || last == "->";
}

std::string_view without_this(std::string_view name) {
  if (name.starts_with("this->")) name.remove_prefix(6);
  return name;
}

bool is_number(std::string_view text) {
  return !text.empty() && is_digit(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '\''; });
}

// An argument that begins at an entry of an array: "&strides[1]" and "strides.data() + 1".
struct ArrayPlace {
  std::string_view array;  // "strides", or a list in braces
  std::string_view subscript = "0", added = "0";
  bool is_known = true;  // false: the argument is something else
};

// The place of a '+' that is in no bracket; npos if there is none.
std::size_t plus_in(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos) --depth;
    if (text[i] == '+' && depth == 0) return i;
  }
  return std::string_view::npos;
}

ArrayPlace place_in_array(std::string_view argument) {
  ArrayPlace place;
  argument = without_brackets(argument);
  if (const std::size_t plus = plus_in(argument); plus != std::string_view::npos) {
    place.added = trimmed(argument.substr(plus + 1));
    argument = without_brackets(argument.substr(0, plus));
    // "(char*)dims + 8" counts bytes.
    place.is_known = without_cast(argument) == argument;
  }
  argument = without_cast(argument);
  if (const std::size_t open = argument.find('{'); open != std::string_view::npos) {
    const std::size_t close = closing_of(argument, open);
    const std::string_view after = close == std::string_view::npos ? "?" : trimmed(argument.substr(close + 1));
    place.array = argument.substr(open, close - open + 1);
    const bool is_choice = argument.substr(0, open).find('?') != std::string_view::npos;
    place.is_known = place.is_known && !is_choice && (after.empty() || after == ".data()" || after == ".begin()");
    return place;
  }
  if (argument.starts_with('&')) {
    argument = without_brackets(argument.substr(1));
    const std::size_t open = argument.find('[');
    if (open != std::string_view::npos && closing_of(argument, open) == argument.size() - 1) {
      place.subscript = argument.substr(open + 1, argument.size() - open - 2);
      argument = trimmed(argument.substr(0, open));
    }
  }
  for (const std::string_view call : {".data()", ".begin()"})
    if (argument.ends_with(call)) argument = trimmed(argument.substr(0, argument.size() - call.size()));
  for (const std::string_view call : {"std::data(", "std::begin("})
    if (argument.starts_with(call) && argument.ends_with(')'))
      argument = trimmed(argument.substr(call.size(), argument.size() - call.size() - 1));
  place.array = without_this(argument);
  place.is_known = place.is_known && is_name(argument);
  return place;
}

// Reads arguments with the definitions of the text, and collects the names that have none.
class CallReader {
 public:
  explicit CallReader(std::string_view code) : definitions_(code) {}

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
    const ArrayPlace place = place_in_array(argument);
    if (!place.is_known)
      throw Error(fmt::format("{} = {} is not an array or a place in one", what, quoted(argument)),
                  "dims, &dims[1], dims + 1, dims.data() + 1 or {4096, 128}");
    std::string_view braces = place.array;
    if (!braces.starts_with('{')) {
      braces = definitions_.find(place.array).value;
      if (braces.find('{') == std::string_view::npos) {
        ask_for(fmt::format("{}[{}]", place.array, count), count == 1 ? "{8192}" : "{64, 64}");
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
    std::uint64_t first = number(what, place.subscript) + number(what, place.added);
    if (!unknown_.empty()) first = 0;  // the names are asked for
    entries.erase(entries.begin(),
                  entries.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(first, entries.size())));
    if (entries.size() < static_cast<std::size_t>(count))
      throw Error(fmt::format("{} has {}{}, and the rank needs {}", what, plural(std::ssize(entries), "entry"),
                              first == 0 ? "" : fmt::format(" from entry {} on", first), count),
                  "strides have one entry less than the rank, the other arrays as many");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) && i < n; ++i)
      to[i] = number(fmt::format("{}[{}]", what, i), entries[i]);
  }

  // The name of an enumerator, or its number.
  std::string enumerator(std::string_view what, std::string_view argument, std::string_view example) {
    std::string_view value = argument;
    for (int depth = 0; depth < deepest_definition; ++depth) {
      value = without_cast(value);
      if (value.starts_with('{') && value.ends_with('}')) value = without_cast(value.substr(1, value.size() - 2));
      if (is_number(value)) return std::string(value);
      if (!is_name(value))
        throw Error(fmt::format("{} = {} is not one enumerator or number", what, quoted(value)),
                    fmt::format("write the one of this call, for example {}", example));
      if (const std::size_t at = value.rfind(':') + 1; value.substr(at).starts_with("CU_TENSOR_MAP_"))
        return std::string(value.substr(at));
      value = without_this(value);
      const std::string_view next = definitions_.find(value).value;
      if (next.empty()) {
        ask_for(std::string(value), example);
        return "0";
      }
      value = next;
    }
    throw Error(fmt::format("the definition of {} does not end", quoted(argument)), "give its enumerator");
  }

 private:
  void ask_for(const std::string& name, std::string_view example) {
    if (std::ranges::find(unknown_, name) != unknown_.end()) return;
    unknown_.push_back(name);
    examples_.push_back(fmt::format("{} = {};", name, example));
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
      while (end < code.size() && (is_word(code[end]) || joins_words(code, end))) ++end;
      const std::string_view name = code.substr(at, end - at);
      at = end;
      if (name == "sizeof") out += bytes_of_type(code, at);
      else if (is_type(name) || name == "static_cast") out += name;
      else out += value_of_name(name, depth);
    }
    return out;
  }

  std::string value_of_name(std::string_view name, int depth) {
    name = without_this(name);
    const auto [definition, is_macro] = definitions_.find(name);
    if (definition.empty()) {
      ask_for(std::string(name), "4096");
      return "1";
    }
    if (depth == deepest_definition)
      throw Error(fmt::format("the definition of {} does not end", quoted(name)), "give its number");
    const bool is_braced = definition.size() > 1 && definition.starts_with('{');
    const std::string_view inner = is_braced ? definition.substr(1, definition.size() - 2) : definition;
    // A macro is text, which takes the operators around it.
    const std::string value = expanded(inner, depth + 1);
    return is_macro ? fmt::format(" {} ", value) : fmt::format("({})", value);
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

  SourceDefinitions definitions_;
  std::vector<std::string> unknown_, examples_;
};

}  // namespace

bool holds_encode_call(std::string_view text) {
  return text.find(function) != std::string_view::npos && find_call(code_alone(text)).has_value();
}

PastedMap parse_encode_call(std::string_view text) {
  const std::string code = code_alone(text);
  const auto call = find_call(code);
  if (!call) throw Error(fmt::format("no call of {} with {} arguments", function, argument_count), "paste it whole");
  if (const auto other = find_call(code, call->begin + function.size()))
    throw Error(fmt::format("the text has two calls of {}, in line {} and line {}", function,
                            line_at(code, call->begin).number, line_at(code, other->begin).number),
                "paste one of them, with the definitions above it");
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
  const std::string type = read.enumerator("tensorDataType", a[1], "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16"),
                    interleave = read.enumerator("interleave", a[8], "CU_TENSOR_MAP_INTERLEAVE_NONE"),
                    swizzle = read.enumerator("swizzle", a[9], "CU_TENSOR_MAP_SWIZZLE_128B"),
                    l2 = read.enumerator("l2Promotion", a[10], "CU_TENSOR_MAP_L2_PROMOTION_NONE"),
                    oob = read.enumerator("oobFill", a[11], "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE");
  if (!read.unknown().empty())
    throw Error(fmt::format("the text does not show what {} {}", join_and(read.unknown()),
                            read.unknown().size() == 1 ? "is" : "are"),
                fmt::format("write it above the call, for example {}", fmt::join(read.examples(), " ")));
  map.data_type = require_tensor_map_data_type(type);
  map.interleave = require_tensor_map_interleave(interleave);
  map.swizzle = require_tensor_map_swizzle(swizzle);
  map.l2_promotion = require_tensor_map_l2_promotion(l2);
  map.oob_fill = require_tensor_map_oob_fill(oob);
  const std::string_view address = without_cast(a[3]);
  if (!address.empty() && is_digit(address[0])) {
    // "(float*)0x400 + 8" is 32 bytes further.
    if (address != without_brackets(a[3]) && !is_number(address))
      throw Error(fmt::format("globalAddress = {} is not one number", quoted(a[3])), "(void*)0x7f0000000000");
    map.global_address = read.number("globalAddress", address);
    pasted.has_address = true;
  }
  return pasted;
}

}  // namespace swz
