// SPDX-License-Identifier: Apache-2.0
// Accesses about which something is not known: what is still said of their wavefronts, and what is left out.
#include <doctest/doctest.h>

#include <deque>
#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// The last access of a block of 64 threads; %r9 is tid.x, %r8 a parameter, %p1: tid.x is below the parameter.
KernelReport report_of(const std::string& body) {
  static std::deque<PtxModule> held;  // what the reports point into
  held.push_back(
      read_ptx(".version 8.6\n.target sm_90\n.entry f(.param .u32 n) .reqntid 64\n{\n.reg .b32 %r<20>;\n.reg .b64 "
               "%rd<9>;\n.reg .pred %p<9>;\n"
               ".shared .align 128 .b8 s[32768];\nld.param.u32 %r8, [n];\nmov.u32 %r9, %tid.x;\nmov.u32 %r1, "
               "s;\nsetp.lt.u32 %p1, %r9, %r8;\n"
               "setp.lt.u32 %p2, %r8, 7;\n" +
               body + "ret;\n}\n"));
  return kernel_reports(held.back(), {}).at(0);
}
SmemSite last_access(const std::string& body) { return report_of(body).smem.back(); }

TEST_CASE("a bound that is a parameter: counted for all lanes") {
  const std::string address = "mad.lo.u32 %r2, %r9, 128, %r1;\n";
  for (const std::string& body :
       {address + "@%p1 st.shared.b32 [%r2], %r9;\n", address + "@!%p1 bra L;\nst.shared.b32 [%r2], %r9;\nL:\n"}) {
    CAPTURE(body);
    const SmemSite site = last_access(body);
    CHECK(site.wavefronts == 32);
    CHECK(site.ideal == 1);
    CHECK(site.proof == SmemProof::sampled);
    CHECK(site.counts_all_lanes);
    CHECK(site.why ==
          "counted for all lanes, fewer take at most as many; which of them execute it is not known: lanes differ by a "
          "multiple of n, which %r8 holds: pass --set %r8=N");
    CHECK(report_of(body).findings.at(0).message ==
          "line " + std::to_string(site.line) + ": st.shared.b32 takes up to 32 wavefronts per warp where 1 would do");
  }
  // What is known is not left: the lanes that a constant bounds, an unknown address.
  const SmemSite bounded = last_access(address + "setp.lt.u32 %p3, %r9, 4;\n@%p3 st.shared.b32 [%r2], %r9;\n");
  CHECK(bounded.wavefronts == 4);
  CHECK(bounded.proof == SmemProof::all);
  CHECK(!bounded.counts_all_lanes);
  const SmemSite lost = last_access(
      "ld.shared.b32 %r3, [%r1];\nmad.lo.u32 %r2, %r9, %r3, %r1;\nmul.lo.u32 %r4, %r2, %r9;\n@%p1 st.shared.b32 [%r4], "
      "%r9;\n");
  CHECK(!lost.wavefronts);
  CHECK(lost.proof == SmemProof::none);
}

TEST_CASE("two buffers; a parameter chooses one for all lanes") {
  const std::string rows = "mad.lo.u32 %r2, %r9, 16, %r1;\n";
  const auto chosen = [&](const std::string& other) {
    return last_access(rows + other + "selp.b32 %r4, %r3, %r2, %p2;\nst.shared.v4.b32 [%r4], {%r9, %r9, %r9, %r9};\n");
  };
  CHECK(chosen("add.u32 %r3, %r2, 8192;\n").wavefronts == 4);
  CHECK(chosen("add.u32 %r3, %r2, 8192;\n").proof == SmemProof::all);
  CHECK(chosen("mad.lo.u32 %r3, %r8, 16, %r2;\n").wavefronts == 4);
  // Other lanes: nothing is known.
  CHECK(!chosen("mad.lo.u32 %r3, %r9, 32, %r1;\n").wavefronts);
}

TEST_CASE("where warps differ the mean is over all of their passes") {
  // Warp 0 goes 4 B from lane to lane in every pass, warp 1 8 B in the first and 16 B in the second.
  const SmemSite site = last_access(
      "shr.u32 %r3, %r9, 5;\nand.b32 %r4, %r9, 31;\nsetp.eq.u32 %p4, %r3, 0;\nshl.b32 %r6, %r4, 2;\nmov.u32 %r5, "
      "1;\nL:\nmad.lo.u32 %r7, %r6, %r5, %r6;\n"
      "selp.b32 %r7, %r6, %r7, %p4;\nadd.u32 %r7, %r7, %r1;\nst.shared.b32 [%r7], %r9;\nadd.u32 %r5, %r5, "
      "2;\nsetp.lt.u32 %p3, %r5, 5;\n@%p3 bra L;\n");
  CHECK(site.wavefronts == (1 + 1 + 2 + 4) / 4.0);
  CHECK(site.warps == 4);
  CHECK(site.proof == SmemProof::sampled);
}

TEST_CASE("a loop that no lane enters is not one that some may enter later") {
  // What comes from it is not asked: (2047 - tid) / 64 + 1 & 3 is 0 for 64 threads, as nvcc unrolls a loop by four.
  const SmemSite site = last_access(
      "sub.u32 %r3, 2047, %r9;\nshr.u32 %r4, %r3, 6;\nadd.u32 %r4, %r4, 1;\nand.b32 %r5, %r4, 3;\nsetp.eq.u32 %p3, "
      "%r5, 0;\nmov.u32 %r6, %r9;\n@%p3 bra M;\n"
      "L:\nadd.u32 %r6, %r6, 64;\nadd.u32 %r5, %r5, -1;\nsetp.ne.u32 %p4, %r5, 0;\n@%p4 bra L;\nM:\nshl.b32 %r7, %r6, "
      "2;\nadd.u32 %r7, %r7, %r1;\nst.shared.b32 [%r7], %r9;\n");
  CHECK(site.wavefronts == 1);
  CHECK(site.proof == SmemProof::all);
}

