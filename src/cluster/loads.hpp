// SPDX-License-Identifier: Apache-2.0
// ClusterLoads: the tiles of A and B of the MMAs of a cluster, which slice of them each CTA loads, and the bytes that
// each barrier waits for.
//
//   f16 128x128x64, cluster 2x2, cta_group 1
//     rank 1 at (1, 0)   A: slice 0 of 2, rows 0-63, offset 0, mask 0xa      B: slice 1 of 2, rows 64-127, offset 8192,
//                        mask 0x3      8192 B for each load and destination; each of 4 barriers: 2 + 2 slices = 32768 B
//   f16 256x128x64, cluster 4x2, cta_group 2: each CTA holds 128 rows of A and 64 of B
//     rank 5: v 1, m 0, n 1    A: box (64, 64), row 192 of the pair's tile, offset 8192
//     the barrier of the leader waits for 2 * (16384 + 8192) B; the one of the other CTA is not used
//   mxf4nvf4 256x256x256, cluster 2x1, cta_group 2: A and B 16384 B, SFA 2048 B of 128 rows, SFB 4096 B of all 256
//     columns in both CTAs: 2 * 38912 B
//
// M, N and K are those of one MMA tile: of both CTAs of a pair. Both CTAs of a pair issue their loads with
// .cta_group::2 and the leader's barrier. Elements outside of the tensor count.
//
// Source: CUTLASS 4.2 and 4.7, the mainloops of sm_90 and sm_100; PTX ISA 9.3, 9.7.9.26. Not measured with
// .cta_group::2.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "cluster/masks.hpp"
#include "cluster/slices.hpp"
#include "smem/mma_operand.hpp"
#include "smem/tile.hpp"

namespace swz {

// One operand as a CTA holds it.
struct SharedOperand {
  OperandRole role = OperandRole::a;
  SmemTile tile;  // of one CTA
  TilePlan whole;
  std::variant<SlicedPlan, Finding> slices;

  const SlicedPlan* sliced() const { return std::get_if<SlicedPlan>(&slices); }
  Bytes bytes() const { return whole.expect_bytes(); }
};

// Throws Error unless M and N are those of both CTAs of a pair.
void require_halves(const ClusterMma& mma, const MmaExtents& extents);

// The operand of one CTA: M / cta_group rows of A, N / cta_group of B. Throws Error as require_halves does, and if TMA
// does not make the tile.
SharedOperand shared_operand(const ClusterMma& mma, OperandRole role, const MmaExtents& extents, SmemTileValues values,
                             const Target& target);

// What one CTA loads of an operand.
struct RankLoad {
  int rank = 0;
  int index = 0;         // of its slice
  ClusterMask mask = 0;  // whom it reaches
  std::int64_t row = 0;  // of the operand of the whole cluster, at which the CTA's part begins
};
RankLoad load_of(const ClusterMma& mma, const SharedOperand& operand, int rank);

// Bytes of scale factors, one for `vec` elements of K, in their tiles of 128x4.
Bytes scale_factor_bytes(std::int64_t rows, std::int64_t k, int vec);

// Scale factors as a CTA holds them: of its rows of A, and of all columns of B, also in a pair.
struct SharedScales {
  Bytes a, b;
  int sharers_a = 1, sharers_b = 1;

  // What one CTA copies; nothing if the sharers' slices are not multiples of 128 B.
  std::optional<Bytes> slice_a() const { return slice(a, sharers_a); }
  std::optional<Bytes> slice_b() const { return slice(b, sharers_b); }

 private:
  static std::optional<Bytes> slice(Bytes of, int sharers);
};
// Throws Error unless K is a multiple of four factors.
SharedScales shared_scales(const ClusterMma& mma, const MmaExtents& extents, int vec);

struct BarrierBytes {
  Bytes a, b, sfa, sfb;  // of one CTA
  int waits = 1;         // CTAs whose bytes arrive at one barrier
  Bytes total() const { return Bytes{(a.count + b.count + sfa.count + sfb.count) * waits}; }
};
BarrierBytes barrier_bytes(const ClusterMma& mma, const SharedOperand& a, const SharedOperand& b,
                           const std::optional<SharedScales>& scales = {});

}  // namespace swz
