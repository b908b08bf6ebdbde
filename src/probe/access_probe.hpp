// SPDX-License-Identifier: Apache-2.0
// What the accesses of a walk (smem/walk.hpp) read from shared memory, or write to it: for each element of an operand,
// where it was read or found. It is not a probe of the suite: the probe of layouts uses it.
//
//   ldmatrix.x4 over f16 64x64: 64 / 8 * 64 / 8 / 4 = 16 instructions
//     read     every byte of shared memory is a digit of its own address; registers show which bytes they have
//     write    registers have the numbers of the operand's bytes, from 1 on, shared memory has zeros; afterwards the
//              bytes of the operand and 128 B on either side show which numbers they have
//
// A number or an address is three digits of a byte each, one pass per digit. The instruction's fragment gives the byte
// of a piece for each byte of a register. cp.async has no registers; its source in global memory has the pieces in
// order, lane by lane.
//
// One block of the grid does all accesses of an operand in one pass. The blocks of an operand follow each other.
#pragma once

#include <memory>

#include "probe/launch.hpp"
#include "smem/walk.hpp"

namespace swz {

struct AccessPlan {
  std::shared_ptr<const Placement> placement;
  Access access;  // with an instruction
  const Target* target = &default_target();
};

// Whether the probe knows where the bytes of its registers come from: true for all but the byte matrices of Blackwell,
// and for .trans only with elements of 16 bits, because others are split.
bool may_ask(const AccessInstruction& instruction, int element_bits);

Kernel kernel_of(const AccessPlan& plan);
// Requires that all plans have one instruction for which may_ask is true, and are inside the shared memory of one
// target.
Launch launch_of(std::span<const AccessPlan> plans, Hypothesis = Hypothesis::none);
// For each element, row by row, the bit address at which it was read or found. unreadable if its bytes are not
// contiguous, or if a written one is found twice or nowhere.
Observations decode(std::span<const AccessPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);

// The bit address of each element of an operand, row by row. `bytes` gives the place at which each byte of the operand
// was found, `first_bit` the bit in them at which an element begins. A byte that is noted twice counts as not found.
Observation places_of_elements(const Placement& placement, const Observation& bytes,
                               const std::function<std::int64_t(std::int64_t row, std::int64_t k)>& first_bit);
void note_found(std::int64_t& byte, std::int64_t address);

}  // namespace swz
