// SPDX-License-Identifier: Apache-2.0
// TileLang: layouts of a shared buffer, as T.annotate_layout accepts them and as they print, and fragments of
// registers.
//
//   make_full_bank_swizzled_layout(buf)          with the shape and type of the buffer: the 128B mode
//   Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])
//   T.Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2))
//   Sw<3,4,3> o 0 o (64,128):(128,1)             CuTe's text in bytes, with --from tilelang: 64x64 of 16 bits
//   tl.cute.Swizzle(3, 4, 3)                     only the XOR, on bytes: on plain rows of the given shape
//
// Invariant (tested): the text in bytes equals TileLang's text for its own layouts.
// Source: tilelang 0.1.15, run; its src/layout/cute_layout.h.
#include "dialect/tilelang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/checked.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

constexpr std::string_view swizzle_name = "tl.cute.Swizzle";

std::string_view without_space(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

bool recognises_tilelang(std::string_view text) {
  text = without_space(text);
  const std::string_view head = text.substr(0, text.find('('));
  return is_tilelang_transform(text) || (head.size() < text.size() && (is_tilelang_name(head) || head == swizzle_name));
}

// ---- CuTe's text in bytes

// Reads tl.cute.Swizzle(3, 4, 3), or Sw<3,4,3> as it prints. None for another text.
std::optional<Swizzle> swizzle_alone(std::string_view text) {
  if (text.starts_with(swizzle_name)) {
    const Literal call = parse_literal(text);
    const auto number = [&](std::string_view key, std::size_t position) {
      const Literal& item = call.require(key, position);
      if (item.integer() < -62 || item.number > 62)
        throw Error(fmt::format("{} = {}", key, item.number), "numbers of bits are below 62", item.span);
      return static_cast<int>(item.number);
    };
    return Swizzle(number("b_bits", 0), number("m_base", 1), number("s_shift", 2));
  }
  if (!text.starts_with("Sw<") || text.find('>') != text.size() - 1) return std::nullopt;
  return parse_layout(fmt::format("{} o 0 o 1:0", text)).element_swizzle();
}

// Rows of bytes, one after another.
ComposedLayout swizzled_rows(const Swizzle& swizzle, const Given& given) {
  const auto [rows, columns] = required_extents(given);
  const std::int64_t pitch = checked_mul(columns, required_dtype(given).memory_bits) / 8;
  const std::array modes{FlatMode{rows, pitch}, FlatMode{pitch, 1}};
  return {swizzle, 0, Layout(modes)};
}

Reading read_bytes(std::string_view text, const Given& given) {
  const DType& dtype = required_dtype(given);
  const auto swizzle = swizzle_alone(without_space(text));
  const ComposedLayout bytes = swizzle ? swizzled_rows(*swizzle, given) : parse_layout(text);
  const ComposedLayout elements = recast(bytes, 8, dtype.memory_bits).plain();
  ArrayShape shape;
  for (std::size_t m = 0; m < rank(elements.layout()); ++m) shape.push_back(size(mode(elements.layout(), m)));
  return {shared_form(shape, width_of(dtype), elements),
          {note("tilelang-bytes", fmt::format("TileLang's CuTe text counts bytes, its last mode too: an array of {} {}",
                                              shape_text(shape), dtype.name))}};
}

// The text in bytes; empty if the layout has none.
std::string bytes_text(const SharedForm& form) {
  const auto elements = as_composed(form);
  if (!elements || form.element.bits < 8) return "";
  try {
    return first_equal(form, {to_string(recast(*elements, form.element.bits, 8))}, read_bytes);
  } catch (const Error&) {  // a swizzle that splits elements
    return "";
  }
}

// ---- the dialect

Reading read_tilelang(std::string_view text, const Given& given) {
  const std::string_view rest = without_space(text);
  if (is_tilelang_transform(rest)) return read_tilelang_transform(text, given);
  if (recognises_tilelang(rest) && !rest.starts_with(swizzle_name))
    return read_tilelang_named(parse_literal(text), given);
  return read_bytes(text, given);
}

Written write_tilelang(const LayoutForm& form) {
  if (const auto* registers = std::get_if<RegisterForm>(&form)) return write_tilelang_transform(*registers);
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  std::string name = tilelang_name_of(*shared);
  Written written = name.empty() ? write_tilelang_transform(*shared) : Written{std::move(name)};
  if (const std::string bytes = bytes_text(*shared); !bytes.empty())
    written.notes.push_back(note("tilelang-cute", fmt::format("tilelang.layout.cute writes it in bytes: {}", bytes),
                                 "--from tilelang reads it so"));
  return written;
}

}  // namespace

Dialect tilelang_dialect() {
  return {
      .name = "tilelang",
      .title = "TileLang",
      .unit = "elements",
      .needs = "shape and type, by name",
      .example = "make_full_bank_swizzled_layout(buf)",
      .rules =
          R"(A buffer R x C of b bits has v = 128 / b elements in 16 bytes. Full, half and quarter bank are X = 8, 4, 2 of them,
W = X v elements wide:

    offset(r, c) = (c / W) R W + r W + (c mod W ^ v ((r mod 8) / (8 / X)))

that is `nvmma_shared` of Triton and `tile_to_shape` of CuTe's K-major atom. Rows are 4 or a multiple of 8, columns a
multiple of W; leading dimensions are slower. `make_swizzled_layout(buf, k_major, allow_pad)` and the variants for wgmma
and tcgen05 take the widest that fits; otherwise rows are padded by 16 B (`allow_pad`) or stay plain.

A `Layout` is any function: `Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])`, printed as
`Layout((64, 64) -> (64, 64), transform: …)`. Its indices are a place in an array of the output's shape, row by row.

A `Fragment` of registers says which thread holds an element, and in which of its values:
`T.Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2))` is D of mma.m16n8. With
`replicate` the thread depends on the number of the copy as well, the last argument.

TileLang also prints CuTe's notation, `Sw<3,4,3> o 0 o (64,128):(128,1)`: in bytes, the last mode too. This line is a
64x64 buffer of 16-bit elements; it is read so with `--from tilelang`, and `--to tilelang` says it in a note.
`tl.cute.Swizzle(3, 4, 3)`, printed `Sw<3,4,3>`, is read as plain rows of `--shape` after this XOR of bytes.)",
      .source = "tilelang 0.1.15, its own layouts (run)",
      .recognises = recognises_tilelang,
      .read = read_tilelang,
      .write = write_tilelang};
}

}  // namespace swz
