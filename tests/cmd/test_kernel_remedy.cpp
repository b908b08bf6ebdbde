// SPDX-License-Identifier: Apache-2.0
// What swz kernel says of a conflict: who collides, and the swizzle that repairs every access to the array.
#include <doctest/doctest.h>

#include <string>

#include "run_cli.hpp"

namespace swz {
namespace {

// 32 threads store a word each at a pitch of 64 B; two words of shared memory are read by all.
constexpr const char* small_ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry small(.param .u64 p)
.reqntid 32, 1, 1
{
.reg .b32 %r<6>;
.shared .align 16 .b8 s[2048];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 6;
mov.u32 %r3, s;
add.s32 %r4, %r3, %r2;
st.shared.u32 [%r4], %r1;
ld.shared.u32 %r5, [s+8];
ret;
}
)";

CliResult kernel(Words words, const std::string& input) {
  words.insert(words.begin(), "kernel");
  return run_cli(words, {.variables = {{"COLUMNS", "120"}}}, input);
}

TEST_CASE("kernel: the worst access with its lanes, its hint, and the swizzle that repairs it") {
  // Lane l stores at 64*l, bits 6 to 10 of the address: even lanes meet in bank 0, odd ones in bank 16, 16 words each. Bit 6 is
  // a bank bit; bits 7 to 10 must reach the other four, 2 to 5: Sw<4,2,5>, and fewer bits distinguish fewer than 16 words.
  const CliResult r = kernel({"-"}, small_ptx);
  CHECK(r.exit_code == 0);
  CHECK(r.out == R"(small  sm_90a, 32 threads
verdict        1 finding
bank-conflict  line 13: st.shared.b32 takes 16 wavefronts per warp where 1 would do
               swz swizzle find looks for a swizzle; a padded pitch is the other way
shared         s: 2048 B, on 16 B

accesses to shared memory: 1 with conflicts, 1 without, 0 not known
line  access         wavefronts  ideal  proof  address
  13  st.shared.b32          16      1  all    s + 64*%tid.x
1 more without conflicts

collision  line 13: lanes 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 meet in bank 0 with 16 words
swizzle    Sw<4,2,5> on byte addresses: no conflict in the worst warp of each of 2 accesses
lanes      --line 13 shows them
)");
}

TEST_CASE("kernel: --line says the swizzle of a transposition: five bits of rows, at 7, into those of words, at 2") {
  const std::string path = SWZ_SOURCE_DIR "/tests/ptx/mistakes/unpadded_transposition.ptx";
  const CliResult site = kernel({path, "--line", "78"}, "");
  CHECK(site.out.starts_with("unpadded_transposition, unpadded_transposition.cu:11 (line 78): ld.shared.f32\n"));
  CHECK(site.out.find("lanes 0-31 meet in bank 0 with 32 words") != std::string::npos);
  CHECK(site.out.find("Sw<5,2,5> on byte addresses: no conflict in the worst warp of each of 8 accesses") !=
        std::string::npos);
  CHECK(kernel({path, "--line", "78", "-f", "svg"}, "").out.starts_with("<svg"));
  CHECK(kernel({path, "--line", "79"}, "").err ==
        "swz: error: line 79 has no MMA, access to shared or global memory or to another CTA, bulk copy or access to "
        "tensor\n"
        "  memory\n"
        "hint: the nearest is in line 78\n");
}

}  // namespace
}  // namespace swz
