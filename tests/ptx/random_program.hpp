// random_ptx: a kernel made at random, as text, that the reader understands and that comes to an end.
//
//   random_ptx(7)      .version 8.5 … .visible .entry k(.param .u64 p0, …) { .reg .b32 %r<60>; … ret; }
//
// It has straight code, if and else, loops with counters and pointers that advance by constants (also with a way out in the
// middle, and one inside the other), registers with several definitions, instructions under a predicate, and braces with
// registers and labels of their own. Values come from %tid, %ctaid, %laneid, parameters, shared variables, loads and constants
// at edges. A register is read only where every way from the beginning writes it before. shfl, vote and elect stand where
// all lanes come together. Nobody jumps into the middle of anything. Of one seed every compiler makes the same text.
#pragma once

#include <cstdint>
#include <string>

namespace swz {

struct RandomProgram {
  int statements = 30;  // about
  bool loops = true;
  bool branches = true;
};

std::string random_ptx(std::uint64_t seed, RandomProgram how = {});

// A kernel of accesses to shared memory, as layouts make them: fields of %tid and of uniform values that are masked, shifted,
// added and XORed, from loops and under predicates; bulk copies and wgmma at offsets up to 227 KB. Every address is a multiple of 16
// bytes.
std::string random_accesses(std::uint64_t seed);

}  // namespace swz
