#include "probe/plan.hpp"

#include <array>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr std::array<std::string_view, std::variant_size_v<ProbePlan>> names{
    "wavefront", "matrix", "mma", "wgmma", "tcgen05", "tma", "tile", "tensor-map"};

template <class Plan>
std::vector<Plan> of_one_kind(std::span<const ProbePlan> plans) {
  std::vector<Plan> out;
  for (const ProbePlan& plan : plans) out.push_back(std::get<Plan>(plan));
  return out;
}

}  // namespace

std::span<const std::string_view> probe_names() { return names; }
std::string_view probe_of(const ProbePlan& plan) { return names[plan.index()]; }

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

ProbePlan probe_plan(const Json& json) {
  if (json.contains("wavefront")) return wavefront_plan(json);
  if (json.contains("matrix")) return matrix_plan(json);
  if (json.contains("mma")) return mma_plan(json);
  if (json.contains("tcgen05")) return tcgen05_plan(json);
  if (json.contains("wgmma")) return wgmma_plan(json);
  if (json.contains("tma")) return tma_plan(json);
  if (json.contains("tile")) return tile_probe_plan(json);
  if (json.contains("tensor_map")) return tensor_map_plan(json);
  throw Error("the object names no probe of this version of swz", "its first key is a probe, as in {\"wgmma\": …}");
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

std::vector<std::vector<ProbePlan>> batches(std::span<const ProbePlan> plans, std::size_t most) {
  std::vector<std::vector<ProbePlan>> out;
  std::map<std::string, std::size_t> open;  // the batch of a kernel that still takes plans
  for (const ProbePlan& plan : plans) {
    const std::optional<Kernel> kernel = kernel_of(plan);
    const std::string key = kernel ? kernel->file + "\n" + kernel->statement : std::string(probe_of(plan));
    const auto found = open.find(key);
    if (found == open.end() || out[found->second].size() == most) {
      open[key] = out.size();
      out.emplace_back();
    }
    out[open[key]].push_back(plan);
  }
  return out;
}

}  // namespace swz
