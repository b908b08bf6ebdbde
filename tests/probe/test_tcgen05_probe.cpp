// SPDX-License-Identifier: Apache-2.0
// The probe of tcgen05.mma against simulated hardware: of the right model nothing is reported, each planted mistake
// is caught. There is no Blackwell here, so this and the compiler are all that it has met.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/error.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "probe/tcgen05_probe.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

// The others are about copies and tensor maps.
constexpr std::array about_operands{Hypothesis::strides_swapped, Hypothesis::base_offset_added,
                                    Hypothesis::mask_off_by_one, Hypothesis::relative_xor,
                                    Hypothesis::wrong_fragment,  Hypothesis::wrong_identity};

// Every pair of types with both M, each with one N of its own.
std::vector<Tcgen05Instruction> one_n_each(MmaKind kind, Random& random) {
  std::vector<Tcgen05Instruction> out;
  const std::vector<Tcgen05Instruction> all = tcgen05_instructions(kind);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    for (last = first; last < all.size() && all[last].m == all[first].m; ++last)
      if (all[last].a_type != all[first].a_type || all[last].b_type != all[first].b_type ||
          all[last].d_type != all[first].d_type)
        break;
    out.push_back(all[first + random() % (last - first)]);
  }
  return out;
}

std::vector<Tcgen05Plan> plans_of(const std::vector<Tcgen05Instruction>& instructions, Random& random) {
  std::vector<Tcgen05Plan> plans;
  for (const Tcgen05Instruction& instruction : instructions)
    for (const OperandRole operand : {OperandRole::a, OperandRole::b})
      plans.push_back(draw_tcgen05(instruction, operand, random));
  return plans;
}

void check_confirmed(const std::vector<Tcgen05Plan>& plans) {
  const Observations seen = decode(plans, simulate(plans, launch_of(plans)));
  REQUIRE(seen.size() == plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CAPTURE(subject(plans[i]));
    const Mismatch comparison = compare(expected(plans[i]), seen[i]);
    CAPTURE(comparison.first);
    CAPTURE(comparison.expected);
    CAPTURE(comparison.observed);
    CHECK(comparison.is_same());
  }
}

const SwizzleMode& mode_of(const Tcgen05Plan& plan) { return *SmemDescriptor(plan.word, sm_100a()).swizzle(); }

// Whether a plan can tell the lanes of D from the wrong ones: some row is read from another place than the row that
// lies in its lane. D of a probed B has a row for each k; where K is 16 they have the same lanes either way.
bool shows_lanes(const Tcgen05Plan& plan) {
  const int m = plan.instruction.m;
  const std::int64_t k = plan.extents().k;
  if (plan.operand == OperandRole::b) return k > 16;
  const Observation places = expected(plan);
  for (int row = 0; row < m; ++row) {
    int shown = 0;
    while (shown < m && tmem_lane(m, shown) != tmem_lane(m, row, Hypothesis::wrong_fragment)) ++shown;
    if (shown == m) return true;
    const auto at = places.begin();
    if (!std::equal(at + row * k, at + (row + 1) * k, at + shown * k)) return true;
  }
  return false;
}

std::string error_of(const Json& json) {
  try {
    tcgen05_plan(json);
  } catch (const Error& error) {
    return std::string(error.what());
  }
  return "none";
}

}  // namespace

TEST_CASE("tcgen05: simulated hardware confirms plans of every kind, pair of types and M") {
  Random random(20261121);
  for (const MmaKind kind : tcgen05_kinds()) {
    Sweep every{12};
    std::vector<Tcgen05Instruction> instructions = one_n_each(kind, random);
    std::erase_if(instructions, [&](const auto&) { return !every.takes(); });
    check_confirmed(plans_of(instructions, random));
  }
}

