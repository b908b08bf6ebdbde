// Every mma.sync that the arch tables know, one by one, and its statement.
//
//   {m 16, k 16, f16 x f16 + f32 -> f32}   "mma.m16n8k16.row.col.f32.f16.f16.f32"
//     #define A_WORDS 4
//     #define B_WORDS 2
//     #define C_WORDS 4
//     #define D_WORDS 4
//     __device__ void mma(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], …) {
//       asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, …}, {%4, …}, {%8, …}, {%10, …};" …
//
// A row of the arch table names types; an instruction names one of A, one of B, C and D, and what else is written
// out: .row and .col of m8n8k4 of f16, .and or .xor of b1, the kind of fp6 and fp4. Words are 32 bits; f64 takes
// two.
//
// Invariants (tested): to_string names each instruction once; mma_sync_instruction inverts it.
// Source: PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for what it says of types and targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fragment/fragment.hpp"

namespace swz {

struct MmaSyncInstruction {
  int m = 16, k = 16;
  std::string d_type = "f32", a_type = "f16", b_type = "f16", c_type = "f32";
  OperandOrder a_order = OperandOrder::row, b_order = OperandOrder::col;
  bool counts_xor = false;  // b1: D counts the ones of A xor B, else of A and B
  bool operator==(const MmaSyncInstruction&) const = default;
};

std::vector<MmaSyncInstruction> mma_sync_instructions();
std::vector<MmaSyncInstruction> mma_sync_instructions_on(const Target& target);
// By what to_string gives; throws Error with the nearest.
MmaSyncInstruction mma_sync_instruction(std::string_view name);

bool runs_on(const MmaSyncInstruction& instruction, const Target& target);
// "mma.m16n8k16.row.col.f32.f16.f16.f32": as PTX writes it, without sync.aligned.
std::string to_string(const MmaSyncInstruction& instruction);
// Of a, b, c or d. pre: the instruction is one of mma_sync_instructions().
Fragment fragment_of(const MmaSyncInstruction& instruction, Operand operand);

std::string mma_statement(const MmaSyncInstruction& instruction);

}  // namespace swz
