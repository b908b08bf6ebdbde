// SPDX-License-Identifier: Apache-2.0
// Where arrays of shared memory begin, and what follows for accesses: a single array, arrays of other kernels, bases that are
// rounded up, bytes at any place in a word. The expected counts follow from the addresses in the bodies.
#include <doctest/doctest.h>

#include <deque>
#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

KernelReport report_of(const std::string& arrays, const std::string& body, const std::string& functions = {},
                       const std::string& target = "sm_90a") {
  static std::deque<PtxModule> held;  // what the reports point into
  held.push_back(read_ptx(
      ".version 8.6\n.target " + target + "\n.address_size 64\n" + arrays + functions +
      ".visible .entry f(.param .u32 n) .reqntid 32\n{\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n"
      ".reg .b64 %rd<12>;\n.reg .pred %p<4>;\nld.param.u32 %r8, [n];\nmov.u32 %r9, %tid.x;\ncvt.u64.u32 %rd9, %r9;\n" +
      body + "ret;\n}\n"));
  return kernel_reports(held.back(), {.entry = "f"}).at(0);
}
SmemSite last_access(const std::string& arrays, const std::string& body, const std::string& target = "sm_90a") {
  return report_of(arrays, body, {}, target).smem.back();
}

const std::string dynamic = ".extern .shared .align 16 .b8 d[];\n", other = ".shared .align 4 .b8 other[64];\n";

TEST_CASE("arrays that a kernel and its callees name are its own; a single byte is a dynamic array") {
  const std::string arrays = ".shared .align 128 .b8 a[32768];\n.shared .align 128 .b8 b[32768];\n";
  const std::string function = ".func g()\n{\nst.shared.u32 [b], 1;\nret;\n}\n";
  const KernelReport one = report_of(arrays, "st.shared.u32 [a], %r9;\n", function);
  REQUIRE(one.shared.size() == 1);
  CHECK(one.shared[0].name == "a");
  CHECK(one.findings.empty());
  // Both together are more than 48 KiB, which is what ptxas takes for sm_90; for sm_90a it takes 227 KiB.
  const auto two = [&](const char* target) {
    return report_of(arrays, "st.shared.u32 [a], %r9;\ncall.uni g, ();\n", function, target);
  };
  CHECK(two("sm_90a").shared.size() == 2);
  CHECK(two("sm_90a").findings.empty());
  for (const char* target : {"sm_80", "sm_90", "sm_100f"}) {
    REQUIRE(!two(target).findings.empty());
    CHECK(two(target).findings[0].message == "the declared arrays have 65536 B; ptxas takes at most 49152 B");
  }
  const std::string large = ".shared .align 128 .b8 a[232449];\n";
  CHECK(report_of(large, "st.shared.u32 [a], %r9;\n").findings.at(0).message ==
        "the declared arrays have 232449 B; ptxas takes at most 232448 B");
  CHECK(report_of(".shared .align 16 .b8 m[1];\n", "st.shared.u32 [m+8192], %r9;\n").shared.at(0).bytes ==
        std::nullopt);
}

TEST_CASE("a base that is rounded up is aligned; of a single array it is where that begins") {
  const std::string rows =
      "mad.lo.u32 %r3, %r9, 64, %r2;\nshr.u32 %r4, %r3, 3;\nand.b32 %r5, %r4, 112;\nxor.b32 %r6, %r3, "
      "%r5;\nst.shared.v4.u32 [%r6], {%r9, %r9, %r9, %r9};\n";
  const std::string by_mask = "mov.u32 %r1, d;\nadd.u32 %r1, %r1, 1023;\nand.b32 %r2, %r1, -1024;\n";
  const std::string by_choice =
      "mov.u32 %r1, d;\nand.b32 %r10, %r1, 1023;\nsub.u32 %r11, 1024, %r10;\nadd.u32 %r12, %r1, %r11;\nsetp.eq.u32 "
      "%p1, %r10, 0;\nselp.b32 %r2, %r1, %r12, %p1;\n";
  const std::string by_generic =
      "mov.u32 %r1, d;\ncvt.u64.u32 %rd1, %r1;\ncvta.shared.u64 %rd2, %rd1;\nadd.s64 %rd3, %rd2, 1023;\nand.b64 %rd4, "
      "%rd3, -1024;\ncvta.to.shared.u64 %rd5, %rd4;\ncvt.u32.u64 %r2, %rd5;\n";
  for (const std::string& base : {by_mask, by_choice, by_generic}) {
    CAPTURE(base);
    const SmemSite alone = last_access(dynamic, base + rows);
    // Rows of 64 B, chunk XOR row / 2 mod 8: eight lanes of a group hit all banks once.
    CHECK(alone.wavefronts == 4);
    CHECK(alone.proof == SmemProof::all);
    CHECK(last_access(dynamic, base + "st.shared.u32 [%r2+32], %r9;\n").address.text == "d + 32");
    // Next to an array, or on a GPU that was not measured, the alignment is left.
    for (const SmemSite& site : {last_access(dynamic + other, "st.shared.u32 [other], %r9;\n" + base + rows),
                                 last_access(dynamic, base + rows, "sm_100a")}) {
      CHECK(site.wavefronts == 4);
      CHECK(site.proof == SmemProof::all);
    }
  }
  // 255 is no round number: nothing is known.
  CHECK(last_access(dynamic + other, "st.shared.u32 [other], %r9;\nmov.u32 %r1, d;\nadd.u32 %r2, %r1, 8;\n" + rows)
            .proof == SmemProof::none);
}

