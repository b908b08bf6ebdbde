// SPDX-License-Identifier: Apache-2.0
// Long kernels: chains of instructions before an address, many accesses, many loops. What is counted grows with the kernel and no
// faster, and no chain is too long for the stack.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/lane_values.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

std::string kernel_of(const std::string& body) {
  return ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u32 n) .reqntid 64\n{\n.reg .pred "
         "%p1; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
         ".shared .align 16 .b8 s[4096];\nmov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nshl.b32 %r2, %r2, 4;\nshl.b32 "
         "%r3, %r1, 4;\n" +
         body + "ret;\n}\n";
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// How many values one warp works out for the address after a chain, and what it finds.
struct Chain {
  std::int64_t steps = 0;
  LaneValue lanes;
};
Chain chain_of(const std::string& instruction, int times) {
  const PtxModule module = read_ptx(
      kernel_of("setp.lt.u32 %p1, %r1, 7;\n" + repeated(instruction + "\n", times) + "st.shared.b32 [%r3], %r1;\n"));
  const PtxValues values(module, module.kernels[0],
                         {.threads = std::array<std::int64_t, 3>{64, 1, 1}, .registers = {}});
  WarpValues warp(values, {{64, 1, 1}, 0});
  const auto& instructions = module.kernels[0].instructions;
  const ValueId address = values.of_operand(instructions[instructions.size() - 2], 0);
  Chain out;
  out.lanes = warp.of(address);
  out.steps = warp.steps();
  return out;
}

TEST_CASE("a chain before an address, as long as it may be: each value is worked out once") {
  // Not xor with one register twice, which is nothing; of selp one value is left, as it chooses between the same two.
  const struct {
    std::string instruction;
    LaneKind kind;
    int values;  // new ones of each
  } chains[] = {{"xor.b32 %r3, %r3, %r1; add.u32 %r3, %r3, %r1;", LaneKind::exact, 2},
                {"add.u32 %r3, %r3, %r1;", LaneKind::exact, 1},
                {"mad.lo.u32 %r3, %r3, 3, %r1;", LaneKind::exact, 2},
                {"selp.b32 %r3, %r3, %r1, %p1; add.u32 %r3, %r3, 16;", LaneKind::exact, 2},
                {"add.u32 %r3, %r3, %r2;", LaneKind::shifted, 1}};
  constexpr int longest = is_sanitized ? 23'000 : 100'000;
  for (const auto& [text, kind, count] : chains) {
    const std::string& instruction = text;
    CAPTURE(instruction);
    const Chain short_one = chain_of(instruction, 3000), long_one = chain_of(instruction, longest);
    CHECK(short_one.lanes.kind == kind);
    CHECK(long_one.lanes.kind == kind);
    CHECK(long_one.steps - short_one.steps == (longest - 3000) * count);
    CHECK(short_one.steps < 3000 * count + 16);
  }
}

TEST_CASE("as many accesses as the limit says, and none more; an access takes no kilobyte") {
  const auto report = [](int sites) {
    const PtxModule module = read_ptx(kernel_of(repeated("ld.shared.b32 %r4, [%r3];\n", sites)));
    return kernel_reports(module, {}).at(0).smem.size();
  };
  const auto most = static_cast<int>(limits::ptx_sites.most);
  CHECK(report(most) == static_cast<std::size_t>(most));
  std::string message, hint;
  try {
    report(most + 1);
  } catch (const Error& e) {
    message = e.message();
    hint = e.hint;
  }
  CHECK(message ==
        "the accesses, MMAs and copies of the kernels that swz kernel is asked about: 65537 sites are more than the "
        "limit of 65536");
  CHECK(hint == "name one kernel with --entry, or give a file with fewer");
  CHECK(sizeof(SmemSite) <= 576);
  // Of all kernels together.
  const std::string two = kernel_of(repeated("ld.shared.b32 %r4, [%r3];\n", most / 2 + 1));
  std::string other = two.substr(two.find(".visible"));
  other.replace(other.find(" k("), 3, " l(");
  const PtxModule module = read_ptx(two + other);
  CHECK_THROWS_AS(kernel_reports(module, {}), Error);
  CHECK(kernel_reports(module, {.entry = "l"}).size() == 1);
}

TEST_CASE("of equal words the same is said at each MMA") {
  const std::string mma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1, 0, 0;\n";
  const PtxModule module =
      read_ptx(kernel_of("mov.u64 %rd1, 0x4000004000010040;\nmov.u64 %rd2, 0x4000000100010140;\n" + repeated(mma, 3)));
  const auto sites = kernel_reports(module, {}).at(0).mma;
  REQUIRE(sites.size() == 3);
  // About only the word, not about the loop that the three are.
  for (const MmaSite& site : sites) {
    REQUIRE(!site.findings.empty());
    CHECK(site.findings[0].message == sites[0].findings[0].message);
    CHECK(site.b.start->text == sites[0].b.start->text);
    CHECK(site.a.stride_byte_offset == Bytes{1024});
  }
}

}  // namespace
}  // namespace swz
