// SPDX-License-Identifier: Apache-2.0
// Probe of mma.sync: which element of a matrix is in each register of each thread?
//
//   plan: mma.m16n8k16.row.col.f32.f16.f16.f32, A
//   The registers of A have position codes, 1 + thread * values + value; B is the identity. D[m][n] is element (m, n)
//   of A, and its code names its register. N 8 < K 16: a second selection shows columns 8 ... 15.
//
//   A, B   codes in A (B), the identity in the other; read through D's fragment
//   C      codes in C, zeros in A and B; read through D's fragment
//   D      codes of the rows in one column of A, ones in one row of B; then codes of the columns in B: each register of
//          D then shows its own row and column
//
// .xor.popc counts the bits that differ, not those that agree: |a ^ b| = |a| + |b| - 2 |a & b|. A further partner of
// zeros shows |a|, and the identity has |b| = 1, so |a & b| can be computed from the observations.
//
// No product can show the names of the rows, columns and k themselves: if they are exchanged in every operand alike,
// nothing changes.
//
// Values of the observation: for each element of the operand, row by row (for m8n8k4 of f16 the four MMAs one after
// another), thread * values + value.
//
// The instructions are those of the arch tables, one by one:
//
//   {m 16, k 16, f16 x f16 + f32 -> f32}   "mma.m16n8k16.row.col.f32.f16.f16.f32"
//     #define A_WORDS 4
//     #define B_WORDS 2
//     #define C_WORDS 4
//     #define D_WORDS 4
//     __device__ void mma(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], …) {
//       asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, …}, {%4, …}, {%8, …}, {%10, …};" …
//
// A row of the arch table names several types. An instruction names one of A, one of B, C and D, and the rest of its
// text: .row and .col of m8n8k4 of f16, .and or .xor of b1, the kind of fp6 and fp4. Words have 32 bits; f64 takes
// two.
//
// Invariants (tested): to_string names each instruction once; mma_sync_instruction inverts it.
// Source: PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for types and targets.
#pragma once

#include "probe/registers.hpp"

namespace swz {

struct MmaSyncInstruction {
  const MmaInstruction *a_row = nullptr, *b_row = nullptr;  // rows that accept the types of A and of B, of one shape
  std::string d_type, a_type, b_type, c_type;
  OperandOrders orders = {};
  bool counts_xor = false;  // for b1: D counts the ones of A xor B, otherwise of A and B
  bool operator==(const MmaSyncInstruction&) const = default;
};

std::vector<MmaSyncInstruction> mma_sync_instructions();
// The instruction with this name of to_string. Throws Error with the nearest.
MmaSyncInstruction mma_sync_instruction(std::string_view name);

bool runs_on(const MmaSyncInstruction& instruction, const Target& target);
// "mma.m16n8k16.row.col.f32.f16.f16.f32", as PTX writes it, without sync.aligned.
std::string to_string(const MmaSyncInstruction& instruction);
// The operand is a, b, c or d.
Fragment fragment_of(const MmaSyncInstruction& instruction, Operand operand);

std::string mma_statement(const MmaSyncInstruction& instruction);

struct MmaPlan {
  MmaSyncInstruction instruction;
  Operand operand = Operand::a;  // a, b, c or d
};

// The plans for A, B, C and D of an instruction; nothing in them is random.
std::vector<MmaPlan> mma_plans(const MmaSyncInstruction& instruction);

Kernel kernel_of(const MmaPlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const MmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
// D is read by its own fragment under every hypothesis: if A and D were wrong in the same way, they would agree.
Observations decode(std::span<const MmaPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const MmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const MmaPlan& plan);
std::string element_name(const MmaPlan& plan, std::int64_t index);
std::string value_name(const MmaPlan& plan, std::int64_t value);
Json to_json(const MmaPlan& plan);
MmaPlan mma_plan(const Json& json);

}  // namespace swz
