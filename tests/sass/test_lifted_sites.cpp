// SPDX-License-Identifier: Apache-2.0
// What is known of a shared access of machine code behind instructions that swz does not work out: divisions, calls,
// spills, addresses of the linker. Each case is what ptxas writes in a library of a wheel, cut down to one access.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "sass/lift.hpp"

namespace swz {
namespace {

// Instructions at offsets of 16; a line that ends with ':' is a label.
std::string disassembly(const std::vector<std::string>& lines) {
  std::string text = "\t.target\tsm_90a\n\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  int offset = 0;
  for (const std::string& line : lines) {
    if (line.ends_with(':')) {
      text += line + "\n";
      continue;
    }
    text += fmt::format("        /*{:04x}*/                   {} ;\n", offset, line);
    offset += 16;
  }
  return text;
}

struct AccessCase {
  std::string_view what;
  std::vector<std::string> lines;
  double wavefronts;
};

// 128 threads; S2R R0, SR_TID.X comes first. A row of 32 words takes one wavefront, every second word two.
const AccessCase cases[] = {
    {"a quotient of parameters is the same in all lanes",
     {"ULDC UR4, c[0x0][0x210]", "I2F.U32.RP R2, UR4", "MUFU.RCP R2, R2", "F2I.FTZ.U32.TRUNC.NTZ R3, R2",
      "IMAD.SHL.U32 R3, R3, 0x10, RZ", "LEA R4, R0, R3, 0x3", "LDS R5, [R4]", "EXIT"},
     2},
    {"a conversion writes one register", {"SHF.L.U32 R3, R0, 0x3, RZ", "I2F.RP R2, R0", "LDS R5, [R3]", "EXIT"}, 2},
    {"a function of registers behind the kernel",
     {"MOV R6, c[0x0][0x210]", "MOV R14, 0x50", "CALL.REL.NOINC `($__internal_0_$f)", "LEA R4, R0, R7, 0x3",
      "LDS R5, [R4]", "EXIT", "$__internal_0_$f:", "ISETP.NE.AND P0, PT, R6, RZ, PT", "@!P0 BRA `(.L_1)",
      "I2F.RP R7, R6", "IMAD.SHL.U32 R7, R7, 0x4, RZ", "RET.REL.NODEC R14 `(k)", ".L_1:", "MOV R7, 0x10",
      "RET.REL.NODEC R14 `(k)"},
     2},
    {"a call by the ABI keeps what is read after it",
     {"SHF.L.U32 R22, R0, 0x3, RZ", "LDC.64 R2, c[0x4][0x8]", "MOV R20, 0x50", "MOV R21, RZ", "CALL.ABS.NOINC R2",
      "LDS R5, [R22]", "EXIT"},
     2},
    {"under one guard",
     {"IMAD R3, R0, R0, RZ", "ISETP.GT.U32.AND P0, PT, R0, 0xf, PT", "@!P0 MOV R3, c[0x0][0x210]",
      "@!P0 SHF.L.U32 R5, R0, 0x3, RZ", "@!P0 LEA R3, R3, R5, 0x4", "@!P0 STS [R3], RZ", "EXIT"},
     1},
    {"a pointer of two branches that all lanes take alike",
     {"ISETP.NE.AND P0, PT, RZ, c[0x0][0x210], PT", "@P0 BRA `(.L_1)", "LEA R4, R0, 0x400, 0x3", "BRA `(.L_2)",
      ".L_1:", "LEA R4, R0, 0x800, 0x3", ".L_2:", "LDS R5, [R4]", "EXIT"},
     2},
    {"the same before a loop",
     {"ISETP.NE.AND P0, PT, RZ, c[0x0][0x210], PT", "MOV R6, c[0x0][0x214]", "LEA R4, R0, 0x400, 0x3",
      "@P0 BRA `(.L_1)", "VIADD R4, R4, 0x100", ".L_1:", "LDS R5, [R4]", "VIADD R4, R4, 0x1000", "VIADD R6, R6, 0x1",
      "ISETP.LT.AND P1, PT, R6, c[0x0][0x218], PT", "@P1 BRA `(.L_1)", "EXIT"},
     2},
    {"a part of a word in local memory",
     {"STL [R1], RZ", "STL.U16 [R1+0x2], R0", "LDL.U16 R4, [R1+0x2]", "LEA R4, R4, 0x400, 0x3", "LDS R5, [R4]", "EXIT"},
     2},
    {"a uniform register that a register keeps",
     {"ULDC UR4, c[0x0][0x210]", "MOV.SPILL R7, UR4", "R2UR.FILL UR5, R7", "LEA R4, R0, UR5, 0x3", "LDS R5, [R4]",
      "EXIT"},
     2},
    {"a comparison of pairs",
     {"MOV R2, c[0x0][0x210]", "MOV R3, c[0x0][0x214]", "ISETP.GE.U64.AND P0, PT, R2, 0x40, PT", "@P0 EXIT",
      "LEA R4, R0, 0x400, 0x3", "LDS R5, [R4]", "EXIT"},
     2},
    {"what a barrier finds is the same in all lanes",
     {"ISETP.GE.AND P0, PT, R0, c[0x0][0x210], PT", "BAR.RED.OR.DEFER_BLOCKING 0x0, P0", "B2R.RESULT RZ, P1",
      "@P1 EXIT", "LEA R4, R0, 0x400, 0x3", "LDS R5, [R4]", "EXIT"},
     2},
    {"a shuffle of parted lanes",
     {"SHF.R.U32.HI R5, RZ, 0x5, R0", "BRA.DIV ~URZ, `(.L_1)", "SHFL.IDX PT, R8, R5, RZ, 0x1f",
      ".L_2:", "LOP3.LUT R2, R0, 0x1f, RZ, 0xc0, !PT", "IMAD R4, R8, 0x100, RZ", "LEA R4, R2, R4, 0x3", "LDS R5, [R4]",
      "EXIT", ".L_1:", "MOV R4, RZ", "MOV R3, 0x1f", "MOV R2, 0xffffffff", "WARPSYNC.COLLECTIVE R2, `(.L_3)",
      "SHFL.IDX P0, R8, R5, R4, R3", "ENDCOLLECTIVE", ".L_3:", "BRA `(.L_2)"},
     2},
    {"an address that the linker gives, in a loop that lanes leave one after another",
     {"MOV R6, R0", ".L_1:", "UMOV UR4, `(array)", "LEA R4, R0, UR4, 0x3", "VIADD R6, R6, 0x1",
      "ISETP.LT.AND P1, PT, R6, c[0x0][0x218], PT", "@P1 BRA `(.L_1)", "LDS R5, [R4]", "EXIT"},
     2},
    {"a register that keeps another one",
     {"LEA R1, R0, 0x400, 0x3", "RPCMOV.32 Rpc.LO, R1", "CS2R.32 R1, SR_CgaSize", "R2UR UR6, R1",
      "RPCMOV.32 R1, Rpc.LO", "LDS R5, [R1]", "EXIT"},
     2},
};

TEST_CASE("accesses behind what swz does not work out are counted") {
  constexpr std::array<std::int64_t, 3> threads = {128, 1, 1};
  for (const AccessCase& each : cases) {
    CAPTURE(each.what);
    std::vector<std::string> lines = {"S2R R0, SR_TID.X"};
    lines.insert(lines.end(), each.lines.begin(), each.lines.end());
    const PtxModule ptx = lift_sass(read_sass(disassembly(lines)));
    const auto reports = kernel_reports(ptx, {.entry = "k", .threads = threads, .registers = {}});
    REQUIRE(reports.size() == 1);
    REQUIRE(reports[0].smem.size() == 1);
    const SmemSite& site = reports[0].smem[0];
    CHECK(site.why == (site.wavefronts ? site.why : ""));
    CHECK(site.wavefronts == each.wavefronts);
    CHECK(!site.counts_all_lanes);
  }
}

// What an instruction reads and writes, from the width of its types. More sources than these say less of the result;
// one result more would say something of a register that is not written.
struct FunctionCase {
  std::string instruction;
  std::set<std::string> results, sources;
};
const FunctionCase functions[] = {
    {"FADD R4, |R5|, -R6.reuse", {"R4"}, {"R5", "R6"}},
    {"FFMA R4, R5, UR6, R7", {"R4"}, {"R5", "UR6", "R7"}},
    {"FSEL R4, R5, R6, !P3", {"R4"}, {"R5", "R6", "P3"}},
    {"FSETP.GT.AND P0, P1, R4, R5, P2", {"P0", "P1"}, {"R4", "R5", "P2"}},
    {"FCHK P0, R4, R5", {"P0"}, {"R4", "R5"}},
    {"DFMA R4, R6, R8, R10", {"R4", "R5"}, {"R6", "R7", "R8", "R9", "R10", "R11"}},
    {"DSETP.GT.AND P0, PT, |R4|, R6, PT", {"P0"}, {"R4", "R5", "R6", "R7"}},
    {"I2F.RP R4, R6", {"R4"}, {"R6"}},
    {"I2F.F64 R4, R6", {"R4", "R5"}, {"R6"}},
    {"I2F.U64.RP R4, R6", {"R4"}, {"R6", "R7"}},
    {"F2I.S64.TRUNC R4, R6", {"R4", "R5"}, {"R6"}},
    {"F2I.F64.TRUNC R4, R6", {"R4"}, {"R6", "R7"}},
    {"F2F.F32.F64 R4, R6", {"R4"}, {"R6", "R7"}},
    {"F2F.F64.F32 R4, R6", {"R4", "R5"}, {"R6"}},
    {"FRND.F64.FLOOR R4, R6", {"R4", "R5"}, {"R6", "R7"}},
    {"MUFU.RCP64H R5, R7", {"R5"}, {"R7"}},
    {"FADD2 R4, R6, R8", {"R4", "R5"}, {"R6", "R7", "R8", "R9"}},
    {"HFMA2 R4, R5.H0_H0, R6, R7", {"R4"}, {"R5", "R6", "R7"}},
    {"HSETP2.GT.AND P0, PT, R4, R5, PT", {"P0"}, {"R4", "R5"}},
    {"LDC R4, c[0x3][R6+0x10]", {"R4"}, {"R6"}},
    {"LDCU.64 UR4, c[0x0][UR6+0x8]", {"UR4", "UR5"}, {"UR6"}},
    {"IMAD.HI.U32 R4, P0, R5, R6, R8", {"R4", "P0"}, {"R5", "R6", "R8", "R9"}},
    {"BMSK R4, R5, R6", {"R4"}, {"R5", "R6"}},
    {"VIMNMX3 R4, R5, R6, R7, PT", {"R4"}, {"R5", "R6", "R7"}},
    {"FLO.U32 R4, R5", {"R4"}, {"R5"}},
    {"IMNMX.U64 R4, R6, R8, PT", {"R4", "R5"}, {"R6", "R7", "R8", "R9"}},
};

std::string sm100(std::vector<std::string> lines) {
  std::string text = disassembly(lines);
  return text.replace(text.find("sm_90a"), 6, "sm_100a");
}

// A of 128 x k elements K-major 128B in shared memory, B of 64, in the instruction descriptor `word`.
MmaSite tcgen05_site(const std::string& opcode, std::uint32_t word) {
  const std::string text = sm100({"UMOV UR4, 0x40", "UMOV UR5, 0x40004040", "UMOV UR6, 0x80", "UMOV UR7, 0x40004040",
                                  "UMOV UR8, URZ", "UMOV UR14, URZ", fmt::format("UMOV UR15, 0x{:x}", word),
                                  opcode + " gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR14], idesc[UR15], UPT", "EXIT"});
  const auto reports = kernel_reports(lift_sass(read_sass(text)), {.entry = "k", .threads = {}, .registers = {}});
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].mma.size() == 1);
  return reports[0].mma[0];
}

