// SPDX-License-Identifier: Apache-2.0
// Mojo: tile layouts for tensor cores and its Swizzle.
//
//   tile_layout_k_major[dtype, BM, BK, mode]    ((8,BM/8),(w,BK/w)):((w,8w),(1,BM·w)), w = mode bytes / es; NONE: 16 / es
//   page_dense = True                           ((8,BM/8),(w,BK/w)):((w,8·BK),(1,8w)), mode 128B
//   tile_layout_mn_major[dtype, MN, K, mode]    the same for (K, MN) with its modes exchanged
//   Swizzle(bits, base, shift)                  B, M, S on the elements of the array, row by row
//   make_swizzle[dtype, mode]                   (mode, log2(16 / es), 3)
//   make_swizzle[rows, row_size, access]        (log2 rows, log2 access, log2 row_size - log2 access)
//   make_ldmatrix_swizzle[dtype, row_size]      (log2 min(row bytes / 16, 8), 0, log2 max(row_size / simd, 8)) on vectors
//                                               of 16 bytes: + log2(16 / es) on elements
//
//   make_swizzle[DType.bfloat16, TensorMapSwizzle.SWIZZLE_64B]() is (2,3,3): offset 2·64 + 8 = 136 becomes 136 ^ 16 = 152
//
// A tile layout of Mojo does not include the XOR, which its loads apply; here the two are read together.
// Source: modular 0245e8bd max/kernels/src/layout/swizzle.mojo and tensor_core_async.mojo (read).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

struct MojoType {
  std::string_view name, dtype;
};
constexpr std::array mojo_types{MojoType{"bfloat16", "bf16"},
                                MojoType{"float16", "f16"},
                                MojoType{"float32", "f32"},
                                MojoType{"float64", "f64"},
                                MojoType{"float8_e4m3fn", "e4m3"},
                                MojoType{"float8_e5m2", "e5m2"},
                                MojoType{"float8_e8m0fnu", "ue8m0"},
                                MojoType{"uint8", "u8"},
                                MojoType{"int8", "s8"},
                                MojoType{"uint16", "u16"},
                                MojoType{"int16", "s16"},
                                MojoType{"uint32", "u32"},
                                MojoType{"int32", "s32"},
                                MojoType{"uint64", "u64"},
                                MojoType{"int64", "s64"}};

// Longer names come before those that they begin with.
constexpr std::array mojo_calls{"tile_layout_k_major", "tile_layout_mn_major", "make_ldmatrix_swizzle",
                                "make_swizzle",        "Layout.row_major",     "Layout.col_major"};

bool is_mojo_swizzle(std::string_view text) {
  // Tilus prints its Swizzle with keywords. Without them the two differ in the order of the numbers.
  return text.starts_with("Swizzle(") && text.find('=') == std::string_view::npos;
}

// "(64, 64):(64, 1)" for Layout(IntTuple(64, 64), IntTuple(64, 1)); empty for another text.
std::string int_tuple_layout(std::string_view text) {
  constexpr std::string_view head = "Layout(", tuple = "IntTuple";
  text = trimmed(text);
  if (!text.starts_with(head) || !text.ends_with(')') || !trimmed(text.substr(head.size())).starts_with(tuple))
    return {};
  std::string layout;
  int depth = 0;
  for (text = text.substr(head.size(), text.size() - head.size() - 1); !text.empty(); text.remove_prefix(1)) {
    while (text.starts_with(tuple)) text.remove_prefix(tuple.size());
    if (text.empty()) break;
    depth += text[0] == '(' ? 1 : text[0] == ')' ? -1 : 0;
    layout += text[0] == ',' && depth == 0 ? ':' : text[0];
  }
  return layout;
}

bool recognises_mojo(std::string_view text) {
  if (!int_tuple_layout(text).empty()) return true;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return is_mojo_swizzle(text) || std::ranges::any_of(mojo_calls, [&](std::string_view name) {
           const char next = text.starts_with(name) && text.size() > name.size() ? text[name.size()] : '\0';
           // CuTe DSL has make_swizzle(B, M, S)
           return next == '[' || (next == '(' && name.starts_with("Layout."));
         });
}

const DType& mojo_dtype(const Literal& item) {
  std::string_view name = item.text;
  if (name.starts_with("DType.")) name.remove_prefix(6);
  const auto row = std::ranges::find(mojo_types, name, &MojoType::name);
  if (row == mojo_types.end())
    throw Error(fmt::format("{} is not a DType that swz reads", quoted(item.text)), "for example DType.bfloat16",
                item.span);
  return require_dtype(row->dtype);
}

const SwizzleMode& mojo_mode(const Literal& item) {
  std::string_view name = item.text;
  if (name.starts_with("TensorMapSwizzle.")) name.remove_prefix(17);
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.family != SwizzleFamily::chunk_32 && name.starts_with("SWIZZLE_") && name.substr(8) == mode.tma_name)
      return mode;
  throw Error(fmt::format("{} is not a mode of TensorMapSwizzle", quoted(item.text)),
              "SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B or SWIZZLE_128B", item.span);
}

