// SPDX-License-Identifier: Apache-2.0
// What is said of a word whose start is not known: nothing that its known bits or another possible start contradicts.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// A reads the start that `body` puts into %r4, through a word with the other fields; B the same.
std::vector<std::string> said_of(const std::string& body, const std::string& fields) {
  const PtxModule module = read_ptx(
      ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry f() .reqntid 128\n{\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<3>;\n" +
      body + "shr.u32 %r5, %r4, 4;\ncvt.u64.u32 %rd1, %r5;\nor.b64 %rd2, %rd1, " + fields +
      ";\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, %p1, 1, 1, 0, "
      "0;\nret;\n}\n");
  std::vector<std::string> said;
  for (const KernelReport& report : kernel_reports(module, {}))
    for (const MmaSite& site : report.mma)
      for (const Finding& one : site.findings)
        if (one.severity != Severity::note) said.push_back(one.rule + ": " + one.message);
  return said;
}

constexpr const char* of_cta = "mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 3;\n";

TEST_CASE("a start that is not known has no number in what is said of it") {
  const std::string body = std::string(of_cta) + "shl.b32 %r3, %r2, 13;\nadd.s32 %r4, %r3, 17440;\n";
  const std::vector<std::string> said = said_of(body, "0xc000004000010000");
  REQUIRE(said.size() == 2);
  const std::string message =
      ": the start with base offset 0 lies 32 B past a 256 B pattern boundary, outside the first 32 B line of the atom";
  CHECK(said[0] == "start-off-pattern: A" + message);
  CHECK(said[1] == "start-off-pattern: B" + message);
  // What does not depend on the start is said as of a known one.
  const std::vector<std::string> zero = said_of(body, "0xc000000000010000");
  CHECK(std::ranges::count(zero, "start-off-pattern: A" + message) == 1);
  CHECK(std::ranges::any_of(
      zero, [](const std::string& one) { return one.starts_with("stride-zero: A: SBO is 0: all groups"); }));
}

TEST_CASE("a start that is known keeps its number") {
  const std::vector<std::string> said = said_of("mov.u32 %r4, 17440;\n", "0xc000004000010000");
  REQUIRE(!said.empty());
  CHECK(said[0] ==
        "start-off-pattern: A: the start address 0x4420 (17440 B) with base offset 0 lies 32 B past a 256 B pattern "
        "boundary, outside the first 32 B line of the atom");
}

TEST_CASE("a fault of one place in the pattern is not said if another place is possible") {
  // Base offset 3 is wrong at a multiple of 1024 B, and right 3 lines after one.
  const std::string fields = "0x4006004000010000";
  CHECK(!said_of("mov.u32 %r4, 16384;\n", fields).empty());
  CHECK(said_of(std::string(of_cta) + "shl.b32 %r3, %r2, 7;\nadd.s32 %r4, %r3, 16384;\n", fields).empty());
}

}  // namespace
}  // namespace swz
