// SPDX-License-Identifier: Apache-2.0
// swz verify without a GPU: what it says when something is missing, recordings, kernels. What a GPU says is in the
// recordings tests/data/*.jsonl.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "arch/target.hpp"
#include "cmd/answers.hpp"
#include "cmd/parsed.hpp"
#include "cmd/scratch.hpp"
#include "probe/suite.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

// An environment variable of this process, for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (old_.empty()) unsetenv(name_);
    else setenv(name_, old_.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

CliResult verify(Words words) {
  words.insert(words.begin(), "verify");
  return run_cli(words);
}

const std::string head =
    R"({"recording":"swz verify","gpu":"NVIDIA H200","target":"sm_90a","driver":"580.159.04","nvrtc":"13.0",)"
    R"("swz":"0.1.0","seed":7})"
    "\n";

// Lane l at word 32 * l: every lane in bank 0, in sequence.
std::string column_of_words(int wavefronts) {
  std::string at;
  for (int lane = 0; lane < 32; ++lane) at += fmt::format("{:03x}", 32 * lane);
  return fmt::format(R"({{"wavefront":"ld.shared.b32","base":1024,"at":"{}","seen":[{}]}})", at, wavefronts) + "\n";
}

// 264 entries of a box are more than 256.
const std::string refused_map =
    R"({"tensor_map":"f16","rank":2,"at":4096,"dims":[64,16],"strides":[128],"box":[64,264],"seen":[0]})"
    "\n";

// A committed recording: its head and, under the sanitizers, every 16th case.
std::string committed(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text, line;
  std::getline(file, line);
  text = line + "\n";
  for (Sweep every{16}; std::getline(file, line);)
    if (every.takes()) text += line + "\n";
  return text;
}

std::string good_recording() { return head + column_of_words(32) + refused_map; }

}  // namespace

TEST_CASE("verify: without a driver it says so and exits with 3") {
  const Variable libcuda("SWZ_LIBCUDA", "/missing/libcuda.so.1");
  const std::string hint =
      "hint: run it on a machine with an NVIDIA GPU; --replay FILE shows a recorded run, --compile-only needs no "
      "GPU\n";
  const std::vector<Words> asking{{},
                                  {"--quick"},
                                  {"--only", "wgmma"},
                                  {"--device", "3"},
                                  {"desc", "0x4000004000010042", "--mma", "m64n64k16"},
                                  {"tile", "--dtype", "bf16", "--tile", "128x64", "--swizzle", "128B"}};
  for (const Words& words : asking) {
    const CliResult r = verify(words);
    CHECK(r.exit_code == 3);
    CHECK(r.out.empty());
    CHECK(r.err ==
          "swz: error: SWZ_LIBCUDA: /missing/libcuda.so.1: cannot open shared object file: No such file or "
          "directory\n" +
              hint);
  }
  const CliResult json = verify({"-f", "json"});
  CHECK(json.exit_code == 3);
  CHECK(Parsed::parse(json.err)["error"]["hint"].get<std::string>() == hint.substr(6, hint.size() - 7));
}

TEST_CASE("verify: a library that is no driver is not called") {
  const Variable libcuda("SWZ_LIBCUDA", "libc.so.6");
  const CliResult r = verify({});
  CHECK(r.exit_code == 3);
  CHECK(r.err.starts_with("swz: error: libc.so.6 has no cu"));
  CHECK(r.err.ends_with("\nhint: install a driver for CUDA 12 or later\n"));
}

TEST_CASE("verify: without NVRTC nothing is compiled") {
  const Variable nvrtc("SWZ_NVRTC", "/missing/libnvrtc.so");
  const CliResult r = verify({"--compile-only", "--quick"});
  CHECK(r.exit_code == 3);
  CHECK(r.out.empty());
  CHECK(r.err ==
        "swz: error: SWZ_NVRTC: /missing/libnvrtc.so: cannot open shared object file: No such file or directory\n"
        "hint: install it (pip install nvidia-cuda-nvrtc, or the CUDA toolkit) or set SWZ_NVRTC to its path\n");
  const Variable no_nvrtc("SWZ_NVRTC", "libc.so.6");
  CHECK(verify({"--compile-only", "--quick"})
            .err.ends_with("it is not an NVRTC of CUDA 12 or 13\n"
                           "hint: set SWZ_NVRTC to the path of another one\n"));
}

