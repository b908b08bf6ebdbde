// SPDX-License-Identifier: Apache-2.0
// SharedArrays: the arrays of shared memory that a launch of a kernel has, and where they begin.
//
//   .shared .b8 a[1024];  .extern .shared .b8 d[];          of the module
//   .entry f { … [a] … call g }   .func g { … [d] … }       f has a and d: ptxas allocates what an entry and its callees name
//   .entry h { … [d] … }                                    h has only d, which begins at 1024
//
// The first 1024 B of a block belong to the system. A single array begins after them, whatever its alignment; so do all
// dynamic arrays if no array of a known size comes before them. The order of several arrays is known only to ptxas.
//
// A single array of one byte is a dynamic one: Mosaic GPU declares it so, and the launch gives it its bytes.
//
// Source: the addresses that kernels of Triton, Mosaic GPU, CUTLASS and nvcc have on an H100 (measured).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

struct SharedArrays {
  std::vector<std::uint32_t> symbols;  // in the order of their declaration
  bool is_complete = true;             // false: a function that is not in the text may have others
  bool is_alone = false;               // one array, or dynamic ones that begin in one place
  bool is_measured = false;            // of the target of a kernel

  bool is_dynamic(const PtxModule& module, std::uint32_t symbol) const;
  // nullopt: not known.
  std::optional<std::uint64_t> begin_of(const PtxModule& module, std::uint32_t symbol) const;
};

SharedArrays shared_arrays(const PtxModule& module, const PtxKernel& kernel);

}  // namespace swz
