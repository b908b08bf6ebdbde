// SPDX-License-Identifier: Apache-2.0
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
//
// The statement is one instruction of the arch tables as CUDA C++ with inline PTX, as a kernel includes it
// ("statement.cuh"). wgmma_statement({m64, n 16, f16 x f16 -> f32}):
//
//     #define D_REGISTERS 8
//     #define A_REGISTERS 0
//     __device__ void mma(unsigned (&d)[8], unsigned long long a, unsigned long long b, unsigned transposed,
//                         unsigned metadata) {
//       … "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, …, %7}, %8, %9, p, 1, 1, 0, 0;" …
//
// Registers are 32-bit words whatever they hold. Which operand is MN-major is an immediate of the instruction, so a
// statement holds all variants and `transposed` chooses: bit 0 for A, bit 1 for B. Of a sparse wgmma K is twice as
// long, and the metadata are an argument; others ignore it.
//
// Invariant (tests/nvrtc): NVRTC compiles the statement of every row for every target that has it.
// Source: PTX ISA 9.1, 9.7.14.5, 9.7.15.5.2 and 9.7.15.6.2.
#pragma once

#include "probe/operand_probe.hpp"

namespace swz {

// One wgmma.
struct WgmmaInstruction {
  int n = 8;
  std::string a_type = "f16", b_type = "f16", d_type = "f32";
  bool a_in_registers = false;
  bool sparse = false;  // A compressed, in shared memory
  bool operator==(const WgmmaInstruction&) const = default;
};

// A and B of one type, D the widest that takes it.
WgmmaInstruction wgmma_of(const DType& dtype, std::int64_t n);
// Every shape and type of wgmma, with A in shared memory or in registers.
std::vector<WgmmaInstruction> wgmma_instructions(bool a_in_registers);
// Every shape and type of sparse wgmma: as the dense ones, but for b1.
std::vector<WgmmaInstruction> sparse_wgmma_instructions();

// K of B; A has half of it when the instruction is sparse.
int depth_of(const WgmmaInstruction& instruction);
// The row of the arch table, whose K is that of a dense one. Throws Error when there is no such instruction.
const MmaInstruction& row_of(const WgmmaInstruction& instruction);
// Operands of 16 bits may be MN-major.
bool may_transpose(const WgmmaInstruction& instruction);
// "wgmma.m64n16k16.f32.f16.f16", "wgmma.sp.m64n16k32.f32.f16.f16"
std::string to_string(const WgmmaInstruction& instruction);

// Of a or d; B has none. Of a sparse one, D.
Fragment fragment_of(const WgmmaInstruction& instruction, Operand operand);

std::string wgmma_statement(const WgmmaInstruction& instruction);

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
Observations decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const WgmmaPlan& plan);
std::string element_name(const WgmmaPlan& plan, std::int64_t index);
std::string value_name(const WgmmaPlan& plan, std::int64_t value);
Json to_json(const WgmmaPlan& plan);
WgmmaPlan wgmma_plan(const Json& json);

}  // namespace swz
