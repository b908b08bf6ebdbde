// SPDX-License-Identifier: Apache-2.0
// Operand verdict: three separate facts about an array in shared memory: its swizzle mode, the MMAs that read it with
// the words that they need, and the reason if no MMA reads it.
//
//   Sw<3,3,3> o 0 o (128,64):(64,1) of bf16   mode 128B; wgmma and tcgen05 read it K-major
//   (64,64):(64,1) of bf16                    no swizzle, mode none of TMA; no MMA: rows are 128 B apart
//   Sw<3,2,3> o 0 o (64,32):(32,1) of f32     mode 128B; MMAs read the bytes as tf32
//   (8,8):(8,1) of f16                        an atom of mode none, too small for one MMA: K 8 of 16
//
// A staged layout has the verdict of one stage. Source: as readable_mode.hpp.
#pragma once

#include <string>
#include <vector>

#include "descriptor/readable_mode.hpp"
#include "descriptor/staged_layout.hpp"

namespace swz {

struct OperandVerdict {
  const SwizzleMode* swizzle = nullptr;  // the mode for TMA; null if there is none, then `no_mode` gives the reason
  std::string no_mode = {};
  const DType* read_as = nullptr;  // the type as which MMAs read the bytes, if it is not the array's own
  std::vector<ReadableMode> readings = {}, atoms = {};
  std::string reason = {};  // why no MMA reads it; empty if one does, or the type is not known

  // The mode in which MMAs read the array or its atoms. Null if none does.
  const SwizzleMode* mode() const {
    return !readings.empty() ? readings[0].mode : !atoms.empty() ? atoms[0].mode : nullptr;
  }
};

// dtype is null if only the width is known, or nothing (bits 0).
OperandVerdict operand_verdict(const StagedLayout& array, const DType* dtype, int element_bits);

}  // namespace swz
