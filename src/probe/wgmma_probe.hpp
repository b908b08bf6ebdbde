// SPDX-License-Identifier: Apache-2.0
// Probe of wgmma: from which byte of shared memory does each element of an operand come, for a given descriptor?
//
//   plan: wgmma.m64n16k16.f32.f16.f16, operand A, MN-major, word 0x4000004000010042
//   All of shared memory has position codes; B is the identity. So D[m][n] is element (m, n) of A, and its code is the
//   address from which it was read.
//
// The operand is A or B by descriptor, or A from registers: then the codes are in the registers, thread * values +
// value. In a sparse wgmma A is compressed: it is stored like the A of a dense wgmma and is seen through a B that has
// its ones at the k that A keeps. B is seen through the compressed identity, once with each of two metadata words
// (operand_probe.hpp). The identity and D are placed by their fragments, so a wrong fragment shows too. With A in
// registers D is read by its own fragment under every hypothesis, so that two mistakes do not cancel.
//
// Values of the observation: for each element of the operand, row by row, the bit address from which it came; for A in
// registers thread * values + value.
//
// The statement is one instruction of the arch tables as CUDA C++ with inline PTX, which a kernel includes
// ("statement.cuh"). wgmma_statement({m64, n 16, f16 x f16 -> f32}):
//
//     #define D_REGISTERS 8
//     #define A_REGISTERS 0
//     __device__ void mma(unsigned (&d)[8], unsigned long long a, unsigned long long b, unsigned transposed,
//                         unsigned metadata) {
//       … "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, …, %7}, %8, %9, p, 1, 1, 0, 0;" …
//
// Registers are 32-bit words whatever their contents. Which operand is MN-major is an immediate of the instruction, so
// a statement has all variants and `transposed` chooses: bit 0 for A, bit 1 for B. For a sparse wgmma K is twice as
// long, and the metadata are an argument, which others ignore.
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
  bool sparse = false;  // A is compressed, in shared memory
  bool operator==(const WgmmaInstruction&) const = default;
};

// A and B have one type, and D the widest that the instruction accepts.
WgmmaInstruction wgmma_of(const DType& dtype, std::int64_t n);
// Every shape and type of wgmma, with A in shared memory or in registers.
std::vector<WgmmaInstruction> wgmma_instructions(bool a_in_registers);
// Every shape and type of sparse wgmma: as for dense ones, except b1.
std::vector<WgmmaInstruction> sparse_wgmma_instructions();

// K of B; A has half of it if the instruction is sparse.
int depth_of(const WgmmaInstruction& instruction);
// The row of the arch table, which has the dense K. Throws Error if there is no such instruction.
const MmaInstruction& row_of(const WgmmaInstruction& instruction);
// True for operands of 16 bits, which may be MN-major.
bool may_transpose(const WgmmaInstruction& instruction);
// "wgmma.m64n16k16.f32.f16.f16", "wgmma.sp.m64n16k32.f32.f16.f16"
std::string to_string(const WgmmaInstruction& instruction);

// The fragment of a or d; B has none. For a sparse wgmma, only that of D.
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

// Codes from the end of the reserved bytes on, the identity at the top.
OperandMemory wgmma_memory();

// Whether the identity that shows the operand fits into largest_identity. For A of a sparse wgmma it does up to some N.
bool may_probe(const WgmmaInstruction& instruction, OperandRole operand);

// A plan whose operand is between begin and identity, with random LBO, SBO, base offset, start and mode. In one word
// of eight reserved bits are set: the hardware ignores them.
WgmmaPlan draw_wgmma(const WgmmaInstruction& instruction, OperandRole operand, Random& random);

Kernel kernel_of(const WgmmaPlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const WgmmaPlan& plan);
std::string element_name(const WgmmaPlan& plan, std::int64_t index);
std::string value_name(const WgmmaPlan& plan, std::int64_t value);
Json to_json(const WgmmaPlan& plan);
WgmmaPlan wgmma_plan(const Json& json);

}  // namespace swz
