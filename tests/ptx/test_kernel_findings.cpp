// SPDX-License-Identifier: Apache-2.0
// What contradicts what in a whole kernel: columns of tensor memory, bytes that a barrier expects. Reported if it is certain, not
// reported as soon as anything leaves room.
#include <doctest/doctest.h>

#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

std::string rules_of(const std::string& body, const std::string& shared) {
  const PtxModule module = read_ptx(
      ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry f(.param .u64 p) .reqntid 128\n{\n"
      ".reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n" +
      shared + body + "ret;\n}\n");
  std::string rules;
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& one : findings)
      if (one.rule != "version-missing")
        rules += std::string(rules.empty() ? "" : " ") + std::string(one.rule) + ": " + one.message;
  };
  for (const KernelReport& report : kernel_reports(module, {})) {
    add(report.findings);
    for (const MmaSite& site : report.mma)
      for (const Finding& one : site.findings)
        if (one.rule == "accumulator-outside") add({one});
  }
  return rules;
}

// M 128, N 64, bf16, f32: 64 columns.
std::string mma_at(const std::string& address) {
  return "mov.b64 %rd1, 0x4000404000010000;\ntcgen05.mma.cta_group::1.kind::f16 [" + address +
         "], %rd1, %rd1, 0x8100490, %p1;\n";
}
std::string tmem(const std::string& body) {
  return rules_of(body, ".shared .align 4 .b32 columns;\n.shared .align 1024 .b8 s[232448];\n");
}

constexpr const char* allocate =
    "mov.u32 %r1, columns;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;\nbar.sync 0;\n";
constexpr const char* load = "ld.shared.b32 %r2, [columns];\n";

TEST_CASE("tensor memory: D, loads and stores past the allocation") {
  const std::string base = std::string(allocate) + load;
  // Of s, which has more than ptxas takes, the kernel names nothing.
  CHECK(tmem(base + mma_at("%r2")).empty());
  CHECK(tmem(base + mma_at("%r2") + "st.shared.b32 [s], %r1;\n") ==
        "static-shared: the declared arrays have 233472 B; ptxas takes at most 232448 B");
  const auto said = [&](const std::string& body) {
    const std::string rules = tmem(body);
    const std::size_t at = rules.find("outside");
    return at == rules.npos ? "" : rules.substr(rules.rfind(' ', at) + 1);
  };
  CHECK(said(base + mma_at("%r2")).empty());
  CHECK(said(base + mma_at("%r2 + 32")) ==
        "accumulator-outside: D: the accumulator takes columns 32 to 95, and the kernel allocates 64 columns");
  CHECK(said(base + mma_at("%r2 + -1")).starts_with("accumulator-outside: D: the accumulator takes columns -1 to 62"));
  // The lane is in the high half.
  CHECK(said(base + mma_at("%r2 + 1048576")).empty());
  const std::string ld =
      "mov.u32 %r5, %tid.x;\nshl.b32 %r6, %r5, 16;\nadd.s32 %r7, %r6, %r2;\ntcgen05.ld.sync.aligned.32x32b.x2.b32 "
      "{%r3, %r4}, [%r7 + ";
  CHECK(said(base + ld + "62];\n").empty());
  CHECK(said(base + ld + "63];\n").find("tcgen05.ld moves columns 63 to 64, and the kernel allocates 64 columns") !=
        std::string::npos);
  CHECK(said(base + "tcgen05.st.sync.aligned.16x64b.x1.b32 [%r2 + 63], {%r3};\n")
            .find("tcgen05.st moves columns 63 to 64") != std::string::npos);
  CHECK(said(base + "tcgen05.cp.cta_group::1.128x256b [%r2 + 60], %rd1;\n").find("tcgen05.cp moves columns 60 to 67") !=
        std::string::npos);
  // Half of the columns: M 64 with .ws cuts N into two parts.
  CHECK(said(base + "mov.b64 %rd1, 0;\ntcgen05.mma.ws.cta_group::1.kind::f16 [%r2 + 32], %rd1, %rd1, 0x4100490, %p1;\n")
            .empty());

  // What leaves room: another allocation, a loop, a write between, another place, a sum that is not known.
  const std::string wrong = mma_at("%r2 + 32");
  const auto silent = [&](const std::string& body) { CHECK_MESSAGE(said(body).empty(), body); };
  silent(base + "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1 + 64], 64;\n" + wrong);
  silent(std::string(allocate) + "st.shared.b32 [columns], %r9;\n" + load + wrong);
  silent(std::string(allocate) + "st.shared.b32 [%r9], %r9;\n" + load + wrong);
  silent(std::string(allocate) + "ld.shared.b32 %r2, [s];\n" + wrong);
  silent(std::string(load) + allocate + wrong);
  silent("L:\n" + base + wrong + "@%p2 bra L;\n");
  silent(base + "add.s32 %r2, %r2, %r8;\n" + wrong);
  silent(std::string(allocate) + "L:\n" + load + "st.shared.b32 [%r9], %r9;\n@%p2 bra L;\n" + wrong);
  silent("mov.u32 %r1, columns;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], %r9;\n" +
         std::string(load) + wrong);
  // One warp allocates, all load: nothing is written on the way.
  const std::string warp =
      "mov.u32 %r5, %tid.x;\nsetp.gt.u32 %p2, %r5, 31;\n@%p2 bra L;\n" + std::string(allocate) + "L:\nbar.sync 0;\n";
  CHECK(!said(warp + load + wrong).empty());
  CHECK(said(warp + "st.shared.b32 [s], %r9;\n" + load + wrong).empty());
}

