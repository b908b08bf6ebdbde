#include "probe/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

std::int64_t VerifyReport::cases() const {
  std::int64_t sum = 0;
  for (const PartReport& part : parts) sum += part.cases;
  return sum;
}

std::int64_t VerifyReport::confirmed() const {
  std::int64_t sum = 0;
  for (const PartReport& part : parts) sum += part.confirmed;
  return sum;
}

std::vector<Kernel> kernels_of(const Suite& suite) {
  std::vector<Kernel> out;
  std::set<std::string> seen;
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans)
      if (const std::optional<Kernel> kernel = kernel_of(plan))
        if (seen.insert(kernel->file + "\n" + kernel->statement).second) out.push_back(*kernel);
  return out;
}

namespace {

class DeviceObserver : public Observer {
 public:
  DeviceObserver(ProbeDevice& device, Hypothesis hypothesis) : device_(device), hypothesis_(hypothesis) {}
  const DeviceIdentity& identity() const override { return device_.identity(); }
  std::vector<Observed> observe(std::span<const ProbePlan> plans) override {
    std::vector<Observed> out;
    for (Observation& seen : swz::observe(device_, plans, hypothesis_)) out.push_back(observed(std::move(seen)));
    return out;
  }

 private:
  ProbeDevice& device_;
  Hypothesis hypothesis_;
};

class SimulatedObserver : public Observer {
 public:
  explicit SimulatedObserver(Hypothesis hypothesis) : hypothesis_(hypothesis) {}
  const DeviceIdentity& identity() const override { return identity_; }
  std::vector<Observed> observe(std::span<const ProbePlan> plans) override {
    std::vector<Observed> out;
    for (Observation& seen : observe_simulated(plans, hypothesis_)) out.push_back(observed(std::move(seen)));
    return out;
  }

 private:
  Hypothesis hypothesis_;
  DeviceIdentity identity_{"simulated", "sm_90a", "", "", ""};
};

class ReplayObserver : public Observer {
 public:
  explicit ReplayObserver(const Recording& recording) : identity_(recording.device) {
    for (const RecordedCase& recorded : recording.cases)
      seen_[to_json(recorded.plan).dump()].push_back(recorded.seen);
  }
  const DeviceIdentity& identity() const override { return identity_; }
  std::vector<Observed> observe(std::span<const ProbePlan> plans) override {
    std::vector<Observed> out;
    for (const ProbePlan& plan : plans) {
      const auto found = seen_.find(to_json(plan).dump());
      if (found == seen_.end())
        throw Error(fmt::format("the recording does not hold {}", subject(plan)),
                    "only what was recorded can be replayed");
      out.push_back(found->second.front());
      if (found->second.size() > 1) found->second.pop_front();
    }
    return out;
  }

 private:
  DeviceIdentity identity_;
  // By plan. One that was asked twice was answered twice, in this order.
  std::map<std::string, std::deque<Observed>> seen_;
};

}  // namespace

std::unique_ptr<Observer> device_observer(ProbeDevice& device, Hypothesis hypothesis) {
  return std::make_unique<DeviceObserver>(device, hypothesis);
}
std::unique_ptr<Observer> simulated_observer(Hypothesis hypothesis) {
  return std::make_unique<SimulatedObserver>(hypothesis);
}
std::unique_ptr<Observer> replay_observer(const Recording& recording) {
  return std::make_unique<ReplayObserver>(recording);
}

Suite suite_of(const Recording& recording) {
  Suite suite;
  for (const std::string_view name : probe_names()) {
    SuitePart part{std::string(name), {}};
    for (const RecordedCase& recorded : recording.cases)
      if (probe_of(recorded.plan) == name) part.plans.push_back(recorded.plan);
    if (!part.plans.empty()) suite.push_back(std::move(part));
  }
  return suite;
}

std::optional<CaseMismatch> judge(const ProbePlan& plan, const Observed& seen, Hypothesis model) {
  const Observation predicted = expected(plan, model);
  if (digest(predicted) == seen.digest) return std::nullopt;
  CaseMismatch out{plan, {}, seen.whole, {}};
  if (seen.whole) out.mismatch = compare(predicted, *seen.whole).mismatch;
  const auto explains = [&](Hypothesis other) {
    return other != model && digest(expected(plan, other)) == seen.digest;
  };
  if (explains(Hypothesis::none)) {
    // Models that say nothing about this plan predict the same; they explain nothing.
    out.explanations.push_back(Hypothesis::none);
    return out;
  }
  for (const HypothesisRow& row : hypotheses())
    if (explains(row.hypothesis)) out.explanations.push_back(row.hypothesis);
  return out;
}

std::vector<PartReport> run_suite(const Suite& suite, Observer& observer, Hypothesis model,
                                  const SuiteCallbacks& callbacks) {
  constexpr std::size_t batch_size = 64;
  std::vector<PartReport> out;
  for (const SuitePart& part : suite) {
    const auto begun = std::chrono::steady_clock::now();
    PartReport report{part.probe, 0, 0, static_cast<std::int64_t>(kernels_of({part}).size()), 0, {}};
    for (const std::vector<ProbePlan>& batch : batches(part.plans, batch_size)) {
      const std::vector<Observed> seen = observer.observe(batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::optional<CaseMismatch> mismatch = judge(batch[i], seen[i], model);
        ++report.cases;
        if (!mismatch) ++report.confirmed;
        else if (report.mismatches.size() < mismatches_shown) report.mismatches.push_back(*mismatch);
        if (callbacks.record) callbacks.record(batch[i], seen[i], !mismatch);
      }
      if (callbacks.progress) callbacks.progress(part, static_cast<std::size_t>(report.cases));
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    out.push_back(std::move(report));
  }
  return out;
}

}  // namespace swz
