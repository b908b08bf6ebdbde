// The probe of tcgen05.mma and tensor memory against simulated hardware, which is written the other way round: from cells
// to elements (simulated_tmem_mma.cpp). Hardware with a fault is caught, and the hypothesis that is the fault named.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "arch/open_question.hpp"
#include "base/error.hpp"
#include "probe/suite.hpp"
#include "probe/tmem_mma_image.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

using enum Hypothesis;

// Those that hardware may have; wrong_identity is one of the launch.
std::vector<Hypothesis> faults() {
  std::vector<Hypothesis> out;
  for (const HypothesisRow& row : hypotheses())
    if (row.hypothesis != wrong_identity && probes().back().catches(row.hypothesis)) out.push_back(row.hypothesis);
  return out;
}

Observation seen_under(const TmemMmaPlan& plan, Hypothesis fault) {
  const std::span plans(&plan, 1);
  return decode(plans, simulate(plans, launch_of(plans), fault)).front();
}

TmemMmaPlan plan_of(const char* text) { return tmem_mma_plan(Json::parse(text)); }

std::string error_of(const Json& json) {
  try {
    tmem_mma_plan(json);
  } catch (const Error& error) {
    return std::string(error.what());
  }
  return "none";
}

}  // namespace

TEST_CASE("tmem-mma: simulated hardware confirms every plan of every target") {
  Sweep every{12};
  for (const char* target : {"sm_100a", "sm_103a"})
    for (const TmemMmaPlan& plan : tmem_mma_plans(require_target(target))) {
      // What both have is asked once.
      if (!every.takes() || (std::string_view(target) == "sm_103a" && !plan.instruction.k96)) continue;
      CAPTURE(subject(plan));
      const Observation model = expected(plan);
      const Mismatch found = compare(model, seen_under(plan, none));
      CAPTURE(element_name(plan, found.first));
      CAPTURE(value_name(plan, found.expected));
      CAPTURE(value_name(plan, found.observed));
      CHECK(found.is_same());
      CHECK(std::ranges::count(model, unreadable) == 0);
    }
}

TEST_CASE("tmem-mma: a fault of the hardware is caught wherever it shows, and named") {
  // Of each fault some of the plans that show it.
  constexpr int step = is_sanitized ? 200 : 12;
  std::map<Hypothesis, int> shown;
  for (const char* target : {"sm_100a", "sm_103a"})
    for (const TmemMmaPlan& plan : tmem_mma_plans(require_target(target))) {
      if (std::string_view(target) == "sm_103a" && !plan.instruction.k96) continue;
      CAPTURE(subject(plan));
      const Observation model = expected(plan);
      for (const Hypothesis fault : faults()) {
        const Observation predicted = expected(plan, fault);
        if (predicted == model || shown[fault]++ % step != 0) continue;
        CAPTURE(row_of(fault).name);
        const Observation seen = seen_under(plan, fault);
        const Mismatch found = compare(predicted, seen);
        CAPTURE(element_name(plan, found.first));
        CAPTURE(value_name(plan, found.expected));
        CAPTURE(value_name(plan, found.observed));
        CHECK(found.is_same());
        const std::optional<CaseMismatch> judged = judge(plan, observed(seen), none);
        REQUIRE(judged.has_value());
        CHECK(std::ranges::find(judged->explanations, fault) != judged->explanations.end());
      }
    }
  for (const Hypothesis fault : faults()) {
    CAPTURE(row_of(fault).name);
    CHECK(shown[fault] > 0);
  }
}
