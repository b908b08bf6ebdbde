#include "descriptor/tile_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "smem/legality.hpp"

namespace swz {

namespace {

constexpr std::int64_t mma_mn_step = 8;
constexpr std::int64_t mma_mn_most = 256;

// Rows of an MN-major block come in pieces that the swizzle keeps whole.
std::int64_t mn_unit(const SmemTile& tile) {
  if (tile.major() == Major::K) return mma_mn_step;
  return std::max(mma_mn_step, tile.swizzle().atomicity.count * 8 / tile.element_bits());
}

// Whether no block of an MN-major operand begins or ends inside an atom that another block shares in part.
bool keeps_atoms(const SmemTile& tile, std::int64_t mn) {
  return tile.major() == Major::K || mn % tile.atom().mn == 0 || tile.atom().mn % mn == 0;
}

bool is_block(const SmemTile& tile, std::int64_t mn) {
  return mn >= mma_mn_step && mn <= mma_mn_most && mn % mn_unit(tile) == 0 && tile.extents().mn % mn == 0 &&
         keeps_atoms(tile, mn);
}

// The block extent nearest to `wanted`, the larger of two. Every legal tile has one: its atom has at most 256 rows.
std::int64_t nearest_block(const SmemTile& tile, std::int64_t wanted) {
  wanted = std::clamp<std::int64_t>(wanted, 0, mma_mn_most);  // so that distances fit in 64 bits
  std::int64_t nearest = 0;
  for (std::int64_t mn = mma_mn_step; mn <= mma_mn_most; mn += mma_mn_step)
    if (is_block(tile, mn) && (nearest == 0 || std::abs(mn - wanted) <= std::abs(nearest - wanted))) nearest = mn;
  return nearest;
}

void check_mma(const SmemTile& tile, TileExtents mma) {
  const std::int64_t k = dense_mma_k(tile.element_bits());
  const std::string nearest = to_string(TileExtents{nearest_block(tile, mma.mn), k});
  if (mma.k != k)
    throw Error(
        fmt::format("no dense MMA of {} has K {}: it reads 32 B of every row, K {}", tile.dtype().name, mma.k, k),
        fmt::format("nearest: {}; sparse operands and K 96 are not covered", nearest));
  if (tile.extents().k % k != 0)
    throw Error(fmt::format("K {} of the tile is not a multiple of K {} of the MMA", tile.extents().k, k),
                fmt::format("take a tile with K {}", (tile.extents().k / k + 1) * k));
  const std::string way_out = "nearest: " + nearest;
  if (mma.mn < mma_mn_step || mma.mn > mma_mn_most || mma.mn % mma_mn_step != 0)
    throw Error(fmt::format("no MMA reads {} rows of M or N: 8 to 256 in steps of 8", mma.mn), way_out);
  if (mma.mn % mn_unit(tile) != 0)
    throw Error(fmt::format("{} rows of MN-major {} are no whole {} B, which mode {} keeps together", mma.mn,
                            tile.dtype().name, tile.swizzle().atomicity.count, tile.swizzle().name),
                way_out);
  if (tile.extents().mn % mma.mn != 0)
    throw Error(fmt::format("blocks of {} rows do not divide MN {} of the tile", mma.mn, tile.extents().mn),
                way_out);
  if (!keeps_atoms(tile, mma.mn))
    throw Error(fmt::format("blocks of {} rows begin inside atoms of {} along MN and run into the next: one LBO "
                            "cannot step over that",
                            mma.mn, tile.atom().mn),
                way_out);
}

std::string_view direction_name(Major direction) { return direction == Major::K ? "K" : "MN"; }

// The stride from one atom to the next along a direction, when an MMA steps over it.
StrideField stride_between_atoms(const SmemTile& tile, TileExtents mma, Major direction, std::string_view role) {
  const bool along_k = direction == Major::K;
  const SwizzleMode& mode = tile.swizzle();
  const std::string what = role_text(role, mode);
  const bool is_applied = along_k ? mma.k > tile.atom().k : mma.mn > tile.atom().mn;
  if (!is_applied)
    return {Bytes{0}, false,
            fmt::format("{}: an MMA of {} stays inside one atom along {} and never applies it; 0 as CuTe writes it",
                        what, to_string(mma), direction_name(direction))};

  const Bytes value = along_k ? tile.k_atom_stride() : tile.mn_atom_stride();
  const std::int64_t atom = mode.atom().count;
  const bool is_fast = (tile.order() == StackingOrder::k_first) == along_k;
  std::string text = fmt::format("{}: an atom is {} x {} B = {} B", what, mode.lines, mode.span.count, atom);
  if (is_fast) {
    text += fmt::format(", and the next one along {} follows it ({})", direction_name(direction),
                        to_string(tile.order()));
  } else {
    const Major other = along_k ? Major::MN : Major::K;
    text += fmt::format(", and the {} atoms along {} come first ({}): {} x {} B = {} B", value.count / atom,
                        direction_name(other), to_string(tile.order()), value.count / atom, atom, value.count);
  }
  return {value, true, text};
}

struct Strides {
  StrideField leading, stride;
};

Strides strides(const SmemTile& tile, TileExtents mma) {
  const SwizzleFamily family = tile.swizzle().family;
  const StrideRoles& roles = stride_roles(tile.major(), family);
  const auto along = [&](Major direction, std::string_view role) {
    return stride_between_atoms(tile, mma, direction, role);
  };
  if (tile.major() == Major::MN && family != SwizzleFamily::none)
    return {along(Major::MN, roles.leading), along(Major::K, roles.stride)};
  if (!roles.leading.empty()) return {along(Major::K, roles.leading), along(Major::MN, roles.stride)};
  const StrideField unused{chunk, false,
                           "not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it"};
  return {unused, along(Major::MN, roles.stride)};
}

}  // namespace

TileExtents default_mma(const SmemTile& tile) {
  const std::int64_t k = dense_mma_k(tile.element_bits());
  constexpr std::int64_t usual = 64;
  return {is_block(tile, usual) ? usual : nearest_block(tile, mma_mn_most), k};
}

TileDescriptors tile_descriptors(const SmemTile& tile, const Target& target, TileExtents mma) {
  require_legal(operand_choice(tile, target));
  check_mma(tile, mma);

  const auto [leading, stride] = strides(tile, mma);
  TileDescriptors out{mma, tile.extents().mn / mma.mn, tile.extents().k / mma.k, leading, stride, {}};
  out.steps.reserve(static_cast<std::size_t>(out.m_blocks * out.k_steps));
  const SmemDescriptor first = SmemDescriptor::encode({.start_address = tile.base(),
                                                       .leading_byte_offset = leading.value,
                                                       .stride_byte_offset = stride.value,
                                                       .swizzle = tile.swizzle().name},
                                                      target);
  for (std::int64_t k_step = 0; k_step < out.k_steps; ++k_step) {
    const std::int64_t k = k_step * mma.k;
    for (std::int64_t m_block = 0; m_block < out.m_blocks; ++m_block) {
      const std::int64_t row = m_block * mma.mn;
      const Bytes offset = tile.linear_offset(row, k);
      const Bytes before = k_step == 0 ? offset : tile.linear_offset(row, k - mma.k);
      const bool is_next_atom = k_step > 0 && k / tile.atom().k != (k - mma.k) / tile.atom().k;
      // A whole number of chunks inside shared memory, for the tile is and the block begins at a chunk.
      const Bytes start{tile.base().count + offset.count};
      const std::uint64_t word = with_field(first.word(), first.format(), FieldId::start_address,
                                            static_cast<std::uint64_t>(start.in_chunks()));
      out.steps.push_back({m_block, k_step, offset, Bytes{offset.count - before.count}, is_next_atom,
                           SmemDescriptor(word, target)});
    }
  }
  return out;
}

}  // namespace swz
