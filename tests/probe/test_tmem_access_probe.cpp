// SPDX-License-Identifier: Apache-2.0
// The probe of tcgen05.ld and st against simulated tensor memory, for every form: of the right model nothing is
// reported, hardware that makes a mistake is caught and explained. There is no Blackwell here.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "probe/tmem_access_probe.hpp"
#include "sweep.hpp"
#include "told_explanations.hpp"

using namespace swz;

namespace {

TmemAccessPlan plan_of(std::string_view name, int lane = 0, int column = 0) {
  return {find_tmem_form(name), lane, column, {}};
}

std::vector<TmemAccessPlan> plans_of_every_form(std::uint64_t seed, long step) {
  Random random(seed);
  Sweep every{step};
  std::vector<TmemAccessPlan> out;
  for (const TmemForm& form : tmem_forms_to_probe(require_target("sm_103a"))) {
    const TmemAccessPlan plan = draw_tmem_access(form, random);
    if (every.takes()) out.push_back(plan);
  }
  return out;
}

Observation seen_by(const TmemAccessPlan& plan, Hypothesis is = Hypothesis::none) {
  const std::vector<TmemAccessPlan> plans{plan};
  return decode(plans, simulate(plans, launch_of(plans), is)).front();
}

// The value of half `half` of register i of a thread.
std::int64_t at(const TmemAccessPlan& plan, const Observation& values, int thread, int i, int half) {
  return values[static_cast<std::size_t>((thread * plan.words() + i) * 2 + half)];
}

std::string error_of(const Json& json) {
  try {
    tmem_access_plan(json);
  } catch (const Error& error) {
    return std::string(error.what());
  }
  return "none";
}

}  // namespace

TEST_CASE("tmem-access: simulated hardware confirms every form") {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const TmemAccessPlan& plan : plans_of_every_form(seed, 16)) {
      CAPTURE(subject(plan));
      const Mismatch comparison = compare(expected(plan), seen_by(plan));
      CAPTURE(comparison.first);
      CHECK(comparison.is_same());
    }
}

TEST_CASE("tmem-access: several plans of one kernel in one launch") {
  Random random(5);
  for (const char* name : {"tcgen05.ld.16x256b.x4", "tcgen05.st.16x64b.x2.unpack::16b"}) {
    std::vector<TmemAccessPlan> plans;
    for (int i = 0; i < 6; ++i) plans.push_back(draw_tmem_access(find_tmem_form(name), random));
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    REQUIRE(seen.size() == plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) CHECK(seen[i] == expected(plans[i]));
  }
}

TEST_CASE("tmem-access: hardware that makes a mistake is caught and explained by its name") {
  using enum Hypothesis;
  std::vector<TmemAccessPlan> plans = plans_of_every_form(4, 8);
  // Twice its split leads around tensor memory to the first run.
  std::erase_if(plans, [](const TmemAccessPlan& plan) { return plan.form.has_split() && plan.split() == 256; });
  for (const Hypothesis is : {lanes_off_by_16, packed_halves_exchanged, pack_ignored, split_in_registers,
                              lane_bits_obeyed, upper_cleared, reduced_over_both_halves}) {
    CAPTURE(row_of(is).name);
    const auto hit = [&](const TmemAccessPlan& plan) {
      switch (is) {
        case lanes_off_by_16: return true;
        case packed_halves_exchanged:
        case pack_ignored: return plan.form.packs;
        case split_in_registers: return plan.form.packs && plan.form.has_split();
        case lane_bits_obeyed: return plan.only_warp.has_value();
        case reduced_over_both_halves: return plan.form.reduction && plan.form.has_split();
        default: return plan.form.packs && plan.form.stores;
      }
    };
    const Judged found = judged<TmemAccessPlan>(plans, is);
    CHECK(found.differing == std::ranges::count_if(plans, hit));
    CHECK((found.differing > 0 || is_sanitized));
    CHECK(found.explained == found.differing);
    CHECK((found.explained_by_it > 0 || is_sanitized));
  }
}

