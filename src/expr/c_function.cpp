// SPDX-License-Identifier: Apache-2.0
// A function, a lambda or a body of statements as an expression of its parameters.
//
//   int swz(int row, int col) { int c = col ^ (row & 7); return row * 64 + c; }
//   [](int i, int j) { return i * 64 + (j ^ i % 8); }              i is the row, j the column
//   __device__ uint32_t f(uint32_t a) { a ^= (a >> 3) & 0x70; return a; }         a is an address
//   #define SWZ(x) ((x) ^ (((x) >> 3) & 0x70))
//
// One parameter is an address; two are row and column in this order, unless they have the names of a column and a row:
// (col, row), (c, r), (j, i), (x, y). Statements are declarations, assignments and one return at the end. All arithmetic
// is unsigned with 64 bits: a conversion to an unsigned type of 8, 16 or 32 bits keeps its low bits, one to bool compares
// with 0, one to another type changes nothing. A sign that C would see is an Error (c_expression.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.hpp"
#include "base/text.hpp"
#include "expr/c_parser.hpp"

namespace swz {

namespace {

using Code = CStep::Code;

constexpr std::array type_words{"int",        "unsigned",  "signed",   "long",      "size_t",    "char",
                                "short",      "auto",      "const",    "constexpr", "bool",      "uint8_t",
                                "uint16_t",   "uint32_t",  "uint64_t", "int8_t",    "int16_t",   "int32_t",
                                "int64_t",    "uintptr_t", "intptr_t", "uint",      "ptrdiff_t", "cuuint64_t",
                                "cuuint32_t", "register",  "volatile", "static"};

std::string_view without_std(std::string_view name) {
  for (const std::string_view prefix : {"std::", "cuda::std::", "cute::"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return name;
}

bool has_word(std::string_view type, std::string_view word) {
  return (" " + std::string(type) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

// 8, 16 or 32 for a type of that width; 1 for bool; 0 if the value does not change.
struct Conversion {
  int bits = 0;
  bool is_signed = false;
};
Conversion conversion_to(std::string_view type) {
  if (has_word(type, "bool")) return {1, false};
  if (has_word(type, "uint8_t")) return {8, false};
  if (has_word(type, "uint16_t")) return {16, false};
  if (has_word(type, "int8_t")) return {8, true};
  if (has_word(type, "int16_t")) return {16, true};
  if (has_word(type, "char")) return {8, !has_word(type, "unsigned")};
  if (has_word(type, "short")) return {16, !has_word(type, "unsigned")};
  if (has_word(type, "uint32_t") || has_word(type, "uint") || has_word(type, "cuuint32_t")) return {32, false};
  if (has_word(type, "unsigned") && !has_word(type, "long")) return {32, false};
  return {};
}

// Whether a value of the type is signed in an expression of C: types narrower than int become int. auto has the sign of
// its value.
bool is_signed_type(std::string_view type, bool is_value_signed) {
  const int bits = conversion_to(type).bits;
  if (bits != 0) return bits < 32;
  for (const char* word : {"unsigned", "size_t", "uint64_t", "uintptr_t", "cuuint64_t"})
    if (has_word(type, word)) return false;
  for (const char* word : {"int", "long", "signed", "int32_t", "int64_t", "intptr_t", "ptrdiff_t"})
    if (has_word(type, word)) return true;
  return is_value_signed;
}

// The words of a text that are of types: "uint8_t" of "__device__ uint8_t f".
std::string type_in(std::string_view text) {
  std::string type;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && (is_word(text[at]) || text[at] == ':')) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (is_type(word)) type += fmt::format("{}{}", type.empty() ? "" : " ", without_std(word));
  }
  return type;
}

// Whether a value of 32 bits can have more after the steps.
bool can_be_wider(const std::vector<CStep>& steps) {
  return std::ranges::any_of(steps, [](const CStep& s) {
    return s.code == Code::shift_left || s.code == Code::add || s.code == Code::subtract || s.code == Code::multiply ||
           s.code == Code::complement || s.code == Code::negate;
  });
}

// The names in the text, and numbers with them.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

// Whether the rest of a line after // is the right side of a division of Python: numbers, operators and names only.
bool is_divisor(std::string_view rest, std::vector<std::string> names, std::string_view before) {
  const std::size_t last = before.find_last_not_of(" \t\r");
  if (last == std::string_view::npos || !(is_word(before[last]) || before[last] == ')')) return false;
  const auto is_known = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  for (std::string& name : words_of(before)) names.push_back(std::move(name));
  for (const CoordinateNames& n : coordinate_names)  // "i // 8 + j": where i is a name, j is one
    if (is_known(n.row) || is_known(n.col)) names.insert(names.end(), {std::string(n.row), std::string(n.col)});
  const std::vector<std::string> words = words_of(rest);
  return !words.empty() && std::ranges::all_of(words, [&](const auto& w) { return is_known(w) || find_unsigned(w); }) &&
         std::ranges::all_of(rest, [](char c) {
           return is_word(c) || std::string_view(" \t\r;()+-*/%^&|~<>!?:=").find(c) != std::string_view::npos;
         });
}

// The name of a parameter is the last word before its default: "const int& row = 0".
std::string parameter_name(std::string_view piece) {
  const std::vector<std::string> words = words_of(piece.substr(0, piece.find('=')));
  return words.empty() ? "" : words.back();
}

}  // namespace

bool is_type(std::string_view word) { return std::ranges::find(type_words, without_std(word)) != type_words.end(); }

std::string without_comments(std::string_view text, std::vector<std::string> names) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*')) continue;
    const bool is_line = out[i + 1] == '/';
    const std::size_t close = is_line ? out.find('\n', i) : out.find("*/", i + 2);
    if (!is_line && close == std::string::npos) return out;
    const std::size_t end = std::min(is_line ? close : close + 2, out.size());
    if (is_line && is_divisor(text.substr(i + 2, end - i - 2), names, std::string_view(out).substr(0, i)))
      throw Error("// begins a comment in C, and what follows is a division of Python",
                  "write / instead, or put the comment on a line of its own", Span{i, i + 2})
          .in_text(text);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }
  return out;
}

void CParser::function() {
  is_function_ = has_types_ = true;
  if (scanner_.accept("#define")) {
    const std::size_t begin = scanner_.here().begin, close = text_.find(')', begin);
    if (close == std::string_view::npos)
      throw Error("a macro needs its parameters in brackets", "#define SWZ(x) (x ^ (x >> 3 & 0x70))", scanner_.here());
    header(text_.substr(begin, close + 1 - begin));
    scanner_.accept(text_.substr(begin, close + 1 - begin));
    conditional();
    if (!scanner_.at_end()) refuse_rest();
    return;
  }
  const std::size_t open = text_.find('{');
  if (open != std::string_view::npos) {
    const std::size_t begin = scanner_.here().begin;
    header(text_.substr(begin, open - begin));
    scanner_.accept(text_.substr(begin, open + 1 - begin));
  }
  body();
  if (open != std::string_view::npos) {
    scanner_.expect('}', "after the return");
    scanner_.accept(';');
  }
  if (!scanner_.at_end()) refuse_rest();
}

// Reads what precedes the body: the last brackets have the parameters; after them comes a lambda's return type.
void CParser::header(std::string_view before_body) {
  const std::size_t close = before_body.rfind(')'), open = before_body.rfind('(', close);
  const auto place = static_cast<std::size_t>(before_body.data() - text_.data());
  if (close == std::string_view::npos || open == std::string_view::npos)
    throw Error("a function needs its parameters in brackets", "int f(int row, int col) { return row * 64 + col; }",
                {place, place + 1});
  const std::string_view after = before_body.substr(close + 1), ahead = before_body.substr(0, open);
  const std::size_t template_end = ahead.rfind('>');
  return_type_ = type_in(after.find("->") != std::string_view::npos ? after
                         : template_end == std::string_view::npos   ? ahead
                                                                    : ahead.substr(template_end));
  std::vector<Variable> parameters;
  for (const std::string& piece : split(before_body.substr(open + 1, close - open - 1), ',')) {
    parameters.push_back({parameter_name(piece), type_in(piece), {}});
    if (parameters.back().name.empty() || is_type(parameters.back().name))
      throw Error(fmt::format("a parameter of the function has no name: {}", quoted(piece)), "name it: int row",
                  {place + open, place + close + 1});
  }
  take_parameters(parameters, {place + open, place + close + 1});
}

void CParser::take_parameters(const std::vector<Variable>& parameters, Span place) {
  if (parameters.size() > 2)
    throw Error(fmt::format("the function has {} parameters", parameters.size()),
                "one is an address, two are a row and a column: write the others as numbers", place);
  if (parameters.size() == 1) {
    names_.address = parameters[0].name;
    names_.row = names_.col = "";
    has_address_ = true;
    return set_parameter(parameters[0], Code::first);
  }
  const std::string &front = parameters[0].name, &back = parameters[1].name;
  const bool is_swapped =
      front == names_.col || back == names_.row ||
      std::ranges::any_of(coordinate_names, [&](const CoordinateNames& n) { return front == n.col && back == n.row; });
  const Variable &row = parameters[is_swapped ? 1 : 0], &col = parameters[is_swapped ? 0 : 1];
  names_.row = row.name;
  names_.col = col.name;
  names_.address = "";
  has_coordinates_ = true;
  set_parameter(row, Code::first);
  set_parameter(col, Code::second);
}

void CParser::set_parameter(const Variable& parameter, Code code) {
  std::vector<CStep> before = std::exchange(steps_, {});
  emit(code, 0, {});
  is_signed_ = is_signed_type(parameter.type, false);
  // A coordinate of a narrow signed type fits: more rows have no such function.
  const bool is_narrow = conversion_to(parameter.type).is_signed;
  set_variable(parameter.name, is_narrow ? "int" : parameter.type, std::move(before), {});
}

void CParser::body() {
  while (true) {
    const Span place = scanner_.here();
    if (scanner_.accept(';')) continue;
    if (scanner_.accept_word("return")) {
      conditional();
      if (conversion_to(return_type_).bits < 32) convert_to(return_type_, place);
      if (scanner_.peek() == ';') scanner_.accept(';');
      else if (!scanner_.at_end()) refuse_rest();
      return;
    }
    Scanner ahead = scanner_;
    const std::string_view name = ahead.type_name();
    if (is_type(name)) {
      declaration();
      continue;
    }
    for (const std::string_view word : {"if", "for", "while", "switch", "do"})
      if (name == word)
        throw Error(fmt::format("'{}' is not read", word), "write the address as one expression, with ?: for a choice",
                    place);
    if (name.empty() || ahead.at_end() || scanner_.peek() == '}')
      throw Error("the function has no return", "its last statement is return and the address", place);
    scanner_ = ahead;
    assignment(name, place);
  }
}

std::string CParser::type_here() {
  std::string type;
  for (Scanner ahead = scanner_; is_type(ahead.type_name()); ahead = scanner_) {
    type += fmt::format("{}{}", type.empty() ? "" : " ", without_std(scanner_.type_name()));
  }
  return type;
}

// int c = col ^ 1, d = c;
void CParser::declaration() {
  const std::string type = type_here();
  do {
    const Span place = scanner_.here();
    const std::string_view name = scanner_.type_name();
    if (name.empty()) throw Error("expected the name of a variable, " + scanner_.found(), {}, scanner_.here());
    scanner_.expect('=', "after the name: a variable needs its value");
    std::vector<CStep> before = std::exchange(steps_, {});
    conditional();
    set_variable(name, type, std::move(before), place);
  } while (scanner_.accept(','));
  scanner_.expect(';', "after the declaration");
}

// c = row, c ^= row & 7
void CParser::assignment(std::string_view name, Span place) {
  std::vector<CStep> before = std::exchange(steps_, {});
  const Span at = scanner_.here();
  const std::optional<Code> compound = compound_assignment(scanner_);
  if (compound) named(name, place);
  else if (scanner_.peek() != '=' || scanner_.peek(1) == '=') refuse_rest();
  else scanner_.accept('=');
  const bool is_left_signed = is_signed_;
  conditional();
  if (compound) operate(*compound, is_left_signed, at);
  const Variable* old = find_variable(name);
  set_variable(name, old != nullptr ? old->type : "", std::move(before), place);
  scanner_.expect(';', "after the assignment");
}

CParser::Variable* CParser::find_variable(std::string_view name) {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

void CParser::set_variable(std::string_view name, std::string type, std::vector<CStep> before, Span place) {
  convert_to(type, place);
  Variable now{std::string(name), std::move(type), std::exchange(steps_, std::move(before)), is_signed_};
  if (Variable* variable = find_variable(name)) *variable = std::move(now);
  else variables_.push_back(std::move(now));
}

bool CParser::cast() {
  const Scanner before = scanner_;
  const Span place = scanner_.here();
  if (!scanner_.accept('(')) return false;
  const std::string type = type_here();
  if (type.empty() || !scanner_.accept(')')) {
    scanner_ = before;
    return false;
  }
  deeper([&] { unary(); });
  convert_to(type, place);
  return true;
}

bool CParser::named_cast(std::string_view name, Span place) {
  std::string type;
  if (name == "static_cast") {
    scanner_.expect('<', "after static_cast");
    type = type_here();
    scanner_.expect('>', "after the type of static_cast");
  } else if (is_type(name) && scanner_.peek() == '(') {
    type = without_std(name);
  }
  if (type.empty()) return false;
  scanner_.expect('(', "after the type");
  deeper([&] { conditional(); });
  scanner_.expect(')', "after the value");
  convert_to(type, place);
  return true;
}

void CParser::convert_to(std::string_view type, Span place) {
  const Conversion to = conversion_to(type);
  has_types_ = true;
  is_signed_ = is_signed_type(type, is_signed_);
  if (to.bits == 0 || (to.bits == 32 && !can_be_wider(steps_))) return;
  if (to.bits == 32) address_bits_ = 32;
  if (to.bits == 1) {
    emit(Code::as_bool, 0, place);
    return;
  }
  if (to.is_signed)
    throw Error(fmt::format("'{}' has a sign and {} bits: no address needs that", type, to.bits),
                "numbers have 64 bits without a sign: leave it out, or mask the value", place);
  emit(Code::constant, (std::uint64_t{1} << to.bits) - 1, place);
  emit(Code::bit_and, 0, place);
}

}  // namespace swz
