// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute counted at the sites of a kernel, judged beside what swz predicts.
//
//   0x0120 LDS.128: 8 wavefronts a warp are predicted; 64 warps with 2048 threads executed it and took 512: equal
//
// The prediction is of a warp that has a thread for which the predicate holds. Of 64 warps with 40 threads at least 2
// and at most 40 are such; between these many times the predicted number a count is equal.
#pragma once

#include <vector>

#include "ptx/kernel_report.hpp"
#include "sass/ncu_pages.hpp"

namespace swz {

// The kernel of the pages that has the same instructions as the report's sites, whatever its name. Throws Error, which names
// the first instruction that differs, if there is none. report: of machine code.
const CountedKernel& matching_counts(const std::vector<CountedKernel>& kernels, const KernelReport& report);

void add_counts(KernelReport& report, const CountedKernel& kernel);

}  // namespace swz