TEST_CASE("tmem-access: faults that no hypothesis names are caught") {
  const std::vector<TmemAccessPlan> plans{plan_of("tcgen05.ld.16x256b.x4", 16, 40)};
  ByteBuffer output = simulate(plans, launch_of(plans));
  // Bit 3 of register 2 of thread 7, in the first pass.
  output[(2 * 128 + 7) * 4] ^= 8;
  const std::optional<CaseMismatch> found =
      judge(plans.front(), observed(decode(plans, output).front()), Hypothesis::none);
  REQUIRE(found);
  CHECK(found->mismatch->differing == 1);
  CHECK(found->explanations.empty());
  CHECK(element_name(plans.front(), found->mismatch->first) == "warp 0, thread 7, register 2, low half");

  // A store beside its window, and one that is missing.
  const std::vector<TmemAccessPlan> stores{plan_of("tcgen05.st.32x32b.x1", 0, 9)};
  ByteBuffer tmem = simulate(stores, launch_of(stores));
  const std::size_t wrong = (300 * 128 + 5) * 4, missing = (9 * 128 + 70) * 4;
  const std::size_t pass = std::size_t{512} * 128 * 4;
  for (const std::size_t at : {wrong, wrong + pass}) tmem[at] ^= 0x55;
  for (const std::size_t at : {missing, missing + pass}) tmem[at] = tmem[at + 1] = tmem[at + 2] = tmem[at + 3] = 0;
  const Observation seen = decode(stores, tmem).front();
  const Mismatch comparison = compare(expected(stores.front()), seen);
  CHECK(comparison.differing == 4);  // two halves of thread 70, what was cleared, what is something else
  CHECK(element_name(stores.front(), comparison.first) == "warp 2, thread 6, register 0, low half");
  CHECK(value_name(stores.front(), comparison.expected) == "lane 70, column 9, low half");
  CHECK(value_name(stores.front(), comparison.observed) == "no cell");
  CHECK(element_name(stores.front(), std::ssize(seen) - 2) == "cleared halves of tensor memory");
  CHECK(value_name(stores.front(), seen[seen.size() - 2]) == "2 halves");
  CHECK(element_name(stores.front(), std::ssize(seen) - 1) == "halves of tensor memory that hold something else");
  CHECK(value_name(stores.front(), seen.back()) == "1 halves");
}

TEST_CASE("tmem-access: a register that is found twice is in no place") {
  const std::vector<TmemAccessPlan> stores{plan_of("tcgen05.st.32x32b.x1", 0, 9)};
  ByteBuffer tmem = simulate(stores, launch_of(stores));
  const std::size_t there = (9 * 128 + 70) * 4, again = (300 * 128 + 5) * 4, pass = std::size_t{512} * 128 * 4;
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (const std::size_t of_pass : {std::size_t{0}, pass})
      tmem[of_pass + again + byte] = tmem[of_pass + there + byte];
  const Mismatch comparison = compare(expected(stores.front()), decode(stores, tmem).front());
  CHECK(comparison.differing == 2);
  CHECK(value_name(stores.front(), comparison.observed) == "several cells");
}

TEST_CASE("tmem-access: worked examples of the fact sheet") {
  // Thread 13, register 11 of 16x256b.x4: lane 11, column 19; here of warp 1 at lane 16, column 40.
  const TmemAccessPlan wide = plan_of("tcgen05.ld.16x256b.x4", 16, 40);
  CHECK(value_name(wide, at(wide, expected(wide), 32 + 13, 11, 0)) == "lane 59, column 59, low half");
  const TmemAccessPlan packed = plan_of("tcgen05.ld.32x32b.x8.pack::16b");
  CHECK(value_name(packed, at(packed, expected(packed), 5, 3, 0)) == "lane 5, column 6, low half");
  CHECK(value_name(packed, at(packed, expected(packed), 5, 3, 1)) == "lane 5, column 7, low half");
  const TmemAccessPlan unpacked = plan_of("tcgen05.st.16x128b.x1.unpack::16b");
  CHECK(value_name(unpacked, at(unpacked, expected(unpacked), 9, 1, 0)) == "lane 10, column 2, low half");
  CHECK(value_name(unpacked, at(unpacked, expected(unpacked), 9, 1, 1)) == "lane 10, column 3, low half");
  const TmemAccessPlan split = plan_of("tcgen05.ld.16x32bx2.x4");
  CHECK(value_name(split, at(split, expected(split), 20, 1, 0)) == "lane 4, column 5, low half");
}

TEST_CASE("tmem-access: redval names the cell that is least or largest") {
  using enum Hypothesis;
  // Threads 4 and 20 have lane 4, columns 7-10 and 16-19.
  TmemAccessPlan least = plan_of("tcgen05.ld.red.16x32bx2.x4.min.u32", 0, 7);
  TmemAccessPlan largest = plan_of("tcgen05.ld.red.16x32bx2.x4.max.u32", 0, 7);
  least.form.split_offset = largest.form.split_offset = 9;
  const auto redval = [](const TmemAccessPlan& plan, int thread, Hypothesis is) {
    CHECK(expected(plan, is) == seen_by(plan, is));
    return value_name(plan, at(plan, expected(plan, is), thread, 4, 0));
  };
  CHECK(redval(least, 4, none) == "lane 4, column 7, low half");
  CHECK(redval(least, 20, none) == "lane 4, column 16, low half");
  CHECK(redval(largest, 4, none) == "lane 4, column 10, low half");
  CHECK(redval(largest, 20, none) == "lane 4, column 19, low half");
  for (const int thread : {4, 20}) {
    CHECK(redval(least, thread, reduced_over_both_halves) == "lane 4, column 7, low half");
    CHECK(redval(largest, thread, reduced_over_both_halves) == "lane 4, column 19, low half");
  }
  CHECK(element_name(least, (20 * 5 + 4) * 2) == "warp 0, thread 20, redval, low half");
  // A thread of 32x32b has its lane whole.
  const TmemAccessPlan whole = plan_of("tcgen05.ld.red.32x32b.x8.max.u32", 0, 40);
  CHECK(value_name(whole, at(whole, expected(whole), 5, 8, 0)) == "lane 5, column 47, low half");
  CHECK(expected(whole, reduced_over_both_halves) == expected(whole));
  CHECK(tmem_access_statement(least) == R"cuda(#define WORDS 5
#define STORES 0
__device__ inline void access(unsigned (&r)[5], unsigned address) {
  asm volatile("tcgen05.ld.red.sync.aligned.16x32bx2.x4.min.u32 {%0, %1, %2, %3}, %4, [%5], 9;\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4])
      : "r"(address)
      : "memory");
}
)cuda");
  Json json = to_json(least);
  json["tmem_access"] = "tcgen05.ld.red.16x32bx2.x4.min.f32";
  CHECK(error_of(json) == "tcgen05.ld.red.16x32bx2.x4.min.f32 is not probed");
  // 28 more forms, where the target has them.
  CHECK(tmem_forms_to_probe(sm_100a()).size() == 148);
  CHECK(tmem_forms_to_probe(require_target("sm_110a")).size() == 148 + 28);
}

