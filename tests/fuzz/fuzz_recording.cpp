// SPDX-License-Identifier: Apache-2.0
// Any text as a recording: an Error or a recording, never a crash. What is read is written and read again alike,
// and can be compared with the model.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "probe/suite.hpp"
#include "view/verify/verify.hpp"

namespace {

// Where a model has no answer, as for a descriptor with an illegal mode, it says so.
void compare_cases(const swz::Recording& recording) {
  swz::VerifyReport report;
  report.device = recording.device;
  report.parts = run_suite(suite_of(recording), replay_observer(recording), swz::Hypothesis::none, {});
  if (report.cases() != static_cast<std::int64_t>(recording.cases.size())) std::abort();
  view_verify(report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const swz::Recording recording = swz::read_recording(std::string_view(reinterpret_cast<const char*>(data), size));
    std::string text = swz::recording_head(recording.device, recording.seed);
    for (const swz::RecordedCase& c : recording.cases)
      text += swz::recording_line(c.plan, c.seen, c.seen.whole.has_value());
    const swz::Recording again = swz::read_recording(text);
    if (again.cases.size() != recording.cases.size() || again.seed != recording.seed) std::abort();
    for (std::size_t i = 0; i < again.cases.size(); ++i) {
      if (again.cases[i].seen.digest != recording.cases[i].seen.digest) std::abort();
      if (swz::to_json(again.cases[i].plan) != swz::to_json(recording.cases[i].plan)) std::abort();
    }
    compare_cases(recording);
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
