// SPDX-License-Identifier: Apache-2.0
// View of two builds of a kernel: what `swz kernel FILE --against BEFORE` answers.
//
//   unpadded_transposition  sm_90a
//   verdict  better: 4 accesses
//
//                             before  after
//   accesses to shared memory      8      8
//   with conflicts                 4      0
//   wavefronts                   132      8
//
//   changed accesses
//   change  access         before  line  after  line  source
//   better  ld.shared.b32    32/1    78    1/1    71  unpadded_transposition.cu:11
//
// Counts are of sites, each executed once: 32/1 is 32 wavefronts where 1 would do.
#pragma once

#include <vector>

#include "ptx/kernel_change.hpp"
#include "view/document/document.hpp"
#include "view/kernel/kernel.hpp"

namespace swz {

// Kernels of one name are compared; if each text has one kernel, these are, whatever their names.
struct ComparedKernels {
  Document document;
  bool is_worse = false;
  bool is_incomplete = false;
};

// Throws Error if no kernel is in both, or if one is PTX and the other machine code.
ComparedKernels view_kernel_changes(const KernelText& before, const KernelText& after);

}  // namespace swz
