// SPDX-License-Identifier: Apache-2.0
// Tilus: a SharedLayout of modes and strides, and its Swizzle, whose numbers are in the order M, B, S.
//
//   SharedLayout(shape=[64, 64], mode_shape=[64, 64], mode_strides=[64, 1], optional_swizzle=Swizzle(base=3, bits=3, shift=3))
//     element (1,8): 64 + 8 = 72, Sw<3,3,3>: 72 ^ (1 << 3) = 64
//   mode_shape splits each dimension, its slowest part first: shape [64, 64], mode_shape [8, 8, 64] is ((8,8),64) in CuTe
//   shared_row_major_swizzle([R, C], dtype_nbytes=es)
//     blocks of n = gcd(C, 128 / es) columns outermost, Swizzle(base=log2(16 / es), bits=log2(n es / 16), shift=3)
//   Swizzle(…) without a layout: on plain rows of the given shape
//
// Source: tilus 9a22de0a python/tilus/ir/layout/shared_layout.py and ops/shared_ops.py (read).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

constexpr std::array tilus_calls{
    "Swizzle(",          "SharedLayout(",        "SharedLayout.create(",     "shared_layout(",
    "shared_row_major(", "shared_column_major(", "shared_row_major_swizzle("};

bool recognises_tilus(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return std::ranges::any_of(tilus_calls, [&](std::string_view name) { return text.starts_with(name); });
}

Swizzle tilus_swizzle(const Literal& call) {
  constexpr std::array<std::string_view, 3> keys{"base", "bits", "shift"};
  call.require_keys(keys);
  call.require_at_most(keys.size());
  const auto number = [&](std::size_t position) {
    const Literal& item = call.require(keys[position], position);
    if (item.integer() < 0 || item.integer() > 62)
      throw Error(fmt::format("{} = {}", keys[position], item.integer()), "numbers of bits are 0 to 62", item.span);
    return static_cast<int>(item.integer());
  };
  const int bits = number(1);
  return bits == 0 ? Swizzle() : Swizzle(bits, number(0), number(2));
}

// The modes of each dimension, as Tilus groups them; none for an extent of 1.
Layout grouped(const ArrayShape& shape, const std::vector<std::int64_t>& extents,
               const std::vector<std::int64_t>& strides, const Literal& at) {
  std::vector<Layout> dimensions;
  std::size_t m = 0;
  for (const std::int64_t extent : shape) {
    std::vector<FlatMode> leaves;
    for (std::int64_t covered = 1; covered < extent; ++m) {
      if (m == extents.size() || extents[m] < 1 || extents[m] > extent)
        throw Error(
            fmt::format("mode_shape [{}] does not split the shape {}", fmt::join(extents, ", "), shape_text(shape)),
            "the modes of a dimension multiply to its extent", at.span);
      covered *= extents[m];
      leaves.insert(leaves.begin(), {extents[m], strides[m]});
      if (covered > extent)
        throw Error(
            fmt::format("the modes {} of {} pass the extent {}", fmt::join(extents, ", "), shape_text(shape), extent),
            "the modes of a dimension multiply to its extent", at.span);
    }
    dimensions.emplace_back(coalesce_modes(leaves));
  }
  if (std::any_of(extents.begin() + static_cast<std::ptrdiff_t>(m), extents.end(),
                  [](std::int64_t e) { return e != 1; }))
    throw Error(
        fmt::format("mode_shape [{}] has more elements than the shape {}", fmt::join(extents, ", "), shape_text(shape)),
        "the modes of a dimension multiply to its extent", at.span);
  return array_layout(dimensions);
}

Reading read_shared_layout(const Literal& call, const Given& given) {
  constexpr std::array<std::string_view, 5> keys{"shape", "mode_shape", "mode_strides", "optional_swizzle", "swizzle"};
  call.require_keys(keys);
  const ArrayShape shape = call.require("shape", 0).integers();
  if (shape.empty() || shape.size() > 8) throw Error("a layout has 1 to 8 dimensions", "", call.span);
  const std::vector<std::int64_t> extents = call.require("mode_shape", 1).integers();
  const std::vector<std::int64_t> strides = call.require("mode_strides", 2).integers();
  if (extents.size() != strides.size())
    throw Error(fmt::format("{} modes, {} strides", extents.size(), strides.size()),
                "mode_shape and mode_strides are as long", call.span);
  element_count(shape);
  require_same_shape(given, shape);
  const Literal* swizzle = call.find("optional_swizzle", 3);
  if (const Literal* other = call.find("swizzle")) {
    if (swizzle != nullptr) throw stands_twice("swizzle", other->span);
    swizzle = other;
  }
  const bool is_swizzled = swizzle != nullptr && swizzle->text != "None";
  return {shared_form(
      shape, element_width(given),
      ComposedLayout(is_swizzled ? tilus_swizzle(*swizzle) : Swizzle(), 0, grouped(shape, extents, strides, call)))};
}

// The shape in shared_row_major(64, 128) or shared_row_major([64, 128]).
ArrayShape shape_of_call(const Literal& call) {
  ArrayShape shape;
  for (const Literal& item : call.items) {
    if (item.kind == Literal::Kind::list && !shape.empty()) throw stands_twice("shape", item.span);
    if (item.kind == Literal::Kind::list) shape = item.integers();
    else if (item.key.empty()) shape.push_back(item.integer());
  }
  if (shape.size() != 2) throw Error("this layout has rows and columns", "shared_row_major(64, 128)", call.span);
  element_count(shape);
  return shape;
}