TEST_CASE("tcgen05: simulated hardware confirms many N and words in one launch") {
  Random random(7);
  std::vector<Tcgen05Instruction> instructions;
  for (const Tcgen05Instruction& i : tcgen05_instructions(MmaKind::f16))
    if (i.d_type == "f32" && i.n % 24 == 0) instructions.push_back(i);
  check_confirmed(plans_of(instructions, random));
  std::vector<Tcgen05Instruction> tf32;
  for (int i = 0; i < 40; ++i)
    tf32.push_back({MmaKind::tf32, i % 2 == 0 ? 64 : 128, 8 + 8 * (i % 3), "tf32", "tf32", "f32"});
  check_confirmed(plans_of(tf32, random));
}

TEST_CASE("tcgen05: every hypothesis that predicts something else is caught") {
  Random random(3);
  for (const MmaKind kind : tcgen05_kinds()) {
    std::vector<Tcgen05Instruction> instructions = tcgen05_instructions(kind);
    random.shuffle(instructions);
    std::erase_if(instructions, [](const auto& i) { return i.n > 64; });
    instructions.resize(is_sanitized ? 2 : 16);
    const std::vector<Tcgen05Plan> plans = plans_of(instructions, random);
    for (const Hypothesis h : about_operands) {
      const Observations seen = decode(plans, simulate(plans, launch_of(plans, h)), h);
      int caught = 0;
      for (std::size_t i = 0; i < plans.size(); ++i) {
        CAPTURE(row_of(h).name);
        CAPTURE(subject(plans[i]));
        const bool must_differ = (h == Hypothesis::wrong_fragment && shows_lanes(plans[i])) ||
                                 h == Hypothesis::wrong_identity || expected(plans[i], h) != expected(plans[i]);
        const bool differs = !compare(expected(plans[i], h), seen[i]).is_same();
        CHECK(differs == must_differ);
        caught += differs ? 1 : 0;
      }
      CHECK((caught > 0 || is_sanitized));  // the two that it draws need not show all
    }
  }
}

TEST_CASE("tcgen05: the lanes of D") {
  // PTX ISA 9.1, 9.7.16.10.5; CuTe's ((16,4),N):((1,32),128) for M 64.
  for (int row = 0; row < 128; ++row) CHECK(tmem_lane(128, row) == row);
  CHECK(tmem_lane(64, 0) == 0);
  CHECK(tmem_lane(64, 15) == 15);
  CHECK(tmem_lane(64, 16) == 32);
  CHECK(tmem_lane(64, 20) == 36);
  CHECK(tmem_lane(64, 63) == 111);
  for (const int m : {64, 128})
    for (const Hypothesis h : {Hypothesis::none, Hypothesis::wrong_fragment}) {
      std::set<int> lanes;
      for (int row = 0; row < m; ++row) lanes.insert(tmem_lane(m, row, h));
      CHECK(lanes.size() == static_cast<std::size_t>(m));
      CHECK(*lanes.begin() == 0);
      CHECK(*lanes.rbegin() < 128);
    }
}

TEST_CASE("tcgen05: what D does not write is no code of any type") {
  const std::uint32_t filled = launch_of(std::vector<Tcgen05Plan>{Tcgen05Plan{}}).scalars[5];
  for (const MmaKind kind : tcgen05_kinds())
    for (const Tcgen05Instruction& i : tcgen05_instructions(kind)) {
      const std::uint32_t seen = i.d_type == "f16" ? filled & 0xffff : filled;
      CHECK_FALSE(PositionCode(i.a_type).digit(seen, i.d_type));
    }
  // M 64 leaves lanes 16 to 31 of each warp as they were.
  const std::vector<Tcgen05Plan> plans{
      {{MmaKind::f16, 64, 8, "f16", "f16", "f32"}, OperandRole::a, Major::K, 0x4000404000010040}};
  const ByteBuffer output = simulate(plans, launch_of(plans));
  for (std::size_t word = 0; word < output.size() / 4; ++word)
    CHECK((read_at<std::uint32_t>(output, word * 4) == filled) == (word % 32 >= 16));
}