TEST_CASE("expect_tx: against the bytes of the copies of its barrier") {
  const auto said = [](const std::string& body) {
    return rules_of("mov.u32 %r1, bar;\nmov.u32 %r2, s;\n" + body,
                    ".shared .align 8 .b64 bar[4];\n.shared .align 128 .b8 s[8192];\n");
  };
  const auto expect = [](const std::string& bytes, const std::string& barrier = "%r1") {
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + barrier + "], " + bytes + ";\n";
  };
  const auto copy = [](const std::string& bytes, const std::string& barrier = "%r1") {
    return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], " + bytes + ", [" +
           barrier + "];\n";
  };
  CHECK(said(expect("4096") + copy("2048") + copy("2048")).empty());
  CHECK(said(expect("4096") + copy("2048")) ==
        "expected-bytes: line 13: the mbarrier expects 4096 B, its copies bring 2048 B");
  CHECK(said(copy("4096") + expect("2048") + expect("1024", "%r1 + 8") + copy("1024", "%r1 + 8")) ==
        "expected-bytes: line 14: the mbarrier expects 2048 B, its copies bring 4096 B");
  CHECK(said("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;\n" + copy("32")).starts_with("expected-bytes"));
  // A ring of barriers, whose stage is not known, but the same.
  CHECK(said("shl.b32 %r3, %r9, 3;\nadd.s32 %r4, %r1, %r3;\n" + expect("4096", "%r4") + copy("2048", "%r4"))
            .starts_with("expected-bytes"));

  // What leaves room: bytes that are not known, other threads, other blocks, other barriers that may be the same, other copies.
  const std::string wrong = expect("4096") + copy("2048");
  const auto silent = [&](const std::string& body) { CHECK_MESSAGE(said(body).empty(), body); };
  silent(expect("%r9") + copy("2048"));
  silent(expect("4096") + copy("%r9"));
  silent(wrong + copy("%r9", "%r8"));
  silent(wrong + copy("2048", "%r8"));
  silent("@%p1 " + expect("4096") + copy("2048"));
  silent("@%p1 " + expect("4096") + "@%p2 " + copy("2048"));
  silent("@%p1 " + expect("4096") + "@!%p1 " + copy("2048"));
  silent(expect("4096") + "@%p1 bra L;\n" + copy("2048") + "L:\n");
  silent(wrong +
         "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r9}], "
         "[%r1];\n");
  silent(wrong + "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %r9, [%r1];\n");
  silent(wrong + "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 2048;\n");
  silent(expect("4096") +
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 2048, "
         "[%r1], %rs1;\n");
  silent(expect("4096"));
  silent(copy("4096"));
  CHECK(said("@%p1 " + expect("4096") + "@%p1 " + copy("2048")).starts_with("expected-bytes"));
  // A tensor copy of another barrier changes nothing.
  CHECK(said(wrong + "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, "
                     "{%r9}], [%r1 + 8];\n")
            .starts_with("expected-bytes"));
}

