// SPDX-License-Identifier: Apache-2.0
// LaneWatcher: compares what a warp's lanes hold, and the wavefronts of its accesses, with what swz claims of them.
//
//   exact        each lane holds its value
//   shifted      all lanes hold theirs plus one number, a multiple of 2^zeros; flipped: XOR one number of the bits `flips`
//   relabelled   which lanes share a word of 2^zeros bytes, and which a bank, is as it says
//   uniform      all lanes hold the same
//   the lanes of a block and of an instruction, on the first way to it
//
// Claims that are sampled are not compared: they hold for one execution of many.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/interpreter.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/lane_values.hpp"

namespace swz {

class LaneWatcher : public PtxWatcher {
 public:
  // sites: of the same kernel and the same threads.
  LaneWatcher(const PtxInterpreter& interpreter, const PtxValues& values, WarpValues& warp,
              const std::vector<SmemSite>& sites);

  // Counts the sectors of these, of the same kernel.
  void watch(const std::vector<GmemSite>& sites);
  void before(const PtxStep& step) override;

  std::string contradiction;
  std::uint64_t compared = 0;               // values of a warp
  std::array<std::uint64_t, 6> kinds = {};  // of LaneKind
  std::map<std::uint32_t, std::vector<int>>
      counted;  // by site: wavefronts of each visit; 0 where an address is not allowed
  std::map<std::uint32_t, std::int64_t> executed;     // how often each site was, also those without a count
  std::map<std::uint32_t, std::vector<int>> sectors;  // by site: of each visit; 0 where an address is not allowed
 private:
  void count_sectors(const PtxStep& step, const GmemSite& site);
  void compare(const PtxStep& step, std::uint32_t operand, ValueId value);
  void count(const PtxStep& step, const SmemSite& site);
  void say(const PtxStep& step, const std::string& what);

  const PtxInterpreter& interpreter_;
  const PtxValues& values_;
  WarpValues& warp_;
  std::map<std::uint32_t, const SmemSite*> sites_;
  std::map<std::uint32_t, const GmemSite*> global_;
  std::vector<std::vector<std::uint32_t>> operands_;  // of each instruction, those that it reads
  std::vector<bool> visited_;
};

}  // namespace swz
