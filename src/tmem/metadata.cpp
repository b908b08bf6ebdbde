// SPDX-License-Identifier: Apache-2.0
#include "tmem/metadata.hpp"

#include <fmt/format.h>

#include "arch/tensor_memory.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

using enum MmaKind;

constexpr int column_chunks = 8;  // nibbles in the 32 bits of a column

constexpr Source cutlass{"PTX ISA 9.1, 9.7.16.10.8; CUTLASS 4.7 tmem_e_frg", Evidence::header};
constexpr Source jax{"JAX test_mma_sparse, compares D with numpy's on a Blackwell; CUTLASS 4.7 tmem_e_frg",
                     Evidence::reported};
constexpr Source jax_scaled{
    "JAX test_mma_block_scaled_sparse_f4, compares D with numpy's on a Blackwell; CUTLASS 4.7 tmem_e_frg",
    Evidence::reported};

constexpr Source as_f16{"PTX ISA 9.4, table 51: a selector and K 32 as f16 has; by analogy to f16", Evidence::derived};

constexpr Source version_1{"PTX ISA 9.4, table 53; JAX 0.12 and TVM TIRx 0.1.0a4 for the places; no chip was asked",
                           Evidence::claimed};

constexpr SparseForm forms[] = {
    {kind_set({tf32}), 16, 2, true, 1, "wgmma.sp.m64nNk16", "mma.sp.m16n8k16", cutlass},
    {kind_set({f16}), 32, 4, true, 1, "wgmma.sp.m64nNk32", "mma.sp.m16n8k32", jax},
    {kind_set({ti16}), 32, 4, true, 1, "", "", as_f16},
    {kind_set({f8f6f4, mxf8f6f4, i8}), 64, 4, false, 2, "wgmma.sp.m64nNk64", "mma.sp.m16n8k64", jax},
    {kind_set({mxf4, mxf4nvf4}), 128, 8, false, 2, "", "mma.sp.m16n8k128", jax_scaled},
    {kind_set({mxf4, mxf4nvf4}), 128, 4, false, 4, "", "", version_1, 1},
};

}  // namespace

std::span<const SparseForm> sparse_forms() { return forms; }

const SparseForm* find_sparse_form(MmaKind kind, int version) {
  for (const SparseForm& form : forms)
    if (contains(form.kinds, kind) && form.version == version) return &form;
  return nullptr;
}

const SparseForm& require_sparse_form(MmaKind kind, int version) {
  if (const SparseForm* form = find_sparse_form(kind, version)) return *form;
  if (find_sparse_form(kind) != nullptr)
    throw usage_error(fmt::format("the metadata of kind {} have no version {}", row_of(kind).name, version),
                      "those of mxf4 and mxf4nvf4 have versions 0 and 1 (PTX ISA 9.4, table 53)");
  throw usage_error(fmt::format("kind {} is never sparse", row_of(kind).name), "take another --kind");
}

Availability availability_of(const SparseForm& form) {
  constexpr std::string_view rubin = "sm_107a";
  if (form.version == 1) return {0, {rubin}};
  if (!contains(form.kinds, mxf4)) return available::tensor_memory;
  return {0, {"sm_100a", "sm_103a", "sm_110a"}};
}

MetadataPlace metadata_place(const SparseForm& form, int row, int k, int mma) {
  const int of_column = form.halves ? form.k / 2 : column_chunks * form.chunk;
  const int first_bit = k % of_column / form.chunk * 4;
  if (form.halves)
    return {row % 8 + 8 * (k / of_column) + 16 * (row / 16), mma, 16 * (row / 8 % 2) + first_bit, mma & ~1, mma & 1};
  return {row, form.columns * mma + k / of_column, first_bit, form.columns * mma, 0};
}

std::vector<int> metadata_lanes(const DataPath& path, const MetadataPlace& place) {
  std::vector<int> lanes;
  for (int part = 0; part < path.parts; ++part) lanes.push_back(place.lane + part * path.rows());
  return lanes;
}

MetadataChunk metadata_chunk(const SparseForm& form, int lane, int column, int bit) {
  if (form.halves)
    return {lane % 8 + bit / 16 * 8 + lane / 16 * 16, lane / 8 % 2 * (form.k / 2) + bit % 16 / 4 * form.chunk, column};
  const int of_column = column_chunks * form.chunk;
  return {lane, column % form.columns * of_column + bit / 4 * form.chunk, column / form.columns};
}

Bits metadata_gmem(const SparseForm& form, std::int64_t rows, std::int64_t row, int k, std::int64_t mma) {
  constexpr std::int64_t atom_bits = 2048 * 8, atom_columns = 4;
  const MetadataPlace in_first = metadata_place(form, static_cast<int>(row % tmem_lanes), k, 0);
  const std::int64_t column = in_first.column + mma * form.columns;
  const std::int64_t atom = row / tmem_lanes + ceil_div(rows, tmem_lanes) * (column / atom_columns);
  return {atom * atom_bits + in_first.lane * 128 + column % atom_columns * 32 + in_first.first_bit};
}

MetadataRegister metadata_register(const SparseForm& form, int row, int k, int selector) {
  if (selector != 0 && !form.halves)
    throw usage_error(fmt::format("{} has no selector {}: every thread of a quad has metadata", form.mma, selector),
                      "its selector is 0");
  const int warp = row % 64 / 16, group = row % 8, lower = row / 8 % 2, half = k / (form.k / 2);
  const int nibble = k % (form.k / 2) / form.chunk * 4, quad = 32 * warp + 4 * group;
  if (form.halves) return {quad + 2 * selector + half, 16 * lower + nibble};
  return {quad + 2 * half + lower, nibble};
}

Layout metadata_layout(const SparseForm& form, int mmas) {
  const std::int64_t column = 32 / 4, lane = tmem_address(1, 0) * column;
  const int chunks = form.k / form.chunk;
  const FlatMode row_pairs[] = {{8, lane}, {2, column / 2}, {8, 16 * lane}}, rows[] = {{128, lane}};
  const FlatMode half_lanes[] = {{chunks / 2, 1}, {2, 8 * lane}}, half_columns[] = {{chunks, 1}};
  return make_layout(std::vector{form.halves ? Layout(row_pairs) : Layout(rows),
                                 form.halves ? Layout(half_lanes) : Layout(half_columns),
                                 Layout(mmas, form.columns * column)});
}

std::optional<Kept> kept_by(const SparseForm& form, unsigned nibble) {
  const int first = static_cast<int>(nibble & 3), second = static_cast<int>(nibble >> 2 & 3);
  // 1:2 of 32-bit elements: the nibble names the two halves of one element as two elements of 16 bits.
  if (form.chunk == 2) {
    if (nibble == 0b0100) return Kept{{0}, 1};
    if (nibble == 0b1110) return Kept{{1}, 1};
    return {};
  }
  if (first >= second) return {};
  if (form.chunk == 4) return Kept{{first, second}, 2};
  return Kept{{2 * first, 2 * first + 1, 2 * second, 2 * second + 1}, 4};
}

}  // namespace swz
