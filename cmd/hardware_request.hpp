// SPDX-License-Identifier: Apache-2.0
// What the verify commands share: their options, and the source of the answer: a GPU, a recording, or only the
// compiler.
#pragma once

#include <functional>

#include "command.hpp"
#include "probe/suite.hpp"

namespace swz {

struct HardwareRequest {
  int device = 0;
  bool emit_kernel = false, compile_only = false;
  std::string record;
  std::optional<std::string> replay, resume;
  Hypothesis planted = Hypothesis::none;
  std::uint64_t seed = 1;
};
Options hardware_options(HardwareRequest& hardware);

// Makes the plans when the target is known.
using SuiteFor = std::function<Suite(const Target& target)>;

struct VerifyAnswer {
  VerifyReport report;
  // What was observed in every case, in the order of the suite; only if asked for.
  std::vector<RecordedCase> seen;
};

// Asks the GPU, or with --replay the recording: for the plans of the suite, or, if `suite` is empty, for all of its
// own. Throws Error of kind hardware if there is no GPU, driver or NVRTC.
VerifyAnswer ask_hardware(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context,
                          bool keeps_seen = false);

// The answer to --emit-kernel and --compile-only, which need no GPU. None if neither was given.
std::optional<Answer> without_hardware(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context);

}  // namespace swz
