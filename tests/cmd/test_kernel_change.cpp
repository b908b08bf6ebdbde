// SPDX-License-Identifier: Apache-2.0
// swz kernel FILE --against BEFORE: exit codes, totals, and what cannot be compared.
#include <doctest/doctest.h>

#include <string>

#include "run_cli.hpp"

namespace swz {
namespace {

const std::string mistakes = SWZ_SOURCE_DIR "/tests/ptx/mistakes/", binaries = SWZ_SOURCE_DIR "/tests/data/binary/";

CliResult change_of(const std::string& after, const std::string& before, Words more = {}) {
  Words words = {"kernel", after, "--against", before};
  words.insert(words.end(), more.begin(), more.end());
  return run_cli(words, {.variables = {{"COLUMNS", "120"}}});
}

TEST_CASE("kernel --against: exit 1 exactly if FILE is worse, and what changed is shown") {
  const std::string wrong = mistakes + "unpadded_transposition.ptx",
                    right = mistakes + "unpadded_transposition_right.ptx";
  CHECK(change_of(right, wrong).exit_code == 0);
  CHECK(change_of(wrong, right).exit_code == 1);
  CHECK(change_of(wrong, wrong).exit_code == 0);
  CHECK(change_of(wrong, wrong).out.find("the accesses are the same") != std::string::npos);
  const Json kernel = Json::parse(change_of(wrong, right, {"-f", "json"}).out)["kernels"].at(0);
  CHECK(kernel["worse"].at(0)["rule"] == "more-conflicts");
  CHECK(kernel["before"]["wavefronts"] == 8);
  CHECK(kernel["after"]["wavefronts"] == 132);
  CHECK(kernel["after"]["registers"].is_null());
  CHECK(kernel["changes"].size() == 4);
  CHECK(kernel["changes"].at(0)["change"] == "worse");
  CHECK(kernel["changes"].at(0)["after"]["line"] == 78);
  const std::string text = change_of(wrong, right).out;
  CHECK(text.find("worse: 1 reason") != std::string::npos);
  CHECK(text.find("32/1") != std::string::npos);
}

TEST_CASE("kernel --against: of cubins their resources too") {
  const Json kernel = Json::parse(change_of(binaries + "new_sm_90a_lines.cubin", binaries + "old_sm_90a_lines.cubin",
                                            {"--entry", "one_array", "--ptx", "-f", "json"})
                                      .out)["kernels"]
                          .at(0);
  CHECK(kernel["worse"].size() == 0);
  CHECK(kernel["before"]["registers"] == 10);
  CHECK(kernel["after"]["static_shared"] == 4224);
}

TEST_CASE("kernel --against: what cannot be compared is said") {
  const std::string file = mistakes + "unpadded_transposition.ptx";
  CHECK(run_cli({"kernel", file, file, "--against", file}).err.find("--against takes one file, not 2") !=
        std::string::npos);
  CHECK(change_of(file, "/nowhere.ptx").exit_code == 2);
  CHECK(change_of(binaries + "default.fatbin", file).err.find("7 kernels, and --against compares one") !=
        std::string::npos);
}

}  // namespace
}  // namespace swz
