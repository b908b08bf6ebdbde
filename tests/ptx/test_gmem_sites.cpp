// SPDX-License-Identifier: Apache-2.0
// Sectors of accesses to global memory: what the addresses of the lanes say, and what is not known.
#include <doctest/doctest.h>

#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

// A load or store at p + the offset in %rd3, which `offset` makes of the thread in %rd2.
GmemSite site_of(const std::string& access, const std::string& offset) {
  const PtxModule module = read_ptx(
      ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) .reqntid 64 {\n"
      ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
      "cvt.u64.u32 %rd2, %r1;\n" +
      offset + "\nadd.s64 %rd4, %rd1, %rd3;\n" + access + "\nret;\n}\n");
  const auto reports = kernel_reports(module, {});
  REQUIRE(reports.at(0).gmem.size() == 1);
  return reports[0].gmem[0];
}

TEST_CASE("gmem: the sectors of coalesced, strided, wide and shared addresses") {
  struct Example {
    const char *access, *offset;
    double sectors, most, ideal;
  };
  const Example examples[] = {
      {"ld.global.u32 %r2, [%rd4];", "shl.b64 %rd3, %rd2, 2;", 4, 5, 4},
      {"ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd4];", "shl.b64 %rd3, %rd2, 4;", 16, 17, 16},
      {"ld.global.nc.u32 %r2, [%rd4];", "shl.b64 %rd3, %rd2, 7;", 32, 32, 4},
      {"st.global.u32 [%rd4], %r1;", "shl.b64 %rd3, %rd2, 3;", 8, 9, 4},
      {"st.global.v4.b32 [%rd4], {%r1,%r1,%r1,%r1};", "shl.b64 %rd3, %rd2, 8;", 32, 32, 16},
      {"ld.global.u8 %r2, [%rd4];", "mov.b64 %rd3, 5;", 1, 1, 1},
      {"ld.global.u8 %r2, [%rd4];", "mov.b64 %rd3, %rd2;", 1, 2, 1},
      {"ld.global.u32 %r2, [%rd4];", "shr.u64 %rd5, %rd2, 1;\nshl.b64 %rd3, %rd5, 2;", 2, 3, 2},
  };
  for (const Example& one : examples) {
    CAPTURE(one.access);
    CAPTURE(one.offset);
    const GmemSite site = site_of(one.access, one.offset);
    CHECK(site.sectors == one.sectors);
    CHECK(site.most == one.most);
    CHECK(site.ideal == one.ideal);
    CHECK(site.has_excess() == (one.sectors > one.ideal));
    CHECK(site.is_proven);
    CHECK(site.warps == 2);
  }
}

TEST_CASE("gmem: what is not known is said") {
  const GmemSite loaded = site_of("st.global.u32 [%rd4], %r1;", "ld.shared.u32 %r6, [%r1];\ncvt.u64.u32 %rd3, %r6;");
  CHECK_FALSE(loaded.sectors);
  CHECK(loaded.why.find("ld.shared.u32") != std::string::npos);
  const GmemSite guarded =
      site_of("@%p1 st.global.u32 [%rd4], %r1;", "shl.b64 %rd3, %rd2, 7;\nsetp.lt.u64 %p1, %rd2, %rd1;");
  CHECK(guarded.counts_all_lanes);
  CHECK_FALSE(guarded.is_proven);
  CHECK(guarded.sectors == 32);
}

}  // namespace
}  // namespace swz
