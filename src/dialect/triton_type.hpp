// SPDX-License-Identifier: Apache-2.0
// Types of Triton IR that have an encoding, and the aliases they use.
//
//   !ttg.memdesc<3x128x64xbf16, #shared, #smem, mutable>   3x128x64, bf16, the encoding that #shared stands for
//   tensor<128x64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>   128x64, 64 bits
//   <64x64xbf16, #shared, #smem, mutable>                  as an op prints a memdesc that it has named before
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

// What each alias stands for, "#shared" -> the literal.
using TritonAliases = std::map<std::string, Literal, std::less<>>;

struct TritonType {
  ArrayShape shape;
  ElementWidth element;
  std::string element_text;   // as written: bf16, !tt.ptr<f16>
  Literal encoding;           // as written; a name is an alias
  ArrayShape allocated = {};  // of a subview: the shape of the whole buffer
};

// f16, i8, f8E4M3FN: a type that swz knows, or how wide it is. Nothing known: neither.
ElementWidth mlir_element(std::string_view text);

// At `position`, "tensor<", "!ttg.memdesc<" or "<": the type, which is moved behind it. None: it is not a type with an
// encoding. Throws Error for one that is not closed.
std::optional<TritonType> triton_type(std::string_view text, std::size_t& position);

// The literal with every alias replaced by what it stands for. Throws Error for one that is not defined.
Literal without_aliases(Literal literal, const TritonAliases& aliases, int depth = 0);

// "#name = " at `position`: the name, and the position is moved behind the "=". None: something else.
std::optional<std::string> alias_name(std::string_view text, std::size_t& position);

}  // namespace swz
