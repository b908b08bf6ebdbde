// SPDX-License-Identifier: Apache-2.0
// The probe of layouts against simulated hardware: drawn layouts are confirmed by every access that reads them, and
// hardware that follows another layout is caught and named.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "probe/suite.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

LayoutOperand operand_of(const std::string& layout, const std::string& dtype = "f16", Bytes base = Bytes{0x800},
                         const std::string& target = "sm_90a") {
  const ComposedLayout parsed = parse_layout(layout);
  const DType& type = require_dtype(dtype);
  return {.layout = parsed,
          .target = &require_target(target),
          .dtype = &type,
          .major = Placement(parsed, type.memory_bits, base).major(),
          .base = base};
}

Observation seen_of(const LayoutProbePlan& asked, const LayoutProbePlan& done) {
  return decode(std::span(&asked, 1), simulate(std::span(&done, 1), launch_of(std::span(&done, 1)))).front();
}

std::string refusal_of(const LayoutOperand& operand, LayoutWay way, const std::string& access = "") {
  try {
    layout_plan(operand, way, access.empty() ? Access{} : parse_accesses(access).front());
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

constexpr const char* tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)";

}  // namespace

TEST_CASE("layout probe: where elements lie, by hand") {
  // Row 1 lies in line 1 of 128 B, so its chunk 0 becomes chunk 1: 0x800 + 128 + 16.
  for (const LayoutQuestion& question : layout_questions(operand_of(tile), accesses_on(require_target("sm_90a")))) {
    if (question.plans.empty()) continue;
    CAPTURE(question.by);
    const LayoutProbePlan& plan = question.plans.front();
    const Observation seen = seen_of(plan, plan);
    CHECK(seen.at(0) == 0x800 * 8);
    CHECK(seen.at(64) == (0x800 + 128 + 16) * 8);
    CHECK(seen.at(64 * 7 + 63) == (0x800 + 7 * 128 + 14) * 8);
    if (question.plans.size() < 2) continue;
    const Observation wavefronts = seen_of(question.plans[1], question.plans[1]);
    CHECK(std::ssize(wavefronts) == question.plans[1].steps());
    // Four matrices of 8 rows of 16 B, each in banks of their own.
    if (question.by == "ldmatrix.x4") CHECK(wavefronts == std::vector<std::int64_t>(16, 4));
  }
}

TEST_CASE("layout probe: what is asked of a canonical tile, and what is not") {
  std::map<std::string, std::string> reasons;
  std::set<std::string> asked;
  for (const LayoutQuestion& question : layout_questions(operand_of(tile), accesses_on(require_target("sm_90a")))) {
    if (question.plans.empty()) reasons[question.by] = question.reason;
    else asked.insert(question.by);
    CHECK(question.plans.empty() == !question.reason.empty());
  }
  CHECK(asked == std::set<std::string>{"tma",
                                       "wgmma",
                                       "ld.shared.b16 rows",
                                       "ld.shared.b32 rows",
                                       "ld.shared.b64 rows",
                                       "ld.shared.b128 rows",
                                       "st.shared.b16 rows",
                                       "st.shared.b32 rows",
                                       "st.shared.b64 rows",
                                       "st.shared.b128 rows",
                                       "ldmatrix.x1",
                                       "ldmatrix.x2",
                                       "ldmatrix.x4",
                                       "ldmatrix.x1.trans",
                                       "ldmatrix.x2.trans",
                                       "ldmatrix.x4.trans",
                                       "stmatrix.x1",
                                       "stmatrix.x2",
                                       "stmatrix.x4",
                                       "stmatrix.x1.trans",
                                       "stmatrix.x2.trans",
                                       "stmatrix.x4.trans",
                                       "cp.async.4 gmem",
                                       "cp.async.8 gmem",
                                       "cp.async.16 gmem"});
  CHECK(reasons == std::map<std::string, std::string>{
                       {"ld.shared.b8 rows", "ld.shared.b8 moves 1 B a lane; an element has 16 bits"},
                       {"st.shared.b8 rows", "st.shared.b8 moves 1 B a lane; an element has 16 bits"}});
}

TEST_CASE("layout probe: drawn layouts are confirmed by every access that reads them") {
  Random random(5);
  std::set<std::string> ways, dtypes;
  std::int64_t swizzled = 0, nested = 0;
  for (int i = 0; i < (is_sanitized ? 3 : 24); ++i) {
    const std::vector<LayoutProbePlan> plans = draw_layout(require_target("sm_90a"), random);
    REQUIRE(!plans.empty());
    swizzled += plans.front().operand.layout.swizzle().is_identity() ? 0 : 1;
    nested += depth(plans.front().operand.layout.layout()) > 1 ? 1 : 0;
    dtypes.insert(std::string(plans.front().operand.dtype->name));
    for (const LayoutProbePlan& plan : plans) {
      CAPTURE(subject(plan));
      const Observation seen = seen_of(plan, plan);
      CHECK(seen == expected(plan));
      CHECK(to_json(probe_plan(to_json(plan))).dump() == to_json(plan).dump());
      ways.insert(plan.way == LayoutWay::timing ? "timing" : plan.by().substr(0, plan.by().find_first_of(". ")));
    }
  }
  if (is_sanitized) return;
  CHECK(ways == std::set<std::string>{"tma", "wgmma", "ld", "st", "ldmatrix", "stmatrix", "cp", "timing"});
  CHECK(dtypes == std::set<std::string>{"f16", "e4m3", "f32", "tf32"});
  CHECK(swizzled > 4);
  CHECK(nested > 4);
}

