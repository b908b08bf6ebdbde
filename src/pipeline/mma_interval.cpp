// SPDX-License-Identifier: Apache-2.0
#include "pipeline/mma_interval.hpp"

#include <algorithm>

namespace swz {

namespace {

constexpr Source h100 = {"H100, every N", Evidence::measured};
constexpr Source b200 = {"SemiAnalysis microbench-blackwell 9a068d8, B200", Evidence::reported};

constexpr double start_from_registers = 13, sparse_start_from_registers = 18.7;
constexpr int least_published_n = 64;

}  // namespace

double MmaInterval::cycles() const { return std::max({tensor, smem_read, start}); }

MmaInterval mma_interval(const SharedMma& mma) {
  const bool has_a = mma.a == OperandSource::smem, is_narrow_pair = mma.cta_group == 2 && mma.m == 128;
  MmaInterval out;
  out.tensor = mma.n / (is_narrow_pair ? 4.0 : 2.0);
  out.a_bytes = has_a ? mma.m / mma.cta_group * mma.row_bytes : 0;
  out.b_bytes = mma.n / mma.cta_group * mma.row_bytes * (mma.sparse ? 2 : 1);
  out.smem_read = static_cast<double>(out.a_bytes + out.b_bytes) / smem_bytes_per_cycle;
  if (mma.is_wgmma && mma.a == OperandSource::registers)
    out.start = mma.sparse ? sparse_start_from_registers : start_from_registers;
  out.source = mma.is_wgmma ? h100 : b200;
  out.is_extrapolated = !mma.is_wgmma && (mma.n < least_published_n || mma.sparse || mma.row_bytes != 32);
  return out;
}

std::optional<double> mma_latency(const SharedMma& mma) {
  if (mma.is_wgmma || mma.sparse) return std::nullopt;
  const bool has_a = mma.a == OperandSource::smem;
  const double n = mma.n;
  if (mma.cta_group == 1) return (has_a ? (mma.m == 64 ? 120 : 136) : 104) + n / 2;
  if (mma.m == 256) return (has_a ? 170 : 138) + n / 2;
  if (!has_a) return 146 + n / 4;
  return n <= 128 ? 149 + 3 * n / 8 : 165 + n / 4;
}

}  // namespace swz
