// SPDX-License-Identifier: Apache-2.0
// LinearForm: a value as a sum of other values times constants, modulo a power of two.
//
// Addresses are sums that compilers write in many ways: as shifts, masks and ORs as well as multiplications. The form
// brings them to one shape, so that two addresses can be compared and subtracted.
//
//   add.s32 %r2, %r1, 64;  shl.b32 %r3, %r2, 7;  add.s32 %r4, %r3, smem;
//   form of %r4:   smem + 128*%r1 + 8192
//
//   neg.s32 %r5, smem;  and.b32 %r6, %r5, 1023;  add.s32 %r7, smem, %r6;
//   form of %r7 modulo 2^10:   0, so %r7 is a multiple of 1024, whatever smem is
//
// A value that is not a sum is a term itself. XOR and OR are sums only if their operands have no bit in common, shifts
// to the right only if they lose no bit. A phi that a loop advances is what enters the loop plus its progress since
// then.
//
// Invariant (tested by running): the sum of the terms is the value, modulo 2^bits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptx/found_table.hpp"
#include "ptx/values.hpp"

namespace swz {

struct LinearTerm {
  ValueId value = no_value;
  std::uint64_t factor = 1;
  bool is_progress = false;  // of a phi: what the loop has added to it
};

struct LinearForm {
  int bits = 64;
  std::vector<LinearTerm> terms;
  std::uint64_t constant = 0;
  std::int64_t written = 0;  // the same modulo 2^bits, with the sign that the PTX gave it: smem + 147456, %r7 - 49152
};

// The form of value << shift modulo 2^bits, bits up to 64.
LinearForm linear_form(const PtxValues& values, ValueId value, int bits, int shift = 0);

// a - b; both have the same modulus.
LinearForm difference(const LinearForm& a, const LinearForm& b);

// A loop's phi: what enters the loop, and what each way back adds, as a form without the phi.
struct Induction {
  ValueId enters = no_value;
  std::vector<LinearForm> steps;
};
std::optional<Induction> induction(const PtxValues& values, ValueId phi);

// The largest k up to 20 such that value << shift is proven to be a multiple of 2^k; `bits` if it is a multiple of
// 2^bits.
int proven_zeros(const PtxValues& values, ValueId value, int bits = 64, int shift = 0);
// The same of a term with its factor.
int proven_zeros(const PtxValues& values, const LinearTerm& term);
// value << shift modulo 2^bits, if all terms of its form are proven to be multiples of 2^bits.
std::optional<std::int64_t> proven_remainder(const PtxValues& values, ValueId value, int bits, int shift);

// Sums whose part that all lanes share is a multiple of 2^bits, for all warps of a kernel: each is worked out once.
class AlignedSums {
 public:
  explicit AlignedSums(const PtxValues& values) : v_(values), of_10_(values.size()), of_7_(values.size()) {}
  // The part that lanes do not share, modulo 2^bits; bits is 10 or 7. Null: the shared part is not such a multiple.
  const LinearForm* of_lanes(ValueId sum, int bits);

 private:
  const PtxValues& v_;
  FoundTable<std::unique_ptr<const LinearForm>> of_10_, of_7_;
};

// " v12*4 p7*128": the terms in a fixed order. Forms with equal keys differ only by their constants.
std::string terms_key(const LinearForm& form);

// "smem + 128*%r1 + 8192"; the symbol first.
std::string to_string(const LinearForm& form, const PtxValues& values);

}  // namespace swz
