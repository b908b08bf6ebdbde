// SPDX-License-Identifier: Apache-2.0
// The probe of wavefronts against a simulated GPU: of the right model nothing is reported, each wrong one is
// caught.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.hpp"
#include "probe/wavefront_probe.hpp"
#include "simulated.hpp"
#include "smem/access.hpp"
#include "smem/counted_by_hand.hpp"

using namespace swz;

namespace {

std::vector<const AccessInstruction*> every_instruction() {
  std::vector<const AccessInstruction*> rows = timed_instructions(sm_90a());
  for (const AccessInstruction* row : timed_instructions(require_target("sm_100a")))
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  return rows;
}

std::vector<WavefrontPlan> plans_of(const AccessInstruction& instruction, Random& random, int drawn) {
  std::vector<WavefrontPlan> plans = fixed_wavefronts(instruction);
  for (int i = 0; i < drawn; ++i) plans.push_back(draw_wavefront(instruction, random));
  return plans;
}

// An output where every round of every warp takes so many cycles a pair; the first round and one other take longer.
ByteBuffer timed(const WavefrontPlan& plan, double cycles) {
  const Launch launch = launch_of(std::span(&plan, 1));
  const std::uint64_t rounds = launch.scalars[2];
  const auto warps = static_cast<std::uint64_t>(launch.threads / warp_lanes);
  const auto accesses = static_cast<double>(launch.scalars[3] * timed_copies * warps);
  ByteBuffer output;
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::uint64_t warp = 0; warp < warps; ++warp) {
      const bool is_slow = round == 0 || round == 3;
      append(output, round * 1'000'000);
      append(output, round * 1'000'000 + static_cast<std::uint64_t>(accesses * (cycles + (is_slow ? 0.7 : 0))));
    }
  REQUIRE(static_cast<std::int64_t>(output.size()) == launch.output_bytes);
  return output;
}

std::int64_t decoded(const WavefrontPlan& plan, double cycles) {
  return decode(std::span(&plan, 1), timed(plan, cycles)).front().front();
}

}  // namespace

TEST_CASE("every instruction of a warp but cp.async and atomics is timed") {
  CHECK(timed_instructions(sm_90a()).size() == 22);
  CHECK(every_instruction().size() == access_instructions().size() - 8);
  CHECK(registers_of(require_access("ld.shared.b8")) == 1);
  CHECK(registers_of(require_access("st.shared.b128")) == 4);
  CHECK(registers_of(require_access("ldmatrix.x2")) == 2);
  CHECK(registers_of(require_access("ldmatrix.m16n16.x2.trans")) == 4);
}

TEST_CASE("a statement is the instruction as PTX writes it") {
  const auto has = [](const char* name, const char* text) {
    CAPTURE(name);
    CHECK_MESSAGE(wavefront_statement(require_access(name)).find(text) != std::string::npos,
                  wavefront_statement(require_access(name)));
  };
  has("ld.shared.b8", "@p ld.volatile.shared.u8 %0, [%1]; }");
  has("ld.shared.b128", "@p ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4]; }");
  has("st.shared.b64", "@p st.volatile.shared.v2.b32 [%2], {%0, %1}; }");
  has("ldmatrix.x1", "@p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1]; }");
  has("stmatrix.x4.trans", "@p stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3}; }");
  has("ldmatrix.m16n16.x1.trans", "@p ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2]; }");
  has("ldmatrix.m8n16.x1", "@p ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%0}, [%1]; }");
  has("stmatrix.m16n8.x1.trans", "@p stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%1], {%0}; }");
}

TEST_CASE("simulated hardware confirms every plan") {
  Random random(20261121);
  for (const AccessInstruction* instruction : every_instruction()) {
    const std::vector<WavefrontPlan> plans = plans_of(*instruction, random, 200);
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK(seen[i] == expected(plans[i]));
      CHECK(expected(plans[i]).front() == counted_by_hand(plans[i].pattern).wavefronts);
      CHECK(wavefronts_under(Hypothesis::none, plans[i].pattern) == expected(plans[i]).front());
    }
  }
}