TEST_CASE("verify --replay: a recording that agrees") {
  const Variable libcuda("SWZ_LIBCUDA", "/missing/libcuda.so.1");  // no GPU is asked
  const ScratchFile file(good_recording());
  const CliResult r = verify({"--replay", file.path});
  CHECK(r.err.empty());
  CHECK(r.exit_code == 0);
  CHECK(r.out ==
        "recorded on NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0, seed 7\n"
        "confirmed  every one of 2 cases\n"
        "\n"
        "probe       kernels  cases  confirmed\n"
        "wavefront         1      1          1\n"
        "tensor-map        0      1          1\n");

  const Parsed json = Parsed::parse(verify({"--replay", file.path, "-f", "json"}).out);
  CHECK(json["gpu"] == "NVIDIA H200");
  CHECK(json["target"] == "sm_90a");
  CHECK(json["seed"] == 7);
  CHECK(json["replayed"] == true);
  CHECK(json["cases"] == 2);
  CHECK(json["confirmed"] == 2);
  CHECK(json["planted"] == nullptr);
  CHECK(json["mismatches"] == Parsed::array());
  CHECK(json["probes"].size() == 2);
  CHECK(json["probes"][0]["probe"] == "wavefront");
  CHECK(json["probes"][0]["kernels"] == 1);
}

TEST_CASE("verify tma is verify --only tma,tensor-map") {
  const ScratchFile file(good_recording());
  const Words replay{"--replay", file.path};
  Words tma{"verify", "tma"}, only{"verify", "--only", "tma,tensor-map"};
  tma.insert(tma.end(), replay.begin(), replay.end());
  only.insert(only.end(), replay.begin(), replay.end());
  CHECK(run_cli(tma).out == run_cli(only).out);
  CHECK(json_of(tma)["probes"][0]["probe"] == "tensor-map");
}

TEST_CASE("verify --replay --only") {
  const ScratchFile file(good_recording());
  const Parsed json = Parsed::parse(verify({"--replay", file.path, "--only", "tensor-map", "-f", "json"}).out);
  CHECK(json["cases"] == 1);
  CHECK(json["probes"][0]["probe"] == "tensor-map");
  const CliResult none = verify({"--replay", file.path, "--only", "wgmma"});
  CHECK(none.exit_code == 2);
  CHECK(none.err == "swz: error: the recording has no case of wgmma\nhint: leave --only out to see what it has\n");
}

TEST_CASE("verify --replay: a recording that differs") {
  const ScratchFile file(head + column_of_words(31) + refused_map);
  const CliResult r = verify({"--replay", file.path});
  CHECK(r.exit_code == 1);
  CHECK(r.err.empty());
  CHECK(r.out.find("mismatch  1 of 2 cases differ from the prediction\n") != std::string::npos);
  const Parsed json = Parsed::parse(verify({"--replay", file.path, "-f", "json"}).out);
  CHECK(json["cases"] == 2);
  CHECK(json["confirmed"] == 1);
  REQUIRE(json["mismatches"].size() == 1);
  const Parsed& found = json["mismatches"][0];
  CHECK(found["probe"] == "wavefront");
  CHECK(found["differing"] == "1 of 1");
  CHECK(found["explained_by"] == "");
}

