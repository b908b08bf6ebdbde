// SPDX-License-Identifier: Apache-2.0
// MmaInterval: how many cycles of an SM lie between two MMAs that read shared memory, wgmma and tcgen05.mma.
//
//   interval = max(tensor, smem_read, start)
//     tensor     N/2; N/4 for tcgen05.mma of M 128 by two CTAs
//     smem_read  bytes of A and B that this SM reads / 128
//     start      wgmma with A in registers: 13, sparse 18.7
//
//   wgmma m64n256k16, A in shared memory     tensor 128, smem_read (64 * 32 + 256 * 32) / 128 = 80: 128 cycles
//   wgmma m64n8k16, A in shared memory       tensor 4, smem_read 18: 18 cycles
//   wgmma.sp m64n256k32, the same            tensor 128, smem_read (64 * 32 + 256 * 64) / 128 = 144: 144 cycles
//
// K does not count: every dense MMA reads 32 bytes of K of each row, and a sparse one 64 of B. Neither the type, nor
// the swizzle, nor the major of the operands changes it.
//
// Invariants (tested): within 0.1 cycles of an H100 for every N, A in shared memory or registers, f16, e4m3, tf32 and
// s8 (sparse: 2.8); within 10 % of every published row of a B200.
// Source: tests/data/rates/h100.jsonl (tests/gpu/rates); SemiAnalysis microbench-blackwell 9a068d8, fitted.
#pragma once

#include <optional>
#include <string_view>

#include "arch/row_of.hpp"
#include "base/finding.hpp"

namespace swz {

enum class OperandSource { smem, registers, tmem };

constexpr std::string_view to_string(OperandSource source) { return name_in({"smem", "registers", "tmem"}, source); }

struct SharedMma {
  bool is_wgmma = true;  // otherwise tcgen05.mma
  int m = 64, n = 0;     // of the instruction
  int cta_group = 1;
  OperandSource a = OperandSource::smem;
  bool sparse = false;
  int row_bytes = 32;  // of K, of one row of a dense operand
};

// In cycles of the SM.
struct MmaInterval {
  double tensor = 0, smem_read = 0, start = 0;
  int a_bytes = 0, b_bytes = 0;  // that this SM reads
  Source source;
  bool is_extrapolated = false;  // the source has no row like it

  double cycles() const;
};

inline constexpr int smem_bytes_per_cycle = 128;

MmaInterval mma_interval(const SharedMma& mma);

// From the start of one tcgen05.mma to its result, in cycles; nullopt: no source has it.
std::optional<double> mma_latency(const SharedMma& mma);

}  // namespace swz
