// SPDX-License-Identifier: Apache-2.0
// Literal: a text in the form that MLIR attributes and Python calls share, as a tree.
//
//   #ttg.swizzled_shared<{vec = 8, order = [1, 0]}>    call "#ttg.swizzled_shared": vec = 8, order = [1, 0]
//   BlockedLayout([1, 4], [32, 1], order=[1, 0])       call "BlockedLayout": [1, 4], [32, 1], order = [1, 0]
//   !ttg.memdesc<64x128xbf16, #shared>                 call "!ttg.memdesc": the words 64x128xbf16 and #shared
//   Tiling((64, 8)(16, 8)(2,))                         call "Tiling": three lists; a comma may be left out
//   make_swizzle[DType.bfloat16, mode]()               call "make_swizzle": the names of both brackets
//   [128:+8]                                           a list of one pair, of 128 and 8
//
//   items = [ item { [","] item } [","] ]      item  = [ name ("=" | ":") ] value
//   value = integer [":" "+" integer] | "string" | name [ "<" items ">" | "(" items ")" | "[" items "]" [ "(" items ")" ] ] | list
//   list  = "[" items "]" | "(" items ")" | "{" items "}"
//
// Inside <…>, of MLIR and C++, commas are between all items, but not before a dictionary and not at the end. The
// braces of a dictionary that is the only or the last thing in a call are dropped: its items are the call's. Names may
// contain dots and ::, and may begin with # or !; a word like 64x128xbf16 is a name. Every node knows its place. A key
// occurs at most once in a bracket.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cursor.hpp"

namespace swz {

struct Literal {
  enum class Kind { integer, name, string, list, pair, call };

  Kind kind = Kind::integer;
  std::int64_t number = 0;       // integer
  std::string text;              // name, string, and the name of a call
  char bracket = 0;              // for a list or a call: its opening bracket
  std::vector<Literal> items{};  // of a list or a call, or the two of a pair
  std::string key{};             // the name of an item; empty if it is positional
  Span span{};

  bool is_call(std::string_view name) const { return kind == Kind::call && text == name; }
  // The item with this key, or the positional item with this number. Null if there is neither. Throws Error if both are
  // there.
  const Literal* find(std::string_view wanted, std::size_t position = SIZE_MAX) const;
  // The same, but throws Error with the name if there is neither.
  const Literal& require(std::string_view wanted, std::size_t position = SIZE_MAX) const;

  // The item's number or boolean, or `otherwise` if there is no item.
  std::int64_t integer_or(std::int64_t otherwise, std::string_view wanted, std::size_t position = SIZE_MAX) const;
  bool boolean_or(bool otherwise, std::string_view wanted, std::size_t position = SIZE_MAX) const;

  // The number. Throws Error at its place if it is something else.
  std::int64_t integer() const;
  bool boolean() const;  // true, True, false, False
  std::vector<std::int64_t> integers() const;
  std::vector<std::vector<std::int64_t>> integer_lists() const;
  std::vector<const Literal*> positional() const;
  // Throws Error for a positional item after `count` of them.
  void require_at_most(std::size_t count) const;
  // Throws Error for an item with a key that is not in the list.
  void require_keys(std::span<const std::string_view> known) const;
};

// The error for an argument that is given twice.
Error stands_twice(std::string_view key, Span span);

// The part of the name after its last dot: "WGMMA_LAYOUT" of "mgpu.WGMMA_LAYOUT".
std::string_view last_name(std::string_view name);

// Reads the whole text. Throws Error with its place and without a hint: the dialect has the example.
Literal parse_literal(std::string_view text);
// Reads the literal that comes next in a longer text.
Literal parse_literal(Cursor& cursor);

}  // namespace swz
