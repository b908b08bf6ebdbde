// SPDX-License-Identifier: Apache-2.0
// Recordings: the answers of hardware, kept as JSON lines, so that they can be used again without a GPU.
//
//   {"recording":"swz verify","gpu":"NVIDIA H200","target":"sm_90a","driver":"580.159.03","nvrtc":"13.0",…,"seed":1}
//   {"wgmma":"n64.f32.f16.f16","of":"a","major":"K","word":"0x4000004000010042","digest":"0x37ae1c4002b0f1d5"}
//   {"wgmma":"n8.f32.f16.f16","of":"b","major":"MN","word":"0xc000…","seen":[8192,8208,…]}
//
// For most observations only the digest is kept: it is enough to decide whether a model predicts the same, and 40 times
// smaller. Every 5000th, and each that was not as expected, is kept whole. A launch that the GPU did not finish has
// the name of its error: {"tmem_mma":…,"failed":"CUDA_ERROR_ILLEGAL_INSTRUCTION"}
//
// Invariant (tested): read(write(x)) == x.
#pragma once

#include "probe/plan.hpp"

namespace swz {

// What was observed: the whole observation, or only its digest, or the failure of the launch.
struct Observed {
  std::uint64_t digest = 0;
  std::optional<Observation> whole;
  std::string failure = {};  // "CUDA_ERROR_ILLEGAL_INSTRUCTION"

  bool is(const Observation& other) const { return failure.empty() && digest == swz::digest(other); }
};

inline Observed observed(Observation observation) {
  const std::uint64_t hash = digest(observation);
  return {hash, std::move(observation)};
}

struct RecordedCase {
  ProbePlan plan;
  Observed seen;
};

struct Recording {
  DeviceIdentity device;
  std::uint64_t seed = 0;
  std::vector<RecordedCase> cases;
};

// One line each, with its newline.
std::string recording_head(const DeviceIdentity& device, std::uint64_t seed);
std::string recording_line(const ProbePlan& plan, const Observed& seen, bool is_whole);

// Throws Error with the line number if it is not a recording, or has no case, unless may_be_empty: a run that lost the
// GPU at once has none.
Recording read_recording(std::string_view text, bool may_be_empty = false);

}  // namespace swz
