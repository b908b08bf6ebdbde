// SPDX-License-Identifier: Apache-2.0
#include "probe/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

std::int64_t VerifyReport::sum(std::int64_t PartReport::*count) const {
  std::int64_t sum = 0;
  for (const PartReport& part : parts) sum += part.*count;
  return sum;
}

SuitePart::SuitePart(std::string_view name, std::vector<ProbePlan> asked) : probe(name), plans(std::move(asked)) {
  std::map<Kernel, std::size_t> known;
  for (const ProbePlan& plan : plans) {
    const std::optional<Kernel> kernel = swz::kernel_of(plan);
    const auto [found, is_new] = known.try_emplace(kernel.value_or(Kernel{}), kernels.size());
    if (kernel && is_new) kernels.push_back(*kernel);
    kernel_index.push_back(kernel ? found->second : 0);
  }
}

std::vector<Kernel> kernels_of(const Suite& suite) {
  std::vector<Kernel> out;
  std::set<Kernel> known;
  for (const SuitePart& part : suite)
    for (const Kernel& kernel : part.kernels)
      if (known.insert(kernel).second) out.push_back(kernel);
  return out;
}

std::vector<std::string> probes_on(const Target& target) {
  std::vector<std::string> out;
  for (const ProbeRow& row : probes())
    if (row.runs_on(target)) out.emplace_back(row.name);
  return out;
}

Suite make_suite(const SuiteOptions& options, const Target& target) {
  const std::vector<std::string> known = probes_on(target);
  for (const std::string& name : options.only)
    if (std::ranges::find(known, name) == known.end())
      throw usage_error(fmt::format("{} has no probe {}", target.name, swz::quoted(name)),
                        did_you_mean(name, known, fmt::format("its probes: {}", fmt::join(known, ", "))));
  Suite suite;
  for (const ProbeRow& row : probes()) {
    const bool is_wanted = options.only.empty() || std::ranges::find(options.only, row.name) != options.only.end();
    if (!row.runs_on(target) || !is_wanted) continue;
    // Each probe has its own numbers, so that --only does not change them.
    Random random(options.seed * 1000003 + static_cast<std::uint64_t>(&row - probes().data()));
    const std::int64_t cases = options.cases > 0 ? options.cases : row.cases[static_cast<std::size_t>(options.size)];
    suite.emplace_back(row.name, row.draw({options.size, cases}, target, random));
  }
  return suite;
}

namespace {

// The plan as it is in a recording.
std::string key_of(const ProbePlan& plan) { return to_json(plan).dump(); }

std::vector<Observed> answers_of(ProbeDevice& device, std::span<const ProbePlan> plans, Hypothesis hypothesis) {
  std::vector<Observed> out;
  try {
    for (Observation& seen : observe(device, plans, hypothesis)) out.push_back(observed(std::move(seen)));
    return out;
  } catch (const LaunchFault& fault) {
    if (plans.size() == 1) return {{0, {}, fault.name}};
    if (device.is_lost()) throw GpuLost(fault.message());
  }
  for (std::size_t i = 0; i < plans.size(); ++i)
    out.push_back(answers_of(device, plans.subspan(i, 1), hypothesis).front());
  return out;
}

}  // namespace

Observer device_observer(ProbeDevice& device, Hypothesis hypothesis) {
  return [&device, hypothesis](std::span<const ProbePlan> plans) { return answers_of(device, plans, hypothesis); };
}

Observer resuming_observer(const Recording& recording, Observer observe) {
  std::map<std::string, Observed> known;
  for (const RecordedCase& one : recording.cases) known.try_emplace(key_of(one.plan), one.seen);
  return [known, observe](std::span<const ProbePlan> plans) {
    std::vector<Observed> out;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const auto found = known.find(key_of(plans[i]));
      out.push_back(found != known.end() ? found->second : observe(plans.subspan(i, 1)).front());
    }
    return out;
  };
}

