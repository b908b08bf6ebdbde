// SPDX-License-Identifier: Apache-2.0
#include "tmem/scale_factor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/tensor_memory.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

constexpr std::int64_t tile_bytes = 512, tile_rows = 128, small_rows = 8, word = 4;

// The layout of these steps, nested if more than one step counts.
template <std::size_t n>
Layout mode_of(const FlatMode (&steps)[n]) {
  return coalesce(Layout(steps));
}

constexpr Source ptx{"PTX ISA 9.1, tables 56 and 57; CUTLASS 4.7 mma_sm100_umma.hpp"};
constexpr Source jax{
    "JAX test_mma_block_scaled_basic, compares D with numpy's on a Blackwell; PTX ISA 9.1, tables 56 and 57; "
    "CUTLASS 4.7 "
    "mma_sm100_umma.hpp",
    Evidence::reported};
constexpr Source sm103{"PTX ISA 9.1, 9.7.16.10.7; CUTLASS 4.7 sm103 collectives", Evidence::header};

// In the order of ScaleLayoutName.
constexpr Source layout_sources[] = {
    {"cuBLAS 3.1.4.4.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp"},
    {"FlashInfer quantization_utils.cuh", Evidence::claimed},
    {"FlashInfer quantization_utils.cuh", Evidence::claimed},
    {"DeepGEMM smxx_layout.cuh", Evidence::claimed},
};

using enum MmaKind;

// clang-format off
constexpr ScaleKind kinds[] = {
    {mxf8f6f4, 32, 1, false, jax},
    {mxf4,     32, 2, false, jax},
    {mxf4nvf4, 32, 2, false, ptx},
    {mxf4nvf4, 16, 4, false, jax},
    {mxf4,     32, 3, true,  sm103},
    {mxf4nvf4, 32, 3, true,  sm103},
    {mxf4nvf4, 16, 6, true,  sm103},
};
// clang-format on

}  // namespace

ScaleLayout::ScaleLayout(ScaleLayoutName name, ScaleExtents extents, ScaleMemory memory)
    : name_(name), extents_(extents), memory_(memory) {
  if (memory == ScaleMemory::smem && name != ScaleLayoutName::tile_128x4)
    throw usage_error(
        fmt::format("the MMA does not take scale factors of layout {} from shared memory", to_string(name)),
        "bring them into 128x4 tiles; --memory gmem shows them where they are");
}

std::int64_t ScaleLayout::row_tiles() const {
  return ceil_div(extents_.rows, name_ == ScaleLayoutName::tile_8x4 ? small_rows : tile_rows);
}

std::int64_t ScaleLayout::k_tiles() const { return ceil_div(extents_.factors, word); }

Bytes ScaleLayout::size() const {
  switch (name_) {
    case ScaleLayoutName::tile_128x4: return {row_tiles() * k_tiles() * tile_bytes};
    case ScaleLayoutName::tile_8x4: return {row_tiles() * k_tiles() * small_rows * word};
    case ScaleLayoutName::linear: return {extents_.rows * extents_.factors};
    case ScaleLayoutName::deepgemm: return {k_tiles() * ceil_div(extents_.rows, word) * word * word};
  }
  return {};
}

Bytes ScaleLayout::offset(ScaleCoordinate at) const {
  const std::int64_t k_tile = at.kb / word, byte = at.kb % word;
  switch (name_) {
    case ScaleLayoutName::tile_128x4: {
      const std::int64_t row_tile = at.row / tile_rows;
      const std::int64_t tile =
          memory_ == ScaleMemory::gmem ? row_tile * k_tiles() + k_tile : k_tile * row_tiles() + row_tile;
      return {tile * tile_bytes + at.row % 32 * 16 + at.row % tile_rows / 32 * word + byte};
    }
    case ScaleLayoutName::tile_8x4:
      return {(at.row / small_rows * k_tiles() + k_tile) * small_rows * word + at.row % small_rows * word + byte};
    case ScaleLayoutName::linear: return {at.row * extents_.factors + at.kb};
    case ScaleLayoutName::deepgemm: return {(k_tile * ceil_div(extents_.rows, word) * word + at.row) * word + byte};
  }
  return {};
}

ScaleCoordinate ScaleLayout::at(Bytes offset) const {
  const std::int64_t o = offset.count;
  switch (name_) {
    case ScaleLayoutName::tile_128x4: {
      const std::int64_t tile = o / tile_bytes, in = o % tile_bytes;
      const std::int64_t count = memory_ == ScaleMemory::gmem ? k_tiles() : row_tiles();
      const std::int64_t outer = tile / count, inner = tile % count;
      const std::int64_t row_tile = memory_ == ScaleMemory::gmem ? outer : inner;
      const std::int64_t k_tile = memory_ == ScaleMemory::gmem ? inner : outer;
      return {row_tile * tile_rows + in % 16 / word * 32 + in / 16, k_tile * word + in % word};
    }
    case ScaleLayoutName::tile_8x4: {
      const std::int64_t tile = o / (small_rows * word), in = o % (small_rows * word);
      return {tile / k_tiles() * small_rows + in / word, tile % k_tiles() * word + in % word};
    }
    case ScaleLayoutName::linear: return {o / extents_.factors, o % extents_.factors};
    case ScaleLayoutName::deepgemm: {
      const std::int64_t rows = ceil_div(extents_.rows, word) * word;
      return {o / word % rows, o / word / rows * word + o % word};
    }
  }
  return {};
}