TEST_CASE("tcgen05: shapes and types") {
  CHECK(tcgen05_kinds() == std::vector<MmaKind>{MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4, MmaKind::i8});
  // M 64 and 128, N 8 to 256 by 8; i8 has 18 N: 8, 16, 24, 32, then 48 to 256 by 16.
  CHECK(tcgen05_instructions(MmaKind::tf32).size() == 2 * 32);
  CHECK(tcgen05_instructions(MmaKind::f16).size() == 2 * 32 * 3);
  CHECK(tcgen05_instructions(MmaKind::f8f6f4).size() == 2 * 32 * 25 * 2);
  CHECK(tcgen05_instructions(MmaKind::i8).size() == 2 * 18 * 4);
  for (const MmaKind kind : tcgen05_kinds())
    for (const Tcgen05Instruction& i : tcgen05_instructions(kind)) {
      require_instruction(i);
      const InstructionDescriptor word(idesc_of(i, false, may_be_n_major(i)), kind, sm_100a());
      const std::vector<Finding> findings = lint(word);
      CAPTURE(to_string(i));
      CHECK(std::ranges::none_of(findings, [](const Finding& f) { return f.severity == Severity::format; }));
    }
  // Words of other people's tests.
  CHECK(idesc_of({MmaKind::f16, 64, 256, "bf16", "bf16", "f32"}, false, true) == 0x04410490);
  CHECK(idesc_of({MmaKind::f16, 64, 256, "bf16", "bf16", "f32"}, true, true) == 0x04418490);
  CHECK(idesc_of({MmaKind::tf32, 128, 256, "tf32", "tf32", "f32"}, false, false) == 0x08400910);
  CHECK(idesc_of({MmaKind::f8f6f4, 128, 256, "e4m3", "e4m3", "f32"}, false, false) == 0x08400010);
}

TEST_CASE("tcgen05: drawn words are legal and stay between the end of what is reserved and the identity") {
  Random random(5);
  std::set<std::string> seen;
  for (const MmaKind kind : tcgen05_kinds())
    for (const Tcgen05Instruction& i : one_n_each(kind, random))
      for (int count = 0; count < 40; ++count) {
        const OperandRole role = count % 2 == 0 ? OperandRole::a : OperandRole::b;
        const Tcgen05Plan plan = draw_tcgen05(i, role, random);
        seen.insert(plan.dtype() + " " + std::string(to_string(plan.major)) + " " + std::string(mode_of(plan).name));
        const Observation places = expected(plan);
        const auto [first, last] = std::ranges::minmax(places);
        REQUIRE(first >= tcgen05_memory().begin.count * 8);
        REQUIRE(last < tcgen05_memory().identity.count * 8);
        if (plan.major == Major::MN && role == OperandRole::b) CHECK(may_be_n_major(i));
      }
  for (const std::string type : {"f16", "bf16", "tf32", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "s8", "u8"})
    for (const std::string major : {"K-major", "MN-major"})
      for (const std::string mode : {"none", "32B", "64B", "128B", "128B_32B"}) {
        const bool is_mn = major == "MN-major", is_32b = mode == "128B_32B";
        const bool is_padded = type == "e2m3" || type == "e3m2" || type == "e2m1";
        const bool is_legal = !is_mn ? !is_32b : type == "tf32" ? is_32b : !is_32b && !is_padded;
        CAPTURE(type + " " + major + " " + mode);
        CHECK(seen.contains(type + " " + major + " " + mode) == is_legal);
      }
}

