// SPDX-License-Identifier: Apache-2.0
// JAX Mosaic GPU (Pallas): transforms of an array in shared memory. Registers: mosaic_registers.cpp.
//
//   transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)) of 64x128 bf16
//     the array is split into (8, 2, 8, 64) and stored row-major: column blocks inside row blocks.
//     offset x = ((r / 8) 2 + c / 64) 512 + (r mod 8) 64 + c mod 64, then 16-byte chunks: byte y ^ (y >> 7 & 7) << 4
//     (1,8): x = 72, byte 144, 144 ^ 16 = 128: offset 64
//     Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))
//
// It also reads mgpu's gmem_transform=(TileTransform(…), TransposeTransform(…)), swizzle=128, the attributes
// [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>], and a single Tiling(…), the tiled array row-major.
//
// Source: jax 0.10.2, launch_context.py (transforms), fragmented_array.py (transfer_tiled: the XOR), mma_utils.py
// (descriptors), Pallas' core.py (run, tests/dialect/golden_mosaic.py).
#include "dialect/mosaic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/mosaic_tiling.hpp"

namespace swz {
namespace {

struct MosaicTransforms {
  std::vector<MosaicStep> steps;
  std::int64_t swizzle = 0;  // in bytes; 0 if not given
  Span swizzle_span = {};
  std::size_t steps_before_swizzle = 0;
  bool is_pallas_swizzle = false, has_removed_attribute = false;
};

// ---- text

// The items at the top of a text: values or name=value, with commas between. Types of numbers, "128 : i32", are
// blanked.
std::vector<Literal> items_of_text(std::string_view text) {
  std::string plain(text);
  for (std::size_t i = 0; (i = plain.find(':', i)) != std::string::npos; ++i) {
    const std::size_t type = plain.find_first_not_of(' ', i + 1);
    if (type == std::string::npos || (plain.compare(type, 3, "i32") != 0 && plain.compare(type, 3, "i64") != 0))
      continue;
    if (type + 3 < plain.size() && is_word(plain[type + 3])) continue;
    std::fill(plain.begin() + static_cast<std::ptrdiff_t>(i), plain.begin() + static_cast<std::ptrdiff_t>(type + 3),
              ' ');
  }
  std::vector<Literal> items;
  for (Cursor cursor(plain); !cursor.at_end();) {
    Literal item = parse_literal(cursor);
    if (item.kind == Literal::Kind::name && cursor.accept('=')) {
      Literal value = parse_literal(cursor);
      value.key = item.text;
      item = std::move(value);
    }
    items.push_back(std::move(item));
    if (!cursor.at_end() && !cursor.accept(','))
      throw Error("expected ',' or the end of the transforms",
                  "for example plgpu.TilingTransform((8, 64)), "
                  "plgpu.SwizzleTransform(128)",
                  {cursor.position(), cursor.position() + 1});
  }
  return items;
}

std::vector<std::int64_t> numbers_in(const Literal& call) {
  const std::vector<const Literal*> given = call.positional();
  if (given.size() == 1 && given[0]->kind == Literal::Kind::list) return given[0]->integers();
  for (const std::string_view key : {"tiling", "permutation"})
    if (const Literal* named = call.find(key)) return named->integers();
  std::vector<std::int64_t> numbers;  // #mosaic_gpu.tile<8, 64>
  for (const Literal* item : given) numbers.push_back(item->integer());
  return numbers;
}

std::int64_t swizzle_of(const Literal& value) {
  static constexpr std::array<std::string_view, 4> modes{"kNoSwizzle", "k32ByteSwizzle", "k64ByteSwizzle",
                                                         "k128ByteSwizzle"};
  if (value.kind != Literal::Kind::name) return value.integer();
  if (value.text == "None") return 0;
  const auto mode = std::ranges::find(modes, last_name(value.text));
  if (mode == modes.end()) throw Error("expected a swizzle", "16, 32, 64 or 128 bytes", value.span);
  return std::int64_t{16} << (mode - modes.begin());
}

void set_swizzle(MosaicTransforms& to, std::int64_t bytes, bool is_pallas, Span span) {
  if (to.swizzle != 0) throw Error("a second swizzle", "an array has one swizzle", span);
  if (bytes == 0 && !is_pallas) return;
  if (bytes != 32 && bytes != 64 && bytes != 128 && (is_pallas || bytes != 16))
    throw Error(fmt::format("a swizzle of {} bytes", bytes),
                is_pallas ? "Pallas takes 32, 64 and 128; without a swizzle leave SwizzleTransform out"
                          : "Mosaic takes 16 (none), 32, 64 and 128",
                span);
  to.swizzle = bytes;
  to.swizzle_span = span;
  to.is_pallas_swizzle = is_pallas;
  to.steps_before_swizzle = to.steps.size();
}

bool names_transform(std::string_view name) {
  static constexpr std::array<std::string_view, 7> names{
      "TileTransform", "TilingTransform", "SwizzleTransform", "TransposeTransform", "tile", "swizzle", "transpose"};
  const bool is_attribute = name.starts_with("#mosaic_gpu.");
  const auto found = std::ranges::find(names, last_name(name));
  return found != names.end() && (found - names.begin() >= 4) == is_attribute;
}

void read_transform(const Literal& item, MosaicTransforms& to) {
  const std::string_view name = last_name(item.text);
  if (item.kind == Literal::Kind::list && item.key != "swizzle") {
    for (const Literal& inner : item.items) read_transform(inner, to);
  } else if (item.key == "swizzle") {
    set_swizzle(to, swizzle_of(item), false, item.span);
  } else if (item.kind != Literal::Kind::call || !names_transform(item.text)) {
    throw Error(fmt::format("{} is not a transform that swz reads", quoted(item.text)),
                "TilingTransform, TileTransform, TransposeTransform and SwizzleTransform are", item.span);
  } else if (name == "SwizzleTransform" || name == "swizzle") {
    set_swizzle(to, item.require("swizzle", 0).integer(), name == "SwizzleTransform", item.span);
  } else {
    static constexpr std::array<std::string_view, 2> keys{"tiling", "permutation"};
    item.require_keys(keys);
    to.has_removed_attribute = to.has_removed_attribute || name == "transpose";
    to.steps.push_back({name == "TransposeTransform" || name == "transpose", numbers_in(item), item.span});
  }
}

// ---- meaning

void require_swizzled_rows(const TiledDims& dims, std::int64_t bytes, const DType& dtype, Span span) {
  const std::int64_t width = 8 * bytes / dtype.memory_bits;
  if (dims.back().extent != width)
    throw Error(fmt::format("a swizzle of {} bytes takes rows of {} {}; the last dimension after tiling has {}", bytes,
                            width, dtype.name, dims.back().extent),
                fmt::format("TilingTransform((8, {}))", width), span);
}

std::vector<Finding> notes_of(const MosaicTransforms& t, const ArrayShape& shape, ElementWidth element) {
  std::vector<Finding> notes;
  if (t.has_removed_attribute)
    notes.push_back(note("mosaic-transpose", "jax 0.10.2 does not have #mosaic_gpu.transpose: older dumps do"));
  for (Finding& f : notes_of_blocks(t.steps, shape, element.bits, t.swizzle)) notes.push_back(std::move(f));
  if (shape.size() != 2 || t.steps.empty() || t.steps[0].is_transpose || t.steps[0].numbers.size() != 2) return notes;
  const MosaicTile& tile = t.steps[0].numbers;
  if (t.swizzle > 16 && tile[0] == 8)
    notes.push_back(
        note("mosaic-lbo",
             "Mosaic's descriptors of K-major operands have LBO 0, where CuTe writes 1: no K-major swizzled "
             "operand reads the field",
             {}, "jax 0.10.2, mma_utils.py (run)"));
  if (t.swizzle <= 16 && tile[0] == 8 && element.bits != 0 && tile[1] * element.bits == 128)
    notes.push_back(note("mosaic-swizzle-16",
                         "core matrices without a swizzle: Mosaic's wgmma refuses them (No swizzle is not supported)",
                         "swizzle=32, 64 or 128", "jax 0.10.2, wgmma.py"));
  return notes;
}

Reading read_transforms(const std::vector<Literal>& items, Given given) {
  MosaicTransforms t;
  for (const Literal& item : items) {
    const std::string_view name = last_name(item.text);
    if (item.kind == Literal::Kind::call && (name == "SMEM" || name == "BlockSpec" || name == "GPUBlockSpec")) {
      const std::vector<const Literal*> said = item.positional();
      if (given.shape.empty() && !said.empty() && said[0]->kind == Literal::Kind::list)
        given.shape = said[0]->integers();
      if (given.dtype == nullptr && name == "SMEM" && said.size() > 1) given.dtype = &dtype_of(*said[1]);
      if (const Literal* transforms = item.find("transforms")) read_transform(*transforms, t);
    } else if (item.kind == Literal::Kind::call && name == "Tiling") {
      const std::vector<MosaicTile> tiles = tiles_of_tiling(item);
      require_valid_tiles(tiles);
      for (const MosaicTile& tile : tiles) t.steps.push_back({false, tile, item.span});
    } else {
      read_transform(item, t);
    }
  }
  const ArrayShape& shape = required_shape(given);
  element_count(shape);
  TiledDims dims = whole_dims(shape);
  for (std::size_t i = 0; i <= t.steps.size(); ++i) {
    if (t.swizzle > 16 && (i == t.steps.size() || (t.is_pallas_swizzle && i == t.steps_before_swizzle)))
      require_swizzled_rows(dims, t.swizzle, required_dtype(given), t.swizzle_span);
    if (i == t.steps.size()) break;
    try {
      dims = transformed(std::move(dims), t.steps[i]);
    } catch (const Error& e) {
      throw e.at(t.steps[i].span);
    }
  }
  const ElementWidth element = element_width(given);
  const Swizzle swizzle = t.swizzle > 16 ? swizzle_of_bytes(t.swizzle, element.bits) : Swizzle();
  const Layout layout = array_layout(row_major_modes(dims, shape));
  return {
      shared_form(shape, element, swizzle.is_identity() ? ComposedLayout(layout) : ComposedLayout(swizzle, 0, layout)),
      notes_of(t, shape, element)};
}

// ---- the row

bool recognises_mosaic(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n([");
  if (first == std::string_view::npos) return false;
  if (text.substr(first).starts_with("transforms=") || text.substr(first).starts_with("gmem_transform=")) return true;
  if (text.find("#mosaic_gpu.") != std::string_view::npos || text.find("plgpu.") != std::string_view::npos ||
      text.find("mgpu.") != std::string_view::npos)
    return true;
  for (const std::string_view word :
       {"TilingTransform(", "TileTransform(", "SwizzleTransform(", "TransposeTransform(", "Tiling(", "TiledLayout(",
        "WGStridedFragLayout(", "WGSplatFragLayout(", "TMEMLayout", "tmem_default_layout(", "tmem_half_lane_layout(",
        "tmem_m64_collective_layout(", "scales_layout(", "b_scales_m64_collective_layout(", "sparse_meta_layout("})
    if (text.find(word) != std::string_view::npos) return true;
  Literal word;
  word.kind = Literal::Kind::name;
  word.text = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  const bool is_word_alone = std::ranges::all_of(word.text, [](char c) { return is_word(c) || c == '.'; });
  return is_word_alone && names_mosaic_registers(word);
}

Reading read_mosaic(std::string_view text, const Given& given) {
  const std::vector<Literal> items = items_of_text(text);
  if (items.empty())
    throw usage_error("no layout", "for example plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)");
  if (items.size() == 1 && names_mosaic_tensor(items[0])) return read_mosaic_tensor(items[0], given);
  if (items.size() == 1 && names_mosaic_registers(items[0])) return read_mosaic_registers(items[0], given);
  return read_transforms(items, given);
}

Written write_mosaic(const LayoutForm& form) {
  if (const auto* shared = std::get_if<SharedForm>(&form)) return write_mosaic_shared(*shared);
  if (const auto* registers = std::get_if<RegisterForm>(&form)) return write_mosaic_registers(*registers);
  return write_mosaic_tensor(std::get<TensorForm>(form));
}

}  // namespace

const DType& dtype_of(const Literal& value) {
  if (value.kind == Literal::Kind::name || value.kind == Literal::Kind::string)
    if (const DType* found = find_dtype(last_name(value.text))) return *found;
  throw Error("expected an element type", "for example jnp.bfloat16", value.span);
}

std::vector<MosaicTile> tiles_of_tiling(const Literal& tiling) {
  const std::vector<const Literal*> given = tiling.positional();
  const Literal* tiles = tiling.find("tiles");
  if (tiles == nullptr && given.size() == 1 &&
      (given[0]->items.empty() || given[0]->items[0].kind == Literal::Kind::list))
    tiles = given[0];
  if (tiles != nullptr) return tiles->integer_lists();
  std::vector<MosaicTile> result;  // as it prints itself
  for (const Literal* tile : given) result.push_back(tile->integers());
  return result;
}

Dialect mosaic_dialect() {
  return {
      .name = "mosaic",
      .title = "JAX Mosaic",
      .unit = "elements",
      .needs = "shape and type",
      .example = "plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)",
      .rules =
          R"(Shared memory: transforms of an array. A tile splits the trailing dimensions and moves the remainders last; the result
lies row-major. Offset of (r, c) with the tile (t0, t1) of RxC:
((r/t0) (C/t1) + c/t1) t0 t1 + (r mod t0) t1 + c mod t1. A swizzle s XORs byte addresses: y ^ (y >> 7 & (s/16 - 1)) << 4;
the last dimension must have s bytes.

| text | layer |
| --- | --- |
| `transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))` | Pallas |
| `gmem_transform=(mgpu.TileTransform((64, 8)), mgpu.TransposeTransform((0, 1, 3, 2))), swizzle=128` | Mosaic |
| `[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]` | MLIR |
| `Tiling((64, 8)(8, 8)(2,))` | the tiled array row-major |

Of more than one column block Mosaic's layout is not that of Triton, TileLang, ThunderKittens and CuTe's default order: it
sets column blocks inside row blocks (SBO 2048 instead of 1024 for two blocks of 128 bytes).

Registers: a name (`WGMMA_LAYOUT`, `plgpu.Layout.WGMMA`, …, also `.reduce(0)`), `WGStridedFragLayout(shape, vec_size)`, or
`TiledLayout(tiling, warp_dims, lane_dims, vector_dim)`: warp and lane are spread over the tiled dimensions named, the
slowest first, the vector is one register, and the other dimensions number the registers, row-major. Replicated(n) is n
copies. What is written is a name where one is equal, and a TiledLayout otherwise.

Tensor memory: `tcgen05.tmem_default_layout(packing)`, `tmem_half_lane_layout(columns, packing)`,
`tmem_m64_collective_layout(columns, packing)`, `scales_layout()`, `b_scales_m64_collective_layout()`, those of Pallas
(`plgpu.TMEMLayout.SCALES_LAYOUT`, …) and `TMEMLayout(…)`, a TiledLayout whose threads are lanes and whose registers are
columns. The metadata of sparse operands is refused: Mosaic's own layout does not say where it lies.

It has no padding, no offset, no other XOR than the hardware's, no more or fewer than 128 threads, and no copies inside a
thread.)",
      .source = "jax 0.10.2, jax/experimental/mosaic/gpu (run)",
      .recognises = recognises_mosaic,
      .read = read_mosaic,
      .write = write_mosaic};
}

}  // namespace swz
