// SPDX-License-Identifier: Apache-2.0
// The probe of tcgen05.mma and tensor memory against simulated hardware, which is written the other way round: from
// cells to elements (simulated_tmem_mma.cpp). Hardware with a fault is caught, and the fault is named.
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
  const ProbeRow& tmem_mma = *std::ranges::find(probes(), "tmem-mma", &ProbeRow::name);
  std::vector<Hypothesis> out;
  for (const HypothesisRow& row : hypotheses())
    if (row.hypothesis != wrong_identity && tmem_mma.catches(row.hypothesis)) out.push_back(row.hypothesis);
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
  constexpr int step = is_sanitized ? 40 : 12;
  std::map<Hypothesis, int> shown;
  Sweep every{5};
  for (const char* target : {"sm_100a", "sm_103a"})
    for (const TmemMmaPlan& plan : tmem_mma_plans(require_target(target))) {
      if (!every.takes() || (std::string_view(target) == "sm_103a" && !plan.instruction.k96)) continue;
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
    CHECK((shown[fault] > 0 || is_sanitized));
  }
}

TEST_CASE("tmem-mma: every open question that an MMA decides is a hypothesis, told apart on a Blackwell") {
  const std::map<std::string_view, std::vector<Hypothesis>> answers{
      {"a-m64-lanes", {a_in_lanes_0_63}},
      {"a-layout-g", {one_copy}},
      {"sparse-m128-pair", {pair_halves}},
      {"metadata-m64", {metadata_in_lanes_0_63}},
      {"sfa-m128-pair", {scale_a_by_pair_row, scale_columns_by_4}},
      {"sfb-m128-pair", {scale_b_rounded_halves}},
      {"fp6-container", {container_elsewhere}},
      {"fp4-mn-major", {k_major_alone}},
      {"selector-columns", {selector_of_four}},
      {"scale-columns", {scale_columns_by_4, scale_columns_by_2}},
      {"k96-ids", {k96_even_ids}},
      {"a-layout-c", {a_in_lanes_0_63}},
      {"a-tmem-n-step", {a_n_step_16}},
      {"narrow-a-place", {nibbles_exchanged, container_elsewhere}},
      {"fp6-store", {container_elsewhere}},
      {"container-gap-bits", {}},  // of the 256 patterns four or sixteen have the same value
      {"metadata-m128-pair", {metadata_in_lanes_0_63, lanes_off_by_16}},
      {"metadata-columns", {metadata_columns_by_2, metadata_columns_by_4}},
      {"sfb-part-of-tile", {scale_b_by_32_rows}},
      {"scale-padding", {scale_words_whole}},
  };
  const std::vector<TmemMmaPlan> plans = tmem_mma_plans(require_target("sm_103a"));
  for (const OpenQuestion& question : open_questions()) {
    const auto found = answers.find(question.name);
    CAPTURE(question.name);
    CHECK(question.probe.starts_with("tmem-mma") == (found != answers.end()));
    if (found == answers.end()) continue;
    for (const Hypothesis answer : found->second) {
      CHECK(question.probe.find(row_of(answer).name) != std::string_view::npos);
      CHECK(std::ranges::any_of(plans, [&](const TmemMmaPlan& plan) {
        // No other answer predicts the same.
        const Observation predicted = expected(plan, answer);
        return predicted != expected(plan) && judge(plan, observed(predicted), none)->explanations.size() == 1;
      }));
    }
  }
}

TEST_CASE("tmem-mma: D of sparse M 128 with two CTAs is found in either layout, so that its metadata are seen") {
  const TmemMmaPlan plan = plan_of(
      R"({"tmem_mma":"metadata","kind":"f16","m":128,"n":128,"dtype":"f16","d_type":"f32","cta_group":2,
          "sparse":true})");
  CHECK(seen_under(plan, none) == expected(plan));
  const Observation seen = seen_under(plan, pair_halves);
  CHECK(std::ranges::count(seen, unreadable) == 0);
}

