// SPDX-License-Identifier: Apache-2.0
#include "cluster/loads.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "scale/scale_layout.hpp"

namespace swz {

void require_halves(const ClusterMma& mma, const MmaExtents& extents) {
  for (const std::int64_t rows : {extents.m, extents.n})
    if (rows % mma.cta_group != 0)
      throw Error(fmt::format("{} rows are not two halves", rows),
                  fmt::format("each CTA of a pair holds half of M and of N: {} or {}", rows - 1, rows + 1));
}

SharedOperand shared_operand(const ClusterMma& mma, OperandRole role, const MmaExtents& extents, SmemTileValues values,
                             const Target& target) {
  const bool is_a = role == OperandRole::a;
  const std::int64_t rows = is_a ? extents.m : extents.n;
  require_halves(mma, extents);
  values.mn = rows / mma.cta_group;
  values.k = extents.k;
  const SmemTile tile(values);
  const auto plan = plan_tile(tile, packed_operand(tile, target, tile.extents()), target, 2);
  if (const auto* refused = std::get_if<Finding>(&plan))
    throw Error(fmt::format("TMA does not make the tile of {}: {}", is_a ? "A" : "B", refused->message), refused->hint);
  const auto& whole = std::get<TilePlan>(plan);
  return {role, tile, whole, slice_plan(whole, is_a ? mma.sharers_of_a() : mma.sharers_of_b())};
}

RankLoad load_of(const ClusterMma& mma, const SharedOperand& operand, int rank) {
  const bool is_a = operand.role == OperandRole::a;
  const std::int64_t rows = operand.tile.extents().mn;
  const int tile = is_a ? mma.tile_m(rank) : mma.tile_n(rank);
  return {rank, is_a ? mma.slice_of_a(rank) : mma.slice_of_b(rank),
          mask_of(mma, rank, is_a ? MaskKind::a : MaskKind::b), rows * (tile * mma.cta_group + mma.half(rank))};
}

Bytes scale_factor_bytes(std::int64_t rows, std::int64_t k, int vec) {
  return ScaleLayout("128x4", {rows, k / vec}).size();
}

std::optional<Bytes> SharedScales::slice(Bytes of, int sharers) {
  constexpr int step = 128;
  if (of.count % (std::int64_t{step} * sharers) != 0) return std::nullopt;
  return Bytes{of.count / sharers};
}

SharedScales shared_scales(const ClusterMma& mma, const MmaExtents& extents, int vec) {
  constexpr int factors = 4;  // of a word
  const std::int64_t step = std::int64_t{factors} * vec;
  if (extents.k % step != 0)
    throw Error(fmt::format("K {} is not a multiple of 4 scale factors of {} elements", extents.k, vec),
                fmt::format("the nearest is {}", (extents.k + step - 1) / step * step));
  return {scale_factor_bytes(extents.m / mma.cta_group, extents.k, vec), scale_factor_bytes(extents.n, extents.k, vec),
          mma.sharers_of_a(), mma.sharers_of_b()};
}

BarrierBytes barrier_bytes(const ClusterMma& mma, const SharedOperand& a, const SharedOperand& b,
                           const std::optional<SharedScales>& scales) {
  return {a.bytes(), b.bytes(), scales ? scales->a : Bytes{}, scales ? scales->b : Bytes{}, mma.cta_group};
}

}  // namespace swz
