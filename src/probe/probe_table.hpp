// The probes, one row each: what a probe asks, on which targets, how its plans are drawn and read, and the mistakes
// that it must catch. The suite, the recordings, `swz verify --only list`, help and docs/verify.md read these rows.
//
//   {"wgmma", "wgmma", "which byte each element of an operand comes from, …", has_wgmma, {600, 6000, 60000}, …}
//
// To add a probe: its plan to ProbePlan (plan.hpp), and a row here at the same place.
//
// Invariant (tested): the rows stand in the order of the variant, and each catches its mistakes and no others.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "probe/plan.hpp"

namespace swz {

enum class SuiteSize { quick, standard, all };

// How many plans to draw; a probe that has only so many gives fewer.
struct DrawOptions {
  SuiteSize size = SuiteSize::standard;
  std::int64_t cases = 0;
};

struct ProbeRow {
  std::string_view name;  // as --only takes it
  std::string_view key;   // of its plans in JSON
  std::string_view asks;
  bool (*runs_on)(const Target& target);
  std::array<std::int64_t, 3> cases;  // by size
  std::vector<ProbePlan> (*draw)(const DrawOptions& options, const Target& target, Random& random);
  ProbePlan (*read)(const Json& json);
  std::array<Hypothesis, 9> mistakes;  // none where there are fewer

  bool catches(Hypothesis mistake) const { return std::ranges::find(mistakes, mistake) != mistakes.end(); }
  std::int64_t cases_of(SuiteSize size, std::int64_t wanted) const {
    return wanted > 0 ? wanted : cases[static_cast<std::size_t>(size)];
  }
};

// In the order of the suite.
std::span<const ProbeRow> probes();
const ProbeRow& probe_of(const ProbePlan& plan);
// Throws Error for what is not a plan.
ProbePlan probe_plan(const Json& json);

}  // namespace swz
