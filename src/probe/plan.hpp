// ProbePlan: one question to the hardware, of any kind. What every kind of plan answers:
//
//   probe_of(plan)                "wgmma"
//   kernel_of(plan)               what is compiled; plans of one kernel go into one launch
//   expected(plan, hypothesis)    the observation that a model predicts
//   subject, element_name, value_name, to_json
//
// observe() does the whole way of a batch: launch, run, decode.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "probe/hypothesis.hpp"
#include "probe/launch.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/mma_probe.hpp"
#include "probe/observation.hpp"
#include "probe/tcgen05_probe.hpp"
#include "probe/tensor_map_probe.hpp"
#include "probe/tile_probe.hpp"
#include "probe/tma_probe.hpp"
#include "probe/wavefront_probe.hpp"
#include "probe/wgmma_probe.hpp"

namespace swz {

using ProbePlan =
    std::variant<WavefrontPlan, MatrixPlan, MmaPlan, WgmmaPlan, Tcgen05Plan, TmaPlan, TileProbePlan, TensorMapPlan>;

std::string_view probe_of(const ProbePlan& plan);
// Every probe, in the order of the suite.
std::span<const std::string_view> probe_names();

// None: asked of the driver, without a kernel.
std::optional<Kernel> kernel_of(const ProbePlan& plan);
Observation expected(const ProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);
std::string subject(const ProbePlan& plan);
std::string element_name(const ProbePlan& plan, std::int64_t index);
std::string value_name(const ProbePlan& plan, std::int64_t value);
Json to_json(const ProbePlan& plan);
// Throws Error for what is not a plan.
ProbePlan probe_plan(const Json& json);

// pre: all plans are of one kind and have one kernel. The hypothesis may change what is launched (the identity) and
// how it is decoded (the fragment).
std::vector<Observation> observe(ProbeDevice& device, std::span<const ProbePlan> plans,
                                 Hypothesis hypothesis = Hypothesis::none);
// The same of hardware that does what swz says.
std::vector<Observation> observe_simulated(std::span<const ProbePlan> plans,
                                           Hypothesis hypothesis = Hypothesis::none);

// The plans in order of first appearance of their kernel, cut where the kernel changes and after `most`.
std::vector<std::vector<ProbePlan>> batches(std::span<const ProbePlan> plans, std::size_t most);

}  // namespace swz
