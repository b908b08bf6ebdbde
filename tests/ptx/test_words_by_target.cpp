// SPDX-License-Identifier: Apache-2.0
// Words in a kernel are read by the format of its target: kernels of sm_107a that ptxas takes, right and wrong ones, and
// the same text as if it were for another target.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "ptx/kernel_report.hpp"

namespace swz {
namespace {

std::string text_for(const std::string& target) {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/ptx/targets/rubin.ptx");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string own = ".target sm_107a";
  REQUIRE(text.find(own) != text.npos);
  return text.replace(text.find(own), own.size(), ".target " + target);
}

// What is wrong with each kernel: its rules, and one of their messages.
struct Said {
  std::string rules, first;
};
std::map<std::string, Said> said_of(const std::vector<KernelReport>& reports) {
  std::map<std::string, Said> said;
  for (const KernelReport& report : reports) {
    Said& of = said[std::string(report.name)];
    const auto add = [&](const std::vector<Finding>& findings) {
      for (const Finding& one : findings) {
        if (one.severity == Severity::note) continue;
        if (of.rules.empty()) of.first = one.message;
        of.rules += (of.rules.empty() ? "" : " ") + std::string(one.rule);
      }
    };
    add(report.findings);
    for (const MmaSite& site : report.mma) add(site.findings);
  }
  return said;
}

TEST_CASE("kernels of sm_107a: nothing is said of the right ones, and what is wrong in the others") {
  const std::string text = text_for("sm_107a");
  const PtxModule module = read_ptx(text);
  const std::map<std::string, Said> said = said_of(kernel_reports(module, {}));
  const std::map<std::string, std::string> wrong = {{"f8_k64_step_wrong", "advance-short advance-short"},
                                                    {"f8_group_wrong", "idesc-opcode idesc-opcode"},
                                                    {"sparse_wrong", "idesc-sparse"},
                                                    {"f4_scale_id_wrong", "scale-id"},
                                                    {"exclusive_wrong", "tmem-columns"}};
  CHECK(said.size() == 13);
  for (const auto& entry : said) {
    const std::string& name = entry.first;
    const Said& of = entry.second;
    CAPTURE(name);
    CAPTURE(of.first);
    const auto found = wrong.find(name);
    CHECK(of.rules == (found == wrong.end() ? "" : found->second));
    CHECK(name.ends_with("_wrong") == (found != wrong.end()));
  }
}

const KernelReport& report_of(const std::vector<KernelReport>& reports, std::string_view name) {
  return *std::ranges::find(reports, name, &KernelReport::name);
}

TEST_CASE("kernels of sm_107a: starts above 256 KiB, K of 64 B, and what B is") {
  const std::string text = text_for("sm_107a");
  const PtxModule module = read_ptx(text);
  const std::vector<KernelReport> reports = kernel_reports(module, {});
  const MmaSite& f8 = report_of(reports, "f8_k64").mma.front();
  CHECK(f8.mma == "m128n128k64");
  CHECK(f8.a.start->text == "311296");
  CHECK(f8.a.extents == TileExtents{128, 64});
  CHECK(report_of(reports, "f4_k128").mma.front().mma == "m256n256k128");
  CHECK(report_of(reports, "f4_k96").mma.front().mma == "m128n128k96");
  CHECK(report_of(reports, "ti16").mma.front().a_type == "s1z4m11");
  CHECK(report_of(reports, "table").mma.front().b.extents == TileExtents{0, 0});
  const KernelReport& above = report_of(reports, "above_256k");
  CHECK(above.mma.front().a.start->text == "dyn + 270336");
  CHECK(above.smem.front().address.offset == Bytes{270336});
  const std::vector<TmaSite>& copies = report_of(reports, "override").tma;
  REQUIRE(copies.size() == 2);
  for (const TmaSite& copy : copies) {
    CHECK(copy.map == "map");
    CHECK(copy.shared->text == "s");
    CHECK(copy.rank == 2);
  }
}

TEST_CASE("e2m1 of kind f8f6f4 is in bytes: K 32 is 32 B of a row, and a step of 32 B is right") {
  std::string text = text_for("sm_107a");
  const std::string e4m3_k64 = "0x28200010", e2m1_k32 = "0x8201690";
  for (std::size_t at = text.find(e4m3_k64); at != text.npos; at = text.find(e4m3_k64))
    text.replace(at, e4m3_k64.size(), e2m1_k32);
  const PtxModule module = read_ptx(text);
  const std::vector<KernelReport> reports = kernel_reports(module, {});
  const MmaSite& site = report_of(reports, "f8_k64_step_wrong").mma.front();
  CHECK(site.mma == "m128n128k32");
  CHECK(site.b_type == "e2m1");
  CHECK(site.b.element_bits == 8);
  CHECK(said_of(reports)["f8_k64_step_wrong"].rules.empty());
}

TEST_CASE("the same words on other targets") {
  const std::string on_100 = text_for("sm_100a"), on_103 = text_for("sm_103a");
  const PtxModule module_100 = read_ptx(on_100), module_103 = read_ptx(on_103);
  std::map<std::string, Said> of_100 = said_of(kernel_reports(module_100, {})),
                              of_103 = said_of(kernel_reports(module_103, {}));
  // K 64 is a bit that must be 0; A begins in a bit that must be 0.
  CHECK(of_100["f8_k64"].rules.find("reserved") != std::string::npos);
  CHECK(of_103["f8_k64"].rules.find("reserved") != std::string::npos);
  // An absolute LBO and K 96 are of sm_103a as well, not of sm_100a.
  CHECK(of_103["f4_k96"].rules.empty());
  CHECK_FALSE(of_100["f4_k96"].rules.empty());
  CHECK(of_103["exclusive"].first.find("a multiple of 32 from 32 to 512") != std::string::npos);
}

}  // namespace
}  // namespace swz
