// Accesses of which something is not known: what is said of their wavefronts all the same, and what is left out.
#include <doctest/doctest.h>

#include <deque>
#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// The last access of a block of 64 threads; %r9 is tid.x, %r8 a parameter, %p1: tid.x is below the parameter.
KernelReport report_of(const std::string& body) {
  static std::deque<PtxModule> held;  // what the reports point into
  held.push_back(read_ptx(".version 8.6\n.target sm_90\n.entry f(.param .u32 n) .reqntid 64\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n"
                          ".shared .align 128 .b8 s[32768];\nld.param.u32 %r8, [n];\nmov.u32 %r9, %tid.x;\nmov.u32 %r1, s;\nsetp.lt.u32 %p1, %r9, %r8;\n"
                          "setp.lt.u32 %p2, %r8, 7;\n" + body + "ret;\n}\n"));
  return kernel_reports(held.back(), {}).at(0);
}
SmemSite last_access(const std::string& body) { return report_of(body).smem.back(); }

TEST_CASE("a bound that is a parameter: counted for all lanes") {
  const std::string address = "mad.lo.u32 %r2, %r9, 128, %r1;\n";
  for (const std::string& body : {address + "@%p1 st.shared.b32 [%r2], %r9;\n", address + "@!%p1 bra L;\nst.shared.b32 [%r2], %r9;\nL:\n"}) {
    CAPTURE(body);
    const SmemSite site = last_access(body);
    CHECK(site.wavefronts == 32);
    CHECK(site.ideal == 1);
    CHECK(site.proof == SmemProof::sampled);
    CHECK(site.counts_all_lanes);
    CHECK(site.why == "counted for all lanes, fewer take at most as many; which of them execute it is not known: lanes differ by a multiple of n, which %r8 holds: --set %r8=N says it");
    CHECK(report_of(body).findings.at(0).message == "line " + std::to_string(site.line) + ": st.shared.b32 takes up to 32 wavefronts a warp where 1 would do");
  }
  // What is known is not left: the lanes that a constant bounds, an address that nobody knows.
  const SmemSite bounded = last_access(address + "setp.lt.u32 %p3, %r9, 4;\n@%p3 st.shared.b32 [%r2], %r9;\n");
  CHECK(bounded.wavefronts == 4);
  CHECK(bounded.proof == SmemProof::all);
  CHECK(!bounded.counts_all_lanes);
  const SmemSite lost = last_access("ld.shared.b32 %r3, [%r1];\nmad.lo.u32 %r2, %r9, %r3, %r1;\nmul.lo.u32 %r4, %r2, %r9;\n@%p1 st.shared.b32 [%r4], %r9;\n");
  CHECK(!lost.wavefronts);
  CHECK(lost.proof == SmemProof::none);
}

TEST_CASE("two buffers, of which a parameter chooses one for all lanes") {
  const std::string rows = "mad.lo.u32 %r2, %r9, 16, %r1;\n";
  const auto chosen = [&](const std::string& other) { return last_access(rows + other + "selp.b32 %r4, %r3, %r2, %p2;\nst.shared.v4.b32 [%r4], {%r9, %r9, %r9, %r9};\n"); };
  CHECK(chosen("add.u32 %r3, %r2, 8192;\n").wavefronts == 4);
  CHECK(chosen("add.u32 %r3, %r2, 8192;\n").proof == SmemProof::all);
  CHECK(chosen("mad.lo.u32 %r3, %r8, 16, %r2;\n").wavefronts == 4);
  // Other lanes: nothing is known.
  CHECK(!chosen("mad.lo.u32 %r3, %r9, 32, %r1;\n").wavefronts);
}

}  // namespace
}  // namespace swz
