#include "probe/plan.hpp"

namespace swz {

namespace {

template <class Plan>
std::vector<Plan> of_one_kind(std::span<const ProbePlan> plans) {
  std::vector<Plan> out;
  for (const ProbePlan& plan : plans) out.push_back(std::get<Plan>(plan));
  return out;
}

}  // namespace

std::optional<Kernel> kernel_of(const ProbePlan& plan) {
  return std::visit(
      []<class Plan>(const Plan& p) -> std::optional<Kernel> {
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) return std::nullopt;
        else return kernel_of(p);
      },
      plan);
}

Observation expected(const ProbePlan& plan, Hypothesis hypothesis) {
  return std::visit([&](const auto& p) { return expected(p, hypothesis); }, plan);
}

std::string subject(const ProbePlan& plan) {
  return std::visit([](const auto& p) { return subject(p); }, plan);
}

std::string element_name(const ProbePlan& plan, std::int64_t index) {
  return std::visit([&](const auto& p) { return element_name(p, index); }, plan);
}

std::string value_name(const ProbePlan& plan, std::int64_t value) {
  return std::visit([&](const auto& p) { return value_name(p, value); }, plan);
}

Json to_json(const ProbePlan& plan) {
  return std::visit([](const auto& p) { return to_json(p); }, plan);
}

std::vector<Observation> observe(ProbeDevice& device, std::span<const ProbePlan> plans, Hypothesis hypothesis) {
  if (plans.empty()) return {};
  return std::visit(
      [&]<class Plan>(const Plan&) {
        const std::vector<Plan> batch = of_one_kind<Plan>(plans);
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) {
          std::vector<Observation> out;
          for (const Plan& plan : batch) out.push_back(observation_of(device.encode(plan.map)));
          return out;
        } else return decode(batch, device.run(launch_of(batch, hypothesis)), hypothesis);
      },
      plans.front());
}

std::vector<Observation> observe_simulated(std::span<const ProbePlan> plans, Hypothesis hypothesis) {
  if (plans.empty()) return {};
  return std::visit(
      [&]<class Plan>(const Plan&) {
        const std::vector<Plan> batch = of_one_kind<Plan>(plans);
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) {
          std::vector<Observation> out;
          for (const Plan& plan : batch) out.push_back(expected(plan));
          return out;
        } else return decode(batch, simulate(batch, launch_of(batch, hypothesis)), hypothesis);
      },
      plans.front());
}

}  // namespace swz
