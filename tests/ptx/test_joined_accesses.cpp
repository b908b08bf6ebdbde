// SPDX-License-Identifier: Apache-2.0
// Which accesses ptxas may join, narrow or leave to fewer lanes: each body was compiled by ptxas 13.0.88 for sm_90a, and what it made of
// it is what is expected.
#include <doctest/doctest.h>

#include <deque>
#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// %r3 is 16 * tid.x past s, %r6 4 * tid.x past t; what loads give is stored to global memory.
KernelReport report_of(const std::string& body, int scale = 16) {
  static std::deque<PtxModule> held;  // what the reports point into
  held.push_back(
      read_ptx(".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry f(.param .u64 p) .reqntid 64\n{\n.reg "
               ".b32 %r<40>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<10>;\n"
               ".reg .b16 %h<10>;\n.reg .pred %p<4>;\n.shared .align 16 .b8 s[8192];\n.shared .align 16 .b8 "
               "t[1024];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
               "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, " +
               std::to_string(scale) +
               ", %r2;\nmov.u32 %r5, t;\nmad.lo.u32 %r6, %r1, 4, %r5;\nmad.wide.u32 %rd2, %r1, 64, %rd1;\n" + body +
               "ret;\n}\n"));
  return kernel_reports(held.back(), {}).at(0);
}
// What each access may become: "b64 - b128".
std::string joins(const std::string& body, int scale = 16) {
  std::string out;
  for (const SmemSite& site : report_of(body, scale).smem)
    out += (out.empty() ? "" : " ") +
           (site.may_join ? std::string(site.may_join->access.substr(site.may_join->access.rfind('.') + 1)) : "-");
  return out;
}
std::string load(int offset, int reg) {
  return "ld.shared.f32 %f" + std::to_string(reg) + ", [%r3+" + std::to_string(offset) + "];\n";
}
std::string store(int offset) { return "st.shared.f32 [%r3+" + std::to_string(offset) + "], %f1;\n"; }
std::string used(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += "st.global.f32 [%rd2+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";\n";
  return out;
}

TEST_CASE("loads that ptxas joins, and loads that it leaves") {
  const auto two = [](const std::string& between) { return joins(load(0, 0) + between + load(4, 1) + used(2)); };
  CHECK(two("") == "b64 b64");
  CHECK(joins(load(4, 0) + load(0, 1) + used(2)) == "b64 b64");
  CHECK(joins(load(0, 0) + load(4, 1) + load(8, 2) + load(12, 3) + used(4)) == "b128 b128 b128 b128");
  CHECK(joins(load(4, 0) + load(8, 1) + load(12, 2) + used(3)) == "b128 b128 b128");
  CHECK(joins(load(0, 0) + load(4, 1) + load(8, 2) + load(12, 3) + used(4), 8) == "b64 b64 b64 b64");
  CHECK(joins(load(0, 0) + load(8, 1) + used(2)) == "- -");
  CHECK(joins(load(4, 0) + load(8, 1) + used(2)) == "- -");
  CHECK(joins(load(0, 0) + load(4, 1) + used(2), 12) == "- -");
  CHECK(joins("ld.shared.u16 %h0, [%r3];\nld.shared.u16 %h1, [%r3+2];\nst.global.u16 [%rd2], %h0;\nst.global.u16 "
              "[%rd2+2], %h1;\n") == "b32 b32");
  CHECK(joins("ld.shared.u8 %r10, [%r3];\nld.shared.u8 %r11, [%r3+1];\nst.global.u32 [%rd2], %r10;\nst.global.u32 "
              "[%rd2+4], %r11;\n") == "- -");
  CHECK(two("st.global.f32 [%rd2+32], %f0;\n") == "b64 b64");
  CHECK(two("red.global.add.u32 [%rd2], 1;\n") == "b64 b64");
  CHECK(two("bar.sync 0;\n") == "- -");
  CHECK(two("membar.cta;\n") == "- -");
  CHECK(two("bar.warp.sync -1;\n") == "- -");
  CHECK(two("st.shared.f32 [%r6], %f0;\n") == "- - -");
  CHECK(joins("ld.volatile.shared.f32 %f0, [%r3];\nld.volatile.shared.f32 %f1, [%r3+4];\n" + used(2)) == "- -");
}

