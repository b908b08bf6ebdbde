// Probe of wgmma: which byte of shared memory does each element of an operand come from, given the descriptor?
//
//   plan: wgmma.m64n16k16.f32.f16.f16, operand A, MN-major, word 0x4000004000010042
//   All of shared memory holds position codes; B is the identity. So D[m][n] is element (m, n) of A, and its code
//   is the address it was read from.
//
// Operand A or B by descriptor, or A from registers: then the codes are in the registers, thread * values + value.
// Sparse, A is compressed: it lies like the A of a dense wgmma and is seen through a B that has its ones at the k
// that A keeps. B is seen through the compressed identity, once with each of two metadata words (operand_probe.hpp).
// The identity and D are taken as their fragments say, so a wrong fragment shows too; with A in registers D is
// read as it is, whatever the hypothesis, so that two mistakes do not cancel.
//
// Values of the observation: for each element of the operand, row by row, the bit address it came from; A in
// registers: thread * values + value.
#pragma once

#include <vector>

#include "probe/operand_probe.hpp"
#include "probe/statement.hpp"

namespace swz {

struct WgmmaPlan {
  WgmmaInstruction instruction;
  OperandRole operand = OperandRole::a;
  Major major = Major::K;
  std::uint64_t word = 0;  // of the operand; A in registers has none

  bool is_in_registers() const { return instruction.a_in_registers && operand == OperandRole::a; }
  TileExtents extents() const;
  const std::string& dtype() const { return operand == OperandRole::a ? instruction.a_type : instruction.b_type; }
};

// Codes from the end of what the system reserves, the identity at the top.
OperandMemory wgmma_memory();

// B of a sparse wgmma as the identity fits where largest_identity does up to this N: beyond it A is not probed.
bool may_probe(const WgmmaInstruction& instruction, OperandRole operand);

// A plan whose operand lies between begin and identity: random LBO, SBO, base offset, start and mode. In one
// word of eight reserved bits are set: the hardware ignores them.
WgmmaPlan draw_wgmma(const WgmmaInstruction& instruction, OperandRole operand, Random& random);

Kernel kernel_of(const WgmmaPlan& plan);
// pre: all plans have one kernel
Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
std::vector<Observation> decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis = Hypothesis::none);
Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const WgmmaPlan& plan);
std::string element_name(const WgmmaPlan& plan, std::int64_t index);
std::string value_name(const WgmmaPlan& plan, std::int64_t value);
Json to_json(const WgmmaPlan& plan);
WgmmaPlan wgmma_plan(const Json& json);

}  // namespace swz
