// One access to shared memory as CUDA C++, for kernels/wavefront.cu ("statement.cuh").
//
//   wavefront_statement(ld.shared.b64):
//     #define IS_STORE 0
//     #define COPIES 8
//     #define COPY_STEP 4096
//     __device__ void access(unsigned address, unsigned (&v)[2], unsigned on) {
//       … "@p ld.volatile.shared.v2.b32 {%0, %1}, [%2];" …
//
// A lane whose `on` is 0 does not execute it; a load then leaves v as it was, so that no load is dead.
//
// Invariant (tests/probe): NVRTC compiles the statement of every row for every target that has it, and the machine
// code of the loop holds it COPIES times.
// Source: PTX ISA 9.1, ld, st, ldmatrix, stmatrix.
#pragma once

#include <string>
#include <vector>

#include "smem/access.hpp"

namespace swz {

// The copies of the access in the loop lie this far apart, a multiple of the 128 bytes of a line of banks: their
// wavefronts are the same, and no two are the same instruction, which ptxas would merge.
inline constexpr int timed_copies = 8;
inline constexpr Bytes copy_step{4096};

// The rows that can be timed alone: cp.async is not one, it reads global memory too and goes its own way.
std::vector<const AccessInstruction*> timed_instructions(const Target& target);

// 32-bit registers that one lane loads or stores.
int registers_of(const AccessInstruction& instruction);

std::string wavefront_statement(const AccessInstruction& instruction);

}  // namespace swz
