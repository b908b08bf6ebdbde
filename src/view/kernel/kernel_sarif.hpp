// SPDX-License-Identifier: Apache-2.0
// KernelSarif: the findings of kernels as a log of SARIF 2.1.0, which code scanning shows at the lines of a source.
//
//   KernelSarif log;
//   log.add(text);      a result for each finding and for each access with a conflict
//   log.text()          {"$schema": …, "version": "2.1.0", "runs": [{"tool": …, "results": [
//                         {"ruleId": "bank-conflict", "level": "warning",
//                          "message": {"text": "ld.shared.b32 takes 32 wavefronts per warp where 1 would do"},
//                          "locations": [{"physicalLocation": {"artifactLocation": {"uri": "transpose.cu"},
//                                                              "region": {"startLine": 11}}, …}], …}]}]}
//
// A place is the line of the author's source if the kernel has it, else the line of the text that was read, else the
// instruction's offset in the code. What is found several times at one place of one kernel, of an unrolled loop, is one
// result with its number; of conflicts it is the one with the most wavefronts too many. What is not known is a
// notification, so that a log without results is not taken for a pass.
//
// Source: OASIS, SARIF 2.1.0 plus errata 01.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/kernel/kernel.hpp"

namespace swz {

class KernelSarif {
 public:
  void add(const KernelText& text);
  // Of a kernel that could not be read.
  void add_unread(std::string_view kernel, std::string_view why);
  std::string text() const;

 private:
  std::vector<Json> results_;
  std::vector<Json> notifications_;
  bool is_whole_ = true;
};

}  // namespace swz
