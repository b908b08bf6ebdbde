// SPDX-License-Identifier: Apache-2.0
// nvFuser: the swizzle of an MMA's or TMA's shared-memory operand, and its XOR of two axes.
//
//   MmaInputSmemSwizzle::B128           blocks of 128 / es columns, one after another, in mode 128B
//   tv->swizzle(SwizzleType::XOR, x, y) axes of equal extent: (x, y) -> (x, x ^ y), the others row by row
//
//   swizzle(SwizzleType::XOR, 0, 1) of (8, 8, 8): element (1,1,0) is at 1*64 + (1 ^ 1)*8 = 64; that is mode 128B of
//   8x64 elements of 2 bytes
//
// Source: Fuser 81c4b22f csrc/swizzle.cpp, TensorView::swizzleTMABox (read).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

constexpr std::array nvfuser_modes{"B128", "B64", "B32"};

bool recognises_nvfuser(std::string_view text) {
  return text.find("MmaInputSmemSwizzle::") != std::string_view::npos ||
         text.find("SwizzleType::XOR") != std::string_view::npos;
}

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  const std::size_t at = name.rfind(prefix);
  return at == std::string_view::npos ? name : name.substr(at + prefix.size());
}

Reading read_operand_swizzle(const Literal& name, const Given& given) {
  const std::string_view mode_name = without_prefix(name.text, "MmaInputSmemSwizzle::");
  if (mode_name == "None")
    throw Error("MmaInputSmemSwizzle::None has core matrices in the order of the schedule",
                "write the layout itself, for example K_INTER<bf16> in CuTe", name.span);
  if (std::ranges::find(nvfuser_modes, mode_name) == nvfuser_modes.end())
    throw Error(fmt::format("{} is not a swizzle of an operand", quoted(name.text)),
                "MmaInputSmemSwizzle::B128, B64 or B32", name.span);
  const Extents2 e = required_extents(given);
  const DType& dtype = required_dtype(given);
  const SwizzleMode& mode = require_swizzle_mode(fmt::format("{}B", mode_name.substr(1)));
  return {shared_form(given.shape, width_of(dtype),
                      blocked_layout(blocks_in_mode(mode, dtype.memory_bits, e.rows, e.columns)))};
}

std::size_t axis_of(const Literal& item, const ArrayShape& shape) {
  const auto axes = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = item.integer() < 0 ? item.integer() + axes : item.integer();
  if (axis < 0 || axis >= axes)
    throw Error(fmt::format("axis {} of an array of {} dimensions", item.integer(), axes),
                "axes are those of --shape, after all splits: --shape 8x8x8", item.span);
  return static_cast<std::size_t>(axis);
}

// The bits of the number, with the bits of axis x also added to those of y.
Reading read_axes_swizzle(const Literal& call, const Given& given) {
  const Literal& type = call.items[0];
  if (type.kind != Literal::Kind::name || without_prefix(type.text, "::") != "XOR")
    throw Error("not SwizzleType::XOR", "swz reads swizzle(SwizzleType::XOR, 0, 1)", type.span);
  call.require_at_most(3);
  const ArrayShape& shape = required_shape(given);
  const std::size_t x = axis_of(call.require("x", 1), shape), y = axis_of(call.require("y", 2), shape);
  if (x == y || shape[x] != shape[y] || !is_power_of_two(shape[x]))
    throw Error(fmt::format("axes {} and {} of {}: nvFuser swizzles two axes of equal extent", x, y, shape_text(shape)),
                "a power of two, as in --shape 8x8x8", call.span);
  element_count(shape);
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
  if (!are_powers_of_two(shape))
    throw usage_error(why_not_powers_of_two(shape), "swz reads a XOR of axes where all extents are powers of two");
  std::vector<std::uint64_t> columns;
  for (std::size_t d = shape.size(); d-- > 0;)
    for (std::int64_t bit = 1; bit < shape[d]; bit *= 2)
      columns.push_back(static_cast<std::uint64_t>(bit * strides[d] + (d == x ? bit * strides[y] : 0)));
  return {shared_form(shape, element_width(given), LinearMap(std::move(columns)))};
}

