// SPDX-License-Identifier: Apache-2.0
#include "dialect/triton_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr int deepest_alias = 16;

// Reads 3x128x64x.
ArrayShape extents_at(Cursor& cursor) {
  ArrayShape shape;
  for (Cursor ahead = cursor; is_digit(ahead.next()); cursor = ahead) {
    const auto extent = ahead.number();
    if (!extent || ahead.next() != 'x') break;
    ahead.accept('x');
    shape.push_back(*extent);
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

std::optional<TritonType> triton_type(Cursor& cursor) {
  constexpr std::array<std::string_view, 7> heads{
      "tensor<", "!ttg.memdesc<", "!tt.memdesc<", "!triton_gpu.memdesc<", "ttg.memdesc<", "memdesc<", "<"};
  Cursor ahead = cursor;
  const auto head = std::ranges::find_if(heads, [&](std::string_view h) { return ahead.rest().starts_with(h); });
  if (head == heads.end()) return std::nullopt;
  ahead.accept(*head);
  TritonType type;
  type.shape = extents_at(ahead);
  if (type.shape.empty()) return std::nullopt;
  int depth = 0;
  type.element_text = ahead.take_while([&](char c) {
    if (depth == 0 && (c == ',' || c == '>')) return false;
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    return true;
  });
  type.element = mlir_element(type.element_text);
  if (ahead.next() != ',') return std::nullopt;  // it has no encoding
  ahead.accept(',');
  if (ahead.peek() != '#') return std::nullopt;
  type.encoding = parse_literal(ahead);
  // skips #smem, mutable, 3x64x64
  while (ahead.accept(',')) {
    ahead.skip_space();
    const std::string more = std::string(ahead.take_while([](char c) { return c != ',' && c != '>'; })) + "x";
    Cursor extents(more);
    if (const ArrayShape whole = extents_at(extents); extents.position() == more.size()) type.allocated = whole;
  }
  if (!ahead.accept('>'))
    throw Error("a type is not closed", "add '>' at the end", {cursor.position(), cursor.position() + 1});
  cursor = ahead;
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

std::optional<std::string> alias_name(Cursor& cursor) {
  Cursor ahead = cursor;
  if (ahead.next() != '#') return std::nullopt;
  ahead.accept('#');
  ahead.take_while([](char c) { return is_word(c) || c == '.' || c == '$'; });
  std::string name(ahead.text_since(cursor.position()));
  if (!ahead.accept('=')) return std::nullopt;
  ahead.skip_space();
  cursor = ahead;
  return name;
}

}  // namespace swz