TEST_CASE("tmem-access: draws lie in tensor memory, and ask the open questions") {
  Random random(9);
  std::set<std::string> kernels;
  bool has_upper_lanes = false, has_split = false;
  int alone = 0;
  for (int i = 0; i < 40; ++i)
    for (const TmemForm& form : tmem_forms()) {
      const TmemAccessPlan plan = draw_tmem_access(form, random);
      require_fine(plan);
      kernels.insert(kernel_of(plan).statement);
      has_upper_lanes = has_upper_lanes || plan.lane == 16;
      has_split = has_split || plan.form.split_offset;
      alone += plan.only_warp ? 1 : 0;
    }
  CHECK(has_upper_lanes);
  CHECK(has_split);
  CHECK(alone > 1000);
  // 148 forms; of 16x32bx2 another split for ld and st, packed and not, but of .x128 packed, which has no room for it.
  CHECK(tmem_forms().size() == 148);
  CHECK(kernels.size() == 148 + 2 * (8 + 7));
}

TEST_CASE("tmem-access: statements") {
  CHECK(tmem_access_statement(plan_of("tcgen05.ld.16x128b.x1")) == R"cuda(#define WORDS 2
#define STORES 0
__device__ inline void access(unsigned (&r)[2], unsigned address) {
  asm volatile("tcgen05.ld.sync.aligned.16x128b.x1.b32 {%0, %1}, [%2];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=r"(r[0]), "=r"(r[1])
      : "r"(address)
      : "memory");
}
)cuda");
  CHECK(tmem_access_statement(plan_of("tcgen05.st.16x32bx2.x1.unpack::16b")) == R"cuda(#define WORDS 1
#define STORES 1
__device__ inline void access(unsigned (&r)[1], unsigned address) {
  asm volatile("tcgen05.st.sync.aligned.16x32bx2.x1.unpack::16b.b32 [%0], 2, {%1};\n"
      "tcgen05.wait::st.sync.aligned;"
      :
      : "r"(address), "r"(r[0])
      : "memory");
}
)cuda");
}

TEST_CASE("tmem-access: a plan is an object") {
  for (const TmemAccessPlan& plan : plans_of_every_form(6, 4)) {
    const TmemAccessPlan back = tmem_access_plan(Json::parse(to_json(plan).dump()));
    CHECK(to_json(back).dump() == to_json(plan).dump());
    CHECK(expected(back) == expected(plan));
  }
  TmemAccessPlan plan = plan_of("tcgen05.ld.16x32bx2.x4", 16, 7);
  plan.form.split_offset = 9;
  plan.only_warp = 2;
  CHECK(to_json(plan).dump() ==
        R"({"tmem_access":"tcgen05.ld.16x32bx2.x4","split":9,"lane":16,"column":7,"only_warp":2})");
  CHECK(subject(plan) == "tcgen05.ld.16x32bx2.x4 with split 9, lane 16, column 7, warp 2 with the lane bits of warp 0");
  const auto with = [&](const char* key, int value) {
    Json json = to_json(plan);
    json[key] = value;
    return error_of(json);
  };
  CHECK(with("split", 3) == "tcgen05.ld.16x32bx2.x4 cannot be probed with the split 3");
  CHECK(with("split", 1 << 30) == "tcgen05.ld.16x32bx2.x4 cannot be probed with the split 1073741824");
  CHECK(with("lane", 8) == "tcgen05.ld.16x32bx2.x4 has no lane 8");
  CHECK(with("column", 500) == "tcgen05.ld.16x32bx2.x4 of 13 columns at column 500 leaves tensor memory");
  CHECK(with("column", -1) == "tcgen05.ld.16x32bx2.x4 of 13 columns at column -1 leaves tensor memory");
  CHECK(with("only_warp", 0) == "warp 0 cannot be asked alone");
  Json json = to_json(plan_of("tcgen05.ld.32x32b.x1"));
  json["lane"] = 16;
  CHECK(error_of(json) == "tcgen05.ld.32x32b.x1 has no lane 16");
  json["tmem_access"] = "tcgen05.ld.32x32b.x3";
  CHECK(error_of(json) == "'tcgen05.ld.32x32b.x3': 32x32b has no .x3");
}
