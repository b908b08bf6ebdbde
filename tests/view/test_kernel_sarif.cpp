// SPDX-License-Identifier: Apache-2.0
// A log of SARIF: each finding and each conflict of the report is counted in it once, at a place that exists.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "sass/lift.hpp"
#include "view/kernel/kernel_sarif.hpp"

namespace swz {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/" + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

KernelText read(const std::string& name) {
  KernelText out{.name = name};
  const std::string text = file_text(name);
  out.module = is_sass(text) ? lift_sass(read_sass(text)) : read_ptx(text);
  out.kernels =
      kernel_reports(out.module, {.entry = "", .threads = std::array<std::int64_t, 3>{128, 1, 1}, .registers = {}});
  return out;
}

std::int64_t findings_of(const KernelReport& kernel) {
  std::int64_t count = 0;
  for (const Finding& finding : kernel.findings) count += finding.rule != "bank-conflict";
  for (const MmaSite& site : kernel.mma) count += std::ssize(site.findings);
  for (const SmemSite& site : kernel.smem) count += site.wavefronts && *site.wavefronts > *site.ideal;
  return count;
}

Json log_of(const KernelText& text) {
  KernelSarif log;
  log.add(text);
  return Json::parse(log.text()).at("runs").at(std::size_t{0});
}

TEST_CASE("each finding and each conflict is in a result, once; rules are declared; places exist") {
  std::int64_t all = 0;
  for (const char* name :
       {"ptx/mistakes/unpadded_transposition.ptx", "ptx/mistakes/swapped_strides.ptx", "ptx/mistakes/wrong_mode.ptx",
        "ptx/mistakes/expected_bytes.ptx", "ptx/mistakes/tile_too_large.ptx", "data/ptx/matmul_bf16_small_sm90.ptx",
        "data/ptx/matmul_bf16_small_sm80.ptx", "data/ptx/histogram_sm90.ptx", "data/sass/transpose_b16_sm90.sass",
        "data/sass/softmax_1024_sm90.sass"}) {
    INFO(name);
    const KernelText text = read(name);
    std::int64_t expected = 0;
    for (const KernelReport& kernel : text.kernels) expected += findings_of(kernel);
    const Json run = log_of(text);
    std::set<std::string> rules, fingerprints;
    const Json& declared = run.at("tool").at("driver").at("rules");
    for (std::size_t i = 0; i < declared.size(); ++i) rules.insert(declared.at(i).at("id").get<std::string>());
    const std::string content = file_text(name);
    const auto lines = std::ranges::count(content, '\n');
    std::int64_t counted = 0;
    const Json& results = run.at("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Json result = results.at(i);
      counted += result.at("occurrenceCount").get<std::int64_t>();
      CHECK(rules.contains(result.at("ruleId").get<std::string>()));
      CHECK_FALSE(result.at("message").at("text").get<std::string>().empty());
      CHECK(fingerprints.insert(result.at("partialFingerprints").dump()).second);
      const Json place = result.at("locations").at(std::size_t{0}).at("physicalLocation");
      if (place.at("artifactLocation").at("uri").get<std::string>() == name && place.contains("region"))
        CHECK(place.at("region").at("startLine").get<std::int64_t>() <= lines);
    }
    CHECK(counted == expected);
    all += counted;
  }
  CHECK(all > 20);
}

TEST_CASE("a conflict is at the line of the author's source, with the worst of its executions") {
  const Json run = log_of(read("ptx/mistakes/unpadded_transposition.ptx"));
  const Json result = run.at("results").at(std::size_t{0});
  CHECK(result.at("ruleId").get<std::string>() == "bank-conflict");
  CHECK(result.at("level").get<std::string>() == "warning");
  CHECK(result.at("message").at("text").get<std::string>() ==
        "ld.shared.b32 takes 32 wavefronts per warp where 1 would do; swz swizzle find looks for a swizzle; a padded "
        "pitch is the other way");
  CHECK(result.at("occurrenceCount").get<int>() == 4);
  const Json location = result.at("locations").at(std::size_t{0});
  const Json place = location.at("physicalLocation");
  CHECK(place.at("region").at("startLine").get<int>() == 11);
  CHECK(place.at("artifactLocation").at("uri").get<std::string>().ends_with("unpadded_transposition.cu"));
  CHECK(location.at("logicalLocations").at(std::size_t{0}).at("name").get<std::string>() == "unpadded_transposition");
}

// A column of a tile of 32 x 32 words, written by 32 lanes.
constexpr const char* column = R"(	.target	sm_90a
	.section	.text.f,"ax",@progbits
.text.f:
	//## File "/a b/é%.cu", line 7
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   IMAD.SHL.U32 R2, R0, 0x80, RZ ;
        /*0020*/                   STS [R2], R0 ;
        /*0030*/                   EXIT ;
)";

TEST_CASE("a path is a reference; a place of machine code without lines is its offset; what is not known is said") {
  KernelText text{.name = "lib/f 1.cubin"};
  text.module = lift_sass(read_sass(column));
  text.kernels =
      kernel_reports(text.module, {.entry = "", .threads = std::array<std::int64_t, 3>{32, 1, 1}, .registers = {}});
  const auto place = [&] {
    return log_of(text)
        .at("results")
        .at(std::size_t{0})
        .at("locations")
        .at(std::size_t{0})
        .at("physicalLocation")
        .dump();
  };
  CHECK(place() == R"({"artifactLocation":{"uri":"file:///a%20b/%C3%A9%25.cu"},"region":{"startLine":7}})");
  text.module.files.clear();
  CHECK(place() == R"({"artifactLocation":{"uri":"lib/f%201.cubin"},"region":{"startLine":7}})");
  text.is_disassembled = true;
  CHECK(place() ==
        R"({"artifactLocation":{"uri":"lib/f%201.cubin"},"address":{"offsetFromParent":32,"kind":"instruction"}})");

  KernelText unknown = read("data/ptx/histogram_sm90.ptx");
  bool is_open = false;
  for (const SmemSite& site : unknown.kernels.at(0).smem) is_open = is_open || !site.wavefronts;
  CHECK((log_of(unknown).at("invocations").at(std::size_t{0}).at("toolExecutionNotifications").size() == 1) == is_open);
  KernelSarif log;
  log.add_unread("f", "no nvdisasm");
  const Json invocation = Json::parse(log.text()).at("runs").at(std::size_t{0}).at("invocations").at(std::size_t{0});
  CHECK_FALSE(invocation.at("executionSuccessful").get<bool>());
  CHECK(invocation.at("toolExecutionNotifications").at(std::size_t{0}).at("message").at("text").get<std::string>() ==
        "f: no nvdisasm");
}

}  // namespace
}  // namespace swz
