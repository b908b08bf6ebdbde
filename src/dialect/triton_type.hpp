// SPDX-License-Identifier: Apache-2.0
// Types of Triton IR that have an encoding, and the aliases they use.
//
//   !ttg.memdesc<3x128x64xbf16, #shared, #smem, mutable>   3x128x64, bf16, the encoding of the alias #shared
//   tensor<128x64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>   128x64, 64 bits
//   <64x64xbf16, #shared, #smem, mutable>                  a memdesc, as an op prints it after its first mention
//
// Source: triton 3.9.0 parser and printer (run).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/triton_encoding.hpp"

namespace swz {

// The literal of each alias: "#shared" -> the literal.
using TritonAliases = std::map<std::string, Literal, std::less<>>;

struct TritonType {
  ArrayShape shape;
  ElementWidth element;
  std::string element_text;   // as written: bf16, !tt.ptr<f16>
  Literal encoding;           // as written; a name is an alias
  ArrayShape allocated = {};  // for a subview: the shape of the whole buffer
};

// The element in f16, i8, f8E4M3FN: a type that swz knows, or its width. Neither if nothing is known.
ElementWidth mlir_element(std::string_view text);

// Reads the type at the place, which begins with "tensor<", "!ttg.memdesc<" or "<". None, and nothing is read, if it is
// not a type with an encoding. Throws Error for one that is not closed.
std::optional<TritonType> triton_type(Cursor& cursor);

// The literal with every alias replaced by its literal. Throws Error for an alias that is not defined.
Literal without_aliases(Literal literal, const TritonAliases& aliases, int depth = 0);

// Reads "#name = " at the place and returns the name. None, and nothing is read, for another text.
std::optional<std::string> alias_name(Cursor& cursor);

}  // namespace swz
