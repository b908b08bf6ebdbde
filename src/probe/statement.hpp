// Statements: one instruction of the arch tables as CUDA C++ with inline PTX, as a kernel includes it
// ("statement.cuh").
//
//   wgmma_statement({m64, n 16, f16 x f16 -> f32}):
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

#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "fragment/fragment.hpp"

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

// Helpers of all statements: "%3, %4, %5" and "\"+r\"(d[0]), \"+r\"(d[1])".
std::string placeholders(int first, int count);
std::string operands(std::string_view constraint, std::string_view name, int count);

}  // namespace swz
