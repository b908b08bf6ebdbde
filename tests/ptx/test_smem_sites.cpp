// SPDX-License-Identifier: Apache-2.0
// Accesses about which something is not known: what is still said of their wavefronts, and what is left out.
#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <utility>

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

TEST_CASE("what the values do not follow is not known, and never what all lanes share") {
  // Of the last access: "32 all", or "not known".
  const auto said = [](const std::string& body) -> std::string {
    const SmemSite site = last_access(body);
    if (!site.wavefronts) return "not known";
    return std::to_string(static_cast<int>(*site.wavefronts)) + (site.proof == SmemProof::all ? " all" : " sampled");
  };
  const std::string rows = "mad.lo.u32 %r3, %r2, 128, %r1; ld.shared.b32 %r4, [%r3];\n";
  const auto rows_of = [&](const std::string& body) { return said(body + rows); };
  CHECK(rows_of("mov.u32 %r2, %r9;") == "32 all");
  // An element of a vector, whatever its name; an element that is written; a whole vector.
  CHECK(rows_of(".reg .v2 .u32 v; mov.v2.u32 v, {%r9, %r9}; mov.u32 %r2, v.x;") == "not known");
  CHECK(rows_of(".reg .v2 .u32 %v; mov.v2.u32 %v, {%r9, %r9}; mov.u32 %r2, %v.x;") == "not known");
  CHECK(rows_of(".reg .v2 .u32 v; mov.v2.u32 v, {%r8, %r8}; mov.u32 v.x, %r9; mov.v2.u32 {%r2, %r5}, v;") ==
        "not known");
  CHECK(rows_of(".reg .v2 .u32 v; setp.lt.u32 %p3, v.x, 7; selp.b32 %r2, 0, 1, %p3;") == "not known");
  CHECK(rows_of("mov.u32 %r2, %undeclared;") == "not known");
  // Results beside a predicate.
  CHECK(rows_of("mov.u32 %r2, 0; tex.1d.v4.s32.s32 {%r2, %r5, %r6, %r7}|%p3, [tx, {%r9}];") == "not known");
  CHECK(rows_of("sub.u32 %r2, %r9, 16; max.relu.s32 %r2, %r2, -5;") == "not known");
  // A reduction is the same in the lanes that take part in it.
  CHECK(rows_of("redux.sync.max.u32 %r2, %r9, -1;") == "1 all");
  const std::string halves = "setp.lt.u32 %p3, %r9, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p3; ";
  CHECK(rows_of(halves + "redux.sync.max.u32 %r2, %r9, %r5;") != "1 all");
  CHECK(rows_of(halves + "vote.sync.ballot.b32 %r2, %p3, %r5;") != "1 all");
  // A guarded jump to one of several places.
  CHECK(said("setp.lt.u32 %p3, %r9, 16; ts: .branchtargets LA, LB; @%p3 brx.idx %r8, ts; mov.u32 %r2, 128; bra.uni J; "
             "LA: mov.u32 %r2, 256; bra.uni J; LB: mov.u32 %r2, 512; J: add.u32 %r3, %r1, %r2; ld.shared.b32 %r4, "
             "[%r3];") != "1 all");
  // These are accesses, too: an element of an array, a generic matrix, what no rule is for, parts in another order.
  CHECK(said("ld.shared.b32 %r4, s[8];") == "not known");
  CHECK(said("st.shared.b32 s[%r9+4], %r4;") == "not known");
  CHECK(report_of("cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd2, %rd1; ldmatrix.sync.aligned.m8n8.x1.b16 {%r3}, [%rd2];")
            .smem.size() == 1);
  CHECK(said("st.bulk.weak.shared::cta [%r1], 4096, 0;") == "not known");
  CHECK(last_access("ld.v4.b32.shared {%r3, %r4, %r5, %r6}, [%r1];").access == "ld.shared.b128");
  CHECK(last_access("ld.shared.v2.b32.volatile {%r3, %r4}, [%r1];").access == "ld.shared.b64");
  // Statements need no line of their own, and a comment ends where it ends.
  CHECK(said(".loc 1 1 1 mad.lo.u32 %r3, %r9, 128, %r1; ld.shared.b32 %r4, [%r3];") == "32 all");
  CHECK(said("mov.u32 %r2, 2; /*/ mov.u32 %r2, 7; /*/ shl.b32 %r3, %r9, %r2; add.u32 %r3, %r3, %r1; ld.shared.b32 %r4, "
             "[%r3];") == "1 all");
}

TEST_CASE("a call of what a register, an alias or a list names may end lanes") {
  const auto wavefronts = [](const std::string& call) {
    const PtxModule module = read_ptx(
        ".version 8.6\n.target sm_90\n.func fx() { .reg .pred p; .reg .b32 r; mov.u32 r, %tid.x; setp.ge.u32 p, r, 16; "
        "@p exit; ret; }\n.func quiet() { ret; }\n.alias al, fx;\n.entry f() .reqntid WARP_SZ {\n.reg .b32 %r<9>; .reg "
        ".b64 %rd<9>, d;\n.shared .align 128 .b8 s[WARP_SZ];\nmov.u32 %r1, %tid.x; mov.u32 %r4, s; mad.lo.u32 %r2, "
        "%r1, 128, %r4;\n" +
        call + "\nld.shared.b32 %r3, [%r2]; ret; }\n");
    const KernelReport report = kernel_reports(module, {}).at(0);
    CHECK(report.threads == std::array<std::int64_t, 3>{32, 1, 1});
    CHECK(report.shared.at(0).bytes == Bytes{32});
    const SmemSite& site = report.smem.at(0);
    return std::pair(site.wavefronts.value_or(0), site.proof);
  };
  CHECK(wavefronts("call quiet;") == std::pair(32.0, SmemProof::all));
  CHECK(wavefronts("call vprintf;") == std::pair(32.0, SmemProof::all));  // not in the text: it returns
  for (const std::string call :
       {"call fx;", "call /* of */ fx;", "mov.u64 %rd1, fx; P: .callprototype _ (); call %rd1, P;",
        "mov.u64 d, fx; P: .callprototype _ (); call d, P;", "call al;"}) {
    CAPTURE(call);
    CHECK(wavefronts(call) != std::pair(32.0, SmemProof::all));
  }
}

}  // namespace
}  // namespace swz
