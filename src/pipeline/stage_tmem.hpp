// SPDX-License-Identifier: Apache-2.0
// StageTmem: what the tile of a stage takes of tensor memory, and how many accumulators fit beside its scale factors.
//
//   mxf4nvf4, vec 16, tile 256 x 256 x 256 of a pair: one MMA of 256 x 256
//     D    256 columns; SFA 16 = 4 for each 4 of 16 factors, SFB 32 (256 rows)
//     (512 - 16 - 32) / 256: one accumulator; with N 192 there are two
//   f16, tile 128 x 256 x 64: D 256 columns, two accumulators: one is read while the MMAs fill the other
//   f16, tile 256 x 256 x 64 of one CTA: two MMAs along M, 2 * 256 columns, one accumulator
//
// The scale factors and the metadata of one stage are counted once: an MMA reads them when they were copied there.
//
// Invariants (tested): as many columns as plan_tmem() has for that many accumulators of one MMA; one accumulator more
// does not fit; at least as many as CUTLASS's builders take.
// Source: tmem/plan.hpp. Not measured.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/stage.hpp"
#include "tmem/plan.hpp"

namespace swz {

// Columns of 32 bits in the tensor memory of one CTA.
struct StageTmem {
  int mma_m = 0, mma_n = 0;      // of one MMA
  int mmas_m = 1, mmas_n = 1;    // of the tile
  int columns = 0;               // of one accumulator of the whole tile
  std::vector<TmemNeed> beside;  // scale factors and metadata: .stages are the MMAs along M or N
  int columns_beside = 0;
  int accumulators = 0;  // that fit into one allocation
  int used = 0;          // by these and what is beside them
  int of = 0;            // columns of the largest allocation
};

// Nothing for an MMA without tensor memory, and for a tile that is not a whole number of legal MMAs.
std::optional<StageTmem> tmem_of(const StageQuestion& question);

}  // namespace swz
