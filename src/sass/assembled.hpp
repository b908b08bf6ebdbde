// SPDX-License-Identifier: Apache-2.0
// AssembledChanges: what ptxas made of the accesses to shared memory of a PTX text.
//
//   line 40 of the PTX: ld.shared.b32    line 41: ld.shared.b32        0x0120 LDS.64, of line 40
//     one instruction is wider than its access, one access has no instruction of its own: both were joined
//
// An instruction belongs to the line of the PTX that nvdisasm -gp names. Of several accesses that become one, ptxas keeps the
// line of one.
//
// Source: pairs of PTX and SASS of ptxas 13.5, 495 cubins.
#pragma once

#include <cstdint>

#include "ptx/module.hpp"
#include "sass/sass_text.hpp"

namespace swz {

struct AssembledChanges {
  std::int64_t accesses = 0;  // of the PTX to shared memory
  std::int64_t wider = 0;     // instructions that are wider than their access
  std::int64_t without = 0;   // accesses without an instruction: joined to another, or not needed
  std::int64_t several = 0;   // accesses with several instructions: unrolled, cloned
  std::int64_t spills = 0;    // instructions that write or read what did not fit into registers

  bool has_lines = false;  // false: the cubin does not say the lines of the PTX, and only `spills` is known
  bool are_none() const { return wider == 0 && without == 0 && several == 0 && spills == 0; }
};

// What became of the accesses of `kernel`, a kernel of `ptx`, in `code`.
AssembledChanges assembled_changes(const PtxKernel& kernel, const SassFunction& code);

}  // namespace swz