TEST_CASE("the cubin tells where arrays begin, if the order does not matter or it names them") {
  const auto begins = [](const std::string& arrays, const std::string& body, PlacedShared placed) {
    static std::deque<PtxModule> held;
    held.push_back(read_ptx(".version 8.6\n.target sm_80\n.address_size 64\n" + arrays +
                            ".visible .entry f() {\n.reg .b32 %r<9>;\n" + body + "ret;\n}\n"));
    std::vector<std::optional<std::uint64_t>> out;
    const auto kernels = kernel_reports(held.back(), {.entry = "f", .shared = std::move(placed)});
    for (const SharedArray& array : kernels.at(0).shared) out.push_back(array.begin);
    return out;
  };
  using Begins = std::vector<std::optional<std::uint64_t>>;
  const std::string a = ".shared .align 4 .b8 a[100];\n", b = ".shared .align 4 .b8 b[8];\n";
  const std::string use_a = "st.shared.u32 [a], 1;\n", use_b = "st.shared.u32 [b], 1;\n",
                    use_d = "st.shared.u32 [d], 1;\n";
  CHECK(begins(a, use_a, {0, 100}) == Begins{0});
  CHECK(begins(a, use_a, {1024, 1124}) == Begins{1024});
  CHECK(begins(dynamic + a, use_a + use_d, {0, 112}) == Begins{112, 0});
  CHECK(begins(dynamic, use_d, {1024, 1024}) == Begins{1024});
  // Two arrays: ptxas chooses the order. The dynamic one begins at their end.
  CHECK(begins(dynamic + a + b, use_a + use_b + use_d, {0, 112}) == Begins{112, std::nullopt, std::nullopt});
  CHECK(begins(a + b, use_a + use_b, {.begin = 0, .end = 512, .arrays = {{"b", 128}}}) == Begins{std::nullopt, 128});
  // The cubin has another size than the text: nothing is claimed.
  CHECK(begins(dynamic + a, use_a + use_d, {0, 0}) == Begins{std::nullopt, std::nullopt});
  // Without a cubin nothing is known on sm_80.
  CHECK(report_of(a, use_a, {}, "sm_80").shared.at(0).begin == std::nullopt);
}

TEST_CASE("bytes and half words at any place in a word") {
  const std::string odd = ".shared .align 1 .b8 s[4096];\n" + other,
                    touch = "st.shared.u32 [other], %r9;\nmov.u32 %r1, s;\n";
  const auto count = [&](const std::string& body) { return last_access(odd, touch + body).wavefronts; };
  // 32 bytes in a row are in 8 or 9 words; with a step of 128 each is in the same bank, from any beginning.
  CHECK(count("add.u32 %r2, %r1, %r9;\nst.shared.u8 [%r2], %r9;\n") == 1);
  CHECK(count("mad.lo.u32 %r2, %r9, 128, %r1;\nst.shared.u8 [%r2], %r9;\n") == 32);
  CHECK(count("mad.lo.u32 %r2, %r9, 2, %r1;\nst.shared.u16 [%r2], %h1;\n") == 1);
  CHECK(count("add.u32 %r2, %r1, %r8;\nadd.u32 %r2, %r2, %r9;\nld.shared.u8 %h1, [%r2];\n") == 1);
  // Lanes 0 and 1 at 0 and 130: at place 2 of a word both are in the words 0 and 33, at 0 in 0 and 32, which share a bank.
  const SmemSite depends =
      last_access(odd, touch + "and.b32 %r3, %r9, 1;\nmad.lo.u32 %r2, %r3, 130, %r1;\nst.shared.u8 [%r2], %r9;\n");
  CHECK(!depends.wavefronts);
  CHECK(depends.why.find("where the lanes begin in a word of 4 B: 2 or 1 wavefronts") != std::string::npos);
}

TEST_CASE("what is not known is said by what would tell it") {
  const std::string s = ".shared .align 16 .b8 s[32768];\n";
  CHECK(last_access(s, "mov.u32 %r1, s;\nmad.lo.u32 %r2, %r9, %r8, %r1;\nst.shared.u32 [%r2], %r9;\n").why ==
        "lanes differ by a multiple of n, which %r8 holds: pass --set %r8=N");
  // The address is data too: that is what one would have to know.
  const SmemSite data =
      last_access(s,
                  "ld.shared.u32 %r3, [s];\nsetp.lt.u32 %p1, %r9, %r3;\nmov.u32 %r1, s;\nmad.lo.u32 %r4, %r9, 4, "
                  "%r1;\nld.shared.u32 %r5, [%r4];\nadd.u32 %r6, %r1, %r5;\n@%p1 st.shared.u32 [%r6], %r9;\n");
  CHECK(data.why.find("which lanes") == std::string::npos);
  // bar.red gives all lanes the same: all of them or none.
  CHECK(
      last_access(s, "setp.lt.u32 %p1, %r9, 7;\nbar.red.or.pred %p2, 0, %p1;\n@%p2 st.shared.u32 [s], %r9;\n").proof ==
      SmemProof::all);
  CHECK(
      last_access(
          s, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r10}, [s], %r8;\n")
          .why == "swz has no measured rule for wmma.load");
  // The low half of a 64-bit address.
  CHECK(last_access(s,
                    "mov.u64 %rd1, s;\nmul.lo.u64 %rd2, %rd9, 16;\nadd.s64 %rd3, %rd1, %rd2;\ncvt.u32.u64 %r2, "
                    "%rd3;\nst.shared.u32 [%r2], %r9;\n")
            .wavefronts == 4);
}

}  // namespace
}  // namespace swz
