// SPDX-License-Identifier: Apache-2.0
#include "descriptor/tile_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

// The rows of an MN-major block are in pieces that the swizzle keeps whole.
std::int64_t mn_unit(const OperandShape& shape) {
  if (shape.major == Major::K) return mma_mn_step;
  return std::max(mma_mn_step, shape.swizzle->atomicity.count * 8 / shape.element_bits);
}

// Whether no block of an MN-major operand begins or ends inside an atom that another block shares partly.
bool keeps_atoms(const OperandShape& shape, std::int64_t mn) {
  return shape.major == Major::K || mn % shape.atom.mn == 0 || shape.atom.mn % mn == 0;
}

bool is_block(const OperandShape& shape, std::int64_t mn) {
  return mn >= mma_mn_step && mn <= mma_mn_most && mn % mn_unit(shape) == 0 && shape.extents.mn % mn == 0 &&
         keeps_atoms(shape, mn);
}

// The smallest K above that of the tile that is a multiple of the MMA's; for K 96 it must be a multiple of the atom's
// too.
std::int64_t next_k(const OperandShape& shape, std::int64_t mma_k) {
  std::int64_t step = mma_k;
  while (mma_k == mma_k96 && step % shape.atom.k != 0) step += mma_k;
  return (shape.extents.k / step + 1) * step;
}

bool is_k96(const SmemTile& tile, TileExtents mma) { return mma.k == mma_k96 && tile.element_bits() == 4; }

void require_k96(const SmemTile& tile, const Target& target) {
  if (!target.has_absolute_lbo)
    throw Error(fmt::format("{} has no MMA of K {}", target.name, mma_k96), "sm_103a and sm_107a have: --arch sm_103a");
  if (tile.swizzle().name != "128B")
    throw Error(fmt::format("K {} is not covered in mode {}: a step of 48 B runs past the end of a line, which "
                            "absolute LBO mode allows in mode 128B only",
                            mma_k96, tile.swizzle().name),
                "take mode 128B");
}

// Whether the MMA reads 64 B of every row, as those of sm_107 with twice the K of their kind do.
bool is_twice(const SmemTile& tile, const Target& target, TileExtents mma) {
  return target.has_107_fields && tile.element_bits() <= 8 && mma.k == 2 * dense_mma_k(tile.element_bits());
}

void require_line_of_twice(const SmemTile& tile, TileExtents mma) {
  if (tile.major() == Major::K && tile.swizzle().span.count == 32)
    throw Error(
        fmt::format("K {} is not covered in mode {}: no source says how the 64 B of a row pass the end of a line "
                    "of 32 B",
                    mma.k, tile.swizzle().name),
        "take mode 64B or 128B");
}

void require_block(const SmemTile& tile, const Target& target, TileExtents mma) {
  const OperandShape shape = operand_shape(tile);
  if (is_k96(tile, mma)) {
    require_k96(tile, target);
    require_dense_mma(shape, tile.dtype(), {mma.mn, dense_mma_k(shape.element_bits)});
  } else if (is_twice(tile, target, mma)) {
    require_line_of_twice(tile, mma);
    require_dense_mma(shape, tile.dtype(), {mma.mn, dense_mma_k(shape.element_bits)});
  } else {
    require_dense_mma(shape, tile.dtype(), mma);
  }
  if (tile.extents().k % mma.k != 0)
    throw Error(fmt::format("K {} of the tile is not a multiple of K {} of the MMA", tile.extents().k, mma.k),
                fmt::format("take a tile with K {}", next_k(shape, mma.k)));
  const std::string way_out = "nearest: " + to_string(nearest_mma(shape, mma.mn));
  if (mma.mn % mn_unit(shape) != 0)
    throw Error(fmt::format("{} rows of MN-major {} are not a multiple of {} B, which mode {} keeps together", mma.mn,
                            tile.dtype().name, tile.swizzle().atomicity.count, tile.swizzle().name),
                way_out);
  if (tile.extents().mn % mma.mn != 0)
    throw Error(fmt::format("blocks of {} rows do not divide MN {} of the tile", mma.mn, tile.extents().mn), way_out);
  if (!keeps_atoms(shape, mma.mn))
    throw Error(fmt::format("blocks of {} rows begin inside atoms of {} along MN and run into the next: one LBO "
                            "cannot step over that",
                            mma.mn, tile.atom().mn),
                way_out);
}

