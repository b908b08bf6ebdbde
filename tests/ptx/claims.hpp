// SPDX-License-Identifier: Apache-2.0
// ClaimWatcher: compares each operand of each executed instruction with what swz claims of it.
//
//   known bits and bounds     in every lane that is there
//   uniform                   the lanes in the same pass of the same loops hold the same
//   the form                  the operations of the value, on what its parameters, symbols and unknown values hold now, give
//                             what the register holds (in one lane, which the seed chooses)
//
// `contradiction` is the first claim that does not hold, as a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/interpreter.hpp"
#include "ptx/values.hpp"

namespace swz {

class ClaimWatcher : public PtxWatcher {
 public:
  ClaimWatcher(const PtxInterpreter& warp, const PtxValues& values);

  // Before each run: the lane whose forms are compared.
  void begin(int lane);
  void before(const PtxStep& step) override;
  void after(const PtxStep& step) override;

  std::string contradiction;
  std::uint64_t compared = 0;  // values in lanes

 protected:
  int lane() const { return lane_; }
  // What the operations of the value give now. nullopt: an unknown value has not been reached.
  std::optional<std::uint64_t> form(ValueId id, int lane);

 private:
  struct Claim {
    std::uint32_t operand = 0;
    ValueId value = no_value;
    bool is_result = false;
  };
  struct Given {  // a register that an unknown value comes to
    ValueId value = no_value;
    std::uint32_t reg = 0;
  };
  void add_claims(std::uint32_t instruction, std::uint32_t operand, bool is_result);
  void compare(const PtxStep& step, bool results);
  void compare_lanes(const PtxStep& step, const Claim& claim);
  std::optional<std::uint64_t> evaluated(ValueId id, int lane);
  void say(const PtxStep& step, const Claim& claim, int lane, const std::string& what);

  const PtxInterpreter& warp_;
  const PtxValues& values_;
  std::vector<std::vector<Claim>> claims_;        // of each instruction
  std::vector<std::vector<Given>> given_, phis_;  // of each instruction; phis where it begins a block
  std::vector<std::uint64_t> leaf_;               // of unknown values and phis, in each lane
  std::vector<std::uint32_t> has_leaf_;           // lanes
  std::vector<std::uint64_t> memo_time_;
  std::vector<std::optional<std::uint64_t>> memo_;
  std::uint64_t time_ = 0;
  int lane_ = 0;
};

// What is claimed of a value, for messages: "add(phi %r5, 4), bits 0x… known, 0 to 7".
std::string claim_text(const PtxValues& values, ValueId id, int depth = 0);

}  // namespace swz
