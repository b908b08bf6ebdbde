// SPDX-License-Identifier: Apache-2.0
// Which instructions access shared memory lane by lane, and by which rule their wavefronts are counted.
//
//   ld.shared.v2.b32 {…}, [%r1]      ld.shared.b64, at the value of the second operand
//   atom.shared.add.f32 …            no rule: the GPU has a loop for it
//
// Used only inside src/ptx and src/sass.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptx/lane_values.hpp"
#include "ptx/opcode.hpp"
#include "ptx/values.hpp"
#include "smem/access.hpp"

namespace swz {

struct SharedAccess {
  const AccessInstruction* instruction = nullptr;  // null: swz has no rule for it
  std::uint32_t address = 0;                       // the operand
  std::string why = {};
  bool aligns_down = false;  // it is joined from several accesses, and the lanes give the address of one of them
  bool adds_up = false;  // of an atomic: if ptxas sees that all lanes share the word, one lane does the access for all
};

// Of one lane of ld, ldu or st: 16 of ld.shared.v4.b32.
int plain_bytes(const OpcodeParts& parts);

// How often each value is named, by operands (also the one that gets it) and by other values. Empty: the kernel has no
// atomics.
std::vector<std::uint32_t> mentions_of(const PtxValues& values);

// nullopt: the instruction does not access shared memory lane by lane.
std::optional<SharedAccess> shared_access(const PtxValues& values, const PtxInstruction& instruction,
                                          std::span<const std::uint32_t> mentions);

// The addresses by which the banks are counted, up to what all lanes share: one pattern if that is a multiple of a
// word, otherwise one for each place in a word at which an access may begin. Empty: `why` says why. An address has
// `bits` bits.
std::vector<AccessPattern> patterns_of(const SharedAccess& access, const LaneValue& lanes, std::uint32_t active,
                                       int bits, std::string& why);

}  // namespace swz