ComposedLayout row_major_swizzle(const ArrayShape& shape, const Literal& call) {
  const Literal& nbytes = call.require("dtype_nbytes", 1);
  const std::int64_t es = nbytes.integer();
  if (es != 1 && es != 2 && es != 4 && es != 8 && es != 16)
    throw Error(fmt::format("elements of {} bytes", es), "1, 2, 4, 8 or 16", nbytes.span);
  const std::int64_t block = std::gcd(shape[1], 128 / es);
  const int bits = is_power_of_two(block) && block * es >= 32 ? log2_exact(block * es / 16) : 0;
  if (block * es < 16)
    throw Error(fmt::format("rows of {} elements of {} bytes are not whole vectors of 16 bytes", shape[1], es),
                "columns are a multiple of 16 bytes", call.span);
  return blocked_layout({shape[0], shape[1], block, bits == 0 ? Swizzle() : Swizzle(bits, log2_exact(16 / es), 3)});
}

Reading read_tilus(std::string_view text, const Given& given) {
  const Literal call = parse_literal(text);
  if (call.text == "SharedLayout" || call.text == "SharedLayout.create" || call.text == "shared_layout")
    return read_shared_layout(call, given);
  if (call.text == "Swizzle") {
    const Extents2 e = required_extents(given);
    return {
        shared_form(given.shape, element_width(given),
                    ComposedLayout(tilus_swizzle(call), 0, blocked_layout({e.rows, e.columns, e.columns}).layout()))};
  }
  const bool is_column_major = call.text == "shared_column_major",
             is_swizzled = call.text == "shared_row_major_swizzle";
  if (!is_column_major && !is_swizzled && call.text != "shared_row_major")
    throw Error(fmt::format("{} is not a layout of Tilus that swz reads", quoted(call.text)),
                "for example shared_layout(shape=[64, 64], mode_shape=[64, 64], mode_strides=[64, 1])", call.span);
  call.require_keys(std::array<std::string_view, 2>{"shape", "dtype_nbytes"});
  Literal sizes = call;
  if (is_swizzled) sizes.items.resize(std::min<std::size_t>(sizes.items.size(), 1));
  const ArrayShape shape = shape_of_call(sizes);
  require_same_shape(given, shape);
  if (is_swizzled) {
    const int bits = static_cast<int>(call.require("dtype_nbytes", 1).integer() % 1024) * 8;
    return {shared_form(shape, element_width(given, bits), row_major_swizzle(shape, call))};
  }
  if (is_column_major)
    return {shared_form(shape, element_width(given), transposed(blocked_layout({shape[1], shape[0], shape[0]})))};
  return {shared_form(shape, element_width(given), blocked_layout({shape[0], shape[1], shape[1]}))};
}

Written write_tilus(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (why = why_not_composed(*shared); !why.empty()) return refused(std::move(why));
  const ComposedLayout composed = *as_composed(*shared);
  if (composed.offset() != 0) return refused("an offset inside the swizzle: Tilus has none");
  const Swizzle& sw = composed.element_swizzle();
  if (sw.shift() < 0) return refused("its swizzle reads below what it writes: Tilus shifts to the right only");
  std::vector<std::int64_t> extents, strides;
  for (std::size_t d = 0; d < shared->shape.size(); ++d) {
    const Layout dimension = mode(composed.layout(), d);
    for (std::size_t m = dimension.modes().size(); m-- > 0;) {
      if (dimension.modes()[m].extent == 1) continue;
      extents.push_back(dimension.modes()[m].extent);
      strides.push_back(dimension.modes()[m].stride);
    }
  }
  std::string text = fmt::format("shared_layout(shape=[{}], mode_shape=[{}], mode_strides=[{}]",
                                 fmt::join(shared->shape, ", "), fmt::join(extents, ", "), fmt::join(strides, ", "));
  if (!sw.is_identity())
    text += fmt::format(", optional_swizzle=Swizzle(base={}, bits={}, shift={})", sw.base(), sw.bits(), sw.shift());
  return {text + ")"};
}

}  // namespace

Dialect tilus_dialect() {
  return {
      .name = "tilus",
      .title = "Tilus",
      .unit = "elements",
      .needs = "",
      .example =
          "shared_layout(shape=[64, 64], mode_shape=[64, 64], mode_strides=[64, 1], "
          "optional_swizzle=Swizzle(base=3, bits=3, shift=3))",
      .rules =
          R"(A layout is its shape, the modes that split each dimension (the slowest first), their strides, and one swizzle of the
sum. CuTe's modes run the other way: `mode_shape=[8, 8, 64]` of shape [64, 64] is `((8,8),64)`.

| text | layout |
| --- | --- |
| `shared_layout(shape, mode_shape, mode_strides, optional_swizzle)`, `SharedLayout(…)` | as said |
| `shared_row_major(R, C)`, `shared_column_major(R, C)` | plain |
| `shared_row_major_swizzle([R, C], dtype_nbytes=es)` | blocks of n = gcd(C, 128 / es) columns, the blocks outermost, `Swizzle(base=log2(16 / es), bits=log2(n es / 16), shift=3)` |
| `Swizzle(base, bits, shift)` | of plain rows of `--shape` |

The example: element (1,8) is at 64 + 8 = 72, and 72 ^ (1 << 3) = 64.

Trap: `Swizzle` has its numbers in the order M, B, S; CuTe and Mojo write B, M, S. Without keywords the text is
ambiguous: `--from tilus`. It shifts to the right only; padding after a swizzle and general maps have no text.)",
      .source = "tilus 9a22de0a shared_layout.py, shared_ops.py (read)",
      .recognises = recognises_tilus,
      .read = read_tilus,
      .write = write_tilus};
}

}  // namespace swz
