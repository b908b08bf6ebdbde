// SPDX-License-Identifier: Apache-2.0
// The probe of ldmatrix, stmatrix and movmatrix against a simulated GPU, for every instruction on a target of its
// own: of the right model nothing is reported, a wrong fragment and a fault of the hardware are caught.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/operand_probe.hpp"
#include "simulated.hpp"

using namespace swz;

namespace {

// Hopper, or else the workstation parts, whose 99 KiB of shared memory are simulated fastest.
const Target& target_of(const MatrixForm& instruction) {
  const Target& hopper = require_target("sm_90a");
  return runs_on(instruction.row->availability, hopper) ? hopper : require_target("sm_120a");
}

std::vector<MatrixPlan> plans_of(const MatrixForm& instruction, Random& random, int count) {
  std::vector<MatrixPlan> plans;
  for (int i = 0; i < count; ++i) plans.push_back(draw_matrix(instruction, target_of(instruction), random));
  return plans;
}

MatrixPlan one_plan(std::string_view name) {
  Random random(3);
  const MatrixForm instruction = require_matrix_form(name);
  return draw_matrix(instruction, target_of(instruction), random);
}

bool is_same(const MatrixPlan& plan, Hypothesis model, const Observation& seen) {
  return compare(expected(plan, model), seen).is_same();
}

}  // namespace

TEST_CASE("simulated hardware confirms every plan of every instruction, and no wrong fragment") {
  Random random(20261121);
  for (const MatrixForm& instruction : matrix_forms()) {
    std::vector<MatrixPlan> plans = plans_of(instruction, random, 3);
    // Of lanes that share an address two may be exchanged unseen; here none does.
    for (std::uint32_t lane = 0; lane < 32; ++lane) plans[0].addresses[lane] = 0x2000 + 16 * lane;
    const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
    REQUIRE(seen.size() == plans.size());
    CAPTURE(instruction.name());
    for (std::size_t i = 0; i < plans.size(); ++i) CHECK(is_same(plans[i], Hypothesis::none, seen[i]));
    CHECK_FALSE(is_same(plans[0], Hypothesis::wrong_fragment, seen[0]));
  }
}

TEST_CASE("an address that no lane of the instruction reads does not matter, one that it reads does") {
  const MatrixPlan plan = one_plan("ldmatrix.x2");
  MatrixPlan other = plan;
  other.addresses[16] ^= 16U;
  CHECK(expected(other) == expected(plan));
  other.addresses[15] ^= 16U;
  const Mismatch changed = compare(expected(plan), expected(other));
  CHECK(changed.differing == 8);  // the 8 elements of row 15
}

TEST_CASE("a store beside its rows is caught") {
  const MatrixPlan plan = one_plan("stmatrix.x1.trans");
  const std::vector<MatrixPlan> plans{plan};
  ByteBuffer output = simulate(plans, launch_of(plans));
  // Behind the 32 rows there is a bit for each line; line 5 is byte 1024 + 80.
  output[512] = static_cast<std::uint8_t>(output[512] | 0x20U);
  const Observation seen = decode(plans, output).front();
  const Mismatch comparison = compare(expected(plan), seen);
  REQUIRE_FALSE(comparison.is_same());
  CHECK(comparison.differing == 1);
  CHECK(element_name(plan, comparison.first) == "any other line");
  CHECK(value_name(plan, comparison.expected) == "no element");
  CHECK(value_name(plan, comparison.observed) == "byte 1104");
}

TEST_CASE("a row that was not written is caught") {
  const MatrixPlan plan = one_plan("stmatrix.x4");
  const std::vector<MatrixPlan> plans{plan};
  ByteBuffer output = simulate(plans, launch_of(plans));
  std::fill_n(output.begin() + 9 * 16, 16, std::uint8_t{0xff});
  const Mismatch comparison = compare(expected(plan), decode(plans, output).front());
  CHECK(comparison.differing == 8);
  CHECK(element_name(plan, comparison.first) == "(9, 0)");
  CHECK(value_name(plan, comparison.expected) == "thread 4 value 2");
  CHECK(value_name(plan, comparison.observed) == "no element");
}

