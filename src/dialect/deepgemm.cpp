// SPDX-License-Identifier: Apache-2.0
// DeepGEMM: the idiom of its epilogues, which acts on columns of 16 bytes in lines of 128.
//
//   col ^= row % (mode / 16)          row is the 128-byte line, col the 16-byte column inside it
//
//   swizzle_mode = 64 of 16-bit elements: element (1,0) of a row of 64 B is in line 0 and stays at byte 64;
//   element (2,0) is in line 1, column 0 ^ 1: byte 128 + 16, element 72
//
// `row` is not the row of the array if the mode is narrower than 128: the code first reshapes (rows, mode / 16) to (…,
// 8). An array wider than the mode is stored as blocks of mode bytes of columns, one after another. 16 means no XOR, 0
// means plain rows.
//
// Source: DeepGEMM 54e22612 deep_gemm/include/deep_gemm/impls/sm90_bf16_gemm.cuh and sm100_store_cd.cuh (read).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"

namespace swz {
namespace {

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') result += c;
  while (result.ends_with(';')) result.pop_back();
  return result;
}

bool recognises_deepgemm(std::string_view text) {
  const std::string compact = without_blanks(text.substr(0, 64));
  return compact.starts_with("col^=row") || compact.starts_with("swizzle_mode=");
}

// Reads the number at the beginning of `text` and removes it. Negative if there is none.
std::int64_t number_at(std::string_view& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The text inside the brackets around the whole of it: of "(row%8)", not of "(row)%(8)".
std::string_view without_brackets(std::string_view text) {
  while (text.starts_with('(')) {
    int depth = 0;
    std::size_t close = 0;
    for (; close < text.size(); ++close) {
      depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (close + 1 != text.size()) return text;
    text = text.substr(1, close - 1);
  }
  return text;
}

// The mode in col^=row%(128/16), col^=row%8, col^=(row%8) or swizzle_mode=128, without blanks: 128. Negative if the
// text is none of them. col^=row%128/16 is (row%128)/16 in C, another function.
std::int64_t mode_bytes(std::string text) {
  std::string_view rest = text;
  constexpr std::string_view named = "swizzle_mode=", assigned = "col^=", line = "row%";
  const bool is_named = rest.starts_with(named);
  if (!is_named && !rest.starts_with(assigned)) return -1;
  rest.remove_prefix(is_named ? named.size() : assigned.size());
  if (!is_named) {
    rest = without_brackets(rest);
    if (!rest.starts_with(line)) return -1;
    rest.remove_prefix(line.size());
  }
  const bool is_bracketed = rest.starts_with('(');
  rest = without_brackets(rest);
  const std::int64_t number = number_at(rest);
  if (rest.empty()) return is_named ? number : number < 1 || number > 8 ? -1 : number * 16;
  return !is_named && is_bracketed && rest == "/16" ? number : -1;
}

Reading read_deepgemm(std::string_view text, const Given& given) {
  const std::int64_t bytes = mode_bytes(without_blanks(text));
  if (bytes != 0 && bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128)
    throw Error("the mode is not said: 0, 16, 32, 64 or 128 bytes",
                "write it as a number: col ^= row % (128 / 16), or swizzle_mode = 128", {0, text.size()});
  const Extents2 e = required_extents(given);
  const DType& dtype = required_dtype(given);
  if (bytes == 0) return {shared_form(given.shape, width_of(dtype), blocked_layout({e.rows, e.columns, e.columns}))};
  const SwizzleMode& mode = require_swizzle_mode(bytes == 16 ? "none" : fmt::format("{}B", bytes));
  Reading reading{shared_form(given.shape, width_of(dtype),
                              blocked_layout(blocks_in_mode(mode, dtype.memory_bits, e.rows, e.columns)))};
  if (bytes == 64 || bytes == 32)
    reading.notes.push_back(
        note("row-is-a-line", fmt::format("row counts lines of 128 B, each {} rows of the array", 128 / bytes)));
  if (bytes > 16) reading.notes.push_back(base_alignment_note(mode.byte_swizzle()));
  return reading;
}

Written write_deepgemm(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (shared->shape.size() != 2) return refused("the idiom has rows and columns of one tile");
  if (shared->element.bits == 0) return refused("the element type is not said: --dtype");
  std::string text = first_equal(*shared,
                                 {"col ^= row % (128 / 16)", "col ^= row % (64 / 16)", "col ^= row % (32 / 16)",
                                  "swizzle_mode = 16", "swizzle_mode = 0"},
                                 read_deepgemm);
  if (!text.empty()) return {std::move(text)};
  return refused(
      "not blocks of 16 to 128 B of columns in their mode, columns outermost; nearest: a C expression, --to c");
}

}  // namespace

Dialect deepgemm_dialect() {
  return {
      .name = "deepgemm",
      .title = "DeepGEMM",
      .unit = "bytes",
      .needs = "shape and type",
      .example = "col ^= row % (128 / 16)",
      .rules =
          R"(The idiom `col ^= row % (mode / 16)` of its epilogues, or `swizzle_mode = 128`: col counts columns of 16 bytes, row
lines of 128 bytes. An array wider than mode bytes is cut into blocks of mode bytes of columns, one after the other.

line = byte / 128; byte ^ ((line mod (mode / 16)) << 4)

`col ^= row % (64 / 16)` on 64x32 bf16: element (2,0) is in line 1, column 0 ^ 1, at byte 144, element 72. In CuTe:
`Sw<2,3,3> o 0 o (64,32):(32,1)`.

Trap: where the mode is narrower than 128 B, row is not the row of the array: a line holds 128 / mode rows. Mode 16
has no XOR (core matrices, columns outermost), mode 0 is plain row by row.)",
      .source = "DeepGEMM 54e22612 sm100_store_cd.cuh (read)",
      .recognises = recognises_deepgemm,
      .read = read_deepgemm,
      .write = write_deepgemm};
}

}  // namespace swz