int log2_floor(std::int64_t n, const Literal& at) {
  if (n < 1) throw Error(fmt::format("{} has no logarithm", n), "sizes start at 1", at.span);
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

ElementWidth same_width(const Given& given, const DType& dtype) {
  return given.dtype != nullptr ? element_width(given, dtype.memory_bits) : width_of(dtype);
}

Reading read_tile(const Literal& call, const Given& given, bool is_mn_major) {
  constexpr std::array<std::string_view, 8> keys{"dtype", "BM", "BK", "mn_dim", "k_dim", "swizzle_mode", "page_dense"};
  call.require_keys(keys);
  const DType& dtype = mojo_dtype(call.require("dtype", 0));
  const std::int64_t mn = call.require(is_mn_major ? "mn_dim" : "BM", 1).integer();
  const std::int64_t k = call.require(is_mn_major ? "k_dim" : "BK", 2).integer();
  const Literal* named = call.find("swizzle_mode", 3);
  const SwizzleMode& mode = named != nullptr ? mojo_mode(*named) : require_swizzle_mode("none");
  const bool is_dense = call.boolean_or(false, "page_dense", 4);
  const ArrayShape shape{mn, k};
  element_count(shape);
  require_same_shape(given, shape);
  const std::int64_t lines = is_mn_major ? k : mn, columns = is_mn_major ? mn : k;
  if (lines % 8 != 0)
    throw Error(fmt::format("{} lines of {} are not whole core matrices of 8", lines, mode.name),
                "take a multiple of 8", call.span);
  if (is_dense && mode.name != "128B")
    throw Error(fmt::format("page_dense is defined for SWIZZLE_128B only, not for {}", mode.name),
                "write TensorMapSwizzle.SWIZZLE_128B", call.span);
  ColumnBlocks blocks = blocks_in_mode(mode, dtype.memory_bits, lines, columns);
  if (is_dense) blocks.order = BlockOrder::dense_pages;
  const ComposedLayout layout = blocked_layout(blocks);
  Reading reading{shared_form(shape, same_width(given, dtype), is_mn_major ? transposed(layout) : layout)};
  if (mode.bits > 0)
    reading.notes.push_back(
        note("swizzle-apart", "Mojo's tile layout is without the XOR, which make_swizzle or TMA adds: here it is in"));
  return reading;
}

// The meaning of a text's numbers, on elements.
struct BitsBaseShift {
  int bits, base, shift;
};

BitsBaseShift ldmatrix_swizzle(const Literal& call) {
  const DType& dtype = mojo_dtype(call.require("dtype", 0));
  const Literal& size = call.require("row_size", 1);
  const std::int64_t vector = 128 / dtype.memory_bits, row = size.integer();
  const std::int64_t bytes = checked_mul(row, dtype.memory_bits / 8);
  if (bytes < 1 || (bytes % 128 != 0 && 128 % bytes != 0))
    throw Error(fmt::format("a row of {} bytes: neither a multiple nor a divisor of 128", bytes),
                "Mojo asserts this: 32 banks of 4 bytes", size.span);
  const std::int64_t ways = std::min<std::int64_t>(checked_mul(8, bytes) / 128, 8);
  return {log2_floor(std::max<std::int64_t>(ways, 1), size), log2_exact(vector),
          log2_floor(std::max<std::int64_t>(row / vector, 8), size)};
}

BitsBaseShift mojo_swizzle(const Literal& call) {
  if (call.text == "make_ldmatrix_swizzle") return ldmatrix_swizzle(call);
  if (call.text == "make_swizzle" && call.items.size() == 2) {
    const DType& dtype = mojo_dtype(call.require("dtype", 0));
    return {mojo_mode(call.require("mode", 1)).bits, log2_exact(128 / dtype.memory_bits), 3};
  }
  if (call.text == "make_swizzle") {
    const Literal& rows = call.require("num_rows", 0);
    const Literal& size = call.require("row_size", 1);
    const Literal& access = call.require("access_size", 2);
    const int base = log2_floor(access.integer(), access);
    return {log2_floor(rows.integer(), rows), base, log2_floor(size.integer(), size) - base};
  }
  if (!call.text.empty() && call.text != "Swizzle")
    throw Error(fmt::format("{} is not a layout of Mojo that swz reads", quoted(call.text)),
                "for example tile_layout_k_major[DType.bfloat16, 64, 64, TensorMapSwizzle.SWIZZLE_128B]()", call.span);
  call.require_at_most(3);
  const auto number = [&](std::string_view key, std::size_t position) {
    const Literal& item = call.require(key, position);
    const std::int64_t n = item.integer();
    if (n < -62 || n > 62) throw Error(fmt::format("{} = {}", key, n), "numbers of bits are below 62", item.span);
    return static_cast<int>(n);
  };
  return {number("bits", 0), number("base", 1), number("shift", 2)};
}

Reading read_mojo(std::string_view text, const Given& given) {
  if (const std::string layout = int_tuple_layout(text); !layout.empty()) return cute_dialect().read(layout, given);
  const Literal call = parse_literal(text);
  if (call.text == "tile_layout_k_major") return read_tile(call, given, false);
  if (call.text == "tile_layout_mn_major") return read_tile(call, given, true);
  if (call.text.starts_with("Layout.")) {
    ArrayShape shape;
    for (const Literal& item : call.items) shape.push_back(item.integer());
    if (shape.empty() || shape.size() > 8)
      throw Error("a layout has 1 to 8 extents", "Layout.row_major(64, 64)", call.span);
    element_count(shape);
    require_same_shape(given, shape);
    std::vector<FlatMode> modes(shape.size());
    std::int64_t stride = 1;
    const bool is_row_major = call.text == "Layout.row_major";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t d = is_row_major ? shape.size() - 1 - i : i;
      modes[d] = {shape[d], stride};
      stride *= shape[d];
    }
    return {shared_form(shape, element_width(given), Layout(modes))};
  }
  const auto [bits, base, shift] = mojo_swizzle(call);
  const Extents2 e = required_extents(given);
  const ComposedLayout rows = blocked_layout({e.rows, e.columns, e.columns});
  return {shared_form(given.shape, element_width(given),
                      ComposedLayout(bits == 0 ? Swizzle() : Swizzle(bits, base, shift), 0, rows.layout()))};
}

