// SPDX-License-Identifier: Apache-2.0
// The probe of mma.sync against a simulated GPU, for every instruction: of the right model nothing is reported,
// each planted mistake is caught.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "probe/mma_probe.hpp"
#include "simulated.hpp"

using namespace swz;

namespace {

bool is_same(const MmaPlan& plan, Hypothesis model, const Observation& seen) {
  return compare(expected(plan, model), seen).is_same();
}

Observations observe_simulated(std::span<const MmaPlan> plans, Hypothesis planted) {
  return decode(plans, simulate(plans, launch_of(plans, planted)), planted);
}

}  // namespace

TEST_CASE("simulated hardware confirms every operand of every mma.sync, and no wrong fragment") {
  for (const MmaSyncInstruction& instruction : mma_sync_instructions()) {
    const std::vector<MmaPlan> plans = mma_plans(instruction);
    const Observations seen = observe_simulated(plans, Hypothesis::none);
    REQUIRE(seen.size() == 4);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK(is_same(plans[i], Hypothesis::none, seen[i]));
      CHECK_FALSE(is_same(plans[i], Hypothesis::wrong_fragment, seen[i]));
      const RegisterTable table(fragment_of(instruction, plans[i].operand));
      CHECK(seen[i].size() == static_cast<std::size_t>(table.elements()));
    }
  }
}

TEST_CASE("one wrong element of the identity is caught in A and in B") {
  for (const MmaSyncInstruction& instruction : mma_sync_instructions()) {
    const std::vector<MmaPlan> plans{{instruction, Operand::a}, {instruction, Operand::b}};
    const Observations seen = observe_simulated(plans, Hypothesis::wrong_identity);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(subject(plans[i]));
      CHECK_FALSE(is_same(plans[i], Hypothesis::wrong_identity, seen[i]));
    }
  }
}

// A fault of the hardware, not of the model: two registers exchanged before the instruction.
TEST_CASE("hardware that takes two registers of A for each other is caught in A") {
  const MmaSyncInstruction instruction = mma_sync_instruction("mma.m16n8k16.row.col.f32.bf16.bf16.f32");
  const std::vector<MmaPlan> plans = mma_plans(instruction);
  Launch launch = launch_of(plans);
  const auto registers = static_cast<std::size_t>(fragment_of(instruction, Operand::a).registers());
  for (std::size_t block = 0; block < static_cast<std::size_t>(launch.grid); ++block) {
    const auto begin = launch.inputs[0].begin() + static_cast<std::ptrdiff_t>(block * registers * 128);
    std::swap_ranges(begin + 128, begin + 256, begin + 256);  // registers 1 and 2
  }
  const Observations seen = decode(plans, simulate(plans, launch));
  const Mismatch a = compare(expected(plans[0]), seen[0]);
  REQUIRE_FALSE(a.is_same());
  // Registers 1 and 2 are rows 8 to 15 of columns 0 to 7 and rows 0 to 7 of columns 8 to 15: half of A.
  CHECK(a.differing == 128);
  CHECK(element_name(plans[0], a.first) == "(0, 8)");
  CHECK(value_name(plans[0], a.expected) == "thread 0 value 4");
  CHECK(value_name(plans[0], a.observed) == "thread 0 value 2");
  // In the probe of B, A is the identity, zero in both quarters; in that of C it is zero. That of D has the codes
  // of its rows in column 0 of A.
  CHECK(is_same(plans[1], Hypothesis::none, seen[1]));
  CHECK(is_same(plans[2], Hypothesis::none, seen[2]));
  CHECK_FALSE(is_same(plans[3], Hypothesis::none, seen[3]));
}

TEST_CASE("the four MMAs of m8n8k4 are told apart") {
  const MmaPlan plan{mma_sync_instruction("mma.m8n8k4.col.row.f32.f16.f16.f16"), Operand::d};
  const Observation seen = expected(plan);
  REQUIRE(seen.size() == 4 * 64);
  // D of f32, PTX 9.7.14.5.1: row (lane & 1) + (i & 2), + 4 for lanes from 16; column (i & 4) + (lane & 2) + (i &
  // 1)
  const int lane = 16 + 4 + 3, i = 6;
  const int row = 1 + 2 + 4, column = 4 + 2 + 0;
  const std::int64_t index = 1 * 64 + row * 8 + column;
  CHECK(seen[static_cast<std::size_t>(index)] == lane * 8 + i);
  CHECK(element_name(plan, index) == "(7, 6) of MMA 1");
  CHECK(value_name(plan, seen[static_cast<std::size_t>(index)]) == "thread 23 value 6");
  CHECK(value_name(plan, -1) == "no element");
}

