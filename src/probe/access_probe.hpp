// What the accesses of a walk (smem/walk.hpp) read from shared memory, or write to it: for each element of an
// operand, where it was read or found. No plan of its own: the probe of layouts asks it.
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

#include <span>
#include <vector>

#include "probe/launch.hpp"
#include "smem/walk.hpp"

namespace swz {

// None of the pointers is null.
struct OperandWalk {
  const Placement* placement;
  Walk walk;
};

// Whether the probe knows where the bytes of its registers come from: all but the byte matrices of Blackwell, and
// of .trans elements of 16 bits only: others are torn.
bool may_ask(const AccessInstruction& instruction, int element_bits);

Kernel access_kernel(const AccessInstruction& instruction);
// pre: all have one instruction that may be asked, and lie inside the shared memory of the target.
Launch access_launch(std::span<const OperandWalk> walks, const Target& target);
// Of each operand, for each element row by row, the bit address where it was read or found. unreadable where its
// bytes do not lie together, or where a written one is found twice or nowhere.
std::vector<std::vector<std::int64_t>> accessed(std::span<const OperandWalk> walks, const Target& target,
                                                const ByteBuffer& output);

}  // namespace swz