TEST_CASE("tmem-mma: places that PTX and the header give") {
  // f16 .ws M 64 N 64: D(63, 32) is in lane 127, column 0.
  const TmemMmaPlan d =
      plan_of(R"({"tmem_mma":"d","kind":"f16","m":64,"n":256,"dtype":"f16","d_type":"f32","ws":true})");
  CHECK(expected(d)[127 * 256] == 63 * 256 + 128);
  CHECK(expected(d)[127 * 256 + 128] == untouched_cell);
  CHECK(element_name(d, 127 * 256) == "lane 127, column 0");
  CHECK(value_name(d, 63 * 256 + 128) == "row 63 of A, 128 of B");
  // f16 M 128, two CTAs: (100, 200) is in CTA 1, lane 100, column 72; row 36 of A and 72 of B of CTA 1.
  const TmemMmaPlan pair =
      plan_of(R"({"tmem_mma":"d","kind":"f16","m":128,"n":256,"dtype":"f16","d_type":"f32","cta_group":2})");
  const std::int64_t value = expected(pair)[(128 + 100) * 256 + 72];
  CHECK(element_name(pair, (128 + 100) * 256 + 72) == "CTA 1, lane 100, column 72");
  CHECK(value_name(pair, value) == "row 36 of A of CTA 1, 72 of B of CTA 1");
  // SFB of M 128 with two CTAs, N 256: n 200 is in lanes 72 and 104, column 2.
  const TmemMmaPlan scale = plan_of(
      R"({"tmem_mma":"scale-b","kind":"mxf8f6f4","m":128,"n":256,"dtype":"e4m3","d_type":"f32","cta_group":2,
          "vec":32,"scale_type":"ue8m0","id":3})");
  CHECK(element_name(scale, 200) == "k 0 for D(0, 200)");
  CHECK(value_name(scale, expected(scale)[200]) == "CTA 0, lane 72, column 2, bits 24-31");
  // f16 sparse, selector 1: chunk k 20 of row 13 is in lane 13, column 1, bits 20-23.
  const TmemMmaPlan metadata = plan_of(
      R"({"tmem_mma":"metadata","kind":"f16","m":128,"n":128,"dtype":"f16","d_type":"f32","sparse":true,"id":1})");
  CHECK(element_name(metadata, 13 * 8 + 5) == "(13, 20)");
  CHECK(value_name(metadata, expected(metadata)[13 * 8 + 5]) == "lane 13, column 1, bits 20-23");
  CHECK(subject(metadata) == "tcgen05.mma.sp kind::f16 m128n128k32.f32.f16.f16, metadata, selector 1");
}

TEST_CASE("tmem-mma: the forms that one document has and another has not") {
  // f16 sparse, M 128 of two CTAs: row 100 is row 36 of CTA 1, lane 32 * 2 + 4; the stored k 3 has the upper half of
  // column 1, and in lanes 0-63 it would be in lane 36.
  const TmemMmaPlan layout_c =
      plan_of(R"({"tmem_mma":"a","kind":"f16","m":128,"n":128,"dtype":"f16","d_type":"f32","cta_group":2,
          "sparse":true})");
  CHECK(expected(layout_c).size() == 128 * 16);
  CHECK(element_name(layout_c, 100 * 16 + 3) == "(100, 3)");
  CHECK(value_name(layout_c, expected(layout_c)[100 * 16 + 3]) == "CTA 1, lane 68, column 1, bits 16-31");
  const Observation in_a_row = expected(layout_c, a_in_lanes_0_63);
  CHECK(value_name(layout_c, in_a_row[100 * 16 + 3]) == "CTA 1, lane 36, column 1, bits 16-31");
  // N 24 shows k 0-15 in columns 8-23: of N 16 the last eight are not there.
  const TmemMmaPlan small = plan_of(R"({"tmem_mma":"a","kind":"f16","m":128,"n":24,"dtype":"f16","d_type":"f32"})");
  const Observation rounded = seen_under(small, a_n_step_16);
  CHECK(std::ranges::count(rounded, unreadable) == 128 * 8);
  CHECK(rounded[7] == expected(small)[7]);
  CHECK(rounded[8] == unreadable);
  // Metadata of f8f6f4 at column 3: row 5, k 32 of 64 is one column further.
  const TmemMmaPlan odd = plan_of(
      R"({"tmem_mma":"metadata","kind":"f8f6f4","m":128,"n":128,"dtype":"e4m3","d_type":"f32","sparse":true,
          "column":3})");
  CHECK(element_name(odd, 5 * 16 + 8) == "(5, 32)");
  CHECK(value_name(odd, expected(odd)[5 * 16 + 8]) == "lane 5, column 4, bits 0-3");
  CHECK(value_name(odd, seen_under(odd, metadata_columns_by_2)[5 * 16 + 8]) == "lane 5, column 3, bits 0-3");
  CHECK(value_name(odd, seen_under(odd, metadata_columns_by_4)[5 * 16 + 8]) == "lane 5, column 1, bits 0-3");
  // NaN in rows 8-31 of SFB.
  const TmemMmaPlan part = plan_of(
      R"({"tmem_mma":"scale-b","kind":"mxf4nvf4","m":128,"n":8,"dtype":"e2m1","d_type":"f32","vec":16,
          "scale_type":"ue8m0","nan":true})");
  CHECK(seen_under(part, none) == expected(part));
  CHECK(std::ranges::count(seen_under(part, scale_b_by_32_rows), unreadable) == std::ssize(expected(part)));
  CHECK(seen_under(part, scale_words_whole) == expected(part));
  CHECK(subject(part) ==
        "tcgen05.mma kind::mxf4nvf4.block16.ue8m0 m128n8k64.f32.e2m1.e2m1, scale factors of B, sf_id 0, all others "
        "NaN");
  // K 96 with one CTA.
  int asked = 0;
  for (const TmemMmaPlan& plan : tmem_mma_plans(require_target("sm_103a"))) {
    if (!plan.instruction.k96 || plan.instruction.cta_group != 1) continue;
    CHECK(plan.is_risky());
    ++asked;
  }
  CHECK(asked > 0);
}

