// SPDX-License-Identifier: Apache-2.0
#include "dialect/triton_type.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr int deepest_alias = 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_blank(text[at])) ++at;
}

// Reads 3x128x64x at `at` and moves `at` past it.
ArrayShape extents_at(std::string_view text, std::size_t& at) {
  ArrayShape shape;
  while (at < text.size() && is_digit(text[at])) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
    const auto behind = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || behind >= text.size() || text[behind] != 'x') break;
    shape.push_back(extent);
    at = behind + 1;
  }
  return shape;
}

}  // namespace

ElementWidth mlir_element(std::string_view text) {
  if (text.starts_with("!tt.ptr")) return {nullptr, 64};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> floats{{{"f8E4M3FN", "e4m3"},
                                                                                 {"f8E5M2", "e5m2"},
                                                                                 {"f8E8M0FNU", "ue8m0"},
                                                                                 {"f4E2M1FN", "e2m1"},
                                                                                 {"f6E2M3FN", "e2m3"},
                                                                                 {"f6E3M2FN", "e3m2"}}};
  for (const auto& [mlir, name] : floats)
    if (text == mlir) return width_of(require_dtype(name));
  if (text.starts_with("f8")) return {nullptr, 8};
  if (text == "i1") return {nullptr, 8};
  if (const DType* dtype = find_dtype(text)) return width_of(*dtype);
  int bits = 0;
  if (text.size() > 1 && text[0] == 'i') std::from_chars(text.data() + 1, text.data() + text.size(), bits);
  return {nullptr, bits > 0 && bits <= 1024 ? bits : 0};
}

std::optional<TritonType> triton_type(std::string_view text, std::size_t& position) {
  std::size_t at = position;
  for (const std::string_view head :
       {"tensor<", "!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<", "ttg.memdesc<", "memdesc<", "<"})
    if (text.substr(at).starts_with(head)) {
      at += head.size();
      break;
    }
  if (at == position) return std::nullopt;
  TritonType type;
  type.shape = extents_at(text, at);
  if (type.shape.empty()) return std::nullopt;
  const std::size_t element = at;
  for (int depth = 0; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (depth == 0 && (text[at] == ',' || text[at] == '>')) break;
    if (text[at] == '>') --depth;
  }
  type.element_text = text.substr(element, at - element);
  type.element = mlir_element(type.element_text);
  if (at >= text.size() || text[at] != ',') return std::nullopt;  // it has no encoding
  ++at;
  skip_blanks(text, at);
  if (at >= text.size() || text[at] != '#') return std::nullopt;
  type.encoding = parse_literal(text, at);
  // skips #smem, mutable, 3x64x64
  for (skip_blanks(text, at); at < text.size() && text[at] == ','; skip_blanks(text, at)) {
    ++at;
    skip_blanks(text, at);
    const std::size_t begin = at;
    while (at < text.size() && text[at] != ',' && text[at] != '>') ++at;
    const std::string more = std::string(text.substr(begin, at - begin)) + "x";
    std::size_t end = 0;
    if (const ArrayShape whole = extents_at(more, end); end == more.size()) type.allocated = whole;
  }
  if (at >= text.size() || text[at] != '>')
    throw Error("a type is not closed", "add '>' at the end", {position, position + 1});
  position = at + 1;
  return type;
}

Literal without_aliases(Literal literal, const TritonAliases& aliases, int depth) {
  if (depth > deepest_alias) throw Error("an alias stands for itself", "each stands for an encoding", literal.span);
  if (literal.kind == Literal::Kind::name && literal.text.starts_with('#')) {
    const auto found = aliases.find(literal.text);
    if (found == aliases.end())
      throw Error(fmt::format("{} is an alias that is not defined here", quoted(literal.text)),
                  fmt::format("put its line before it: {} = #ttg.…", literal.text), literal.span);
    Literal meant = without_aliases(found->second, aliases, depth + 1);
    meant.key = literal.key;
    return meant;
  }
  for (Literal& item : literal.items)
    if (item.key == "parent") item = without_aliases(std::move(item), aliases, depth + 1);
  return literal;
}

std::optional<std::string> alias_name(std::string_view text, std::size_t& position) {
  std::size_t at = position;
  if (at >= text.size() || text[at] != '#') return std::nullopt;
  while (++at < text.size() && (is_word(text[at]) || text[at] == '.' || text[at] == '$')) {
  }
  std::string name(text.substr(position, at - position));
  skip_blanks(text, at);
  if (at >= text.size() || text[at] != '=') return std::nullopt;
  ++at;
  skip_blanks(text, at);
  position = at;
  return name;
}

}  // namespace swz
