// SPDX-License-Identifier: Apache-2.0
// Source pages of Nsight Compute: a disassembly that is printed as such a page is read as before, and counts are judged by the
// bounds that the documentation gives.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "ptx/kernel_report.hpp"
#include "sass/counted_sites.hpp"
#include "sass/lift.hpp"
#include "sass/ncu_pages.hpp"
#include "sass/random_sass.hpp"

namespace swz {
namespace {

constexpr std::uint64_t place_in_memory = 0x7f92477afe00;

std::string file_text(const std::string& name) {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/sass/" + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

struct Count {
  std::uint64_t warps = 0, threads = 0, wavefronts = 0;
};
using Counts = std::map<std::uint64_t, Count>;  // by offset

// The kernel as Nsight Compute prints it: labels and called functions are addresses.
std::string page_of(const SassModule& sass, std::string_view name, const Counts& counts = {}) {
  std::map<std::string, std::uint64_t> places;
  for (const SassFunction& function : sass.functions) {
    places[std::string(function.name)] = function.instructions.at(0).offset;
    for (const SassLabel& label : function.labels)
      if (label.instruction < function.instructions.size())
        places[std::string(label.name)] = function.instructions[label.instruction].offset;
  }
  std::string page = fmt::format(
      "\"Kernel Name\",\"{}\"\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"Predicated-On Thread "
      "Instructions Executed\",\"L1 Wavefronts Shared\"\r\n",
      name);
  for (const SassFunction& function : sass.functions)
    for (const SassInstruction& instruction : function.instructions) {
      std::string operands;
      for (const std::string_view operand : sass.operands_of(instruction)) {
        const bool is_label = operand.starts_with("`(");
        const auto place = is_label ? places.find(std::string(operand.substr(2, operand.size() - 3))) : places.end();
        operands +=
            (operands.empty() ? " " : ", ") +
            (place == places.end() ? std::string(operand) : fmt::format("{:#x}", place_in_memory + place->second));
      }
      const std::string guard = instruction.guard.empty() ? "    " : fmt::format("@{} ", instruction.guard);
      const auto found = counts.find(instruction.offset);
      const Count count = found == counts.end() ? Count{} : found->second;
      page +=
          fmt::format("\"{:#x}\",\"{}  {}{}\",\"1,024\",\"{}\",\"{}\",\"{}\"\n", place_in_memory + instruction.offset,
                      guard, instruction.opcode, operands, count.warps, count.threads, count.wavefronts);
    }
  return page;
}

// Without lines and names.
std::string claims_of(const KernelReport& kernel) {
  std::string out;
  for (const SmemSite& site : kernel.smem)
    out += fmt::format("{} {} {}\n", site.offset, site.access, site.wavefronts.value_or(-1),
                       to_string(site.wavefronts ? 1 : 0));
  for (const GmemSite& site : kernel.gmem) out += fmt::format("{} {}\n", site.offset, site.sectors.value_or(-1));
  return out + fmt::format("{}", kernel.mma.size());
}

struct Reported {
  PtxModule module;
  std::vector<KernelReport> kernels;
  explicit Reported(SassModule sass)
      : module(lift_sass(sass)),
        kernels(kernel_reports(module,
                               {.entry = "", .threads = std::array<std::int64_t, 3>{128, 1, 1}, .registers = {}})) {}
};

TEST_CASE("a disassembly that is printed as a page says the same of every access") {
  long sites = 0;
  std::vector<std::string> texts;
  for (const char* name : {"matmul_desc_f16_k16_sm90.sass", "softmax_1024_sm90.sass", "transpose_b16_sm90.sass"})
    texts.push_back(file_text(name));
  for (std::uint64_t seed = 0; seed < 40; ++seed) texts.push_back(random_sass(seed));
  for (const std::string& text : texts) {
    const Reported right(read_sass(text));
    const std::string page = "==PROF== Disconnected from process 7\n" + page_of(read_sass(text), "k");
    REQUIRE(is_ncu_pages(page));
    const NcuPages pages = read_ncu_pages(page, "sm_90a");
    const Reported read(read_sass(pages.sass));
    REQUIRE(read.kernels.size() == 1);
    CHECK(claims_of(read.kernels[0]) == claims_of(right.kernels[0]));
    sites += std::ssize(right.kernels[0].smem);
  }
  CHECK(sites > 15);
}

// A row of 32 lanes each 128 B apart: 32 wavefronts; under P0 in the second access.
constexpr const char* column = R"(	.target	sm_90a
	.section	.text.f,"ax",@progbits
.text.f:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   IMAD.SHL.U32 R2, R0, 0x80, RZ ;
        /*0020*/                   STS [R2], R0 ;
        /*0030*/                   LDG.E R4, desc[UR4][R6.64] ;
        /*0040*/                   ISETP.NE.U32.AND P0, PT, R4, RZ, PT ;
        /*0050*/               @P0 STS [R2+0x4], R0 ;
        /*0060*/                   LDS R5, [R4] ;
        /*0070*/                   LDGSTS.E [R2+0x8], desc[UR4][R6.64] ;
        /*0080*/                   EXIT ;
)";

CountVerdict verdict(std::uint64_t offset, Count count) {
  const SassModule sass = read_sass(column);
  const NcuPages pages = read_ncu_pages(page_of(sass, "f", {{offset, count}}));
  Reported read(read_sass(pages.sass));
  add_counts(read.kernels.at(0), matching_counts(pages.kernels, read.kernels.at(0)));
  for (const SmemSite& site : read.kernels.at(0).smem)
    if (site.offset == offset) return site.counted.value().verdict;
  FAIL("no site");
  return CountVerdict::differs;
}

TEST_CASE("a count is judged by the warps that executed the instruction with a thread") {
  using enum CountVerdict;
  CHECK(verdict(0x20, {4, 128, 128}) == equal);
  CHECK(verdict(0x20, {4, 128, 127}) == differs);
  CHECK(verdict(0x20, {4, 128, 129}) == differs);
  CHECK(verdict(0x20, {4, 0, 0}) == not_executed);
  CHECK(verdict(0x20, {0, 0, 0}) == not_executed);
  // Of all lanes 32; the predicate lets fewer execute it.
  CHECK(verdict(0x50, {4, 100, 128}) == equal);
  CHECK(verdict(0x50, {4, 100, 100}) == at_most);
  CHECK(verdict(0x50, {4, 2, 2}) == at_most);
  CHECK(verdict(0x50, {4, 2, 65}) == differs);  // two warps at most have a thread
  CHECK(verdict(0x60, {4, 128, 77}) == not_stated);
  CHECK(verdict(0x70, {4, 128, 500}) == global_lines);
}

TEST_CASE("launches of one kernel are one; a page that is printed twice is counted once; other code has another name") {
  const SassModule sass = read_sass(column);
  const std::string first = page_of(sass, "void f<int, 3>(int*)", {{0x20, {4, 128, 128}}});
  const std::string second = page_of(sass, "void f<int, 3>(int*)", {{0x20, {1, 32, 32}}});
  const std::string other = page_of(read_sass(random_sass(3)), "void f<int, 3>(int*)");
  const NcuPages pages = read_ncu_pages(first + first + "\n" + second + other, "sm_90a");
  REQUIRE(pages.kernels.size() == 2);
  CHECK(pages.kernels[0].name == "void_f_int__3__int__");
  CHECK(pages.kernels[1].name == "void_f_int__3__int___2");
  CHECK(pages.kernels[0].launches == 2);
  CHECK(pages.kernels[0].instructions.at(2).warps == 5);
  CHECK(pages.kernels[0].instructions.at(2).threads == 160);
  CHECK(pages.kernels[0].instructions.at(2).wavefronts == 160);
  CHECK_FALSE(pages.kernels[0].instructions.at(2).sectors.has_value());
  const Reported read(read_sass(pages.sass));
  CHECK(read.kernels.size() == 2);
  CHECK(read.kernels.at(0).name == pages.kernels[0].name);
}

TEST_CASE("the generation is that of the stack pointer, unless it is said") {
  const auto target = [](const char* first, std::string_view said = {}) {
    const std::string page = fmt::format(
        "\"Kernel Name\",\"f\"\n\"Address\",\"Source\",\"Instructions Executed\",\"Predicated-On Thread Instructions "
        "Executed\"\n\"0x100000\",\"   {}\",\"1\",\"32\"\n\"0x100010\",\"   EXIT\",\"1\",\"32\"\n",
        first);
    return std::string(read_sass(read_ncu_pages(page, said).sass).target);
  };
  CHECK(target("MOV R1, c[0x0][0x28]") == "sm_80");
  CHECK(target("LDC R1, c[0x0][0x28]") == "sm_90a");
  CHECK(target("LDC R1, c[0x0][0x37c]") == "sm_100a");
  CHECK(target("LDC R1, c[0x0][0x37c]", "sm_120a") == "sm_120a");
}

std::string message_of(const std::string& pages) {
  try {
    (void)read_ncu_pages(pages);
    return "";
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

TEST_CASE("pages without what is needed, and of another build") {
  CHECK(message_of("\"Kernel Name\",\"f\"\n\"#\",\"Source\",\"Instructions Executed\"\n") ==
        "a page of Nsight Compute has no columns Address, Source and the counts of instructions | ncu --import "
        "FILE.ncu-rep "
        "--page source --csv --print-source sass --print-kernel-base mangled");
  CHECK(message_of("\"Kernel Name\",\"f\"\n").starts_with("the pages of Nsight Compute have no instructions | "));
  CHECK(message_of("").starts_with("the pages of Nsight Compute have no instructions | "));
  const std::string head =
      "Kernel Name,f\nAddress,Source,Instructions Executed,Predicated-On Thread Instructions Executed\n";
  CHECK(message_of(head + "0x20,NOP,1,32\n0x10,NOP,1,32\n") ==
        "the addresses of a page of Nsight Compute do not rise | ");
  CHECK(message_of(head + "0x20,\"NOP,1\n").empty());  // a quote that does not end
  CHECK(message_of(head + "0x20,NOP\n").empty());      // no counts
  CHECK_FALSE(is_ncu_pages("Address of a Kernel Name"));
  CHECK(is_ncu_report(std::string_view("NVR\0\1", 5)));

  const Reported code(read_sass(column));
  const NcuPages pages = read_ncu_pages(
      page_of(read_sass(std::string(column).replace(std::string(column).find("STS [R2]"), 3, "ST ")), "f"));
  try {
    (void)matching_counts(pages.kernels, code.kernels.at(0));
    FAIL("another build");
  } catch (const Error& e) {
    CHECK(e.message() == "no page of Nsight Compute is of 'f': of f, 0x0020 is ST there, and STS in the code");
  }
}

}  // namespace
}  // namespace swz