std::vector<std::string> tile_texts(const SharedForm& form) {
  const DType* dtype = any_dtype(form.element);
  const auto row = dtype == nullptr ? mojo_types.end() : std::ranges::find(mojo_types, dtype->name, &MojoType::dtype);
  std::vector<std::string> texts;
  if (row == mojo_types.end()) return texts;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (mode.family == SwizzleFamily::chunk_32) continue;
    for (const char* major : {"k", "mn"}) {
      const std::string head = fmt::format("tile_layout_{}_major[DType.{}, {}, {}, TensorMapSwizzle.SWIZZLE_{}", major,
                                           row->name, form.shape[0], form.shape[1], mode.tma_name);
      texts.push_back(head + "]()");
      if (mode.name == "128B") texts.push_back(head + ", page_dense=True]()");
    }
  }
  return texts;
}

Written write_mojo(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (shared->shape.size() != 2) return refused("Mojo's tiles and swizzles have rows and columns");
  const ArrayShape& s = shared->shape;
  std::vector<std::string> texts{fmt::format("Layout.row_major({}, {})", s[0], s[1])};
  for (std::string& text : tile_texts(*shared)) texts.push_back(std::move(text));
  texts.push_back(fmt::format("Layout.col_major({}, {})", s[0], s[1]));
  if (const auto composed = as_composed(*shared); composed && !composed->element_swizzle().is_identity()) {
    const Swizzle& sw = composed->element_swizzle();
    texts.push_back(fmt::format("Swizzle({}, {}, {})", sw.bits(), sw.base(), sw.shift()));
  }
  std::string text = first_equal(*shared, texts, read_mojo);
  if (!text.empty()) return {std::move(text)};
  return refused(
      "neither a tile of a hardware mode nor one Swizzle of plain rows; nearest: the layout and the Swizzle "
      "of the CuTe form, apart");
}

}  // namespace

Dialect mojo_dialect() {
  return {.name = "mojo",
          .title = "Mojo",
          .unit = "elements",
          .needs = "",
          .example = "tile_layout_k_major[DType.bfloat16, 64, 64, TensorMapSwizzle.SWIZZLE_128B]()",
          .rules = R"(| text | layout of elements |
| --- | --- |
| `tile_layout_k_major[dtype, BM, BK, mode]()` | `((8,BM/8),(w,BK/w)):((w,8w),(1,BM w))`, w = mode bytes / es; NONE: 16 / es, core matrices |
| `…, page_dense=True` | `((8,BM/8),(w,BK/w)):((w,8 BK),(1,8w))`, mode 128B only |
| `tile_layout_mn_major[dtype, MN, K, mode]()` | the layout of (K, MN), its modes exchanged; the array is (MN, K) |
| `Swizzle(bits, base, shift)` | B, M, S after plain rows of `--shape` |
| `make_swizzle[dtype, mode]()` | B of the mode, M = log2(16 / es), S = 3 |
| `make_swizzle[rows, row_size, access]()` | B = log2 rows, M = log2 access, S = log2 row_size - M |
| `make_ldmatrix_swizzle[dtype, row_size]()` | on vectors of 16 bytes: B = log2 min(row bytes / 16, 8), S = log2 max(vectors of a row, 8) |

`make_swizzle[DType.bfloat16, TensorMapSwizzle.SWIZZLE_64B]()` is (2,3,3): offset 136 becomes 136 ^ 16 = 152.

Traps: a tile layout of Mojo is without the XOR, which its loads apply; swz reads the two together. `Swizzle(3, 3, 3)`
is written the same in Tilus, whose numbers are M, B, S: `--from mojo`.)",
          .source = "modular 0245e8bd swizzle.mojo, tensor_core_async.mojo (read)",
          .recognises = recognises_mojo,
          .read = read_mojo,
          .write = write_mojo};
}

}  // namespace swz