TEST_CASE("plans are legal, and every copy of the access lies in shared memory below the ballast") {
  Random random(7);
  const WavefrontMemory memory = wavefront_memory();
  CHECK(memory.begin.count % 128 == 0);
  CHECK(copy_step.count % 128 == 0);
  CHECK(memory.end.count + (timed_copies - 1) * copy_step.count <= memory.ballast.count);
  CHECK(memory.ballast.count + 2048 == memory.begin.count + memory.size.count);
  CHECK(memory.size.count <= sm_90a().max_smem_per_cta.count);
  CHECK(2 * memory.size.count > 228 * 1024);  // a second CTA would disturb
  std::set<std::int64_t> starts;
  int without_a_lane = 0;
  for (const AccessInstruction* instruction : every_instruction())
    for (const WavefrontPlan& plan : plans_of(*instruction, random, 200)) {
      CHECK_NOTHROW(require_no_fault(plan.pattern, sm_90a()));
      // Matrices: all lanes, or of stmatrix none. ldmatrix without a lane takes longer than its wavefronts.
      if (instruction->op == AccessOp::ldmatrix) CHECK(plan.pattern.active == 0xffffffff);
      else if (instruction->is_matrix()) CHECK((plan.pattern.active + 1) <= 1);
      without_a_lane += plan.pattern.lanes() == 0;
      const auto [least, most] = std::ranges::minmax(plan.pattern.address);
      CHECK(least >= memory.begin.count);
      CHECK(most + instruction->bytes <= memory.end.count);
      starts.insert(least / 16384);
    }
  CHECK(without_a_lane == std::ranges::count_if(every_instruction(), [](const AccessInstruction* i) {
          return i->op != AccessOp::ldmatrix;
        }));
  CHECK(starts.size() >= 12);  // all over shared memory
}

TEST_CASE("the fixed plans take every number of passes that a group can") {
  for (const AccessInstruction* instruction : timed_instructions(sm_90a())) {
    const std::vector<WavefrontPlan> plans = fixed_wavefronts(*instruction);
    REQUIRE(static_cast<int>(plans.size()) > instruction->group_lanes);
    for (int k = 1; k <= instruction->group_lanes; ++k) {
      CAPTURE(instruction->name);
      CAPTURE(k);
      const int groups = instruction->addresses / instruction->group_lanes;
      CHECK(expected(plans[static_cast<std::size_t>(k - 1)]).front() == k * groups);
    }
  }
}

TEST_CASE("each wrong model of wavefronts is caught, by drawn plans and by the fixed ones") {
  using enum Hypothesis;
  Random random(1);
  std::vector<WavefrontPlan> drawn, fixed;
  for (const AccessInstruction* instruction : timed_instructions(sm_90a())) {
    for (int i = 0; i < 90; ++i) drawn.push_back(draw_wavefront(*instruction, random));
    const std::vector<WavefrontPlan> more = fixed_wavefronts(*instruction);
    fixed.insert(fixed.end(), more.begin(), more.end());
  }
  const auto caught = [](Hypothesis wrong, const std::vector<WavefrontPlan>& plans) {
    return std::ranges::count_if(plans, [&](const WavefrontPlan& plan) {
      const ByteBuffer output = simulate({&plan, 1}, launch_of({&plan, 1}, wrong));
      return decode({&plan, 1}, output, wrong).front() != expected(plan, wrong);
    });
  };
  for (const Hypothesis wrong : {no_pairing, stores_pair, pairs_at_any_distance, pairs_by_group, idle_lanes_disagree,
                                 groups_of_32, no_broadcast}) {
    CAPTURE(row_of(wrong).name);
    CHECK(caught(wrong, drawn) >= 10);
    CHECK(caught(wrong, fixed) >= 1);
  }
  CHECK(caught(none, drawn) == 0);
  CHECK(caught(none, fixed) == 0);
  // Of other probes: it says nothing about wavefronts.
  for (const WavefrontPlan& plan : drawn) CHECK(expected(plan, strides_swapped) == expected(plan));
}