const Source& source_of(ScaleLayoutName name) { return layout_sources[static_cast<std::size_t>(name)]; }

Layout ScaleLayout::layout() const {
  const std::int64_t rt = row_tiles(), kt = k_tiles();
  const auto two = [](const Layout& row, const Layout& kb) { return make_layout(std::vector{row, kb}); };
  switch (name_) {
    case ScaleLayoutName::tile_128x4: {
      const bool k_first = memory_ == ScaleMemory::gmem;
      return two(mode_of({{32, 16}, {4, word}, {rt, tile_bytes * (k_first ? kt : 1)}}),
                 mode_of({{word, 1}, {kt, tile_bytes * (k_first ? 1 : rt)}}));
    }
    case ScaleLayoutName::tile_8x4:
      return two(mode_of({{small_rows, word}, {rt, kt * small_rows * word}}),
                 mode_of({{word, 1}, {kt, small_rows * word}}));
    case ScaleLayoutName::linear: return two(Layout(extents_.rows, extents_.factors), Layout(extents_.factors, 1));
    case ScaleLayoutName::deepgemm: {
      const std::int64_t rows = ceil_div(extents_.rows, word) * word;
      return two(Layout(rows, word), mode_of({{word, 1}, {kt, rows * word}}));
    }
  }
  return {};
}

std::span<const ScaleKind> scale_kinds() { return kinds; }

const ScaleKind& require_scale_kind(MmaKind kind, int vec, bool k96) {
  std::vector<std::string> sizes;
  for (const ScaleKind& row : kinds) {
    if (row.kind != kind || row.k96 != k96) continue;
    if (row.vec == vec) return row;
    sizes.push_back(std::to_string(row.vec));
  }
  const std::string_view name = row_of(kind).name;
  if (sizes.empty())
    throw usage_error(fmt::format("kind {}{} has no scale factors", name, k96 ? " with K 96" : ""),
                      "kinds mxf8f6f4, mxf4 and mxf4nvf4 have them");
  throw usage_error(fmt::format("kind {} has no scale vectors of {} elements", name, vec),
                    fmt::format("--vec is {}", join_and(sizes)));
}

int ScalePlacement::columns_per_word() const {
  const auto tiles = static_cast<int>(ceil_div(rows(), tile_rows));
  return operand == ScaleOperand::a || is_split() ? 4 : 4 * tiles;
}

Layout ScalePlacement::layout(int words) const {
  const std::int64_t lane = tmem_address(1, 0) * word, tiles = ceil_div(rows(), tile_rows);
  const Layout factor = mode_of({{word, 1}, {words, columns_per_word() * word}});
  if (!is_split())
    return make_layout(std::vector{mode_of({{32, lane}, {4 * tiles, word}}), factor, Layout(4, 32 * lane)});
  constexpr int quarter = 32;
  if (n % 2 != 0 || (half() > quarter && half() % quarter != 0))
    throw usage_error(fmt::format("the halves of N {} are not a layout: {} rows below each other", n, half()),
                      "N is even and at most 64, or a multiple of 64");
  return make_layout(
      std::vector{mode_of({{std::min(half(), quarter), lane}, {ceil_div(half(), quarter), word}, {2, 64 * lane}}),
                  factor, Layout(2, 32 * lane)});
}

ScalePlace scale_place(const ScalePlacement& p, ScaleCoordinate at, int column) {
  const int row = static_cast<int>(at.row), factor = static_cast<int>(at.kb);
  const int inside = row % p.half();
  ScalePlace place;
  for (int copy = 0; copy < p.copies(); ++copy) place.lanes.push_back(inside % 32 + 32 * copy + row / p.half() * 64);
  const int each = p.kind->factors, word_columns = p.columns_per_word();
  place.column = column + inside / 32 + word_columns * (factor / 4);
  place.byte = factor % 4;
  place.mma = factor / each;
  place.address_column = column + word_columns * (place.mma * each / 4);
  place.sf_id = place.mma * each % 4;
  return place;
}

std::optional<ScaleCoordinate> scale_at(const ScalePlacement& p, int lane, int column, int byte, int address_column) {
  if (column < address_column) return {};
  const int from_start = column - address_column, inside = from_start % p.columns_per_word() * 32 + lane % 32;
  if (inside >= p.half()) return {};
  const int row = inside + (p.is_split() ? lane / 64 * p.half() : 0);
  if (row >= p.rows()) return {};
  return ScaleCoordinate{row, from_start / p.columns_per_word() * 4 + byte};
}

}  // namespace swz
