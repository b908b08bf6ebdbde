// SPDX-License-Identifier: Apache-2.0
// Names of instructions at the bounds of what is one: digits of a shape, the longest name, how many types and orders, and
// the lists that a refusal gives.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "fragment/fragment.hpp"

namespace swz {
namespace {

std::string told(const std::string& name, std::optional<Operand> operand = Operand::d, const std::string& dtype = {},
                 const std::string& accumulator = {}) {
  try {
    return "found " + find_fragment({name, dtype, operand, accumulator}).name;
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("shapes: one to four digits, none of them only 0, and nothing after them") {
  CHECK(told("mma.m16n8k16") == "found mma.m16n8k16");
  CHECK(told("mma.m016n08k0016") == "found mma.m16n8k16");
  CHECK(holds(told("mma.m16n8k9999"), "mma has no shape m16n8k9999"));
  CHECK(holds(told("mma.m19n8k16"), "mma has no shape m19n8k16"));
  for (const char* part : {"m16n8k10000", "m16n8k00016", "m0n8k16", "m16n0k16", "m16n8k0", "m16n8k", "m16n8",
                           "n8m16k16", "m16n8k16x", "m1/n8k16", "m1:n8k16", "mn8k16", "m-16n8k16"})
    CHECK_MESSAGE(holds(told(std::string("mma.") + part), "' is not a part of it"), std::string(part));
  CHECK(holds(told("mma"), "it names no shape"));
  CHECK(holds(told("mma.m16n8k16.m16n8k16"), "'m16n8k16' is not a part of it"));
}

TEST_CASE("the longest name has 256 letters") {
  std::string name = "mma";
  for (int i = 0; i < 49; ++i) name += ".sync";
  CHECK(told(name + ".m16n8k8", Operand::d, "f16") == "found mma.m16n8k8");
  CHECK(holds(told(name + ".m16n8k16", Operand::d, "f16"), "is not an instruction with a register fragment"));
}

TEST_CASE("types in a name: four of mma, three of wgmma; orders: none or two") {
  CHECK(told("mma.m16n8k16.f32.bf16.bf16.f32") == "found mma.m16n8k16");
  CHECK(holds(told("mma.m16n8k16.f32.bf16.bf16"), "names 3 types, not 4 | PTX names the types of D, A, B and C"));
  CHECK(holds(told("mma.m16n8k16.f32.f32.bf16.bf16.f32"), "names 5 types, not 4"));
  CHECK(told("wgmma.m64n8k16.f32.f16.f16") == "found wgmma.m64n8k16");
  CHECK(holds(told("wgmma.m64n8k16.f32.f16.f16.f32"), "names 4 types, not 3 | PTX names the types of D, A and B"));
  CHECK(told("mma.m16n8k16.row.col") == "found mma.m16n8k16");
  CHECK(holds(told("mma.m16n8k16.row"), "names one order of A and B, or more than two"));
  CHECK(holds(told("mma.m16n8k16.row.col.row"), "names one order of A and B, or more than two"));
  CHECK(holds(told("mma.m16n8k16.col.row"), "mma.m16n8k16 takes A as .row and B as .col only"));
  CHECK(holds(told("mma.m16n8k16.row.row"), "mma.m16n8k16 takes A as .row and B as .col only"));
  CHECK(holds(told("mma.m16n8k16.f32.bf16.bf16.f32", Operand::a, "bf16"), "already names its types"));
  CHECK(holds(told("mma.m16n8k16.f32.bf16.bf16.f32", Operand::d, "", "f32"), "already names its types"));
  // Each operand has the type at its place: D, A, B, C.
  const auto type = [](Operand operand) {
    return std::string(find_fragment({"mma.m16n8k32.f32.e4m3.e5m2.f32", "", operand, ""}).dtype);
  };
  CHECK(type(Operand::a) == "e4m3");
  CHECK(type(Operand::b) == "e5m2");
  CHECK(type(Operand::c) == "f32");
  CHECK(type(Operand::d) == "f32");
}

TEST_CASE("operands: those that an instruction has, all of them without a name") {
  const auto count = [](const char* name, const char* dtype = "") {
    return find_fragments({name, dtype, std::nullopt, ""}).size();
  };
  CHECK(count("mma.m16n8k16", "f16") == 4);
  CHECK(count("wgmma.m64n8k16", "f16") == 2);
  CHECK(count("movmatrix.trans") == 2);
  CHECK(count("ldmatrix.x4") == 1);
  CHECK(count("stmatrix.x1.trans") == 1);
  CHECK(find_fragments({"mma.m16n8k16", "f16", Operand::b, ""}).size() == 1);
  CHECK(holds(told("wgmma.m64n8k16", Operand::b), "lies in shared memory"));
  CHECK(holds(told("wgmma.m64n8k16", Operand::c), "wgmma has no operand c"));
  CHECK(holds(told("mma.m16n8k16", Operand::memory), "operands: a, b, c and d"));
  CHECK(holds(told("mma.m16n8k16", std::nullopt), "operands: a, b, c and d"));
  CHECK(holds(told("wgmma.m64n8k16", std::nullopt), "operands: a (when it lies in registers) and d"));
  CHECK(holds(told("movmatrix.trans", Operand::b), "movmatrix has no operand b"));
  CHECK(holds(told("ldmatrix.x4", Operand::a), "ldmatrix has no operand a"));
}

TEST_CASE("refusals: the nearest shape, of a type and of any, and the lists") {
  const std::string wgmma = told("wgmma.m64n12k16", Operand::d, "f16");
  CHECK(holds(wgmma,
              "the nearest of f16 is wgmma.m64n16k16; shapes: wgmma.m64nNk8, wgmma.m64nNk16, wgmma.m64nNk32 and "
              "wgmma.m64nNk256; N 8..256 step 8 (s8, u8 and b1: 8..32 step 8, 48..256 step 16)"));
  CHECK(holds(told("wgmma.m64n300k16", Operand::d, "f16"), "the nearest of f16 is wgmma.m64n256k16;"));
  CHECK(holds(told("wgmma.m64n40k32", Operand::d, "s8"), "wgmma.m64n40k32 does not take s8"));
  CHECK(holds(told("mma.m16n8k64", Operand::d, "f16"), "the nearest of f16 is mma.m16n8k16"));
  CHECK(holds(told("mma.m16n16k16", Operand::d), "the nearest is mma.m16n8k16; shapes: "));
  CHECK(holds(told("mma.m16n8k16", Operand::d, "tf32"), "the nearest of tf32 is mma.m16n8k8"));
  CHECK(holds(told("mma.m16n8k16", Operand::d, "bf16", "f16"), "does not accumulate in f16 | it accumulates in f32"));
  CHECK(holds(told("mma.m16n8k16", Operand::a),
              "depends on the element type | name one: f16, bf16, s8, u8, e4m3, e5m2 "
              "and f64"));
  CHECK(fragment_names(InstructionFamily::movmatrix) == std::vector<std::string>{"movmatrix.trans"});
  CHECK(fragment_names(InstructionFamily::stmatrix).size() == 9);
  CHECK(fragment_names(InstructionFamily::ldmatrix).size() == 18);
  CHECK(fragment_names(InstructionFamily::wgmma).size() == 4);
}

}  // namespace
}  // namespace swz
