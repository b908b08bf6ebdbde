// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync in a kernel: ids that the instruction does not have, bytes that hold no scale factor; nothing is
// said of ids that are legal or not known.
#include <doctest/doctest.h>

#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// The rules of the MMAs of a kernel, with their messages.
std::string rules_of(const std::string& body) {
  const PtxModule module = read_ptx(
      ".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry f(.param .u64 p) .reqntid 32\n{\n"
      ".reg .b32 %r<30>;\n.reg .b16 %h<9>;\n.reg .b64 %rd<9>;\n.shared .align 16 .b8 s[1024];\n"
      "ld.param.u64 %rd1, [p];\nmov.u32 %r20, %tid.x;\nshl.b32 %r21, %r20, 2;\nmov.u32 %r22, s;\n"
      "add.s32 %r23, %r22, %r21;\nld.shared.b32 %r10, [%r23];\nand.b32 %r11, %r10, 65535;\n"
      "and.b32 %r12, %r10, 255;\n" +
      body + "ret;\n}\n");
  std::string rules;
  for (const KernelReport& report : kernel_reports(module, {}))
    for (const MmaSite& site : report.mma)
      for (const Finding& one : site.findings)
        rules += (rules.empty() ? "" : "\n") + one.rule + ": " + one.message + "; " + one.hint;
  return rules;
}

std::string mma(const std::string& vec, const std::string& scales) {
  const bool is_byte = vec == "1X";
  return std::string("mma.sync.aligned.") +
         (is_byte ? "m16n8k32.row.col.kind::mxf8f6f4" : "m16n8k64.row.col.kind::mxf4nvf4") +
         ".block_scale.scale_vec::" + vec + (is_byte ? ".f32.e4m3.e5m2.f32.ue8m0" : ".f32.e2m1.e2m1.f32.ue8m0") +
         " {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%r5,%r6}, {%r1,%r2,%r3,%r4}, " + scales + ";\n";
}

TEST_CASE("legal ids and ids that are not known") {
  for (const char* scales :
       {"%r10, {0, 1}, %r10, {0, 3}", "{%r10}, {0, 0}, {%r10}, {0, 0}", "%r10, {%h1, %h2}, %r10, {%h1, 0}"})
    for (const char* vec : {"1X", "2X", "4X"}) CHECK(rules_of(mma(vec, scales)).empty());
  CHECK(rules_of(mma("1X", "%r10, {3, 0}, %r12, {0, 0}")).empty());
  CHECK(rules_of(mma("2X", "%r10, {2, 0}, %r11, {0, 0}")).empty());
  CHECK(rules_of("mov.b32 %r13, 0;\n" + mma("4X", "%r13, {0, 0}, %r13, {0, 0}")).empty());
}

TEST_CASE("ids that the instruction does not have, also in registers") {
  const std::string source = " (PTX ISA 9.3, table 40; ptxas 13.5.37 (documented))";
  CHECK(
      rules_of("mov.u16 %h1, 1;\nmov.u16 %h2, 2;\n" + mma("2X", "%r10, {%h1, %h2}, %r10, {0, 0}")) ==
      "scale-thread-id: scale factors of A: thread-id 2 does not exist for A; it is 0 and 1; the nearest is 1" +
          source +
          "\nscale-byte-id: scale factors of A: byte-id 1 does not exist for scale_vec::2X; it is 0 and 2; the nearest "
          "is 0" +
          source);
  CHECK(rules_of("mov.u16 %h1, 4;\n" + mma("4X", "%r10, {0, 0}, %r10, {0, %h1}")) ==
        "scale-thread-id: scale factors of B: thread-id 4 does not exist for B; it is 0, 1, 2 and 3; the nearest is 3" +
            source);
}

TEST_CASE("a byte-id that does not reach the scale factors of its register") {
  CHECK(rules_of(mma("1X", "%r12, {1, 0}, %r10, {0, 0}")) ==
        "scale-byte-empty: scale factors of A: byte 1 is always 0 in the register, and byte-id 1 reads no other; the "
        "register has scale factors from byte 0 on; byte-id 0 reads them");
  CHECK(
      rules_of(mma("2X", "%r10, {0, 0}, %r11, {2, 1}")) ==
      "scale-byte-empty: scale factors of B: bytes 2 to 3 are always 0 in the register, and byte-id 2 reads no other; "
      "the register has scale factors from byte 0 on; byte-id 0 reads them");
  CHECK(rules_of("shl.b32 %r13, %r12, 24;\n" + mma("1X", "%r10, {0, 0}, %r13, {2, 0}"))
            .ends_with("the register has scale factors from byte 3 on; byte-id 3 reads them"));
}

TEST_CASE("the types of a block-scaled MMA are those of D, A, B and C") {
  const PtxModule module =
      read_ptx(".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry f()\n{\n.reg .b32 %r<30>;\n" +
               mma("1X", "%r10, {0, 0}, %r10, {0, 0}") + "ret;\n}\n");
  const auto reports = kernel_reports(module, {});
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].mma.size() == 1);
  CHECK(reports[0].mma[0].mma == "m16n8k32");
  CHECK(reports[0].mma[0].a_type == "e4m3");
  CHECK(reports[0].mma[0].b_type == "e5m2");
}

}  // namespace
}  // namespace swz