TEST_CASE("a register that every pass only masks keeps its values, if the mask has their bits") {
  const auto masked = [](const char* mask) {
    return last_access(
        std::string("and.b32 %r2, %r9, 31;\nL:\nmad.lo.u32 %r3, %r2, 128, %r1;\nst.shared.b32 [%r3], %r9;\nand.b32 "
                    "%r2, %r2, ") +
        mask + ";\nld.global.b32 %r4, [%rd1];\nadd.u32 %r4, %r4, %r9;\nsetp.ne.u32 %p3, %r4, 0;\n@%p3 bra L;\n");
  };
  const SmemSite kept = masked("0xff");
  CHECK(kept.wavefronts == 32);
  CHECK(kept.ideal == 1);
  CHECK(masked("31").wavefronts == 32);
  // In the second pass lanes 16 to 31 have the places of lanes 0 to 15: 16 wavefronts.
  CHECK(!masked("15").wavefronts);
}

TEST_CASE("whichever way the lanes take, they bring the same") {
  const auto chosen = [](const char* other) {
    return last_access(std::string("and.b32 %r2, %r9, 31;\nmov.b32 %r5, %r2;\n@%p1 bra L;\n") + other +
                       "L:\nmad.lo.u32 %r3, %r5, 128, %r1;\nst.shared.b32 [%r3], %r9;\n");
  };
  CHECK(chosen("brev.b32 %r4, %r2;\nbrev.b32 %r5, %r4;\n").wavefronts == 32);
  CHECK(!chosen("and.b32 %r5, %r2, 15;\n").wavefronts);
  CHECK(!chosen("xor.b32 %r5, %r2, 1;\nand.b32 %r5, %r5, 30;\n").wavefronts);
}

TEST_CASE("what ends in a function does not come back") {
  const auto counted = [](const std::string& function, const std::string& call) {
    static std::deque<PtxModule> held;
    held.push_back(read_ptx(".version 8.6\n.target sm_90\n" + function +
                            ".entry k() .reqntid 32\n{\n.reg .b32 %r<9>;\n.shared .align 128 .b8 s[8192];\nmov.u32 "
                            "%r1, %tid.x;\nmov.u32 %r2, s;\n" +
                            call + "mad.lo.u32 %r3, %r1, 128, %r2;\nst.shared.b32 [%r3], %r1;\nret;\n}\n"));
    return kernel_reports(held.back(), {}).at(0).smem.back();
  };
  const std::string leaves =
                        ".func f()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, "
                        "%r1, 16;\n@%p1 exit;\nret;\n}\n",
                    calls = ".func g()\n{\ncall.uni f, ();\nret;\n}\n";
  for (const char* call : {"call.uni f, ();\n", "call.uni g, ();\n"}) {
    const SmemSite site = counted(leaves + calls, call);
    CHECK(site.wavefronts == 32);
    CHECK(site.counts_all_lanes);
    CHECK(site.why ==
          "counted for all lanes, fewer take at most as many; which of them execute it is not known: it depends on "
          "what call.uni in line 23 gives");
  }
  CHECK(counted(".func f()\n{\nret;\n}\n", "call.uni f, ();\n").proof == SmemProof::all);
  CHECK(counted(leaves, "").proof == SmemProof::all);
}

TEST_CASE("spelt otherwise: expressions of constants, all threads' numbers at once, a generic address and back") {
  CHECK(last_access("mad.lo.u32 %r2, %r9, (32*4), %r1;\nst.shared.b32 [%r2+(2*(3+5))], %r9;\n").wavefronts == 32);
  CHECK(last_access("mad.lo.u32 %r2, %r9, 8, %r1;\nst.shared.b32 [%r2+4*4], %r9;\n").address.text ==
        "s + 8*%tid.x + 16");
  CHECK(
      last_access("mov.v4.u32 {%r3, %r4, %r5, %r6}, %tid;\nmad.lo.u32 %r2, %r3, 128, %r1;\nst.shared.b32 [%r2], %r9;\n")
          .wavefronts == 32);
  CHECK(last_access("mad.lo.u32 %r2, %r9, 128, %r1;\ncvt.u64.u32 %rd1, %r2;\ncvta.shared.u64 %rd2, "
                    "%rd1;\ncvta.to.shared.u64 %rd3, %rd2;\nst.shared.b32 [%rd3], %r9;\n")
            .wavefronts == 32);
}

TEST_CASE("an element that only unused values are made of is not used") {
  const auto site = [](const std::string& rest) {
    return report_of("ld.shared.v2.b64 {%rd1, %rd2}, [s];\n" + rest).smem.at(0);
  };
  const std::string use_first = "st.shared.b64 [s], %rd1;\n";
  CHECK(!site(use_first + "st.shared.b64 [s+8], %rd2;\n").may_shrink);
  // A scan carries it from lane to lane and round a loop, and it is never stored.
  const std::string carry =
      "mov.u32 %r3, 0;\nL:\nmov.b64 {%r4, %r5}, %rd2;\nshfl.sync.up.b32 %r4, %r4, 1, 0, -1;\nmov.b64 %rd2, {%r4, "
      "%r5};\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 5;\n@%p3 bra L;\n";
  CHECK(site(use_first + carry).may_shrink);
  CHECK(!site(use_first + carry + "st.shared.b64 [s+8], %rd2;\n").may_shrink);
}

}  // namespace
}  // namespace swz