// The direction along which SBO steps. LBO, if it is used, steps along the other one.
Major stride_direction(const OperandShape& shape) {
  return shape.major == Major::MN && shape.swizzle->family != SwizzleFamily::none ? Major::K : Major::MN;
}

// What the stride along a direction steps over: "from one block of 64 B along MN to the next".
std::string stride_role(const OperandShape& shape, Major direction) {
  const StrideRoles& roles = stride_roles(shape.major, shape.swizzle->family);
  return role_text(stride_direction(shape) == direction ? roles.stride : roles.leading, *shape.swizzle);
}

StrideField stride_in_tile(const SmemTile& tile, TileExtents mma, Major direction) {
  const OperandShape shape = operand_shape(tile);
  if (tile.atoms().along(direction) == 1) return stride_of_one_atom(shape, direction);

  const SwizzleMode& mode = tile.swizzle();
  const Bytes value = direction == Major::K ? tile.k_atom_stride() : tile.mn_atom_stride();
  const std::int64_t atom = mode.atom().count;
  const std::string_view order = to_string(tile.order());
  const std::string next =
      value.count == atom
          ? fmt::format("the next one along {} follows it ({})", direction_name(direction), order)
          : fmt::format("the {} atoms along {} come first ({}): {} x {} B = {} B", value.count / atom,
                        direction_name(other_major(direction)), order, value.count / atom, atom, value.count);
  return stride_between_atoms(
      shape, mma, direction, value,
      fmt::format("an atom is {} x {} B = {} B, and {}", mode.lines, mode.span.count, atom, next));
}

// Whether an MMA of K 96 that begins at `k` ends outside of its line.
bool runs_past_line(const OperandShape& shape, TileExtents mma, std::int64_t k) {
  return mma.k == mma_k96 && shape.element_bits == 4 && k % shape.atom.k + mma.k > shape.atom.k;
}

}  // namespace

OperandShape operand_shape(const SmemTile& tile) {
  return {tile.extents(), tile.atom(), tile.major(), &tile.swizzle(), tile.element_bits()};
}

DefaultMma default_mma(const OperandShape& shape, const OperandChoice& choice, OperandRole role) {
  const auto of = [&](OperandRole whose) -> std::optional<DefaultMma> {
    for (const std::int64_t rows : mma_rows(whose, choice))
      if (is_block(shape, rows)) return DefaultMma{{rows, dense_mma_k(shape.element_bits)}, whose};
    return std::nullopt;
  };
  if (role == OperandRole::a)
    if (const auto a = of(OperandRole::a)) return *a;
  return of(OperandRole::b).value_or(DefaultMma{nearest_mma(shape, mma_mn_most), std::nullopt});
}

// Every legal tile has a block: its atom has at most 256 rows.
TileExtents nearest_mma(const OperandShape& shape, std::int64_t rows) {
  rows = std::clamp<std::int64_t>(rows, 0, mma_mn_most);  // so that distances fit in 64 bits
  std::int64_t nearest = 0;
  for (std::int64_t mn = mma_mn_step; mn <= mma_mn_most; mn += mma_mn_step)
    if (is_block(shape, mn) && (nearest == 0 || std::abs(mn - rows) <= std::abs(nearest - rows))) nearest = mn;
  return {nearest, dense_mma_k(shape.element_bits)};
}

void require_dense_mma(const OperandShape& shape, const DType& dtype, TileExtents mma) {
  const std::int64_t k = dense_mma_k(shape.element_bits);
  const std::string nearest = to_string(nearest_mma(shape, mma.mn));
  if (mma.k != k)
    throw Error(fmt::format("no dense MMA of {} has K {}: it reads 32 B of every row, K {}", dtype.name, mma.k, k),
                fmt::format("nearest: {}; sparse operands and K 96 are not covered", nearest));
  if (mma.mn < mma_mn_step || mma.mn > mma_mn_most || mma.mn % mma_mn_step != 0)
    throw Error(fmt::format("no MMA reads {} rows of M or N: 8 to 256 in steps of 8", mma.mn), "nearest: " + nearest);
}

StrideField stride_between_atoms(const OperandShape& shape, TileExtents mma, Major direction, Bytes value,
                                 std::string_view how) {
  const bool is_applied = mma.along(direction) > shape.atom.along(direction);
  std::string text = fmt::format("{}: {}", stride_role(shape, direction), how);
  if (!is_applied)
    text += fmt::format("; an MMA of {} stays inside one atom along {} and does not apply it (CuTe writes 0)",
                        to_string(mma), direction_name(direction));
  return {value, is_applied, std::move(text)};
}

