// SPDX-License-Identifier: Apache-2.0
// Operand verdict: what is to be said of an array in shared memory, three things apart: its swizzle mode, which MMAs read it
// with which words, and if none does, why.
//
//   Sw<3,3,3> o 0 o (128,64):(64,1) of bf16   mode 128B; wgmma and tcgen05 read it K-major
//   (64,64):(64,1) of bf16                    no swizzle, mode none of TMA; no MMA: rows are 128 B apart
//   Sw<3,2,3> o 0 o (64,32):(32,1) of f32     mode 128B; MMAs read the bytes as tf32
//   (8,8):(8,1) of f16                        an atom of mode none, too small for one MMA: K 8 of 16
//
// Of a staged layout it is that of one stage. Source: as readable_mode.hpp.
#pragma once

#include <string>
#include <vector>

#include "descriptor/readable_mode.hpp"
#include "descriptor/staged_layout.hpp"

namespace swz {

struct OperandVerdict {
  const SwizzleMode* swizzle = nullptr;  // what TMA is told; null: `no_mode` says why
  std::string no_mode = {};
  const DType* read_as = nullptr;  // the type that MMAs read the bytes as, where it is not the array's own
  std::vector<ReadableMode> readings = {}, atoms = {};
  std::string reason = {};  // why no MMA reads it; empty: one does, or the type is not known

  // The mode in which MMAs read the array, or its atoms. Null: none does.
  const SwizzleMode* mode() const {
    return !readings.empty() ? readings[0].mode : !atoms.empty() ? atoms[0].mode : nullptr;
  }
};

// dtype null: only the width is known, or nothing (bits 0).
OperandVerdict operand_verdict(const StagedLayout& array, const DType* dtype, int element_bits);

}  // namespace swz
