// SPDX-License-Identifier: Apache-2.0
// Suite: which plans a run asks, and what came of it.
//
//   make_suite({.size = standard, .seed = 1}, sm_90a)     every wgmma shape with 12 descriptors, …
//   run_suite(suite, observer, …)                         one row a probe: cases, confirmed, seconds, mismatches
//
// Invariant: the plans depend on the options and the target alone, so that a seed repeats a run.
#pragma once

#include "probe/recording.hpp"

namespace swz {

struct SuiteOptions {
  SuiteSize size = SuiteSize::standard;
  std::vector<std::string> only;  // probes; empty: every one
  std::uint64_t seed = 1;
  std::int64_t cases = 0;  // of each probe; 0: as the size says
};

struct SuitePart {
  SuitePart(std::string_view probe, std::vector<ProbePlan> plans);

  std::string probe;
  std::vector<ProbePlan> plans;
  std::vector<Kernel> kernels;            // each once, in the order of their first plan
  std::vector<std::size_t> kernel_index;  // of each plan; 0 where none has a kernel
};
using Suite = std::vector<SuitePart>;

// Throws Error for an unknown probe, and for one that the target does not have.
Suite make_suite(const SuiteOptions& options, const Target& target);
// The plans of each kernel, at most `most` at a time.
std::vector<std::vector<ProbePlan>> batches(const SuitePart& part, std::size_t most);
// Of all parts, each once.
std::vector<Kernel> kernels_of(const Suite& suite);
// The probes of a target.
std::vector<std::string> probes_on(const Target& target);

// Answers plans of one kind and kernel: a device, a recording, a simulation.
using Observer = std::function<std::vector<Observed>(std::span<const ProbePlan> plans)>;

// A GPU, asked under a hypothesis. Of a launch that fails each plan is asked again alone, so that only those that fail by
// themselves are failures. Throws GpuLost when this process cannot ask again; a plan that was alone is answered before.
Observer device_observer(ProbeDevice& device, Hypothesis hypothesis);
// What the recording knows; the rest as `observe` says. A run that asks one plan at a time records the one that lost the
// GPU, so that it comes to its end when each GpuLost is followed by another process.
Observer resuming_observer(const Recording& recording, Observer observe);
// The plans that the recording does not hold.
Suite without_known(const Suite& suite, const Recording& recording);
// A recording: knows the plans that were asked, no others. One that was asked twice was answered twice, in this order.
Observer replay_observer(const Recording& recording);
// The plans of a recording, by probe.
Suite suite_of(const Recording& recording);

struct CaseMismatch {
  ProbePlan plan;
  // Empty when only digests were compared, and of a launch that failed.
  std::optional<Mismatch> mismatch;
  std::vector<Hypothesis> explanations;  // each alone explains every element
  std::string failure = {};              // of the launch
};

struct PartReport {
  std::string probe;
  std::int64_t cases = 0, confirmed = 0;
  std::int64_t kernels = 0;
  double seconds = 0;
  std::vector<CaseMismatch> mismatches;  // the first few
};

struct VerifyReport {
  DeviceIdentity device;
  std::uint64_t seed = 0;
  Hypothesis planted = Hypothesis::none;
  bool is_replayed = false;
  double compile_seconds = 0;
  std::vector<PartReport> parts;

  std::int64_t cases() const { return sum(&PartReport::cases); }
  std::int64_t confirmed() const { return sum(&PartReport::confirmed); }
  bool is_confirmed() const { return cases() == confirmed(); }

  std::int64_t sum(std::int64_t PartReport::*count) const;
};

inline constexpr std::size_t mismatches_shown = 10;

// One case against the model, with the hypotheses that explain a mismatch. nullopt: as expected.
std::optional<CaseMismatch> judge(const ProbePlan& plan, const Observed& seen, Hypothesis model);

struct SuiteCallbacks {
  std::function<void(const SuitePart& part, std::size_t done)> progress = {};
  std::function<void(const ProbePlan& plan, const Observed& seen, bool is_confirmed)> record = {};
};
// `together`: so many plans are asked at a time, and recorded when all of them are answered.
std::vector<PartReport> run_suite(const Suite& suite, const Observer& observe, Hypothesis model,
                                  const SuiteCallbacks& callbacks, std::size_t together = 64);

}  // namespace swz