TEST_CASE("tcgen05: 6- and 4-bit values lie packed at the front of their chunk") {
  CHECK(value_bit(1040, require_dtype("e2m3"), Packing::slots) == 1036);
  CHECK(value_bit(1024 + 15 * 8, require_dtype("e2m1"), Packing::slots) == 1024 + 60);
  CHECK(value_bit(1040, require_dtype("e4m3"), Packing::packed) == 1040);
  for (const std::string type : {"e2m3", "e2m1"}) {
    const int width = type == "e2m3" ? 6 : 4;
    const ByteBuffer image = address_image(type, Bytes{1024}, Bytes{64}, 0, Packing::slots);
    REQUIRE(image.size() == 64);
    // Value i of a chunk is its bits i * width and following; the rest is padding.
    for (std::size_t chunk = 0; chunk < 4; ++chunk) {
      const auto bit = [&](int i) { return image[chunk * 16 + static_cast<std::size_t>(i / 8)] >> (i % 8) & 1; };
      for (int i = 0; i < 16; ++i) {
        int value = 0;
        for (int j = 0; j < width; ++j) value += bit(i * width + j) << j;
        const auto position = static_cast<std::int64_t>(1024 + chunk * 16) + i;
        CHECK(value == static_cast<int>(PositionCode(type).element(position, 0)));
      }
      for (int i = 16 * width; i < 128; ++i) CHECK(bit(i) == 0);
    }
  }
}

TEST_CASE("tcgen05: statement, names and JSON") {
  CHECK(tcgen05_statement(MmaKind::f8f6f4) ==
        "__device__ inline void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc) {\n"
        "  asm volatile(\"{ .reg .pred p; setp.ne.u32 p, 0, 0;\\n\"\n"
        "      \"tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, p; }\"\n"
        "      : : \"r\"(d), \"l\"(a), \"l\"(b), \"r\"(idesc) : \"memory\");\n"
        "}\n");
  const Tcgen05Plan plan{
      {MmaKind::f8f6f4, 64, 24, "e2m3", "e5m2", "f16"}, OperandRole::a, Major::K, 0x4000404000010040};
  CHECK(subject(plan) == "tcgen05.mma kind::f8f6f4 m64n24k32.f16.e2m3.e5m2, A K-major, 0x4000404000010040");
  CHECK(element_name(plan, 33) == "(1, 1)");
  CHECK(value_name(plan, 1056 * 8) == "byte 1056");
  CHECK(value_name(plan, unreadable) == "no element");
  CHECK(to_json(plan).dump() ==
        R"({"tcgen05":"f8f6f4.m64.n24.f16.e2m3.e5m2","of":"a","major":"K","word":"0x4000404000010040"})");

  Random random(11);
  for (const MmaKind kind : tcgen05_kinds())
    for (const Tcgen05Plan& drawn : plans_of(one_n_each(kind, random), random)) {
      const Tcgen05Plan back = tcgen05_plan(Json::parse(to_json(drawn).dump()));
      CHECK(back.instruction == drawn.instruction);
      CHECK(back.operand == drawn.operand);
      CHECK(back.major == drawn.major);
      CHECK(back.word == drawn.word);
    }
  Json json = to_json(plan);
  json["tcgen05"] = "i8.m64.n40.s32.s8.s8";
  CHECK(error_of(json) == "there is no tcgen05.mma kind::i8 m64n40k32.s32.s8.s8 of cta_group::1");
  json["tcgen05"] = "f16.m128.n64.f16.bf16.bf16";
  CHECK(error_of(json) == "there is no tcgen05.mma kind::f16 m128n64k16.f16.bf16.bf16 of cta_group::1");
  json["tcgen05"] = "f16.m32.n64.f32.f16.f16";
  CHECK(error_of(json) == "there is no tcgen05.mma kind::f16 m32n64k16.f32.f16.f16 of cta_group::1");
  json["tcgen05"] = "mxf4.m128.n64.f32.e2m1.e2m1";
  CHECK(error_of(json) == "there is no tcgen05.mma kind::mxf4 m128n64k64.f32.e2m1.e2m1 of cta_group::1");
  json["tcgen05"] = "f16.64.64";
  CHECK(error_of(json) == "'f16.64.64' is not a tcgen05.mma");
  json = to_json(plan);
  json["of"] = "d";
  CHECK(error_of(json) == "\"of\" is 'd'");
  json = to_json(plan);
  json["major"] = "MK";
  CHECK(error_of(json) == "\"major\" is 'MK'");
}
