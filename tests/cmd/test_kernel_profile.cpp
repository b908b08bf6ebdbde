// SPDX-License-Identifier: Apache-2.0
// swz kernel with the pages of Nsight Compute, and for code scanning: transcripts, and what is refused.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cmd/parsed.hpp"
#include "cmd/scratch.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string pages = SWZ_SOURCE_DIR "/tests/data/ncu/exclusive_sum.csv";
const std::string sass = SWZ_SOURCE_DIR "/tests/data/sass/transpose_b16_sm90.sass";

CliResult kernel(Words words, const std::string& input = {}) {
  words.insert(words.begin(), "kernel");
  return run_cli(words, {.variables = {{"COLUMNS", "120"}}}, input);
}

// An H100 counted 64 wavefronts of 16 warps, and 4 a warp are predicted: 256 threads of 8 B at a pitch of 136 B for 16.
TEST_CASE("kernel PAGES.csv: the code of the pages, its counts beside the predictions") {
  const CliResult r = kernel({pages, "--threads", "256", "-f", "json"});
  REQUIRE(r.exit_code == 0);
  const Json one = Json::parse(r.out)["kernels"].at(0);
  CHECK(one["target"] == "sm_90a");
  CHECK(one["counted"].dump() ==
        R"({"equal":18,"at_most":0,"global_lines":0,"retried":0,"differs":0,"not_executed":0,"not_stated":0})");
  const Json first = one["smem"].at(0);
  CHECK(first["instruction"] == "STS.64");
  CHECK(first["wavefronts"] == 4);
  CHECK(first["counted"].dump() == R"({"warps":16,"threads":512,"wavefronts":64,"verdict":"equal"})");
  const CliResult line = kernel({pages, "--threads", "256", "--line", "18"});
  CHECK(line.out.find("64 wavefronts by 16 warps with 512 threads: as predicted") != std::string::npos);
}

TEST_CASE("kernel PAGES.csv: a count that is not as predicted is said, with what may be the reason") {
  std::ifstream file(pages, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = text.find(",64,0");
  const ScratchFile wrong(text.replace(at, 5, ",65,0"));
  const CliResult r = kernel({wrong.path, "--threads", "256"});
  CHECK(r.out.find("counted        as predicted 17; not as predicted 1") != std::string::npos);
  CHECK(r.out.find("the launch may have had another block: --threads X,Y,Z") != std::string::npos);
  CHECK(r.out.find("counted: not as") != std::string::npos);
}

TEST_CASE("kernel --report: what has no code, another build, no pages, a report itself") {
  const auto error = [](Words words) { return kernel(std::move(words)).err; };
  CHECK(error({SWZ_SOURCE_DIR "/tests/data/ptx/histogram_sm90.ptx", "--report", pages}) ==
        "swz: error: --report is about instructions of machine code, and only PTX was read\n"
        "hint: give the cubin, with nvdisasm, or only the pages: swz kernel PAGES.csv\n");
  const std::string other = error({sass, "--report", pages});
  CHECK(other.starts_with("swz: error: no page of Nsight Compute is of 'transpose': of\n"));
  CHECK(other.find("DeviceRadixSortExclusiveSumKernel, 0x0290 is IMAD.X there, and STS.128 in the") !=
        std::string::npos);
  CHECK(error({sass, "--report", sass}).starts_with("swz: error: the pages of Nsight Compute have no instructions\n"));
  const ScratchFile report(std::string("NVR\0\1\2", 6));
  CHECK(error({report.path}).find("is a report of Nsight Compute, which only its own program reads\n") !=
        std::string::npos);
  CHECK(kernel({sass, "--report", pages, "--against", sass}).exit_code == 2);
}

TEST_CASE("kernel --sarif: one log of all kernels; --strict, JSON") {
  const CliResult r = kernel({pages, "--threads", "256", "--sarif"});
  CHECK(r.exit_code == 0);
  const Json run = Json::parse(r.out)["runs"].at(0);
  REQUIRE(run["results"].size() == 2);
  const Json place = run["results"].at(0)["locations"].at(0)["physicalLocation"];
  CHECK(place["address"]["offsetFromParent"] == 0xf0);
  CHECK(kernel({pages, "--threads", "256", "--sarif", "--strict"}).exit_code == 1);
  CHECK(Json::parse(kernel({pages, "--threads", "256", "--sarif", "-f", "json"}).out)["source"] == r.out);
  CHECK(kernel({pages, "--sarif", "--line", "18"}).exit_code == 2);
  // Without nvdisasm the machine code of a cubin is not read, and the log says so.
  const CliResult unread = kernel({SWZ_SOURCE_DIR "/tests/data/binary/new_sm_90a.cubin", "--sarif"});
  const Json invocation = Json::parse(unread.out)["runs"].at(0)["invocations"].at(0);
  CHECK(invocation["executionSuccessful"] == false);
  CHECK(invocation["toolExecutionNotifications"].size() == 4);
}

}  // namespace
}  // namespace swz
