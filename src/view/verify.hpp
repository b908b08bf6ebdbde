// What the hardware said: the Document of `swz verify`.
//
//   NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0, seed 1
//   confirmed  every one of 6000 cases
//
//   probe  kernels  cases  confirmed   time
//   wgmma      948   6000       6000  8.1 s
#pragma once

#include "probe/suite.hpp"
#include "view/document.hpp"

namespace swz {

Document view_verify(const VerifyReport& report);

// What each probe asks, on which targets, and the mistakes that it catches.
Document view_probes();

// "NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0"
std::string to_string(const DeviceIdentity& device);

// A case that came out otherwise, as a row and in words.
struct CaseCells {
  std::string element, expected, observed, differing, explained;
};
CaseCells cells_of(const CaseMismatch& mismatch);

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