TEST_CASE("an MMA of tensor memory: the instruction descriptor tells what its name does not") {
  // M 128, N 64, D f32: types of A and B in bits 7 to 12, the sparsity bit is 2.
  constexpr std::uint32_t bf16 = 0x08100490, tf32 = 0x08100910, sparse = 4;
  CHECK(tcgen05_site("UTCHMMA", bf16).mma == "m128n64k16");
  CHECK(tcgen05_site("UTCHMMA", tf32).mma == "m128n64k8");
  CHECK(tcgen05_site("UTCHMMA", tf32).a_type == "tf32");
  CHECK(tcgen05_site("UTCHMMA", bf16 | sparse).mma == "m128n64k32");
  CHECK(tcgen05_site("UTCHMMA.WS", bf16).mma == "m128n64k16");
  // A has half of the elements of K: 16 of 2 B, which lie in one row of 128 B. K of 32 would too; its extent tells.

  CHECK(tcgen05_site("UTCHMMA", bf16 | sparse).a.extents.k == 16);
}

TEST_CASE("a sparse MMA of a warpgroup has its descriptors and K in elements that are not all kept") {
  const PtxModule ptx = lift_sass(
      read_sass(disassembly({"UMOV UR8, 0x40", "UMOV UR9, 0x40000040", "UMOV UR10, 0x80", "UMOV UR11, 0x40000040",
                             "QGMMA.SP.64x256x64.F32.E4M3.E4M3 R24, gdesc[UR8], R24, UP0, R152", "EXIT"})));
  const auto reports = kernel_reports(ptx, {.entry = "k", .threads = {}, .registers = {}});
  REQUIRE(reports.at(0).mma.size() == 1);
  const MmaSite& site = reports[0].mma[0];
  CHECK(site.mma == "m64n256k64");
  CHECK(site.a.why == "");
  CHECK(site.b.why == "");
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) word += c;
    else if (!word.empty()) words.insert(std::exchange(word, {}));
  }
  return words;
}

TEST_CASE("what is not worked out is a function of all that the instruction reads") {
  for (const FunctionCase& each : functions) {
    CAPTURE(each.instruction);
    const std::string ptx = ptx_of_sass(read_sass(disassembly({"MOV R0, RZ", each.instruction, "EXIT"})));
    const std::size_t first = ptx.find("sass_pure"), end = ptx.find('\n', first), last = ptx.rfind("sass_pure", end);
    REQUIRE(first != ptx.npos);
    const std::string_view result =
        std::string_view(ptx).substr(ptx.find('{', last), ptx.find('}', last) - ptx.find('{', last));
    CHECK(words_of(result) == each.results);
    const std::set<std::string> all = words_of(std::string_view(ptx).substr(first, end - first));
    for (const std::string& source : each.sources) CHECK(all.contains(source));
  }
}

}  // namespace
}  // namespace swz