TEST_CASE("wrong models by example") {
  const auto count = [](Hypothesis hypothesis, const char* name, std::uint32_t active, auto address) {
    WavefrontPlan plan{{&require_access(name), active, {}}};
    for (std::uint32_t lane = 0; lane < 32; ++lane) plan.pattern.address[lane] = 1024 + address(lane);
    return expected(plan, hypothesis).front();
  };
  const auto pairs = [](std::uint32_t lane) { return lane / 2 * 8; };
  CHECK(count(Hypothesis::none, "ld.shared.b64", 0xffffffff, pairs) == 1);
  CHECK(count(Hypothesis::no_pairing, "ld.shared.b64", 0xffffffff, pairs) == 2);
  CHECK(count(Hypothesis::none, "st.shared.b64", 0xffffffff, pairs) == 2);
  CHECK(count(Hypothesis::stores_pair, "st.shared.b64", 0xffffffff, pairs) == 1);
  // Every second lane: each partner is inactive, so all pair.
  CHECK(count(Hypothesis::none, "ld.shared.b64", 0x55555555, pairs) == 1);
  CHECK(count(Hypothesis::idle_lanes_disagree, "ld.shared.b64", 0x55555555, pairs) == 2);
  // Lanes 0-15 pair with l^1, lanes 16-31 with l^2: not one distance for the warp.
  const auto halves = [](std::uint32_t lane) { return (lane & ~(lane < 16 ? 1U : 2U)) * 8; };
  CHECK(count(Hypothesis::none, "ld.shared.b128", 0xffffffff, [&](std::uint32_t l) { return 2 * halves(l); }) == 4);
  CHECK(count(Hypothesis::pairs_by_group, "ld.shared.b128", 0xffffffff,
              [&](std::uint32_t l) { return 2 * halves(l); }) == 4);
  const auto near_halves = [](std::uint32_t lane) {
    return (lane < 16 ? lane / 2 : 8 + lane / 4 * 2 + lane % 2) % 8 * 16;
  };
  CHECK(count(Hypothesis::none, "ld.shared.b128", 0xffffffff, near_halves) == 4);
  CHECK(count(Hypothesis::pairs_by_group, "ld.shared.b128", 0xffffffff, near_halves) == 2);
  const auto fourth = [](std::uint32_t lane) { return (lane & ~4U) * 8; };
  CHECK(count(Hypothesis::none, "ld.shared.b64", 0xffffffff, fourth) == 2);
  CHECK(count(Hypothesis::groups_of_32, "ldmatrix.x4", 0xffffffff, [](std::uint32_t) { return 0U; }) == 1);
  CHECK(count(Hypothesis::none, "ldmatrix.x4", 0xffffffff, [](std::uint32_t) { return 0U; }) == 4);
  CHECK(count(Hypothesis::no_broadcast, "ld.shared.b32", 0xffffffff, [](std::uint32_t) { return 0U; }) == 32);
  CHECK(count(Hypothesis::none, "ld.shared.b32", 0xffffffff, [](std::uint32_t) { return 0U; }) == 1);
}

TEST_CASE("cycles become wavefronts, or are unreadable") {
  const WavefrontPlan plan = fixed_wavefronts(require_access("ld.shared.b32")).front();
  for (int n = 1; n <= 32; ++n)
    for (const double noise : {0.03, 0.05, 0.15, 0.34, -0.2}) {
      CAPTURE(n);
      CAPTURE(noise);
      CHECK(decoded(plan, 8 + n + noise) == n);
    }
  CHECK(decoded(plan, 8 + 1 + 0.40) == unreadable);
  CHECK(decoded(plan, 8 + 1 + 0.55) == unreadable);
  CHECK(decoded(plan, 8 + 2 - 0.30) == unreadable);
  CHECK(decoded(plan, 7.05) == unreadable);
  CHECK(decoded(plan, 0) == unreadable);
  // A kernel that wrote nothing.
  const ByteBuffer nothing(timed(plan, 9).size());
  CHECK(decode({&plan, 1}, nothing).front().front() == unreadable);
}

