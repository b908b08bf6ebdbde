// SPDX-License-Identifier: Apache-2.0
// ThunderKittens: a shared tile st<T, rows, cols, swizzle = true, swizzle_bytes = 0>.
//
//   byte a  = base + es·((c/W)·rows·W + r·W + c mod W)          W = swizzle_bytes / es
//   address = a ^ (((a mod (8·swizzle_bytes)) >> 7) << 4)       on the absolute address
//
//   st_bf<64, 128>: W = 64; element (1,8): a = base + 2·72 = base + 144, >> 7 is 1: base + (144 ^ 16) = base + 128
//
// swizzle_bytes = 0 chooses by the columns in units of 16 elements (32 of 1-byte types): 128 B for a multiple of 4, 64
// B for a multiple of 2, otherwise 32 B; for 4-byte types 128 B for a multiple of 2, otherwise 64 B. swizzle = false:
// r·cols + c.
//
// Source: ThunderKittens 0b55588d include/types/shared/st.cuh (read).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

struct KittensType {
  std::string_view name, alias, dtype;
};
constexpr std::array kittens_types{
    KittensType{"bf16", "st_bf", "bf16"},         KittensType{"half", "st_hf", "f16"},
    KittensType{"float", "st_fl", "f32"},         KittensType{"fp8e4m3", "st_fp8e4m3", "e4m3"},
    KittensType{"fp8e5m2", "st_fp8e5m2", "e5m2"}, KittensType{"fp8e8m0", "st_fp8e8m0", "ue8m0"}};

// The types of ThunderKittens other than shared tiles, by the beginning of the name.
struct OtherKind {
  std::string_view begin, what, way_out;
};
constexpr std::array other_kinds{
    OtherKind{"rt", "a register tile: it lies in the registers of a warp, not in shared memory",
              "swz frag mma.m16n8k16 shows its 16x16 blocks by thread; a shared tile is st_bf<64, 64>"},
    OtherKind{"rv", "a register vector", "a shared tile is st_bf<64, 64>"},
    OtherKind{"sv", "a shared vector: its elements follow each other", "a shared tile is st_bf<64, 64>"},
    OtherKind{"tt", "a tile in tensor memory", "swz tmem d shows where an accumulator lies"},
    OtherKind{"gl", "a global layout: it lies in global memory", "a shared tile is st_bf<64, 64>"}};

// The kind of "rt_bf<16, 64>", "rt<bf16, 16, 64>". Null for another name.
const OtherKind* other_kind(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('<'));
  if (name.size() == text.size()) return nullptr;
  const auto kind = std::ranges::find_if(other_kinds, [&](const OtherKind& k) {
    return name == k.begin || (name.starts_with(k.begin) && name.substr(k.begin.size()).starts_with("_"));
  });
  return kind == other_kinds.end() ? nullptr : &*kind;
}

std::string_view without_namespace(std::string_view name) {
  return name.starts_with("kittens::") ? name.substr(9) : name;
}

bool recognises_thunderkittens(std::string_view text) {
  text = without_namespace(text.substr(std::min(text.find_first_not_of(" \t\n"), text.size())));
  if (text.starts_with("st<") || other_kind(text) != nullptr) return true;
  return std::ranges::any_of(kittens_types, [&](const KittensType& t) {
    return text.starts_with(t.alias) && text.substr(t.alias.size()).starts_with('<');
  });
}

// The swizzle_bytes that 0 selects.
std::int64_t default_swizzle_bytes(std::int64_t columns, std::int64_t element_bytes) {
  const std::int64_t units = columns / (element_bytes == 1 ? 32 : 16);
  if (element_bytes == 4) return units % 2 == 0 ? 128 : 64;
  return units % 4 == 0 ? 128 : units % 2 == 0 ? 64 : 32;
}

const KittensType& kittens_type(const Literal& tile) {
  const std::string_view name = without_namespace(tile.text);
  const bool is_generic = name == "st";
  const std::string_view wanted = is_generic ? without_namespace(tile.require("T", 0).text) : name;
  const auto row = std::ranges::find(kittens_types, wanted, is_generic ? &KittensType::name : &KittensType::alias);
  if (row != kittens_types.end()) return *row;
  throw Error(fmt::format("{} is not a tile of ThunderKittens that swz reads", quoted(tile.text)),
              "st<bf16, 64, 128>, with bf16, half, float, fp8e4m3, fp8e5m2 or fp8e8m0; or st_bf<64, 128>", tile.span);
}

// The number of tiles in a declaration, by the text after its type: "As;", "&As", "(&As)[4] = al.allocate<…>();". 0 if
// it is not a declaration.
std::int64_t declared_tiles(std::string_view text) {
  text = trimmed(text.substr(0, text.find('=')));
  while (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
  std::int64_t tiles = 1;
  if (const std::size_t open = text.find('['); open != std::string_view::npos && text.ends_with(']')) {
    const auto count = find_digits(text.substr(open + 1, text.size() - open - 2), 10);
    if (!count || *count == 0 || *count > 1024) return 0;
    tiles = static_cast<std::int64_t>(*count);
    text = trimmed(text.substr(0, open));
  }
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  while (text.starts_with('&') || text.starts_with(' ')) text.remove_prefix(1);
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_word) ? tiles : 0;
}