TEST_CASE("verify --planted: a wrong model is not confirmed, and swz's own explains what was seen") {
  const ScratchFile file(good_recording());
  const CliResult r = verify({"--replay", file.path, "--planted", "documented-rules", "-f", "json"});
  CHECK(r.exit_code == 0);  // box[1] = 264 is refused by the documents too
  std::string words;
  for (int lane = 0; lane < 32; ++lane) words += "000";  // one word for all: a broadcast
  const ScratchFile broadcast(
      head + fmt::format(R"({{"wavefront":"ld.shared.b32","base":1024,"at":"{}","seen":[1]}})", words) + "\n");
  const CliResult planted = verify({"--replay", broadcast.path, "--planted", "no-broadcast", "-f", "json"});
  CHECK(planted.exit_code == 1);
  const Parsed json = Parsed::parse(planted.out);
  CHECK(json["planted"] == "no-broadcast");
  CHECK(json["mismatches"][0]["explained_by"].get<std::string>().starts_with("the model of swz"));
  CHECK(verify({"--replay", broadcast.path}).exit_code == 0);

  const CliResult unknown = verify({"--replay", file.path, "--planted", "no-brodcast"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.starts_with(
      "swz: error: --planted: unknown hypothesis 'no-brodcast'\nhint: did you mean 'no-broadcast'? "
      "known: strides-exchanged, "));
}

TEST_CASE("verify --replay: files that are no recording") {
  const auto error = [](const std::string& path) {
    const CliResult r = verify({"--replay", path});
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(error("/missing/x.jsonl") ==
        "swz: error: cannot open '/missing/x.jsonl': No such file or directory\n"
        "hint: --replay takes a file that --record wrote\n");
  CHECK(error("/").starts_with("swz: error: "));
  const ScratchFile empty(""), other("{\"a\": 1}\n"), cut(good_recording().substr(0, head.size() + 40));
  CHECK(error(empty.path) == "swz: error: the recording is empty\nhint: --record FILE makes one\n");
  CHECK(error(other.path) ==
        "swz: error: line 1 of the recording: this is not a recording of swz verify\nhint: --record FILE makes "
        "one\n");
  CHECK(error(cut.path).starts_with("swz: error: line 2 of the recording: not JSON at byte "));
}

TEST_CASE("verify --emit-kernel: one source a probe, whole") {
  const Variable libcuda("SWZ_LIBCUDA", "/missing/libcuda.so.1");
  const Variable nvrtc("SWZ_NVRTC", "/missing/libnvrtc.so");
  for (const char* arch : {"sm_75", "sm_90a", "sm_100a"}) {
    const Parsed json = Parsed::parse(verify({"--emit-kernel", "--cases", "3", "--arch", arch, "-f", "json"}).out);
    std::set<std::string> probes;
    for (const Parsed& source : json["sources"]) {
      CAPTURE(source["probe"]);
      probes.insert(source["probe"]);
      const auto text = source["source"].get<std::string>();
      CHECK(source["kernels"].get<int>() >= 1);
      CHECK(text.find("extern \"C\" __global__") != std::string::npos);
      CHECK(text.find("#include") == std::string::npos);
      CHECK(text.find("#pragma once") == std::string::npos);
    }
    std::vector<std::string> expected = probes_on(require_target(arch));
    std::erase(expected, "tensor-map");  // asks the driver, without a kernel
    CHECK(probes == std::set<std::string>(expected.begin(), expected.end()));
  }
  const CliResult text = verify({"--emit-kernel", "--only", "wgmma", "--cases", "1"});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("wgmma.mma_async.sync.aligned.m64n") != std::string::npos);
}

TEST_CASE("verify: what cannot be asked") {
  CHECK(error_of({"verify", "--emit-kernel", "--only", "wgmmma", "--arch", "sm_90a"})
            .starts_with("swz: error: unknown value 'wgmmma' for --only\nhint: did you mean 'wgmma'?"));
  CHECK(error_of({"verify", "--emit-kernel", "--only", "tcgen05", "--arch", "sm_90a"})
            .starts_with("swz: error: sm_90a has no probe 'tcgen05'\n"));
  for (const Words& words : {Words{"--quick", "--all"}, Words{"--record", "a", "--replay", "b"},
                             Words{"--emit-kernel", "--compile-only"}, Words{"--cases", "0"}, Words{"--cases", "x"}})
    CHECK(verify(words).exit_code == 2);
}

TEST_CASE("verify is in the man page and in every completion") {
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string page = run_cli({"--generate", "man"}).out;
  for (const char* part : {"swz verify", "\\-\\-replay", "\\-\\-planted"}) CHECK(contains(page, part));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    CHECK(contains(run_cli({"--complete", shell, "ver"}).out, "verify\t"));
    CHECK(contains(run_cli({"--complete", shell, "verify", ""}).out, "tile\t"));
    CHECK(contains(run_cli({"--complete", shell, "verify", "--re"}).out, "--replay\t"));
    CHECK(contains(run_cli({"--complete", shell, "verify", "--planted", "no-"}).out, "no-pairing\t"));
    CHECK(run_cli({"--complete", shell, "verify", "--replay", "x"}).out == ":file\n");
  }
}

