// SPDX-License-Identifier: Apache-2.0
// A function, a lambda or a body of statements as an expression of its parameters.
//
//   int swz(int row, int col) { int c = col ^ (row & 7); return row * 64 + c; }
//   [](int i, int j) { return i * 64 + (j ^ i % 8); }              i is the row, j the column
//   __device__ uint32_t f(uint32_t a) { a ^= (a >> 3) & 0x70; return a; }         a is an address
//   #define SWZ(x) ((x) ^ (((x) >> 3) & 0x70))
//
// One parameter is an address; two are row and column in this order, unless they already have these names. Statements
// are declarations, assignments and one return at the end. All arithmetic is unsigned with 64 bits: a cast to a type
// of 32 or 64 bits changes nothing, one to an unsigned type of 8 or 16 bits keeps its low bits, one to bool compares
// with 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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

// 8 or 16 for an unsigned type of that width; 1 for bool; 0 if the value does not change.
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
  return {};
}

// The name of a parameter is the last word before its default: "const int& row = 0".
std::string parameter_name(std::string_view piece) {
  piece = piece.substr(0, piece.find('='));
  std::size_t end = piece.size();
  while (end > 0 && !is_word(piece[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(piece[begin - 1])) --begin;
  return std::string(piece.substr(begin, end - begin));
}

}  // namespace

bool is_type(std::string_view word) { return std::ranges::find(type_words, without_std(word)) != type_words.end(); }

std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*')) continue;
    const bool is_line = out[i + 1] == '/';
    const std::size_t close = is_line ? out.find('\n', i) : out.find("*/", i + 2);
    if (!is_line && close == std::string::npos) return out;
    const std::size_t end = std::min(is_line ? close : close + 2, out.size());
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }
  return out;
}

void CParser::function() {
  is_function_ = true;
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
  std::vector<std::string> parameters;
  for (const std::string& piece : split(before_body.substr(open + 1, close - open - 1), ',')) {
    parameters.push_back(parameter_name(piece));
    if (parameters.back().empty() || is_type(parameters.back()))
      throw Error(fmt::format("a parameter of the function has no name: {}", quoted(piece)), "name it: int row",
                  {place + open, place + close + 1});
  }
  take_parameters(parameters, {place + open, place + close + 1});
}

void CParser::take_parameters(const std::vector<std::string>& parameters, Span place) {
  if (parameters.size() > 2)
    throw Error(fmt::format("the function has {} parameters", parameters.size()),
                "one is an address, two are a row and a column: write the others as numbers", place);
  if (parameters.size() == 1) {
    names_.address = parameters[0];
    names_.row = names_.col = "";
    has_address_ = true;
    return;
  }
  const bool is_swapped = parameters[0] == names_.col || parameters[1] == names_.row;
  names_.row = parameters[is_swapped ? 1 : 0];
  names_.col = parameters[is_swapped ? 0 : 1];
  names_.address = "";
  has_coordinates_ = true;
}

void CParser::body() {
  while (true) {
    const Span place = scanner_.here();
    if (scanner_.accept(';')) continue;
    if (scanner_.accept_word("return")) {
      conditional();
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
    convert_to(type, place);
    set_variable(name, std::exchange(steps_, std::move(before)));
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
  conditional();
  if (compound) emit(*compound, 0, at);
  set_variable(name, std::exchange(steps_, std::move(before)));
  scanner_.expect(';', "after the assignment");
}

CParser::Variable* CParser::find_variable(std::string_view name) {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

void CParser::set_variable(std::string_view name, std::vector<CStep> steps) {
  if (Variable* variable = find_variable(name)) variable->steps = std::move(steps);
  else variables_.push_back({std::string(name), std::move(steps)});
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
  if (to.bits == 0) return;
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