// The instructions that write a map of float16 at %rd3 and bring it to `place`.
std::string built(const std::string& box_0, const std::string& box_1, const std::string& place,
                  const std::string& rank = "1", const std::string& mode = "3") {
  const auto replace = [](const std::string& field, const std::string& value, const std::string& type = "b32") {
    return "tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [%rd3], " + value + ";\n";
  };
  return replace("rank", rank) + replace("box_dim", "0, " + box_0) + replace("box_dim", "1, " + box_1) +
         replace("element_stride", "0, 1") + replace("element_stride", "1, 1") + replace("elemtype", "6") +
         replace("swizzle_mode", mode) +
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [" + place +
         "], [%rd3], 128;\n";
}

TEST_CASE("tensor maps that the kernel writes: what copies bring by them") {
  const auto said = [](const std::string& body) {
    return rules_of("mov.u32 %r1, bar;\nmov.u32 %r2, s;\ncvt.u64.u32 %rd3, %r2;\n" + body,
                    ".shared .align 8 .b64 bar[4];\n.shared .align 128 .b8 s[8192];\n");
  };
  const auto expect = [](const std::string& bytes) {
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " + bytes + ";\n";
  };
  const std::string copy =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd4, {%r9, %r9}], "
      "[%r1];\n";
  const std::string map = built("64", "32", "%rd1") + "cvta.global.u64 %rd4, %rd1;\n";
  CHECK(said(map + expect("4096") + copy) == "");
  CHECK(said(map + expect("8192") + copy)
            .starts_with("expected-bytes: line 23: the mbarrier expects 8192 B, its copies bring 4096 B"));
  CHECK(said(map + expect("4096") + copy + copy).starts_with("expected-bytes"));
  CHECK(said(built("64", "32", "%rd1", "2") + "cvta.global.u64 %rd4, %rd1;\n" + expect("64") + copy)
            .starts_with("copy-rank: line 24: a copy of rank 2 by the tensor map that line 14 begins, of rank 3"));

  // About what is not known nothing is reported: another map, two maps in its place, a number of the launch, a box that two
  // instructions write, an unknown place in the field, steps of two elements.
  const auto silent = [&](const std::string& body) { CHECK_MESSAGE(said(body).empty(), body); };
  const std::string other = expect("8192") + copy;
  silent(built("64", "32", "%rd2") + "cvta.global.u64 %rd4, %rd1;\n" + other);
  silent(map + built("64", "64", "%rd1") + other);
  silent(built("64", "%r9", "%rd1") + "cvta.global.u64 %rd4, %rd1;\n" + other);
  const auto more = [&](const std::string& field) { return "tensormap.replace.tile." + field + ";\n" + map + other; };
  silent(more("box_dim.shared::cta.b1024.b32 [%rd3], 1, 64"));
  silent(more("box_dim.shared::cta.b1024.b32 [%rd3], %r9, 64"));
  silent(more("element_stride.shared::cta.b1024.b32 [%rd3], 1, 2"));
  CHECK(!said(more("box_dim.shared::cta.b1024.b32 [%rd3], 1, 32")).empty());
}

TEST_CASE("tensor maps that the kernel writes in one place, in sequence") {
  const auto said = [](const std::string& body) {
    return rules_of("mov.u32 %r2, s;\ncvt.u64.u32 %rd3, %r2;\n" + body, ".shared .align 128 .b8 s[8192];\n");
  };
  // A box of 256 B a row is wider than the swizzle of 128 B: in the first map, in the second one, in none.
  const std::string wide = "128", fits = "64";
  CHECK(said(built(wide, "8", "%rd1") + built(fits, "8", "%rd2")).find("written from line 12 on") != std::string::npos);
  CHECK(said(built(fits, "8", "%rd1") + built(wide, "8", "%rd2")).find("written from line 20 on") != std::string::npos);
  CHECK(said(built(fits, "8", "%rd1") + built(fits, "8", "%rd2")) == "");
  // The second map has the mode of the first if only its box is rewritten.
  const auto widened = [&](const std::string& first) {
    return built(first, "8", "%rd1") + "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd3], 0, " + wide +
           ";\n" +
           "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [%rd3], "
           "128;\n";
  };
  CHECK(said(widened(fits)).find("written from line 20 on") != std::string::npos);
  // The largest rank that an instruction can write.
  CHECK(said(built(fits, "8", "%rd1", "0x7fffffff")).find("written from line 12 on") != std::string::npos);
  // A box that is not known with the mode of another map gives no finding.
  CHECK(said(built(wide, "8", "%rd1", "1", "0") + built("%r9", "8", "%rd2")) == "");
}

}  // namespace
}  // namespace swz