TEST_CASE("what an observation says, against the formulas of the PTX document") {
  // ldmatrix.x4: lane l of matrix j holds row l / 4, elements 2 (l % 4) and the next.
  const MatrixPlan load = one_plan("ldmatrix.x4");
  const Observation loaded = expected(load);
  const int lane = 13, j = 2;
  const std::int64_t row_address = load.addresses[8 * j + lane / 4];
  const std::size_t index = lane * 8 + 2 * j + 1;
  CHECK(loaded[index] == (row_address + 2 * (2 * (lane % 4) + 1)) * 8);
  CHECK(element_name(load, lane * 8 + 5) == "thread 13 value 5");
  CHECK(value_name(load, row_address * 8) == "byte " + std::to_string(row_address));
  CHECK(value_name(load, row_address * 8 + 4) == "bit 4 of byte " + std::to_string(row_address));
  // movmatrix: the value from row 2t + i, column g goes to row g, column 2t + i of the transposed matrix.
  const MatrixPlan move = one_plan("movmatrix.trans");
  for (int thread = 0; thread < 32; ++thread)
    for (int i = 0; i < 2; ++i) {
      const int row = 2 * (thread % 4) + i, column = thread / 4;
      const std::int64_t from = (4 * row + column / 2) * 2 + column % 2;
      CHECK(expected(move)[static_cast<std::size_t>(thread * 2 + i)] == from);
    }
}

TEST_CASE("lines of memory") {
  const Target& target = require_target("sm_120a");
  for (const MatrixInstruction& row : matrix_instructions()) {
    const MatrixMemory memory(row, target);
    CAPTURE(row.type);
    std::vector<ByteBuffer> images;
    for (int pass = 0; pass < memory.passes(); ++pass) images.push_back(memory.image(pass));
    std::vector<std::optional<std::int64_t>> digits(images.size());
    for (std::int64_t line = 0; line < memory.lines(); line += 61)
      for (int element = 0; element < row.row_elements; ++element) {
        const std::int64_t bit = memory.bit(memory.begin.count + line * line_bytes, element);
        for (std::size_t pass = 0; pass < images.size(); ++pass)
          digits[pass] = read_bits(images[pass], bit - memory.begin.count * 8, memory.element.width);
        CHECK(memory.bit_of(memory.code.position(digits)) == bit);
      }
  }
  const auto passes = [&](std::string_view name) {
    return MatrixMemory(*require_matrix_form(name).row, require_target("sm_100a")).passes();
  };
  // 233472 bytes: 116736 elements of 16 bits, 233472 of 8; 14592 lines of 16 elements of 6 or 4 bits.
  CHECK(passes("ldmatrix.x4") == 2);
  CHECK(passes("ldmatrix.m16n16.x1.trans.b8") == 3);
  CHECK(passes("ldmatrix.m8n16.x1.b8x16.b6x16_p32") == 3);
  CHECK(passes("ldmatrix.m8n16.x1.b8x16.b4x16_p64") == 5);
  // Element 3 of the line at byte 1024: 4 bits from bit 12 on; the padding is ones.
  const MatrixMemory packed(*require_matrix_form("ldmatrix.m8n16.x1.b8x16.b4x16_p64").row, target);
  CHECK(packed.bit(1024, 3) == 8204);
  CHECK(packed.bit_of(64 * 16 + 3) == 8204);
  const ByteBuffer image = packed.image(0);
  CHECK(image[1] == 0x32);
  CHECK(image[7] == 0xfe);
  CHECK(image[8] == 0xff);
}