TEST_CASE("stores that ptxas joins, and stores that it leaves") {
  CHECK(joins(store(0) + store(4)) == "b64 b64");
  CHECK(joins(store(8) + store(4) + store(12) + store(0)) == "b128 b128 b128 b128");
  CHECK(joins(store(0) + store(4) + store(8)) == "b64 b64 -");
  CHECK(joins(store(0) + store(64) + store(4)) == "- - -");
  CHECK(joins(store(0) + "ld.shared.f32 %f9, [%r6];\n" + store(4) + "st.global.f32 [%rd2], %f9;\n") == "- - -");
  CHECK(joins("setp.lt.u32 %p1, %r1, 9;\n@%p1 " + store(0) + "@%p1 " + store(4)) == "- -");
}

TEST_CASE("passes of a loop that ptxas unrolls are joined, if it knows how many there are") {
  const auto loop = [](const std::string& between, const std::string& passes) {
    return joins(
        "mov.u32 %r20, 0;\nmov.f32 %f0, 0f00000000;\nld.global.u32 %r30, [%rd1];\nL:\nld.shared.f32 %f1, [%r3];\n" +
        between +
        "add.f32 %f0, %f0, %f1;\nadd.u32 %r3, %r3, 4;\nadd.u32 %r20, %r20, 1;\n"
        "setp.lt.u32 %p1, %r20, " +
        passes + ";\n@%p1 bra L;\n" + used(1));
  };
  CHECK(loop("", "16") == "b128");
  CHECK(loop("", "%r30") == "-");
  CHECK(loop("bar.sync 0;\n", "16") == "-");
}

TEST_CASE("a conflict that a join may remove is a note, and no count is proven of what ptxas may change") {
  // Words 0 and 1 of 8 B per lane: two passes each, together one LDS.64 without a conflict.
  const KernelReport pair = report_of(load(0, 0) + load(4, 1) + used(2), 8);
  CHECK(pair.smem[0].wavefronts == 2);
  CHECK(pair.smem[0].proof == SmemProof::sampled);
  CHECK(pair.smem[0].may_join->wavefronts == 2);
  CHECK(pair.smem[0].may_join->ideal == 2);
  REQUIRE(pair.findings.size() == 1);
  CHECK(pair.findings[0].rule == "bank-conflict");
  CHECK(pair.findings[0].severity == Severity::note);
  const KernelReport apart = report_of(load(0, 0) + "bar.sync 0;\n" + load(4, 1) + used(2), 8);
  REQUIRE(apart.findings.size() == 1);
  CHECK(apart.findings[0].severity == Severity::lint);
  CHECK(apart.smem[0].proof == SmemProof::all);
}

TEST_CASE("a load that is not used whole") {
  const auto first = [](const std::string& body) { return report_of(body).smem.at(0); };
  CHECK(!first("ld.shared.f32 %f0, [%r6];\n" + used(1)).may_shrink);
  const SmemSite guarded =
      first("setp.lt.u32 %p1, %r1, 20;\nld.shared.f32 %f0, [%r6];\n@%p1 st.global.f32 [%rd2], %f0;\n");
  CHECK(guarded.may_shrink);
  CHECK(guarded.proof == SmemProof::sampled);
  // All of the 64 threads.
  CHECK(!first("setp.lt.u32 %p1, %r1, 64;\nld.shared.f32 %f0, [%r6];\n@%p1 st.global.f32 [%rd2], %f0;\n").may_shrink);
  CHECK(first("ld.shared.v2.u64 {%rd3, %rd4}, [%r3];\nst.global.u64 [%rd2], %rd3;\n").may_shrink);
  CHECK(!first("ld.shared.v2.u64 {%rd3, %rd4}, [%r3];\nst.global.u64 [%rd2], %rd3;\nst.global.u64 [%rd2+8], %rd4;\n")
             .may_shrink);
}

}  // namespace
}  // namespace swz
