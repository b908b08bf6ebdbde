// SPDX-License-Identifier: Apache-2.0
// random_ptx: a kernel made at random, as text, that the reader understands and that comes to an end.
//
//   random_ptx(7)      .version 8.5 … .visible .entry k(.param .u64 p0, …) { .reg .b32 %r<60>; … ret; }
//
// It has straight code, if and else, loops with counters and pointers that advance by constants or by what memory holds (also with
// a way out in the middle, and one inside the other), registers with several definitions, instructions under a predicate, and
// braces with registers, ranges of them and labels of their own. Values come from %tid, %ctaid, %laneid, parameters, shared
// variables, loads, constants at edges, the memory that each lane has for itself, and calls. Lanes leave by exit, ret and
// trap under a predicate. A register is read only where every way from the beginning writes it before. shfl, vote and elect are
// where all lanes come together. No jump leads into the middle of anything. Of one seed every compiler makes the same text.
#pragma once

#include <cstdint>
#include <string>

namespace swz {

// Of one seed both are the same program.
enum class ScopeNames { hiding, apart };

struct RandomProgram {
  int statements = 30;  // about
  bool loops = true;
  bool branches = true;
  bool privates = true;  // memory of each lane, and calls
  bool leaves = true;    // lanes that end before the others
  ScopeNames names = ScopeNames::hiding;
};

std::string random_ptx(std::uint64_t seed, RandomProgram how = {});

// A kernel of accesses to shared memory, as layouts make them: fields of %tid and of uniform values that are masked, shifted,
// added and XORed, from loops and under predicates; bulk copies and wgmma at offsets up to 227 KB. Every address is a multiple of 16
// bytes.
std::string random_accesses(std::uint64_t seed);

// A kernel of loops whose passes differ: constant numbers of passes, one loop in the other, accesses under bounds on the counter,
// strides that double or halve, pointers that lanes advance differently, searches in what memory holds. Nothing but what
// memory holds differs from one run to the next, and a loop has at most 16 passes.
std::string random_passes(std::uint64_t seed);

// A kernel whose accesses begin at odd bases: bytes and half words at any place in a word, of an array that is the only one
// or not, and bases that are rounded up to 128 or 1024, by a mask, a difference, a choice and as a generic address. An access may be at an address
// that is no multiple of its width.
std::string random_bases(std::uint64_t seed);

}  // namespace swz
