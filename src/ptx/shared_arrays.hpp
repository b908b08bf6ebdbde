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
// Of a kernel that was compiled, the cubin says how many bytes the arrays have, and on what they are aligned:
//
//   sm_80: .shared .align 4 .b8 tile[4100];  .extern .shared .align 128 .b8 d[];     tile at 0, d at 4224
//   sm_90a: the same behind the system's 1024 B                                     tile at 1024, d at 5248
//
// Source: the addresses that kernels of Triton, Mosaic GPU, CUTLASS and nvcc have on an H100 (measured); 145 arrays of
// cubins of toolkits 12.4 to 13.5 there, and the literals in the code of cubins for sm_80, 100 and 120.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

// What the cubin of a kernel says of its shared memory.
struct PlacedShared {
  std::uint64_t begin = 0;  // of the first array: what the system reserves is before it
  std::uint64_t end = 0;    // of the arrays of known size, rounded up to the alignment of the dynamic ones
  std::unordered_map<std::string, std::uint64_t> arrays = {};  // where they begin, if the cubin names them (-G)
};

struct SharedArrays {
  std::vector<std::uint32_t> symbols;  // in the order of their declaration
  bool is_complete = true;             // false: a function that is not in the text may have others
  bool is_alone = false;               // one array, or dynamic ones that begin in one place
  bool is_measured = false;            // of the target of a kernel
  std::unordered_map<std::uint32_t, std::uint64_t> begins = {};  // as its cubin says, by symbol

  bool is_dynamic(const PtxModule& module, std::uint32_t symbol) const;
  // nullopt: not known.
  std::optional<std::uint64_t> begin_of(const PtxModule& module, std::uint32_t symbol) const;
};

SharedArrays shared_arrays(const PtxModule& module, const PtxKernel& kernel,
                           const std::optional<PlacedShared>& placed = std::nullopt);

}  // namespace swz
