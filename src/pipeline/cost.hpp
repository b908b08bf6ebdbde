// SPDX-License-Identifier: Apache-2.0
// Cost: how many cycles of an SM one k block of a tile takes in the tensor core, in reading shared memory and in
// receiving its data, which of them bounds it, and what would move that bound.
//
//   sm_100a, bf16, tile 256 x 256 x 64 of a pair, tcgen05.mma m256n256k16
//     tensor core   4 MMAs * 128              = 512
//     shared memory 4 MMAs * (128 + 128) * 32 / 128 = 256
//     from L2       (128 + 128) * 64 * 2 B / 58 = 565    the bound, 1.10 times the tensor core
//     from DRAM     32768 B / 25              = 1311   if no other SM reads the same
//
// It is an estimate: the three run at the same time and do not disturb each other. On an H100 copies of 46 B per cycle
// slow MMAs that read 128 B per cycle by 0.7 % (measured), so that writes of copies are not counted as reads. mma.sync
// reads through registers: there the writes of a stage count too.
//
// Invariants (tested): every tile of the sheet cost.md, sections 3.1, 3.2 and 6, within 1 %; two tiles side by side cost
// twice as much of everything; a change that is offered is faster by the same model, and is legal on the target.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "arch/target.hpp"
#include "pipeline/gpu.hpp"
#include "pipeline/mma_interval.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

enum class MmaFamily { mma_sync, wgmma, tcgen05 };

constexpr std::string_view to_string(MmaFamily family) { return name_in({"mma.sync", "wgmma", "tcgen05.mma"}, family); }

struct CostQuestion {
  const Target* target = nullptr;
  const Gpu* gpu = nullptr;  // null: no GPU of the target has known rates
  MmaFamily family = MmaFamily::wgmma;
  MmaExtents tile, mma;  // of a pair: of both CTAs
  const DType* dtype = nullptr;
  int cta_group = 1;
  OperandSource a = OperandSource::smem;
  bool is_a_copied = true;  // false: the kernel makes A, as attention makes P
  bool sparse = false;
  bool has_f16_accumulators = false, is_block_scaled = false;
  std::optional<TileExtents> warp_tile = {};  // of mma.sync: rows and columns of D that one warp has
};

enum class CostPart { tensor_core, smem_read, l2, dram };

constexpr std::string_view to_string(CostPart part) {
  return name_in({"tensor_core", "smem_read", "l2", "dram"}, part);
}

struct CostTerm {
  CostPart part = CostPart::tensor_core;
  double cycles = 0;
  std::string how;  // "4 MMAs * 128"
  Source source;
  bool is_extrapolated = false;
};

struct Cost {
  std::vector<CostTerm> terms;  // the tensor core first; those that are not known are absent
  std::int64_t mmas = 0;
  std::int64_t stage_bytes = 0;              // that this SM receives
  std::int64_t macs = 0;                     // of this SM
  std::optional<MmaInterval> interval = {};  // of wgmma and tcgen05.mma
  std::optional<double> peak = {};           // multiply-adds per cycle of the tensor core at its best
  std::optional<int> stages = {};            // that hide a copy

  // DRAM is no bound: other SMs may have brought the data to L2.
  const CostTerm& bound() const;
  const CostTerm* next() const;  // null: only one is known
  double macs_per_cycle() const { return static_cast<double>(macs) / bound().cycles; }
  const CostTerm* term(CostPart part) const;
};

Cost cost_of(const CostQuestion& question);

// One change of the question that the model says is faster.
struct CostChange {
  std::string what;  // "tile 128 x 256"
  CostQuestion question;
  Cost cost;
  double faster = 1;  // multiply-adds per cycle of the changed tile over those of the given one
};

// Those faster by at least 2 %, the best first. Each exists on the target; its accumulators and two of its stages fit.
std::vector<CostChange> faster_changes(const CostQuestion& question);

}  // namespace swz