TEST_CASE("plans survive JSON, and 2,000 of them are small") {
  Random random(3);
  std::size_t size = 0, count = 0;
  for (const AccessInstruction* instruction : timed_instructions(sm_90a()))
    for (int i = 0; i < 91; ++i, ++count) {
      const WavefrontPlan plan = draw_wavefront(*instruction, random);
      const std::string text = to_json(plan).dump();
      size += text.size() + 11;  // ,"seen":[12]
      const WavefrontPlan again = wavefront_plan(Json::parse(text));
      CHECK(again.pattern.instruction == plan.pattern.instruction);
      CHECK(again.pattern.active == plan.pattern.active);
      CHECK(again.pattern.address == plan.pattern.address);
      CHECK(to_json(again).dump() == text);
    }
  REQUIRE(count > 2000);
  CHECK(size < 300'000);
}

TEST_CASE("what is no plan is refused") {
  const auto message = [](const char* text) -> std::string {
    try {
      wavefront_plan(Json::parse(text));
    } catch (const Error& error) {
      return error.message();
    }
    return "accepted";
  };
  const std::string zeros(32, '0');
  const auto plan = [&](const std::string& name, const std::string& rest, const std::string& at) {
    return "{\"wavefront\":\"" + name + "\"," + rest + ",\"at\":\"" + at + "\"}";
  };
  CHECK(message(plan("ld.shared.b32", "\"base\":1024", zeros).c_str()) == "accepted");
  CHECK(message(plan("ld.shared.b32", "\"active\":\"0x00000000\",\"base\":1024", zeros).c_str()) == "accepted");
  CHECK(message(plan("cp.async.16", "\"base\":1024", zeros).c_str()) == "the wavefronts of cp.async.16 are not timed");
  CHECK(message(plan("atom.shared.b32", "\"base\":1024", zeros).c_str()) ==
        "the wavefronts of atom.shared.b32 are not timed");
  CHECK(message(plan("ldmatrix.x1", "\"active\":\"0x000000ff\",\"base\":1024", zeros).c_str()) ==
        "ldmatrix.x1 is executed by all lanes or by none, not by 0x000000ff");
  CHECK(message(plan("ld.shared.b32", "\"base\":1024", zeros + "0").c_str()) == "32 lanes have 33 digits");
  CHECK(message(plan("ld.shared.b32", "\"base\":1024", "").c_str()) == "32 lanes have 0 digits");
  CHECK(message(plan("ld.shared.b32", "\"base\":1026", zeros).c_str()) == "lane 0 of ld.shared.b32 is at 1026 + 0 * 4");
  CHECK(message(plan("ld.shared.b32", "\"base\":1020", zeros).c_str()) == "lane 0 of ld.shared.b32 is at 1020 + 0 * 4");
  CHECK(message(plan("ld.shared.b32", "\"base\":202748", zeros.substr(1) + "1").c_str()) ==
        "lane 31 of ld.shared.b32 is at 202748 + 1 * 4");
  CHECK(message(plan("ld.shared.b32", "\"base\":9223372036854775807", zeros).c_str()) ==
        "lane 0 of ld.shared.b32 is at 9223372036854775807 + 0 * 4");
  CHECK(message(plan("ld.shared.b32", "\"base\":1024", std::string(32, 'g')).c_str()) != "accepted");
}

TEST_CASE("a plan and its values have names") {
  WavefrontPlan plan = fixed_wavefronts(require_access("ld.shared.b32"))[31];
  CHECK(subject(plan) == "ld.shared.b32, addresses 1024, 1152, 1280, 1408, …");
  plan.pattern.active = 0x80000001;
  CHECK(subject(plan) == "ld.shared.b32, active 0x80000001, addresses 1024, 4992");
  CHECK(element_name(plan, 0) == "the access");
  CHECK(value_name(plan, 1) == "1 wavefront");
  CHECK(value_name(plan, 32) == "32 wavefronts");
  CHECK(value_name(plan, unreadable) == "no number of wavefronts");
}
