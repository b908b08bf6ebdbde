// SPDX-License-Identifier: Apache-2.0
// The probe of a cluster, against a simulated one.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "probe/suite.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

std::vector<ClusterPlan> drawn(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<ClusterPlan> plans;
  for (int i = 0; i < count; ++i) plans.push_back(draw_cluster(random));
  return plans;
}

}  // namespace

TEST_CASE("cluster probe: every kind of question is drawn, and simulated hardware confirms all") {
  const std::vector<ClusterPlan> plans = drawn(is_sanitized ? 20 : 60, 3);
  std::set<ClusterAsk> asks;
  std::set<std::string> modes;
  bool has_one_bit = false, lacks_own_bit = false, has_sixteen = false;
  std::vector<ProbePlan> asked;
  for (const ClusterPlan& plan : plans) {
    asks.insert(plan.asks);
    has_sixteen = has_sixteen || plan.shape.size() == 16;
    if (plan.tile) modes.insert(std::string(plan.tile->swizzle().name));
    for (const ClusterLoad& load : plan.loads) {
      has_one_bit = has_one_bit || ranks_in(load.mask).size() == 1;
      lacks_own_bit = lacks_own_bit || (load.mask >> load.rank & 1U) == 0;
    }
    asked.emplace_back(plan);
  }
  CHECK(asks.size() == 3);
  CHECK(has_one_bit);
  CHECK(lacks_own_bit);
  if (!is_sanitized) CHECK(modes.size() == 4);
  if (!is_sanitized) CHECK(has_sixteen);
  const PartReport report =
      run_suite({{"cluster", asked}}, simulated_observer(Hypothesis::none), Hypothesis::none, {}).front();
  CHECK(report.confirmed == report.cases);
}

TEST_CASE("cluster probe: JSON round trip") {
  for (const ClusterPlan& plan : drawn(100, 5)) {
    CHECK(to_json(cluster_plan(to_json(plan))) == to_json(plan));
    CHECK(expected(cluster_plan(to_json(plan))) == expected(plan));
  }
}

TEST_CASE("cluster probe: names of what differs") {
  for (const ClusterPlan& plan : drawn(12, 9)) {
    const Observation seen = expected(plan);
    CHECK(element_name(plan, 0).starts_with("rank 0: "));
    CHECK(element_name(plan, std::ssize(seen) - 1).starts_with("rank " + std::to_string(plan.shape.size() - 1) + ": "));
    CHECK(subject(plan).starts_with("cluster " + to_string(plan.shape) + ", " + std::string(to_string(plan.asks))));
  }
}

TEST_CASE("cluster probe: a mask beyond the cluster is refused") {
  for (ClusterPlan plan : drawn(40, 11)) {
    if (plan.loads.empty() || plan.shape.size() == 16) continue;
    plan.loads[0].mask = 0x8000;
    CHECK_THROWS_AS(require_fine(plan), Error);
  }
}
