// SPDX-License-Identifier: Apache-2.0
// Disassemblies as nvdisasm and cuobjdump print them, and what of them is not understood.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "ptx/kernel_report.hpp"
#include "sass/lift.hpp"
#include "smem/access.hpp"

namespace swz {
namespace {

// A report points into its module.
struct Reported {
  PtxModule module;
  std::vector<KernelReport> kernels;

  explicit Reported(const std::string& text, const KernelQuestion& question = {})
      : module(lift_sass(read_sass(text))), kernels(kernel_reports(module, question)) {}
  const KernelReport& first() const { return kernels.at(0); }
};
// The text of a kernel f for sm_90a.
std::string code_of(const std::string& lines) {
  return "\t.target\tsm_90a\n\t.section\t.text.f,\"ax\",@progbits\n.text.f:\n" + lines;
}

const KernelQuestion one_warp = {.entry = "", .threads = std::array<std::int64_t, 3>{32, 1, 1}, .registers = {}};

constexpr std::string_view nvdisasm_text = R"(	.target	sm_90a

//--------------------- .nv.info --------------------------
	.section	.nv.info,"",@"SHT_CUDA_INFO"
	/*0000*/ 	.byte	0x04, 0x2f

//--------------------- .text.f --------------------------
	.section	.text.f,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=2"
        .global         f
f:
.text.f:
	//## File "/src/inner.cu", line 5 inlined at "/src/f.cu", line 12
	//## File "/src/f.cu", line 12
	//## File ".nv_debug_ptx_txt", line 40
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   IMAD.SHL.U32 R2, R0.reuse, 0x80, RZ ;
	//## File "/src/f.cu", line 14
        /*0020*/              @!PT LDS RZ, [RZ] ;
        /*0030*/              @!P0 BRA `(.L_x_0) ;
        /*0040*/                   STS [R2+0x400], R0 ;
.L_x_0:
        /*0050*/                   LDS.64 R4, [R2+0x410] ;
        /*0060*/                   CALL.REL.NOINC `($__internal_0_$div) ;
        /*0070*/                   EXIT ;
$__internal_0_$div:
        /*0080*/                   FADD R9, R9, 1 ;
        /*0090*/                   RET.REL.NODEC R20 `(f) ;
)";

TEST_CASE("functions, instructions, labels, operands and places of nvdisasm's text") {
  const SassModule sass = read_sass(std::string(nvdisasm_text));
  CHECK(sass.target == "sm_90a");
  REQUIRE(sass.functions.size() == 2);
  const SassFunction& f = sass.functions[0];
  CHECK(f.name == "f");
  CHECK(f.is_entry);
  REQUIRE(f.instructions.size() == 8);
  CHECK(f.instructions[1].opcode == "IMAD.SHL.U32");
  CHECK(f.instructions[1].offset == 0x10);
  CHECK(f.instructions[1].line == 17);
  const auto operands = sass.operands_of(f.instructions[1]);
  CHECK(std::vector<std::string_view>(operands.begin(), operands.end()) ==
        std::vector<std::string_view>{"R2", "R0.reuse", "0x80", "RZ"});
  CHECK(sass.files.at(f.instructions[0].source.file) == "/src/inner.cu");
  CHECK(f.instructions[0].source.line == 5);
  CHECK(f.instructions[0].ptx_line == 40);
  CHECK(f.instructions[7].source.line == 14);
  CHECK(f.instructions[2].guard == "!PT");
  REQUIRE(f.labels.size() == 1);
  CHECK(f.labels[0].name == ".L_x_0");
  CHECK(f.labels[0].instruction == 5);
  CHECK(sass.functions[1].name == "$__internal_0_$div");
  CHECK_FALSE(sass.functions[1].is_entry);
}

TEST_CASE("cuobjdump's text: encodings after the instructions, jumps to offsets") {
  const std::string text = R"(
	code for sm_80
		Function : g
	.headerflags	@"EF_CUDA_SM80"
        /*0000*/                   S2R R0, SR_TID.X ;              /* 0x0000000000007919 */
                                                                   /* 0x000e220000002100 */
        /*0010*/               @P0 BRA 0x30 ;                      /* 0x0000000000000947 */
                                                                   /* 0x000fea0003800000 */
        /*0020*/                   STS [R0.X4+0x20], RZ ;          /* 0x0000200000007388 */
                                                                   /* 0x000fea0003800000 */
        /*0030*/                   EXIT ;                          /* 0x000000000000794d */
		..........
)";
  const SassModule sass = read_sass(text);
  CHECK(sass.target == "sm_80");
  REQUIRE(sass.functions.size() == 1);
  REQUIRE(sass.functions[0].instructions.size() == 4);
  const Reported reported(text);
  const KernelReport& report = reported.first();
  REQUIRE(report.smem.size() == 1);
  CHECK(report.smem[0].address.text == "4*%tid.x + 32");
  CHECK(report.smem[0].offset == 0x20);
}

TEST_CASE("an access under !PT is left out, and a conflict is counted as of PTX") {
  const Reported reported(std::string(nvdisasm_text), one_warp);
  const KernelReport& report = reported.first();
  REQUIRE(report.smem.size() == 2);
  CHECK(report.smem[0].written == "STS");
  CHECK(report.smem[0].address.text == "128*%tid.x + 1024");
  CHECK(report.smem[0].worst.has_value());
  CHECK(report.smem[1].written == "LDS.64");
  CHECK(report.smem[1].wavefronts == 32);
  CHECK(report.smem[1].ideal == 2);
}

TEST_CASE("a call leaves what the function does not write") {
  const std::string text = code_of(R"(        /*0000*/ S2R R0, SR_TID.X ;
        /*0010*/ SHF.L.U32 R9, R0, 0x2, RZ ;
        /*0020*/ SHF.L.U32 R8, R0, 0x2, RZ ;
        /*0030*/ CALL.REL.NOINC `($__internal_0_$div) ;
        /*0040*/ LDS R1, [R8] ;
        /*0050*/ LDS R1, [R9] ;
        /*0060*/ EXIT ;
$__internal_0_$div:
        /*0070*/ FADD R9, R9, 1 ;
        /*0080*/ RET.REL.NODEC R20 `(f) ;
)");
  const Reported reported(text, one_warp);
  const KernelReport& report = reported.first();
  REQUIRE(report.smem.size() == 2);
  CHECK(report.smem[0].wavefronts == 1);
  CHECK_FALSE(report.smem[1].wavefronts.has_value());
  CHECK(report.smem[1].why == "it depends on what CALL.REL.NOINC in line 7 gives");
}

TEST_CASE("a function that calls one which is not in the text may write any register") {
  const std::string text = code_of(R"(        /*0000*/ S2R R0, SR_TID.X ;
        /*0010*/ SHF.L.U32 R8, R0, 0x2, RZ ;
        /*0020*/ CALL.REL.NOINC `($__internal_0_$div) ;
        /*0030*/ LDS R1, [R8] ;
        /*0040*/ EXIT ;
$__internal_0_$div:
        /*0050*/ CALL.ABS.NOINC `(elsewhere) ;
        /*0060*/ RET.REL.NODEC R20 `(f) ;
)");
  const Reported reported(text, one_warp);
  REQUIRE(reported.first().smem.size() == 1);
  CHECK_FALSE(reported.first().smem[0].wavefronts.has_value());
}