StrideField stride_of_one_atom(const OperandShape& shape, Major direction) {
  const bool is_stride = stride_direction(shape) == direction;
  const Bytes value = is_stride ? shape.swizzle->atom() : Bytes{0};
  return {
      value, false,
      fmt::format("{}: the operand is one atom wide along {}, so no MMA applies it; {}", stride_role(shape, direction),
                  direction_name(direction), is_stride ? "packed atoms have it" : "0 as CuTe writes it")};
}

DescriptorStrides descriptor_strides(const OperandShape& shape, StrideField along_mn, StrideField along_k) {
  if (stride_roles(shape.major, shape.swizzle->family).leading.empty())
    return {{chunk, false, "not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it"},
            std::move(along_mn)};
  if (stride_direction(shape) == Major::K) return {std::move(along_mn), std::move(along_k)};
  return {std::move(along_k), std::move(along_mn)};
}

TileDescriptors words_of(const OperandShape& shape, const Target& target, Bytes base, TileExtents mma,
                         const DescriptorStrides& strides,
                         const std::function<Bytes(std::int64_t row, std::int64_t k)>& offset) {
  TileDescriptors out{mma, shape.extents.mn / mma.mn, shape.extents.k / mma.k, strides.leading, strides.stride, {}};
  out.steps.reserve(static_cast<std::size_t>(out.m_blocks * out.k_steps));
  const SmemDescriptor at_base = SmemDescriptor::encode({.start_address = base,
                                                         .leading_byte_offset = strides.leading.value,
                                                         .stride_byte_offset = strides.stride.value,
                                                         .swizzle = *shape.swizzle},
                                                        target);
  for (std::int64_t k_step = 0; k_step < out.k_steps; ++k_step) {
    const std::int64_t k = k_step * mma.k, k_before = std::max<std::int64_t>(k - mma.k, 0);
    const bool is_next_atom = k / shape.atom.k != k_before / shape.atom.k;
    for (std::int64_t m_block = 0; m_block < out.m_blocks; ++m_block) {
      const std::int64_t row = m_block * mma.mn;
      const Bytes from_base = offset(row, k), before = offset(row, k_before);
      const Bytes start{base.count + from_base.count};
      std::uint64_t word = with_field(at_base.word(), at_base.format(), FieldId::start_address,
                                      static_cast<std::uint64_t>(start.in_chunks()));
      std::optional<Bytes> second_chunk;
      if (const std::int64_t next_atom = (k / shape.atom.k + 1) * shape.atom.k; runs_past_line(shape, mma, k)) {
        second_chunk = Bytes{base.count + offset(row, next_atom).count};
        word = with_field(word, at_base.format(), FieldId::leading_byte_offset,
                          static_cast<std::uint64_t>(second_chunk->in_chunks()));
        word = with_field(word, at_base.format(), FieldId::lbo_mode, 1);
      }
      out.steps.push_back({m_block, k_step, from_base, Bytes{from_base.count - before.count}, is_next_atom,
                           SmemDescriptor(word, target), second_chunk});
    }
  }
  return out;
}

TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, TileExtents mma) {
  require_legal(operand_choice(tile, target));
  require_block(tile, target, mma);
  const OperandShape shape = operand_shape(tile);
  DescriptorStrides strides =
      descriptor_strides(shape, stride_in_tile(tile, mma, Major::MN), stride_in_tile(tile, mma, Major::K));
  if (is_k96(tile, mma))
    strides.leading.derivation =
        "not used by a step of 48 B that ends in its line of 128 B; of the others the address "
        "of the second chunk, in absolute LBO mode (bit 52)";
  return words_of(shape, target, tile.base(), mma, strides,
                  [&](std::int64_t row, std::int64_t k) { return tile.linear_offset(row, k); });
}

TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, OperandRole role, const MmaFilter& meant) {
  const OperandChoice choice = operand_choice(tile, target, meant);
  require_legal(choice);
  const DefaultMma mma = default_mma(operand_shape(tile), choice, role);
  TileDescriptors words = tile_descriptors(tile, target, mma.extents);
  words.default_of = mma.role;
  words.cta_group = std::max(1, meant.cta_group);
  return words;
}

}  // namespace swz