TEST_CASE("layout probe: hardware that follows another layout is caught, and the mistake is named") {
  const std::map<std::string, Hypothesis> wrong{
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(63,1)", Hypothesis::one_stride_off},
      {"Sw<2,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", Hypothesis::wrong_swizzle}};
  for (const auto& [layout, mistake] : wrong)
    for (const std::string access : {"ld.shared.b16", "ld.shared.b16 columns", "st.shared.b16", "stmatrix.x2"}) {
      // With the wrong stride rows would overwrite each other, and are torn.
      if (mistake == Hypothesis::one_stride_off && access.starts_with("st")) continue;
      const std::string text = layout;
      CAPTURE(text);
      CAPTURE(access);
      const Access by = parse_accesses(access).front();
      const LayoutProbePlan asked = layout_plan(operand_of(tile), LayoutWay::access, by);
      const LayoutProbePlan done = layout_plan(operand_of(text), LayoutWay::access, by);
      // The registers of the walk are the same, only the addresses are those of the other layout.
      const auto found = judge(asked, observed(seen_of(asked, done)), Hypothesis::none);
      REQUIRE(found.has_value());
      CHECK(found->explanations == std::vector{mistake});
    }
  // By words and by boxes of the mode 64B.
  for (const LayoutWay way : {LayoutWay::wgmma, LayoutWay::tma}) {
    const LayoutOperand narrow = operand_of("Sw<2,4,3> o smem_ptr[16b](unset) o (64,32):(32,1)");
    const LayoutOperand none = operand_of("Sw<1,4,3> o smem_ptr[16b](unset) o (64,16):(16,1)");
    CHECK(seen_of(layout_plan(narrow, way), layout_plan(narrow, way)) == expected(layout_plan(narrow, way)));
    CHECK(seen_of(layout_plan(none, way), layout_plan(none, way)) == expected(layout_plan(none, way)));
    CHECK(expected(layout_plan(narrow, way), Hypothesis::wrong_swizzle) != expected(layout_plan(narrow, way)));
  }
}

TEST_CASE("layout probe: what cannot be asked says why") {
  const LayoutOperand plain = operand_of("(16,40):(40,1)");
  CHECK(refusal_of(plain, LayoutWay::access, "ldmatrix.x4").find("takes 4 matrices at a time") != std::string::npos);
  CHECK(refusal_of(operand_of("(16,64):(64,1)", "e4m3"), LayoutWay::access, "ldmatrix.x1.trans") ==
        ".trans moves 16 bits at a time, an element has 8");
  CHECK(refusal_of(operand_of("(16,16):(0,1)"), LayoutWay::access, "st.shared.b16") ==
        "several elements share a place: what is stored last stays there");
  CHECK(refusal_of(operand_of("(16,16):(16,1)", "f16", Bytes{0x800}, "sm_75"), LayoutWay::access, "cp.async.16") ==
        "sm_75 has no cp.async.16");
  CHECK(refusal_of(plain, LayoutWay::timing, "cp.async.16").find("not timed") != std::string::npos);
  CHECK(refusal_of(operand_of("(16,16):(16,1)", "f16", Bytes{0x800}, "sm_80"), LayoutWay::wgmma) ==
        "sm_80 has no wgmma");
  CHECK(refusal_of(operand_of(tile, "f16", Bytes{0x880}), LayoutWay::tma) ==
        "the base 0x880 is not a multiple of 1024");
  CHECK(refusal_of(operand_of("(16,16):(16,1)", "f16", Bytes{0x10}), LayoutWay::access, "ld.shared.b16") ==
        "the layout begins at 0x10; the system keeps the bytes below 0x400");
}

TEST_CASE("layout probe: every target from sm_75 on asks its accesses") {
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    const LayoutOperand operand = operand_of("(32,64):(72,1)", "f16", Bytes{0x800}, std::string(target.name));
    std::int64_t asked = 0, timed = 0;
    for (const LayoutQuestion& question : layout_questions(operand, accesses_on(target))) {
      asked += question.plans.empty() ? 0 : 1;
      timed += question.plans.size() > 1 ? 1 : 0;
      for (const LayoutProbePlan& plan : question.plans) CHECK(seen_of(plan, plan) == expected(plan));
    }
    CHECK(asked >= 14);
    CHECK(timed >= 14);
  }
}
