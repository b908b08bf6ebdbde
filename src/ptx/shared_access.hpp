// SPDX-License-Identifier: Apache-2.0
// Which instructions access shared memory lane by lane, and by which rule their wavefronts are counted. Between the files of src/ptx.
//
//   ld.shared.v2.b32 {…}, [%r1]      ld.shared.b64, at the value of the second operand
//   atom.shared.add.f32 …            no rule: the GPU has a loop for it
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptx/lane_values.hpp"
#include "ptx/values.hpp"
#include "smem/access.hpp"

namespace swz {

struct SharedAccess {
  const AccessInstruction* instruction = nullptr;  // null: swz has no rule for it
  std::uint32_t address = 0;                       // the operand
  std::string why = {};
  bool aligns_down = false;  // of several that ptxas may join: the lanes give the address of one of them
  bool adds_up = false;  // of an atomic: where ptxas sees that all lanes share the word, it lets one lane go for all
};

// How often each value is named: by an operand, the one that gets it too, or by another value. Empty: the kernel has no atomics.
std::vector<std::uint32_t> mentions_of(const PtxValues& values);

// nullopt: the instruction does not access shared memory lane by lane.
std::optional<SharedAccess> shared_access(const PtxValues& values, const PtxInstruction& one,
                                          std::span<const std::uint32_t> mentions);

// The addresses with which the banks are counted, up to what all lanes share: one pattern where that is a multiple of a word, else one
// for each place in a word that it may leave an access. Empty: `why`.
std::vector<AccessPattern> patterns_of(const SharedAccess& access, const LaneValue& lanes, std::uint32_t active,
                                       std::string& why);

}  // namespace swz
