// Every ldmatrix, stmatrix and movmatrix that the arch tables know, one by one, and its statement.
//
//   {ldmatrix, m8n8, b16, x2, .trans}   "ldmatrix.x2.trans"
//     #define WORDS 2
//     __device__ void matrix(unsigned (&r)[2], unsigned address) {
//       asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" …
//
// Invariants (tested): to_string names each instruction once, as find_fragment takes it; matrix_sync_instruction
// inverts it. Source: PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for the targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fragment/fragment.hpp"

namespace swz {

struct MatrixSyncInstruction {
  InstructionFamily family = InstructionFamily::ldmatrix;
  std::string shape = "m8n8", type = "b16";
  int number = 1;  // of matrices
  bool transposed = false;
  bool operator==(const MatrixSyncInstruction&) const = default;
};

std::vector<MatrixSyncInstruction> matrix_sync_instructions();
std::vector<MatrixSyncInstruction> matrix_sync_instructions_on(const Target& target);
// By what to_string gives; throws Error with the nearest.
MatrixSyncInstruction matrix_sync_instruction(std::string_view name);

// pre, of these and the following: the instruction is one of matrix_sync_instructions().
const MatrixInstruction& row_of(const MatrixSyncInstruction& instruction);
bool runs_on(const MatrixSyncInstruction& instruction, const Target& target);
std::string to_string(const MatrixSyncInstruction& instruction);
// Of ldmatrix and stmatrix the operand is memory, of movmatrix a or d.
Fragment fragment_of(const MatrixSyncInstruction& instruction, Operand operand);

std::string matrix_statement(const MatrixSyncInstruction& instruction);

}  // namespace swz
