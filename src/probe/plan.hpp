// ProbePlan: one question to the hardware, of any kind. What every kind of plan answers:
//
//   kernel_of(plan)               what is compiled; plans of one kernel go into one launch
//   expected(plan, hypothesis)    the observation that a model predicts
//   subject, element_name, value_name, to_json
//
// observe() does the whole way of a batch: launch, run, decode. The names of the probes, and how plans are drawn
// and read, are rows of probe_table.hpp, in the order of the variant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "probe/hypothesis.hpp"
#include "probe/launch.hpp"
#include "probe/layout_probe.hpp"
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

using ProbePlan = std::variant<WavefrontPlan, MatrixPlan, MmaPlan, WgmmaPlan, Tcgen05Plan, TmaPlan, TileProbePlan,
                               TensorMapPlan, LayoutProbePlan>;

// None: asked of the driver, without a kernel.
std::optional<Kernel> kernel_of(const ProbePlan& plan);
Observation expected(const ProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);
std::string subject(const ProbePlan& plan);
std::string element_name(const ProbePlan& plan, std::int64_t index);
std::string value_name(const ProbePlan& plan, std::int64_t value);
Json to_json(const ProbePlan& plan);

// pre: all plans are of one kind and have one kernel. The hypothesis may change what is launched (the identity) and
// how it is decoded (the fragment).
std::vector<Observation> observe(ProbeDevice& device, std::span<const ProbePlan> plans,
                                 Hypothesis hypothesis = Hypothesis::none);
// The same of hardware that does what swz says.
std::vector<Observation> observe_simulated(std::span<const ProbePlan> plans,
                                           Hypothesis hypothesis = Hypothesis::none);

}  // namespace swz
