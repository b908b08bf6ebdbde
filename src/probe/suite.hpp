// SPDX-License-Identifier: Apache-2.0
// Suite: the plans of a run, and their results.
//
//   make_suite({.size = standard, .seed = 1}, sm_90a)     every wgmma shape with 12 descriptors, …
//   run_suite(suite, observer, …)                         one row per probe: cases, confirmed, seconds, mismatches
//
// Invariant: the plans depend only on the options and the target, so that a seed repeats a run.
#pragma once

#include "probe/recording.hpp"

namespace swz {

struct SuiteOptions {
  SuiteSize size = SuiteSize::standard;
  std::vector<std::string> only;  // probes; empty for all
  std::uint64_t seed = 1;
  std::int64_t cases = 0;  // per probe; 0 for the number of the size
};

struct SuitePart {
  SuitePart(std::string_view probe, std::vector<ProbePlan> plans);

  std::string probe;
  std::vector<ProbePlan> plans;
  std::vector<Kernel> kernels;            // each once, in the order of their first plan
  std::vector<std::size_t> kernel_index;  // of each plan; 0 if none has a kernel
};
using Suite = std::vector<SuitePart>;

// Throws Error for an unknown probe, and for one that the target does not have.
Suite make_suite(const SuiteOptions& options, const Target& target);
// The plans of each kernel, at most `most` at a time.
std::vector<std::vector<ProbePlan>> batches(const SuitePart& part, std::size_t most);
// The kernels of all parts, each once.
std::vector<Kernel> kernels_of(const Suite& suite);
// The probes of a target.
std::vector<std::string> probes_on(const Target& target);

// Answers plans of one kind and kernel. It may be a device, a recording or a simulation.
using Observer = std::function<std::vector<Observed>(std::span<const ProbePlan> plans)>;

// A GPU, used under a hypothesis. If a launch fails, each of its plans is run again separately, so that only those
// that fail by themselves count as failures. Throws GpuLost if this process cannot run them again; a plan that was
// launched by itself is answered first.
Observer device_observer(ProbeDevice& device, Hypothesis hypothesis);
// Answers from the recording what it knows, and the rest with `observe`. A run that asks one plan at a time also
// records the plan that lost the GPU, so it reaches its end if each GpuLost is followed by another process.
Observer resuming_observer(const Recording& recording, Observer observe);
// The plans that the recording does not have.
Suite without_known(const Suite& suite, const Recording& recording);
// A recording, which knows only the plans that were asked. A plan that was asked twice has two answers, in this order.
Observer replay_observer(const Recording& recording);
// The plans of a recording, by probe.
Suite suite_of(const Recording& recording);

struct CaseMismatch {
  ProbePlan plan;
  // Empty if only digests were compared, and for a launch that failed.
  std::optional<Mismatch> mismatch;
  std::vector<Hypothesis> explanations;  // each explains every element by itself
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

// Compares one case with the model, and finds the hypotheses that explain a mismatch. nullopt if it is as expected.
std::optional<CaseMismatch> judge(const ProbePlan& plan, const Observed& seen, Hypothesis model);

struct SuiteCallbacks {
  std::function<void(const SuitePart& part, std::size_t done)> progress = {};
  std::function<void(const ProbePlan& plan, const Observed& seen, bool is_confirmed)> record = {};
};
// `together` is the number of plans that are asked at a time, and recorded when all of them are answered.
std::vector<PartReport> run_suite(const Suite& suite, const Observer& observe, Hypothesis model,
                                  const SuiteCallbacks& callbacks, std::size_t together = 64);

}  // namespace swz
