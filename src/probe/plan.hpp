// SPDX-License-Identifier: Apache-2.0
// ProbePlan: one question to the hardware, of any kind. Every kind of plan has these functions:
//
//   kernel_of(plan)               what is compiled; plans with one kernel go into one launch
//   expected(plan, hypothesis)    the observation that a model predicts
//   subject, element_name, value_name, to_json
//
// observe() does everything for a batch: launch, run, decode.
//
// The probes are rows: what a probe asks, on which targets, how its plans are drawn and read, and the mistakes that it
// must catch. The suite, the recordings, `swz verify --only list`, help and docs/verify.md read these rows.
//
//   {"wgmma", "which byte each element of a wgmma operand comes from, …", has_wgmma, {600, 6000, 60000}, …}
//
// To add a probe, add its plan to ProbePlan, and a row at the same place.
//
// Invariant (tested): the rows are in the order of the variant, and each catches its mistakes and no others.
#pragma once

#include <algorithm>

#include "probe/cluster_probe.hpp"
#include "probe/copy_probe.hpp"
#include "probe/layout_probe.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/mma_probe.hpp"
#include "probe/reduce_probe.hpp"
#include "probe/tcgen05_probe.hpp"
#include "probe/tile_probe.hpp"
#include "probe/tmem_access_probe.hpp"
#include "probe/tmem_copy_probe.hpp"
#include "probe/tmem_mma_probe.hpp"
#include "probe/tmem_shift_probe.hpp"
#include "probe/tx_bytes_probe.hpp"

namespace swz {

using ProbePlan = std::variant<WavefrontPlan, MatrixPlan, MmaPlan, WgmmaPlan, Tcgen05Plan, TmaPlan, TileProbePlan,
                               TensorMapPlan, LayoutProbePlan, TmemAccessPlan, TmemCopyPlan, TxBytesPlan, TmemMmaPlan,
                               ClusterPlan, TmemShiftPlan, Im2colPlan, InterleavePlan, ReducePlan>;

// None if the driver is asked, without a kernel.
std::optional<Kernel> kernel_of(const ProbePlan& plan);
Observation expected(const ProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);
std::string subject(const ProbePlan& plan);
std::string element_name(const ProbePlan& plan, std::int64_t index);
std::string value_name(const ProbePlan& plan, std::int64_t value);
Json to_json(const ProbePlan& plan);

// Requires that all plans are of one kind and have one kernel. The hypothesis may change what is launched (the
// identity) and how it is decoded (the fragment).
Observations observe(ProbeDevice& device, std::span<const ProbePlan> plans, Hypothesis hypothesis = Hypothesis::none);

enum class SuiteSize { quick, standard, all };

// How many plans to draw. A probe that has fewer gives all of them.
struct DrawOptions {
  SuiteSize size = SuiteSize::standard;
  std::int64_t cases = 0;
};

struct ProbeRow {
  std::string_view name;  // as --only accepts it
  std::string_view asks;
  bool (*runs_on)(const Target& target);
  std::array<std::int64_t, 3> cases;  // by size of the suite
  std::vector<ProbePlan> (*draw)(const DrawOptions& options, const Target& target, Random& random);
  ProbePlan (*read)(const Json& json);
  std::array<Hypothesis, 28> mistakes;  // none for unused entries

  bool catches(Hypothesis mistake) const { return std::ranges::find(mistakes, mistake) != mistakes.end(); }
  // The key of its plans in JSON: "tensor_map" for tensor-map.
  std::string key() const;
};

// In the order of the suite.
std::span<const ProbeRow> probes();
const ProbeRow& probe_of(const ProbePlan& plan);
// Throws Error if it is not a plan.
ProbePlan probe_plan(const Json& json);

}  // namespace swz
