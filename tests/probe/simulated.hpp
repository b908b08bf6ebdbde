// An observer of hardware that does what swz says, asked under a hypothesis.
#pragma once

#include <memory>

#include "probe/suite.hpp"

namespace swz {

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

inline std::unique_ptr<Observer> simulated_observer(Hypothesis hypothesis) {
  return std::make_unique<SimulatedObserver>(hypothesis);
}

}  // namespace swz
