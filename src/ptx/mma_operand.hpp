// SPDX-License-Identifier: Apache-2.0 An operand that an MMA reads through a descriptor in shared memory: which bits of
// the word are proven, and what contradicts.
//
// A field of the word is known if all of its bits are. The start of the operand is the field start_address times 16, as
// a form:
//
//   word 0x4000004000010000 | (smem + 2048*i) >> 4 & 0x3fff     start smem + 2048*i
//
// The rules of a word are asked several times, each with another start that the proof allows: what all of them say
// holds.
//
// Used only inside src/ptx.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/kernel_report.hpp"

namespace swz {

struct MmaOperandWord {
  ValueId word = no_value;
  std::optional<Major> major;
  TileExtents extents = {0, 0};  // 0: not known
  int element_bits = 0;          // in shared memory; 0: not known
  std::string_view name;         // "A"
};

struct ReadMmaOperand {
  MmaOperandSite operand;
  std::vector<Finding> findings;
};
ReadMmaOperand read_mma_operand(const PtxValues& values, const Target* target, const MmaOperandWord& word);

}  // namespace swz
