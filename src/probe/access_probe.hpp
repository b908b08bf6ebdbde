// SPDX-License-Identifier: Apache-2.0
// What the accesses of a walk (smem/walk.hpp) read from shared memory, or write to it: for each element of an
// operand, where it was read or found. It stands in no suite of its own: the probe of layouts asks it.
//
//   ldmatrix.x4 over f16 64x64: 64 / 8 * 64 / 8 / 4 = 16 instructions
//     read     every byte of shared memory holds a digit of its own address; registers say which bytes they hold
//     write    registers hold the numbers of the operand's bytes, from 1 on, shared memory holds zeros; afterwards
//              the bytes of the operand and 128 B on either side say which numbers they hold
//
// A number or an address is three digits of a byte each, one pass a digit. Which byte of which lane's piece a byte
// of a register is, is the instruction's fragment; cp.async has no registers, and its source in global memory holds
// the pieces one after the other, lane by lane.
//
// One block of the grid does all accesses of an operand in one pass; the blocks of an operand follow each other.
#pragma once

#include <memory>

#include "probe/launch.hpp"
#include "smem/walk.hpp"

namespace swz {

struct AccessPlan {
  std::shared_ptr<const Placement> placement;
  Access access;  // with its instruction
  const Target* target = &default_target();
};

// Whether the probe knows where the bytes of its registers come from: all but the byte matrices of Blackwell, and
// of .trans elements of 16 bits only: others are torn.
bool may_ask(const AccessInstruction& instruction, int element_bits);

Kernel kernel_of(const AccessPlan& plan);
// pre: all have one instruction that may be asked, and lie inside the shared memory of one target.
Launch launch_of(std::span<const AccessPlan> plans, Hypothesis = Hypothesis::none);
// Of each element, row by row, the bit address where it was read or found. unreadable where its bytes do not lie
// together, or where a written one is found twice or nowhere.
Observations decode(std::span<const AccessPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);

// Of each element of an operand, row by row, the bit address. `bytes` says where each byte of the operand was found,
// `first_bit` where in them an element begins. A byte that is noted twice is found nowhere.
Observation places_of_elements(const Placement& placement, const Observation& bytes,
                               const std::function<std::int64_t(std::int64_t row, std::int64_t k)>& first_bit);
void note_found(std::int64_t& byte, std::int64_t address);

}  // namespace swz