TEST_CASE("the committed recordings are confirmed, whole") {
  std::set<std::string> probes, gpus;
  for (const auto& entry : std::filesystem::directory_iterator(SWZ_SOURCE_DIR "/tests/data")) {
    if (entry.path().extension() != ".jsonl") continue;
    CAPTURE(entry.path());
    const std::string text = committed(entry.path());
    const CliResult r = verify({"--replay", ScratchFile(text).path, "-f", "json"});
    INFO(r.err);
    REQUIRE(r.exit_code == 0);
    const Parsed json = Parsed::parse(r.out);
    CHECK(json["target"] == "sm_90a");
    CHECK(json["confirmed"] == json["cases"]);
    CHECK(json["cases"] == std::ranges::count(text, '\n') - 1);
    gpus.insert(json["gpu"]);
    for (const Parsed& part : json["probes"]) probes.insert(part["probe"]);
  }
  const std::vector<std::string> all = probes_on(require_target("sm_90a"));
  CHECK(probes == std::set<std::string>(all.begin(), all.end()));
  CHECK(gpus == std::set<std::string>{"NVIDIA H100 80GB HBM3", "NVIDIA H200"});
}

TEST_CASE("what was kept of the runs on an H100 still catches every mistake that a recording can show") {
  Sweep every{6};
  for (const HypothesisRow& mistake : hypotheses()) {
    if (mistake.hypothesis == Hypothesis::wrong_identity) continue;  // it changes what is launched
    for (const ProbeRow& row : probes()) {
      // A tile shows its mistakes in what is launched as well; what sm_90 does not have was not run.
      if (!row.catches(mistake.hypothesis) || row.name == "tile" || !row.runs_on(sm_90a())) continue;
      if (!every.takes()) continue;
      CAPTURE(mistake.name);
      CAPTURE(row.name);
      const bool is_form = row.name == "im2col" || row.name == "interleave" || row.name == "reduce";
      const std::string file = row.name == "layout"    ? "h100_layout.jsonl"
                               : row.name == "cluster" ? "h100_cluster.jsonl"
                               : is_form               ? "h100_forms.jsonl"
                                                       : "h100.jsonl";
      const CliResult r = verify({"--replay", SWZ_SOURCE_DIR "/tests/data/" + file, "--only", std::string(row.name),
                                  "--planted", std::string(mistake.name), "-f", "json"});
      CHECK(r.exit_code == 1);
      const Parsed json = Parsed::parse(r.out);
      CHECK(json["confirmed"].get<int>() < json["cases"].get<int>());
    }
  }
}

// As a Blackwell would be recorded that answers the open questions otherwise than swz does.
TEST_CASE("verify --replay: the answer to an open question is given by its name") {
  using enum Hypothesis;
  const DeviceIdentity blackwell{"NVIDIA B200", "sm_100a", "580.159.04", "13.0", "0.1.0"};
  constexpr std::pair<std::string_view, Hypothesis> answers[] = {{"tmem-access", lane_bits_obeyed},
                                                                 {"tmem-access", upper_cleared},
                                                                 {"tmem-copy", container_elsewhere},
                                                                 {"tmem-shift", shift_of_one_quarter},
                                                                 {"tx-bytes", padding_counted}};
  for (const auto& asked : answers) {
    const std::string_view probe = asked.first;
    const Hypothesis answer = asked.second;
    CAPTURE(row_of(answer).name);
    SuiteOptions options;
    options.only = {std::string(probe)};
    options.cases = 12;
    const Suite suite = make_suite(options, sm_100a());
    std::string text = recording_head(blackwell, 1);
    for (const ProbePlan& plan : suite.front().plans)
      text += recording_line(plan, observed(expected(plan, answer)), false);
    const ScratchFile file(text);
    const Parsed json = Parsed::parse(verify({"--replay", file.path, "-f", "json"}).out);
    CHECK(json["cases"] == 12);
    CHECK(json["confirmed"].get<int>() < 12);
    for (const Parsed& mismatch : json["mismatches"]) CHECK(mismatch["explained_by"] == row_of(answer).what);
    const CliResult planted =
        verify({"--replay", file.path, "--planted", std::string(row_of(answer).name), "-f", "json"});
    CHECK(planted.exit_code == 0);
    CHECK(Parsed::parse(planted.out)["confirmed"] == 12);
  }
}

TEST_CASE("verify --only list names every probe and every mistake") {
  const CliResult r = verify({"--only", "list", "-f", "json"});
  REQUIRE(r.exit_code == 0);
  const Parsed json = Parsed::parse(r.out);
  CHECK(json["probes"].size() == probes().size());
  CHECK(json["mistakes"].size() == hypotheses().size());
  for (const Parsed& mistake : json["mistakes"]) {
    CAPTURE(mistake.dump());
    CHECK_FALSE(mistake["probes"].empty());
  }
  CHECK(verify({"--only", "list"}).out.find("one-stride-off") != std::string::npos);
}

}  // namespace swz