TEST_CASE("fp4 in an 8-bit container lies in bits 2 to 5") {
  // The one of A under the identity that shows B: row 0 meets k 0.
  const auto one_of = [](const char* name) {
    const std::vector<MmaPlan> plans{{mma_sync_instruction(name), Operand::b}};
    const RegisterTable a(fragment_of(plans[0].instruction, Operand::a));
    return a.element(launch_of(plans).inputs[0], a.index({0, {0, 0}}));
  };
  CHECK(one_of("mma.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32") == 0b0000'1000);  // e2m1 0 01 0
  CHECK(one_of("mma.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0") == 0b0010);
}

TEST_CASE("instructions of a target") {
  std::set<std::string> names;
  for (const MmaSyncInstruction& i : mma_sync_instructions()) {
    CHECK(names.insert(to_string(i)).second);
    CHECK(mma_sync_instruction(to_string(i)) == i);
  }
  // Every row of the arch table is there, with every pair of its types and every accumulator.
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != InstructionFamily::mma) continue;
    for (const std::string_view a : row.types)
      for (const std::string_view b : row.types)
        for (const std::string_view d : row.accumulators) {
          if (a.empty() || b.empty() || d.empty()) continue;
          bool found = false;
          for (const MmaSyncInstruction& i : mma_sync_instructions())
            found = found ||
                    (i.a_row->m == row.m && i.a_row->k == row.k && i.a_type == a && i.b_type == b && i.d_type == d);
          CHECK_MESSAGE(found, row.m, " ", row.k, " ", a, " ", b, " ", d);
        }
  }
  const auto has = [](std::string_view target, std::string_view name) {
    return runs_on(mma_sync_instruction(name), require_target(target));
  };
  CHECK(has("sm_75", "mma.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"));
  CHECK_FALSE(has("sm_75", "mma.m8n8k128.row.col.s32.b1.b1.s32.and.popc"));
  CHECK(has("sm_80", "mma.m8n8k128.row.col.s32.b1.b1.s32.and.popc"));
  CHECK(has("sm_90a", "mma.m16n8k32.row.col.f16.e4m3.e5m2.f16"));
  CHECK_FALSE(has("sm_90a", "mma.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32"));
  CHECK_FALSE(has("sm_100a", "mma.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32"));
  CHECK(has("sm_121a", "mma.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32"));
}

TEST_CASE("a plan is an object") {
  CHECK(to_json({mma_sync_instruction("mma.m16n8k16.row.col.f32.f16.f16.f32"), Operand::b}).dump() ==
        R"({"mma":"m16n8k16.row.col.f32.f16.f16.f32","of":"b"})");
  for (const MmaSyncInstruction& instruction : mma_sync_instructions())
    for (const MmaPlan& plan : mma_plans(instruction)) {
      const MmaPlan back = mma_plan(Json::parse(to_json(plan).dump()));
      CHECK(back.instruction == plan.instruction);
      CHECK(back.operand == plan.operand);
    }
  const Json unknown_operand{{"mma", "m16n8k16.row.col.f32.f16.f16.f32"}, {"of", "e"}};
  CHECK_THROWS_WITH_AS(mma_plan(unknown_operand), "an mma.sync has no operand 'e'", Error);
  const Json unknown{{"mma", "m16n8k16.row.col.f32.f16.f16.f23"}, {"of", "a"}};
  CHECK_THROWS_WITH_AS(mma_plan(unknown), "there is no mma.sync 'mma.m16n8k16.row.col.f32.f16.f16.f23'", Error);
}

TEST_CASE("statements") {
  CHECK(mma_statement(mma_sync_instruction("mma.m16n8k8.row.col.f16.f16.f16.f16")) ==
        R"cuda(#define A_WORDS 2
#define B_WORDS 1
#define C_WORDS 2
#define D_WORDS 2
__device__ void mma(unsigned (&d)[2], const unsigned (&a)[2], const unsigned (&b)[1],
                    const unsigned (&c)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
}
)cuda");
  CHECK(mma_statement(mma_sync_instruction("mma.m8n8k4.row.col.f64.f64.f64.f64")) ==
        R"cuda(#define A_WORDS 2
#define B_WORDS 2
#define C_WORDS 4
#define D_WORDS 4
__device__ void mma(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[2],
                    const unsigned (&c)[4]) {
  asm volatile(
      "{ .reg .f64 d<2>, a<1>, b<1>, c<2>;\n"
      "mov.b64 a0, {%4, %5};\n"
      "mov.b64 b0, {%6, %7};\n"
      "mov.b64 c0, {%8, %9};\n"
      "mov.b64 c1, {%10, %11};\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {a0}, {b0}, {c0, c1};\n"
      "mov.b64 {%0, %1}, d0;\n"
      "mov.b64 {%2, %3}, d1; }"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
}
)cuda");
}
