// SPDX-License-Identifier: Apache-2.0
// What the hardware answered: the Document of `swz verify`, and those of one thing that was asked: `swz verify tile`,
// `swz verify desc` and `swz verify layout`.
//
//   NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0, seed 1
//   confirmed  every one of 6000 cases
//
//   probe  kernels  cases  confirmed   time
//   wgmma      948   6000       6000  8.1 s
#pragma once

#include "probe/suite.hpp"
#include "view/document/document.hpp"

namespace swz {

Document view_verify(const VerifyReport& report);

// What each probe asks, on which targets, and the mistakes that it catches.
Document view_probes();

// With the figure of the tile if elements came from elsewhere.
//
//   bf16 128x64 K-major, mode 128B, mn-first, at 0x400, via tma
//   confirmed  every one of 8192 elements reached the MMA by 1 TMA copy of rank 3 and 8 words
Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen);

// The map of what was observed, as swz map shows it.
Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen);

// A row for each way that was asked, with its elements and wavefronts; then the ways that cannot be asked, with the
// reason. With a figure of the first way by which elements are elsewhere.
Document view_verified_layout(const LayoutOperand& operand, std::span<const LayoutQuestion> questions,
                              const VerifyReport& report, std::span<const RecordedCase> seen);

// Kernels that NVRTC compiled, without a GPU.
struct CompileRow {
  std::string target, probe;
  std::int64_t kernels = 0, compiled = 0;
  double seconds = 0;
  std::string log;  // of the first that was refused
};
struct CompileReport {
  std::string nvrtc;
  std::vector<CompileRow> rows;
  bool is_fine() const;
};
Document view_compile(const CompileReport& report);

}  // namespace swz