TEST_CASE("tmem-mma: plans in JSON, a bounded number of them, each once") {
  for (const char* target : {"sm_100a", "sm_100f", "sm_103a", "sm_110a"}) {
    const std::vector<TmemMmaPlan> plans = tmem_mma_plans(require_target(target));
    CHECK(plans.size() > 150);
    CHECK(plans.size() < 350);
    std::set<std::string> texts;
    for (const TmemMmaPlan& plan : plans) {
      const Json json = to_json(plan);
      CHECK(texts.insert(json.dump()).second);
      CHECK(to_json(tmem_mma_plan(json)) == json);
    }
  }
  const Json good = to_json(tmem_mma_plans(require_target("sm_100a")).front());
  Json json = good;
  json["tmem_mma"] = "c";
  CHECK(error_of(json) == "\"tmem_mma\" is 'c'");
  json = good;
  json["n"] = 72;
  CHECK(error_of(json) == "tcgen05.mma kind::tf32 m64n72k8.f32.tf32.tf32, D is not asked");
  json = good;
  json["id"] = 1 << 20;
  CHECK(error_of(json) == "tcgen05.mma kind::tf32 m64n64k8.f32.tf32.tf32, D is not asked");
}

TEST_CASE("tmem-mma: what may be refused comes last, each in a kernel of its own") {
  const Suite suite = make_suite({SuiteSize::standard, {"tmem-mma"}, 1, 0}, require_target("sm_103a"));
  const std::vector<std::vector<ProbePlan>> asked = batches(suite.front(), 64);
  bool has_risk = false;
  for (const std::vector<ProbePlan>& batch : asked) {
    const bool is_risky = std::get<TmemMmaPlan>(batch.front()).is_risky();
    CHECK((!has_risk || is_risky));
    has_risk = has_risk || is_risky;
    if (is_risky) CHECK(batch.size() == 1);
  }
  CHECK(has_risk);
}

TEST_CASE("tmem-mma: a recording can be replayed") {
  const Suite suite = make_suite({SuiteSize::quick, {"tmem-mma"}, 1, is_sanitized ? 6 : 30}, require_target("sm_100a"));
  std::string text = recording_head({"NVIDIA B200", "sm_100a", "1", "13.0", "0"}, 1);
  SuiteCallbacks callbacks;
  callbacks.record = [&](const ProbePlan& plan, const Observed& seen, bool is_confirmed) {
    text += recording_line(plan, seen, !is_confirmed);
  };
  run_suite(suite, simulated_observer(none), none, callbacks);
  const Recording recording = read_recording(text);
  const PartReport again = run_suite(suite_of(recording), replay_observer(recording), none, {}).front();
  CHECK(again.cases == std::ssize(suite.front().plans));
  CHECK(again.confirmed == again.cases);
}
