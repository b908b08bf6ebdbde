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

constexpr std::int64_t tile_rows = 128, word = 4;

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
constexpr Source t69{"PTX ISA 9.4, tables 68 and 69; CuTe DSL 4.8.1, SM107 fp4 MMA"};
constexpr Source sm103{"PTX ISA 9.1, 9.7.16.10.7; CUTLASS 4.7 sm103 collectives", Evidence::header};

using enum MmaKind;

// clang-format off
constexpr ScaleKind kinds[] = {
    {mxf8f6f4, 32, 1, KSize::usual, jax},
    {mxf4,     32, 2, KSize::usual, jax},
    {mxf4nvf4, 32, 2, KSize::usual, ptx},
    {mxf4nvf4, 16, 4, KSize::usual, jax},
    {mxf4,     32, 3, KSize::k96,   sm103},
    {mxf4nvf4, 32, 3, KSize::k96,   sm103},
    {mxf4nvf4, 16, 6, KSize::k96,   sm103},
    {mxf4,     32, 4, KSize::twice, t69},
    {mxf4nvf4, 32, 4, KSize::twice, t69},
    {mxf4nvf4, 16, 8, KSize::twice, t69},
};
// clang-format on

}  // namespace

std::span<const ScaleKind> scale_kinds() { return kinds; }

const ScaleKind& require_scale_kind(MmaKind kind, int vec, KSize k) {
  std::vector<std::string> sizes;
  for (const ScaleKind& row : kinds) {
    if (row.kind != kind || row.k != k) continue;
    if (row.vec == vec) return row;
    sizes.push_back(std::to_string(row.vec));
  }
  const std::string_view name = row_of(kind).name;
  if (sizes.empty() && kind == mxf8f6f4 && k == KSize::twice)
    throw usage_error("how many scale factors mxf8f6f4 takes with K 64 is not settled",
                      "PTX ISA 9.4, table 68, has one of a row; a factor is for 32 elements, as in CuTe DSL");
  if (sizes.empty())
    throw usage_error(fmt::format("kind {}{} has no scale factors", name,
                                  k == KSize::usual ? ""
                                  : k == KSize::k96 ? " with K 96"
                                                    : " with K 128"),
                      "kinds mxf8f6f4, mxf4 and mxf4nvf4 have them");
  throw usage_error(fmt::format("kind {} has no scale vectors of {} elements", name, vec),
                    fmt::format("--vec is {}", join_and(sizes)));
}

int ScalePlacement::columns_per_word() const {
  const auto tiles = static_cast<int>(ceil_div(rows(), tile_rows));
  if (in_128_lanes) return tiles;
  return operand == ScaleOperand::a || is_split() ? 4 : 4 * tiles;
}

Layout ScalePlacement::layout(int words) const {
  const std::int64_t lane = tmem_address(1, 0) * word, tiles = ceil_div(rows(), tile_rows);
  const Layout factor = mode_of({{word, 1}, {words, columns_per_word() * word}});
  if (in_128_lanes) return make_layout(std::vector{mode_of({{tile_rows, lane}, {tiles, word}}), factor, Layout(1, 0)});
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
  for (int copy = 0; copy < p.copies(); ++copy)
    place.lanes.push_back(inside % p.lanes() + 32 * copy + row / p.half() * 64);
  const int each = p.kind->factors, word_columns = p.columns_per_word();
  place.column = column + inside / p.lanes() + word_columns * (factor / 4);
  place.byte = factor % 4;
  place.mma = factor / each;
  place.address_column = column + word_columns * (place.mma * each / 4);
  place.sf_id = place.mma * each % 4;
  return place;
}

std::optional<ScaleCoordinate> scale_at(const ScalePlacement& p, int lane, int column, int byte, int address_column) {
  if (column < address_column) return {};
  const int from_start = column - address_column;
  const int inside = from_start % p.columns_per_word() * p.lanes() + lane % p.lanes();
  if (inside >= p.half()) return {};
  const int row = inside + (p.is_split() ? lane / 64 * p.half() : 0);
  if (row >= p.rows()) return {};
  return ScaleCoordinate{row, from_start / p.columns_per_word() * 4 + byte};
}

}  // namespace swz