Reading read_thunderkittens(std::string_view text, const Given& given) {
  Cursor cursor(text);
  Literal tile = parse_literal(cursor);
  const std::string_view behind = trimmed(cursor.rest());
  const std::int64_t tiles = behind.empty() || behind == ";" ? 1 : declared_tiles(behind);
  if (tiles == 0) tile = parse_literal(text);  // its error gives the reason
  if (const OtherKind* other = other_kind(without_namespace(text.substr(tile.span.begin))))
    throw Error(fmt::format("{} of ThunderKittens is {}", tile.text, other->what), std::string(other->way_out),
                tile.span);
  constexpr std::array<std::string_view, 5> keys{"T", "rows", "cols", "swizzle", "swizzle_bytes"};
  tile.require_keys(keys);
  const KittensType& type = kittens_type(tile);
  const std::size_t first = without_namespace(tile.text) == "st" ? 1 : 0;
  const DType& dtype = require_dtype(type.dtype);
  const std::int64_t bytes = dtype.memory_bits / 8;
  const std::int64_t rows = tile.require("rows", first).integer(), columns = tile.require("cols", first + 1).integer();
  if (tile.items.size() > first + 4) throw Error("a tile has at most four sizes and flags", "", tile.span);
  const Literal* flag = tile.find("swizzle", first + 2);
  const Literal* chosen = tile.find("swizzle_bytes", first + 3);
  const bool is_swizzled = flag == nullptr || flag->boolean();
  const std::int64_t unit = is_swizzled && bytes == 1 ? 32 : 16;
  if (rows < 1 || rows % 16 != 0 || columns < 1 || columns % unit != 0)
    throw Error(fmt::format("a tile of {}x{}: ThunderKittens takes rows by 16 and columns by {}", rows, columns, unit),
                "for example st_bf<64, 128>", tile.span);
  const ArrayShape shape{rows, columns};
  require_same_shape(given, shape);
  if (given.dtype != nullptr) element_width(given, dtype.memory_bits);
  const ElementWidth element = given.dtype != nullptr ? width_of(*given.dtype) : width_of(dtype);
  element_count(shape);
  if (!is_swizzled) return {shared_form(shape, element, blocked_layout({rows, columns, columns})), {}, tiles};
  std::int64_t span = chosen != nullptr ? chosen->integer() : 0;
  if (span == 0) span = default_swizzle_bytes(columns, bytes);
  if (span != 32 && span != 64 && span != 128)
    throw Error(fmt::format("swizzle_bytes = {}", span), "32, 64, 128, or 0 for the width's own",
                chosen != nullptr ? chosen->span : tile.span);
  const SwizzleMode& mode = require_swizzle_mode(fmt::format("{}B", span));
  return {shared_form(shape, element, blocked_layout(blocks_in_mode(mode, dtype.memory_bits, rows, columns))),
          {base_alignment_note(mode.byte_swizzle())},
          tiles};
}

// The element type of a tile with this form. Null if there is none.
const KittensType* kittens_type(ElementWidth element) {
  const auto fits = [&](const KittensType& t) {
    return element.dtype != nullptr ? element.dtype->name == t.dtype
                                    : require_dtype(t.dtype).memory_bits == element.bits;
  };
  const auto row = std::ranges::find_if(kittens_types, fits);
  return row == kittens_types.end() ? nullptr : &*row;
}

Written write_thunderkittens(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (shared->element.bits == 0) return refused("the element type is not said: --dtype");
  const KittensType* type = kittens_type(shared->element);
  if (type == nullptr) return refused("st has bf16, half, float and the fp8 types; nearest: a type of the same width");
  if (shared->shape.size() != 2) return refused("st has two dimensions; nearest: an array of tiles");
  const std::string tile = fmt::format("st<{}, {}, {}", type->name, shared->shape[0], shared->shape[1]);
  std::vector<std::string> texts{tile + ">", tile + ", false>"};
  for (const int span : {128, 64, 32}) texts.push_back(fmt::format("{}, true, {}>", tile, span));
  std::string text = first_equal(*shared, texts, read_thunderkittens);
  if (!text.empty()) return {std::move(text)};
  return refused(
      fmt::format("not blocks of 32, 64 or 128 B of columns in their mode, columns outermost; nearest: {}>", tile));
}

}  // namespace

Dialect thunderkittens_dialect() {
  return {
      .name = "thunderkittens",
      .title = "ThunderKittens",
      .unit = "elements",
      .needs = "",
      .example = "st<bf16, 64, 64>",
      .rules =
          R"(`st<T, rows, cols, swizzle = true, swizzle_bytes = 0>`, or `st_bf<rows, cols>`, `st_hf`, `st_fl`, `st_fp8e4m3`,
`st_fp8e5m2`. Blocks of W = swizzle_bytes / es columns, one after the other; es is the size of an element.

byte a = base + es ((c / W) rows W + r W + c mod W); address = a ^ (((a mod (8 swizzle_bytes)) >> 7) << 4)

`swizzle_bytes = 0` chooses by the columns, in units of 16 (32 for 1-byte types): a multiple of 4 is 128 B, of 2 64 B,
otherwise 32 B; for 4-byte types a multiple of 2 is 128 B, otherwise 64 B. `swizzle = false` is r cols + c.

`st_bf<64, 128>` has W = 64: element (1,8) is at byte 144, line 1, so 144 ^ 16 = 128, element 64. In CuTe:
`Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))`.

The XOR acts on absolute addresses, as in hardware: what is written here holds where the base is a multiple of
8 swizzle_bytes. Rows are a multiple of 16. Padding, MN-major tiles and rows inside row groups have no tile.)",
      .source = "ThunderKittens 0b55588d include/types/shared/st.cuh (read)",
      .recognises = recognises_thunderkittens,
      .read = read_thunderkittens,
      .write = write_thunderkittens};
}

}  // namespace swz