TEST_CASE("after an opcode that is not in the table no register is known, and the kernel says so") {
  const std::string text = code_of(R"(        /*0000*/ S2R R0, SR_TID.X ;
        /*0010*/ FROBNICATE.FAST R7, R8 ;
        /*0020*/ LDS R1, [R0.X4] ;
        /*0030*/ EXIT ;
)");
  const Reported reported(text);
  const KernelReport& report = reported.first();
  REQUIRE(report.smem.size() == 1);
  CHECK_FALSE(report.smem[0].wavefronts.has_value());
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "unknown-opcode");
  CHECK(report.findings[0].message == "swz does not know FROBNICATE; after it no register is known");
}

TEST_CASE("spilled words are followed, parts of words are not") {
  const auto report_of = [](const std::string& store, const std::string& load) {
    return Reported(code_of(fmt::format(R"(        /*0000*/ LDC R1, c[0x0][0x28] ;
        /*0010*/ VIADD R1, R1, 0xffffff00 ;
        /*0020*/ S2R R4, SR_TID.X ;
        /*0030*/ {}, R4 ;
        /*0040*/ MOV R4, RZ ;
        /*0050*/ {} ;
        /*0060*/ LDS R6, [R5.X4] ;
        /*0070*/ EXIT ;
)",
                                        store, load)))
        .first()
        .smem.at(0)
        .wavefronts;
  };
  CHECK(report_of("STL [R1+0x30]", "LDL R5, [R1+0x30]") == 1);
  CHECK(report_of("STL [R1+0x30]", "LDL.64 R4, [R1+0x2c]") == 1);
  CHECK_FALSE(report_of("STL.U16 [R1+0x30]", "LDL R5, [R1+0x30]").has_value());
  CHECK_FALSE(report_of("STL [R1+R4]", "LDL R5, [R1+0x30]").has_value());
}

// A uniform base makes a tensor map's address of two words, with a carry between them.
TEST_CASE("the address of a parameter is known through its halves") {
  const std::string text = code_of(R"(        /*0000*/ ULDC.64 UR4, c[0x0][0x198] ;
        /*0010*/ UIADD3 UR6, UP0, UR4, 0xf0, URZ ;
        /*0020*/ UIADD3.X UR7, URZ, UR5, URZ, UP0, !UPT ;
        /*0030*/ UMOV UR8, 0x400 ;
        /*0040*/ UTMALDG.2D [UR8], [UR6] ;
        /*0050*/ EXIT ;
)");
  const Reported reported(text);
  const KernelReport& report = reported.first();
  REQUIRE(report.tma.size() == 1);
  CHECK(report.tma[0].rank == 2);
  CHECK(report.tma[0].map == "f_param_0 + 240");
  CHECK(report.tma[0].shared->text == "1024");
}

TEST_CASE("a text without instructions, or with one that is cut, is refused or read as far as it goes") {
  CHECK_THROWS_AS(read_sass(""), const Error&);
  CHECK_THROWS_AS(read_sass("\t.section\t.text.f,\"ax\"\n"), const Error&);
  for (std::size_t end = 0; end < nvdisasm_text.size(); ++end) {
    const std::string part(nvdisasm_text.substr(0, end));
    if (!is_sass(part)) continue;
    try {
      (void)Reported(part).first();
    } catch (const Error& e) {
      CHECK_FALSE(e.message().empty());
    }
  }
}

TEST_CASE("a disassembly has at most so many instructions") {
  std::string text = "\t.section\t.text.f,\"ax\"\n";
  for (std::int64_t i = 0; i < limits::sass_instructions.most; ++i) text += "/*0000*/ NOP;\n";
  CHECK(read_sass(text).functions.at(0).instructions.size() ==
        static_cast<std::size_t>(limits::sass_instructions.most));
  try {
    (void)read_sass(text + "/*0000*/ NOP;\n");
    CHECK(false);
  } catch (const Error& e) {
    CHECK(e.message() == "a disassembly for swz kernel: 1048577 instructions are more than the limit of 1048576");
  }
}

}  // namespace
}  // namespace swz