Reading read_nvfuser(std::string_view text, const Given& given) {
  // tv0->swizzle(…)
  std::size_t begin = text.find("->");
  begin = begin == std::string_view::npos ? 0 : begin + 2;
  const std::string_view tensor = trimmed(text.substr(0, begin == 0 ? 0 : begin - 2));
  if (!std::ranges::all_of(tensor, [](char c) { return is_word(c) || c == '.'; }))
    throw Error("more than the name of a tensor before ->",
                "one swizzle at a time: tv->swizzle(SwizzleType::XOR, 0, 1)", {0, begin - 2});
  const std::size_t end = text.find_last_not_of("; \t\n");
  const std::string_view whole = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  Cursor cursor(whole, begin);
  const Literal literal = parse_literal(cursor);
  if (cursor.position() < whole.size())
    throw Error("expected the end of the layout", "one swizzle at a time", {cursor.position(), whole.size()});
  if (literal.kind == Literal::Kind::name) return read_operand_swizzle(literal, given);
  const std::string_view name = literal.text;
  const bool is_swizzle = name == "swizzle" || name == "swizzleTMABox" || name.starts_with("applyMmaSwizzle");
  if (literal.kind != Literal::Kind::call || !is_swizzle || literal.items.empty())
    throw Error("not a swizzle of nvFuser that swz reads",
                "MmaInputSmemSwizzle::B128, or swizzle(SwizzleType::XOR, 0, 1)", literal.span);
  if (name != "swizzle") return read_operand_swizzle(literal.items[0], given);
  return read_axes_swizzle(literal, given);
}

Written write_nvfuser(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  std::vector<std::string> texts;
  const ArrayShape& s = shared->shape;
  if (s.size() == 2 && shared->element.bits != 0)
    for (const char* mode : nvfuser_modes) texts.push_back(fmt::format("MmaInputSmemSwizzle::{}", mode));
  for (std::size_t x = 0; x < s.size(); ++x)
    for (std::size_t y = 0; y < s.size(); ++y)
      if (x != y && s[x] == s[y]) texts.push_back(fmt::format("swizzle(SwizzleType::XOR, {}, {})", x, y));
  std::string text = first_equal(*shared, texts, read_nvfuser);
  if (!text.empty()) return {std::move(text)};
  return refused(
      "neither an operand in mode 32B, 64B or 128B nor a XOR of two axes of equal extent; nearest: split the axes "
      "so "
      "that the XOR is of two of them");
}

}  // namespace

Dialect nvfuser_dialect() {
  return {
      .name = "nvfuser",
      .title = "nvFuser",
      .unit = "elements",
      .needs = "shape and type",
      .example = "MmaInputSmemSwizzle::B128",
      .rules =
          R"(`MmaInputSmemSwizzle::B128`, `B64`, `B32`: an operand in that mode; an array wider than the mode is cut into blocks of
its columns, one after the other. None is refused: the schedule orders its core matrices.

`tv->swizzle(SwizzleType::XOR, x, y)`: (x, y) becomes (x, x ^ y), on axes of equal extent, after the user's own
splits. The shape is that of the split axes, and the type is not needed.

`swizzle(SwizzleType::XOR, 0, 1)` of `--shape 8x8x8`: element (1,1,0) is at 64 + (1 ^ 1) 8 = 64. In rows and columns,
8x64 elements of 2 bytes, that is mode 128B. Of `--shape 32x32` it is `Sw<5,0,5> o 0 o (32,32):(32,1)`.

Trap: the enum's numbers are B128 = 1, B64 = 2, B32 = 3, as in a wgmma word and not as in the driver.)",
      .source = "Fuser 81c4b22f csrc/swizzle.cpp, csrc/tensor_view.cpp (read)",
      .recognises = recognises_nvfuser,
      .read = read_nvfuser,
      .write = write_nvfuser};
}

}  // namespace swz
