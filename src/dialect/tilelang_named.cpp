// SPDX-License-Identifier: Apache-2.0
// TileLang: layouts that are made by name for a buffer.
//
// For a buffer R x C of b bits, v = 128 / b elements are 16 bytes. X = 8, 4, 2 of them make full, half and quarter
// bank, and W = X v:
//
//   offset(r, c) = (c / W) R W + r W + (c mod W ^ v ((r mod 8) / (8 / X)))
//   full bank, 64x128 of 16 bits, at (9, 70):  1 * 4096 + 9 * 64 + (6 ^ 8) = 4686
//
// Invariants (tested): equal to TileLang's own layouts at every coordinate, and refused if TileLang refuses.
// Source: tilelang 0.1.15, run; its src/layout/gemm_layouts.cc.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "dialect/tilelang.hpp"

namespace swz {
namespace {

// A buffer of elements of `bits` bits. Leading dimensions are slower.
struct Buffer {
  ArrayShape shape;
  int bits = 0;

  std::int64_t rows() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  std::int64_t columns() const { return shape.back(); }
  std::int64_t vector() const { return 128 / bits; }
};

struct BankLayout {
  std::string_view name;
  std::int64_t vectors;  // X
};
constexpr std::array bank_layouts{BankLayout{"make_full_bank_swizzled_layout", 8},
                                  BankLayout{"make_half_bank_swizzled_layout", 4},
                                  BankLayout{"make_quarter_bank_swizzled_layout", 2}};

Buffer buffer_of(const Given& given) {
  const DType& dtype = required_dtype(given);
  Buffer buffer{required_shape(given), dtype.memory_bits};
  if (buffer.shape.size() < 2)
    throw usage_error(fmt::format("a swizzled layout of the shape {}", shape_text(buffer.shape)),
                      "a buffer has rows and columns, for example --shape 64x64");
  return buffer;
}

// The offsets of all matrices from those of one, (row, column) -> offset, with `distance` elements from one to the
// next.
template <class Offset>
std::vector<std::int64_t> stacked_offsets(const Buffer& buffer, std::int64_t distance, const Offset& offset) {
  std::vector<std::int64_t> offsets;
  const std::int64_t matrices = element_count(buffer.shape) / (buffer.rows() * buffer.columns());
  for (std::int64_t m = 0; m < matrices; ++m)
    for (std::int64_t r = 0; r < buffer.rows(); ++r)
      for (std::int64_t c = 0; c < buffer.columns(); ++c) offsets.push_back(m * distance + offset(r, c));
  return offsets;
}

std::vector<std::int64_t> bank_offsets(const Buffer& buffer, std::int64_t vectors) {
  const std::int64_t rows = buffer.rows(), v = buffer.vector(), width = vectors * v;
  return stacked_offsets(buffer, rows * buffer.columns(), [&](std::int64_t r, std::int64_t c) {
    return c / width * rows * width + r * width + (c % width ^ v * (r % 8 / (8 / vectors)));
  });
}

// Why a buffer has no layout of this width; empty if it has one.
std::string why_no_bank_layout(const Buffer& buffer, const BankLayout& layout) {
  const std::int64_t width = layout.vectors * buffer.vector();
  if (buffer.rows() != 4 && buffer.rows() % 8 != 0)
    return fmt::format("{} rows are neither 4 nor a multiple of 8", buffer.rows());
  if (buffer.columns() % width != 0)
    return fmt::format("{} columns are not a multiple of {}, the elements of {} B", buffer.columns(), width,
                       layout.vectors * 16);
  return "";
}

std::vector<std::int64_t> required_bank_offsets(const Buffer& buffer, const BankLayout& layout, Span span) {
  if (const std::string why = why_no_bank_layout(buffer, layout); !why.empty())
    throw Error(fmt::format("TileLang has no such layout of {}: {}", shape_text(buffer.shape), why),
                "rows are 4 or a multiple of 8, columns a multiple of the swizzled width", span);
  return bank_offsets(buffer, layout.vectors);
}

// Blocks of 16 columns and 4 rows of 64-bit elements: Sw<2,0,4> along k, Sw<2,2,2> across it.
std::vector<std::int64_t> f64_offsets(const Buffer& buffer, bool is_k_major) {
  const std::int64_t block = std::min<std::int64_t>(buffer.rows(), 4) * 16;
  const std::int64_t column = ceil_div(buffer.rows(), 4) * block;
  return stacked_offsets(buffer, buffer.columns() / 16 * column, [&](std::int64_t r, std::int64_t c) {
    const std::int64_t s = r % 4, inside = is_k_major ? c % 16 ^ s : c % 16 ^ s * 4;
    return c / 16 * column + r / 4 * block + s * 16 + inside;
  });
}

std::vector<std::int64_t> strided_offsets(const Buffer& buffer, std::int64_t pitch) {
  // The rows of one matrix end at its last element, and the next matrix begins there.
  const std::int64_t distance = (buffer.rows() - 1) * pitch + buffer.columns();
  return stacked_offsets(buffer, distance, [&](std::int64_t r, std::int64_t c) { return r * pitch + c; });
}

// The layout that make_swizzled_layout and similar functions choose: the widest swizzle that the columns allow.
//   Ampere (allow_pad)   8-bit elements across k, and columns that no swizzle fits, are padded by 16 B
//   Hopper, sm_100       columns that no swizzle fits stay plain, if rows are whole chunks
std::vector<std::int64_t> chosen_offsets(const Buffer& buffer, bool is_padded, bool is_k_major, bool is_sm100,
                                         std::int64_t continuity, Span span) {
  const std::int64_t v = buffer.vector(), columns = buffer.columns();
  const auto fits = [&](const BankLayout& l) { return columns % (l.vectors * v) == 0; };
  const auto widest = std::ranges::find_if(bank_layouts, fits);
  const auto refuse = [&](std::string_view why) -> std::vector<std::int64_t> {
    throw Error(fmt::format("TileLang has no such layout of {}: {}", shape_text(buffer.shape), why),
                "take columns of whole 16 B chunks, or make_swizzled_layout with allow_pad", span);
  };
  const auto padded = [&] { return strided_offsets(buffer, columns + (columns * buffer.bits % 256 == 0 ? v : 0)); };
  if (buffer.bits == 64) {
    if (is_sm100) return refuse("it does not support float64 on sm_100");
    if (continuity % 16 == 0) return f64_offsets(buffer, is_k_major);
    if (is_padded) return padded();
    if (buffer.rows() % 8 != 0) return strided_offsets(buffer, columns);
    return required_bank_offsets(buffer, bank_layouts[2], span);
  }
  if (is_padded) {
    if ((!is_k_major && buffer.bits == 8) || widest == bank_layouts.end()) return padded();
    return required_bank_offsets(buffer, *widest, span);
  }
  if (buffer.rows() % 8 == 0 && widest != bank_layouts.end()) return bank_offsets(buffer, widest->vectors);
  if (columns % v != 0) return refuse(fmt::format("rows of {} elements are not whole chunks of 16 B", columns));
  return strided_offsets(buffer, columns);
}

constexpr std::string_view tilelang_alloc = "alloc_shared";

struct NamedFragment {
  std::string_view name, text;
};
constexpr std::array fragments{
    NamedFragment{"make_gemm_fragment_8x8", "Fragment([8, 8], forward_fn=lambda i, j: (i * 4 + j // 2, j % 2))"},
    NamedFragment{"make_gemm_fragment_8x8_transposed",
                  "Fragment([8, 8], forward_fn=lambda i, j: (j * 4 + i // 2, i % 2))"}};

// A layout in which every thread has all of the buffer, row by row.
Reading replicated_layout(const Literal& call, const Given& given) {
  const ArrayShape& shape = required_shape(given);
  const Literal& threads = call.require("threads", 1);
  if (threads.integer() < 1)
    throw Error(fmt::format("{} threads hold nothing", threads.number), "for example 128", threads.span);
  require_within(limits::known_values, checked_mul(threads.number, element_count(shape)));
  std::vector<FlatMode> values;
  std::int64_t stride = 1;
  for (const std::int64_t extent : shape) {
    values.insert(values.begin(), {extent, stride});
    stride *= extent;
  }
  const std::array modes{Layout(threads.number, 0), Layout(values)};
  return {RegisterForm{shape, element_width(given), make_layout(modes)}};
}

// make_mma_swizzle_layout of tilelang.intrinsics: the mode is as wide as a row, at most 128 B; rows are whole 64 B.
Reading mma_layout(const Literal& call, const Given& given) {
  const Buffer buffer = buffer_of(given);
  const Literal* is_smooth = call.find("is_smooth", 1);
  const std::int64_t row_bits = buffer.columns() * buffer.bits;
  if (row_bits % 512 != 0 || (is_smooth != nullptr && is_smooth->boolean()))
    return {shared_form(buffer.shape, element_width(given), strided_offsets(buffer, buffer.columns()))};
  const std::int64_t vectors = std::min<std::int64_t>(128, row_bits / 8) / 16;
  if (buffer.columns() % (vectors * buffer.vector()) != 0)
    throw Error(fmt::format("rows of {} B are not a multiple of 128 B", row_bits / 8),
                "TileLang cuts rows that are longer than 128 B into blocks of 128 B", call.span);
  Reading reading{shared_form(buffer.shape, element_width(given), bank_offsets(buffer, vectors))};
  if (row_bits != 1024)
    reading.notes.push_back(
        note("tilelang-mma-layout",
             "as tilelang 0.1.15 makes it; releases before it keep rows whole, and XOR rows of 64 B with row % 4",
             "print the layout for another release: Layout(…, transform: …) is read as well"));
  return reading;
}

// The arguments of each function; the buffer has two names.
std::vector<std::string_view> arguments_of(std::string_view name) {
  std::vector<std::string_view> keys{"buffer", "buffer_or_load_or_region"};
  if (name == "make_mma_swizzle_layout") return {"shared_buf", "is_smooth"};
  if (name == "make_fully_replicated_layout_fragment") keys.emplace_back("threads");
  if (name == "make_swizzled_layout") keys.insert(keys.end(), {"k_major", "allow_pad"});
  if (name == "make_wgmma_swizzled_layout" || name == "make_tcgen05mma_swizzled_layout")
    keys.insert(keys.end(), {"continuity", "k_major"});
  return keys;
}

Reading named_layout(const Literal& call, const Given& given) {
  const std::string_view name = last_name(call.text);
  if (name == tilelang_alloc)
    throw Error(
        "alloc_shared does not say the layout: TileLang infers it from what uses the buffer",
        "translate what annotate_layout has, or make_swizzled_layout(A_shared) with --shape and --dtype, as its "
        "GEMMs take it",
        call.span);
  call.require_keys(arguments_of(name));
  if (const auto fragment = std::ranges::find(fragments, name, &NamedFragment::name); fragment != fragments.end())
    return read_tilelang_transform(fragment->text, given);
  if (name == "make_fully_replicated_layout_fragment") return replicated_layout(call, given);
  if (name == "make_linear_layout") {
    const ArrayShape& shape = required_shape(given);
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
    return {shared_form(shape, element_width(given), std::move(offsets))};
  }
  if (name == "make_mma_swizzle_layout") return mma_layout(call, given);
  const Buffer buffer = buffer_of(given);
  const auto bank = std::ranges::find(bank_layouts, name, &BankLayout::name);
  if (bank != bank_layouts.end())
    return {shared_form(buffer.shape, element_width(given), required_bank_offsets(buffer, *bank, call.span))};
  const bool is_ampere = name == "make_swizzled_layout";
  const Literal* k_major = call.find("k_major", is_ampere ? 1 : 2);
  const Literal* allow_pad = is_ampere ? call.find("allow_pad", 2) : nullptr;
  const Literal* continuity = is_ampere ? nullptr : call.find("continuity", 1);
  const bool has_continuity = continuity != nullptr && continuity->kind == Literal::Kind::integer;
  const bool is_padded = is_ampere && (allow_pad == nullptr || allow_pad->boolean());
  return {shared_form(buffer.shape, element_width(given),
                      chosen_offsets(buffer, is_padded, k_major == nullptr || k_major->boolean(),
                                     name == "make_tcgen05mma_swizzled_layout",
                                     has_continuity ? continuity->number : buffer.columns(), call.span))};
}

// The call inside T.annotate_layout({A_shared: make_…(A_shared)}).
const Literal& layout_call(const Literal& literal) {
  if (literal.kind == Literal::Kind::call && last_name(literal.text) == "annotate_layout") {
    if (literal.items.size() != 1)
      throw Error(fmt::format("annotate_layout has {} layouts", literal.items.size()), "translate one at a time",
                  literal.span);
    return layout_call(literal.items[0]);
  }
  if (literal.kind != Literal::Kind::call || !is_tilelang_name(literal.text))
    throw Error("this is not a layout of TileLang", "for example make_swizzled_layout(A_shared)", literal.span);
  return literal;
}

}  // namespace

bool is_tilelang_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> others{tilelang_alloc,
                                                   "make_swizzled_layout",
                                                   "make_mma_swizzle_layout",
                                                   "make_wgmma_swizzled_layout",
                                                   "make_tcgen05mma_swizzled_layout",
                                                   "make_linear_layout",
                                                   "annotate_layout",
                                                   "make_fully_replicated_layout_fragment"};
  const std::string_view last = last_name(name);
  return std::ranges::find(others, last) != others.end() ||
         std::ranges::find(bank_layouts, last, &BankLayout::name) != bank_layouts.end() ||
         std::ranges::find(fragments, last, &NamedFragment::name) != fragments.end();
}

Reading read_tilelang_named(const Literal& call, const Given& given) { return named_layout(layout_call(call), given); }

std::string tilelang_name_of(const SharedForm& form) {
  const Buffer buffer{form.shape, form.element.bits};
  if (buffer.bits < 4 || buffer.bits > 64 || buffer.shape.size() < 2) return "";
  const std::vector<std::int64_t> offsets = offsets_of(form);
  for (const BankLayout& bank : bank_layouts)
    if (why_no_bank_layout(buffer, bank).empty() && offsets == bank_offsets(buffer, bank.vectors))
      return fmt::format("{}(buf)", bank.name);
  return "";
}

}  // namespace swz