TEST_CASE("draws lie in shared memory") {
  Random random(5);
  bool is_beyond_128_kib = false, is_shared = false;
  for (int i = 0; i < 200; ++i) {
    for (const std::string_view name : {"ldmatrix.x1", "stmatrix.x4.trans"}) {
      const MatrixPlan plan = draw_matrix(require_matrix_form(name), require_target("sm_90a"), random);
      const std::set<std::uint32_t> distinct(plan.addresses.begin(), plan.addresses.end());
      for (const std::uint32_t address : distinct) {
        CHECK(address % 16 == 0);
        CHECK(address >= 1024);
        CHECK(address + 16 <= 233472);
        is_beyond_128_kib = is_beyond_128_kib || address >= 131072;
      }
      if (plan.is(InstructionFamily::stmatrix)) CHECK(distinct.size() == 32);
      is_shared = is_shared || distinct.size() < 32;
    }
  }
  CHECK(is_beyond_128_kib);
  CHECK(is_shared);
}

TEST_CASE("instructions of a target") {
  std::set<std::string> names;
  for (const MatrixForm& i : matrix_forms()) {
    CHECK(names.insert(i.name()).second);
    CHECK(require_matrix_form(i.name()) == i);
  }
  const auto count = [](std::string_view target) {
    return std::ranges::count_if(matrix_forms(), [&](const MatrixForm& form) {
      return runs_on(form.row->availability, require_target(target));
    });
  };
  CHECK(count("sm_75") == 3 * 2 + 1);           // ldmatrix x1, x2, x4 with and without .trans; movmatrix
  CHECK(count("sm_90a") == 3 * 2 + 1 + 3 * 2);  // and stmatrix
  // ptxas 13.0.88 takes the matrices of bytes for f-targets as for a-targets.
  for (const std::string_view target : {"sm_100a", "sm_100f", "sm_103f", "sm_110f", "sm_121a"})
    CHECK(count(target) == 13 + 3 * 2 + 2 * 3 + 3);
}

TEST_CASE("a plan is an object") {
  Random random(11);
  for (const MatrixForm& instruction : matrix_forms()) {
    const MatrixPlan plan = draw_matrix(instruction, target_of(instruction), random);
    const MatrixPlan back = matrix_plan(Json::parse(to_json(plan).dump()));
    CHECK(back.instruction == plan.instruction);
    CHECK(back.target == plan.target);
    CHECK(back.addresses == plan.addresses);
  }
  CHECK(to_json(one_plan("movmatrix.trans")).dump() == R"({"matrix":"movmatrix.trans"})");

  Json json = to_json(one_plan("stmatrix.x1"));
  auto lines = json.at("lines").get<std::vector<std::uint32_t>>();
  lines[3] = lines[2];
  json["lines"] = lines;
  CHECK_THROWS_WITH_AS(matrix_plan(json), "two lanes of the stmatrix have one address", Error);
  lines[3] = 63;
  json["lines"] = lines;
  CHECK_THROWS_WITH_AS(matrix_plan(json), "byte 1008 is not in the shared memory of sm_90a", Error);
  lines[3] = 4294967295U;
  json["lines"] = lines;
  CHECK_THROWS_WITH_AS(matrix_plan(json), "byte 4294967295 is not in the shared memory of sm_90a", Error);
  json["matrix"] = "stmatrix.x3";
  CHECK_THROWS_WITH_AS(matrix_plan(json), "there is no instruction 'stmatrix.x3'", Error);
}

TEST_CASE("statements") {
  CHECK(matrix_statement(require_matrix_form("ldmatrix.x2.trans")) == R"cuda(#define WORDS 2
__device__ void matrix(unsigned (&r)[2], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
      : "=r"(r[0]), "=r"(r[1])
      : "r"(address)
      : "memory");
}
)cuda");
  CHECK(matrix_statement(require_matrix_form("stmatrix.m16n8.x1.trans.b8")) == R"cuda(#define WORDS 1
__device__ void matrix(const unsigned (&r)[1], unsigned address) {
  asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};"
      :
      : "r"(address), "r"(r[0])
      : "memory");
}
)cuda");
  CHECK(matrix_statement(require_matrix_form("movmatrix.trans")) == R"cuda(#define WORDS 1
__device__ void matrix(unsigned (&d)[1], const unsigned (&a)[1]) {
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[0]) : "r"(a[0]));
}
)cuda");
}
