// SPDX-License-Identifier: Apache-2.0
// Atomics on shared memory in a kernel: the rule that each is counted by, and why the others have no count.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// The only access of a kernel of two warps: %r1 = tid, %r2 = tid % 8, %r3 = s + 4 * (tid % 8), %r4 = tid / 32.
SmemSite site_of(const std::string& statements) {
  const PtxModule module =
      read_ptx(fmt::format(".version 8.5\n.target sm_90a\n.visible .entry k(.param .u32 p) .reqntid 64, 1, 1\n{{\n.reg "
                           ".b32 %r<10>; .reg .b64 %rd<4>; .reg .f32 %f<2>; .reg .pred %p<2>;"
                           ".shared .align 128 .b8 s[4096];\nld.param.u32 %r8, [p]; cvt.u64.u32 %rd1, %r8; mov.u32 "
                           "%r1, %tid.x; and.b32 %r2, %r1, 7; mov.u32 %r9, s;"
                           "shl.b32 %r3, %r2, 2; add.u32 %r3, %r3, %r9; shr.u32 %r4, %r1, 5;\n{}\nret;\n}}\n",
                           statements));
  const std::vector<SmemSite> sites = kernel_reports(module, {}).at(0).smem;
  REQUIRE(sites.size() == 1);
  return sites[0];
}

struct Expected {
  const char* statements;
  const char* access;
  int wavefronts, ideal;
};

TEST_CASE("atomics of a kernel: each counted by its rule") {
  const Expected all[] = {
      // Four lanes per word; the words in eight banks.
      {"red.shared.add.u32 [%r3], %r8;", "atom.shared.b32", 4, 4},
      {"atom.relaxed.sys.shared.add.u32 %r5, [%r3], %r8;", "atom.shared.b32", 4, 4},
      {"atom.shared.exch.b32 %r5, [%r3], %r8;", "atom.shared.b32", 4, 4},
      {"atom.shared.cas.b32 %r5, [%r3], %r1, %r8;", "atom.shared.cas.b32", 8, 8},
      {"shl.b32 %r5, %r1, 3; add.u32 %r5, %r5, %r9; atom.shared.exch.b64 %rd2, [%r5], %rd1;", "atom.shared.exch.b64", 2,
       2},
      {"shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r9; red.shared.max.u32 [%r5], %r8;", "atom.shared.b32", 32, 1},
      // A count, unless the old value is read.
      {"red.shared.add.u32 [%r3], 1;", "atoms.popc.inc.32", 1, 1},
      {"atom.shared.add.u32 %r5, [%r3], 1;", "atoms.popc.inc.32", 1, 1},
      {"mov.u32 %r6, 1; atom.shared.add.u32 _, [%r3], %r6;", "atoms.popc.inc.32", 1, 1},
      {"atom.shared.add.u32 %r5, [%r3], 1; st.global.u32 [%rd1], %r5;", "atom.shared.b32", 4, 4},
      {"red.shared.add.u32 [%r3], 2;", "atom.shared.b32", 4, 4},
      {"atom.shared.inc.u32 %r5, [%r3], -1;", "atoms.popc.inc.32", 1, 1},
      {"red.shared.inc.u32 [%r3], 7;", "atom.shared.b32", 4, 4},
      {"red.shared.add.s32 [%r3], 1;", "atom.shared.b32", 4, 4},
      {"shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r9; atom.shared.cas.b64 %rd2, [%r5], %rd1, %rd1;",
       "atom.shared.cas.b64", 64, 4},
      // One word whose place the PTX gives: one lane adds for all.
      {"red.shared.add.u32 [s+4], %r8;", "atom.shared.b32", 1, 1},
      {"atom.shared.add.u32 %r5, [s], %r8; st.global.u32 [%rd1], %r5;", "atom.shared.b32", 1, 1},
      {"red.shared.max.u32 [s], %r8;", "atom.shared.b32", 1, 1},
      {"atom.shared.or.b32 %r5, [s], %r8;", "atom.shared.b32", 1, 1},
      {"add.u32 %r5, %r8, %r9; red.shared.add.u32 [%r5], %r8;", "atom.shared.b32", 1, 1},
      {"ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, %r9; red.shared.add.u32 [%r5], %r8;", "atom.shared.b32", 1, 1},
      // Not of every operation.
      {"atom.shared.max.u32 %r5, [s], %r8; st.global.u32 [%rd1], %r5;", "atom.shared.b32", 32, 32},
      {"red.shared.dec.u32 [s], %r8;", "atom.shared.b32", 32, 32},
      {"atom.shared.exch.b32 %r5, [s], %r8;", "atom.shared.b32", 32, 32},
      {"atom.shared.cas.b32 %r5, [s], %r1, %r8;", "atom.shared.cas.b32", 64, 64},
      {"shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r9; red.shared.dec.u32 [%r5], %r8;", "atom.shared.b32", 32, 32},
      // Only one lane.
      {"setp.eq.u32 %p1, %r1, 5; @%p1 red.shared.add.u32 [s], %r8;", "atom.shared.b32", 1, 1},
  };
  for (const Expected& one : all) {
    CAPTURE(one.statements);
    const SmemSite site = site_of(one.statements);
    CHECK(site.access == one.access);
    REQUIRE(site.wavefronts);
    CHECK(*site.wavefronts == one.wavefronts);
    CHECK(*site.ideal == one.ideal);
    CHECK(site.proof == SmemProof::all);
  }
}

TEST_CASE("atomics of a kernel: what was not measured has no count and says why") {
  const std::pair<const char*, const char*> all[] = {
      {"red.shared.add.f32 [%r3], %f1;", "the GPU runs it as a loop, with as many passes as lanes meet"},
      {"red.shared.add.u64 [%r9], %rd1;", "the GPU runs it as a loop, with as many passes as lanes meet"},
      {"red.shared::cluster.add.u32 [%r3], %r8;", "the address may be in another CTA of the cluster"},
      {"atom.shared.cas.b16 %r5, [%r3], %r1, %r8;", "swz has no measured rule for this atomic"},
      {"cvt.u64.u32 %rd2, %r3; cvta.shared.u64 %rd2, %rd2; red.add.u32 [%rd2], %r8;",
       "swz has no measured rule for an atomic with a generic address"},
      {"shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r9; red.shared.add.u32 [%r5], %r8;",
       "all lanes share the address, and swz does not know whether ptxas lets one lane do the access for all"},
      {"mov.u32 %r5, s; L: red.shared.add.u32 [%r5], %r8; add.u32 %r5, %r5, 4; setp.lt.u32 %p1, %r5, %r8; @%p1 bra L;",
       "all lanes share the address, and swz does not know whether ptxas lets one lane do the access for all"},
  };
  for (const auto& one : all) {
    CAPTURE(one.first);
    const SmemSite site = site_of(one.first);
    CHECK_FALSE(site.wavefronts);
    CHECK(site.why == one.second);
    CHECK(site.proof == SmemProof::none);
  }
}

}  // namespace
}  // namespace swz