Suite without_known(const Suite& suite, const Recording& recording) {
  std::set<std::string> known;
  for (const RecordedCase& one : recording.cases) known.insert(key_of(one.plan));
  Suite out;
  for (const SuitePart& part : suite) {
    std::vector<ProbePlan> plans = part.plans;
    std::erase_if(plans, [&](const ProbePlan& plan) { return known.contains(key_of(plan)); });
    out.emplace_back(part.probe, std::move(plans));
  }
  return out;
}

Observer replay_observer(const Recording& recording) {
  std::map<std::string, std::deque<Observed>> recorded;
  for (const RecordedCase& one : recording.cases) recorded[key_of(one.plan)].push_back(one.seen);
  return [recorded](std::span<const ProbePlan> plans) mutable {
    std::vector<Observed> out;
    for (const ProbePlan& plan : plans) {
      const auto found = recorded.find(key_of(plan));
      if (found == recorded.end())
        throw Error(fmt::format("the recording does not hold {}", subject(plan)),
                    "only what was recorded can be replayed");
      out.push_back(found->second.front());
      if (found->second.size() > 1) found->second.pop_front();
    }
    return out;
  };
}

Suite suite_of(const Recording& recording) {
  Suite suite;
  for (const ProbeRow& row : probes()) {
    std::vector<ProbePlan> plans;
    for (const RecordedCase& recorded : recording.cases)
      if (&probe_of(recorded.plan) == &row) plans.push_back(recorded.plan);
    if (!plans.empty()) suite.emplace_back(row.name, std::move(plans));
  }
  return suite;
}

std::vector<std::vector<ProbePlan>> batches(const SuitePart& part, std::size_t most) {
  std::vector<std::vector<ProbePlan>> out;
  std::map<std::size_t, std::size_t> open;  // the batch of each kernel that can still take plans
  for (std::size_t i = 0; i < part.plans.size(); ++i) {
    const auto found = open.find(part.kernel_index[i]);
    if (found == open.end() || out[found->second].size() == most) {
      open[part.kernel_index[i]] = out.size();
      out.emplace_back();
    }
    out[open[part.kernel_index[i]]].push_back(part.plans[i]);
  }
  return out;
}

std::optional<CaseMismatch> judge(const ProbePlan& plan, const Observed& seen, Hypothesis model) {
  const Observation predicted = expected(plan, model);
  if (seen.is(predicted)) return std::nullopt;
  CaseMismatch out{plan, {}, {}, seen.failure};
  if (seen.whole) out.mismatch = compare(predicted, *seen.whole);
  const auto explains = [&](Hypothesis other) { return other != model && seen.is(expected(plan, other)); };
  if (explains(Hypothesis::none)) {
    // Models that do not affect this plan predict the same; they explain nothing.
    out.explanations.push_back(Hypothesis::none);
    return out;
  }
  for (const HypothesisRow& row : hypotheses())
    if (explains(row.hypothesis)) out.explanations.push_back(row.hypothesis);
  return out;
}

std::vector<PartReport> run_suite(const Suite& suite, const Observer& observe, Hypothesis model,
                                  const SuiteCallbacks& callbacks, std::size_t together) {
  std::vector<PartReport> out;
  for (const SuitePart& part : suite) {
    const auto begun = std::chrono::steady_clock::now();
    PartReport report{part.probe, 0, 0, static_cast<std::int64_t>(part.kernels.size()), 0, {}};
    for (const std::vector<ProbePlan>& batch : batches(part, together)) {
      const std::vector<Observed> seen = observe(batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const bool is_confirmed = seen[i].is(expected(batch[i], model));
        ++report.cases;
        if (is_confirmed) ++report.confirmed;
        else if (report.mismatches.size() < mismatches_shown)
          report.mismatches.push_back(*judge(batch[i], seen[i], model));
        if (callbacks.record) callbacks.record(batch[i], seen[i], is_confirmed);
      }
      if (callbacks.progress) callbacks.progress(part, static_cast<std::size_t>(report.cases));
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    out.push_back(std::move(report));
  }
  return out;
}

}  // namespace swz
