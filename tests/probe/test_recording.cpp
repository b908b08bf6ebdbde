// SPDX-License-Identifier: Apache-2.0
// Recordings: read(write(x)) == x, what is no recording is refused with the number of its line, and what was
// changed in a line is reported as exactly that mismatch.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/suite.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

const DeviceIdentity device{"NVIDIA H200", "sm_90a", "580.159.04", "13.0", "0.1.0"};
const std::string head =
    R"({"recording":"swz verify","gpu":"NVIDIA H200","target":"sm_90a","driver":"580.159.04","nvrtc":"13.0",)"
    R"("swz":"0.1.0","seed":7})"
    "\n";
const std::string tma_line = R"({"tma":"u8","rank":1,"at":0,"dims":[64],"strides":[],"box":[16],"start":[0],"to":2048,)"
                             R"("digest":"0x0000000000000001"})"
                             "\n";

// Plans of every probe, Blackwell's too: a recording may hold them all.
Suite suite_of_all() {
  SuiteOptions options;
  options.cases = 12;
  Suite suite = make_suite(options, require_target("sm_90a"));
  // Of layouts, 12 ways rather than 12 layouts.
  SuitePart& layouts = *std::ranges::find(suite, "layout", &SuitePart::probe);
  std::vector<ProbePlan> ways = std::move(layouts.plans);
  ways.resize(12, ways.front());
  layouts = SuitePart("layout", std::move(ways));
  const std::vector<std::string> there = probes_on(require_target("sm_90a"));
  for (const std::string& name : probes_on(require_target("sm_100a")))
    if (std::ranges::find(there, name) == there.end()) options.only.push_back(name);
  for (SuitePart& part : make_suite(options, require_target("sm_100a"))) suite.push_back(std::move(part));
  return suite;
}

// As a device that agrees would be recorded; every third whole.
std::string recording_of(const Suite& suite) {
  std::string text = recording_head(device, 7);
  int count = 0;
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans) text += recording_line(plan, observed(expected(plan)), count++ % 3 == 0);
  return text;
}

std::string replace_in_line(const std::string& text, std::size_t number, std::string_view from, std::string_view to) {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < number; ++line) begin = text.find('\n', begin) + 1;
  const std::size_t at = text.find(from, begin);
  REQUIRE(at < text.find('\n', begin));
  return std::string(text).replace(at, from.size(), to);
}

struct Refused {
  std::string message, hint;
};
Refused refusal_of(const std::string& text) {
  try {
    read_recording(text);
  } catch (const Error& e) {
    CHECK(e.kind == ErrorKind::input);
    return {e.message(), e.hint};
  }
  return {"accepted", ""};
}

VerifyReport replay(const std::string& text) {
  const Recording recording = read_recording(text);
  VerifyReport report;
  report.parts = run_suite(suite_of(recording), replay_observer(recording), Hypothesis::none, {});
  return report;
}

}  // namespace

TEST_CASE("what is written is read again") {
  const Suite suite = suite_of_all();
  const std::string text = recording_of(suite);
  const Recording recording = read_recording(text);
  CHECK(recording.device.gpu == device.gpu);
  CHECK(recording.device.target == device.target);
  CHECK(recording.device.driver == device.driver);
  CHECK(recording.device.nvrtc == device.nvrtc);
  CHECK(recording.device.tool == device.tool);
  CHECK(recording.seed == 7);
  CHECK(recording_head(device, 7) == head);

  std::size_t i = 0;
  std::string again = recording_head(recording.device, recording.seed);
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans) {
      REQUIRE(i < recording.cases.size());
      const RecordedCase& read = recording.cases[i++];
      CHECK(to_json(read.plan).dump() == to_json(plan).dump());
      CHECK(expected(read.plan) == expected(plan));
      CHECK(read.seen.digest == digest(expected(plan)));
      if (read.seen.whole) CHECK(*read.seen.whole == expected(plan));
      again += recording_line(read.plan, read.seen, read.seen.whole.has_value());
    }
  CHECK(i == recording.cases.size());
  CHECK(again == text);
}

TEST_CASE("short observations are kept whole, long ones as a digest") {
  for (const SuitePart& part : suite_of_all())
    for (const ProbePlan& plan : part.plans) {
      const Observed seen = observed(expected(plan));
      const bool is_short = seen.whole->size() <= 2;
      CHECK(Json::parse(recording_line(plan, seen, false)).contains(is_short ? "seen" : "digest"));
      CHECK(Json::parse(recording_line(plan, seen, true)).contains("seen"));
    }
}

TEST_CASE("a replay confirms what was recorded, probe by probe") {
  const Suite suite = suite_of_all();
  const VerifyReport report = replay(recording_of(suite));
  CHECK(report.is_confirmed());
  std::set<std::string> probes;
  for (const PartReport& part : report.parts) {
    CHECK(part.cases == 12);
    probes.insert(part.probe);
  }
  CHECK(probes.size() == swz::probes().size());
}

TEST_CASE("one changed line is exactly that mismatch") {
  const Suite suite = suite_of_all();
  const std::string text = recording_of(suite);
  std::size_t line = 1;
  Sweep every{7};
  for (const SuitePart& part : suite)
    for (const ProbePlan& plan : part.plans) {
      // Each is a replay of all: two or three of every probe, whole and as a digest.
      if (++line % 5 != 0 || !every.takes()) continue;
      const Observation truth = expected(plan);
      const bool is_whole = (line - 2) % 3 == 0 || truth.size() <= 2;
      std::string changed;
      if (is_whole) {
        Observation other = truth;
        other.back() ^= 1;
        changed = replace_in_line(text, line, fmt::format("[{}]}}", fmt::join(truth, ",")),
                                  fmt::format("[{}]}}", fmt::join(other, ",")));
      } else {
        changed = replace_in_line(text, line, hex64(digest(truth)), hex64(digest(truth) ^ 1));
      }
      const VerifyReport report = replay(changed);
      CAPTURE(subject(plan));
      CHECK(report.cases() - report.confirmed() == 1);
      for (const PartReport& of : report.parts) {
        CHECK(of.mismatches.size() == (of.probe == part.probe ? 1 : 0));
        if (of.probe != part.probe || of.mismatches.empty()) continue;
        const CaseMismatch& found = of.mismatches.front();
        CHECK(to_json(found.plan).dump() == to_json(plan).dump());
        CHECK(found.mismatch.has_value() == is_whole);
        if (found.mismatch) {
          CHECK(found.mismatch->differing == 1);
          CHECK(found.mismatch->expected == truth.back());
          CHECK(found.mismatch->observed == (truth.back() ^ 1));
        }
      }
    }
}

TEST_CASE("only what was recorded can be replayed") {
  SuiteOptions options;
  options.cases = 2;
  options.only = {"mma"};
  const Suite suite = make_suite(options, require_target("sm_90a"));
  const Recording recording = read_recording(head + tma_line);
  try {
    replay_observer(recording)(suite.front().plans);
    FAIL("observed");
  } catch (const Error& e) {
    CHECK(e.message() == "the recording does not hold " + subject(suite.front().plans.front()));
    CHECK(e.hint == "only what was recorded can be replayed");
  }
}

TEST_CASE("what is no recording") {
  const std::string how = "--record FILE makes one";
  const auto check = [](const std::string& text, const std::string& message, const std::string& hint) {
    const Refused refusal = refusal_of(text);
    CHECK(refusal.message == message);
    CHECK(refusal.hint == hint);
  };
  check("", "the recording is empty", how);
  check("\n\n", "the recording is empty", how);
  for (const char* first : {"{}\n", "[]\n", "17\n", R"({"recording":"other"})", R"({"recording":7})"})
    check(first, "line 1 of the recording: this is not a recording of swz verify", how);
  check(tma_line, "line 1 of the recording: this is not a recording of swz verify", how);
  check("\n" + tma_line, "line 2 of the recording: this is not a recording of swz verify", how);
  check("\n" + head, "the recording holds no case", how);
  check(head + R"({"fma":"m64"})" + "\n", "line 2 of the recording: the object names no probe of this version of swz",
        "its first key is a probe, as in {\"wgmma\": …}");
  check(head + tma_line + R"({"wgmma":"n12.f32.f16.f16","of":"a","major":"K","word":"0x0","digest":"0x0"})",
        "line 3 of the recording: there is no wgmma of n 12 with f16 x f16 -> f32",
        "swz arch instructions lists the shapes and types");
  check(head + R"({"wgmma":"n8.f32.f16.f16","of":"c","major":"K","word":"0x0","digest":"0x0"})",
        "line 2 of the recording: \"of\" is 'c'", "it is the operand that is probed: a or b");
}

TEST_CASE("what is no JSON, or cut off") {
  const std::string hint = "a recording is one JSON object a line, as --record writes it";
  const std::string text = head + tma_line;
  for (std::size_t size = head.size() + 1; size + 1 < text.size(); ++size) {
    const Refused refusal = refusal_of(text.substr(0, size));
    CHECK(refusal.message.starts_with("line 2 of the recording: not JSON at byte "));
    CHECK(refusal.hint == hint);
  }
  CHECK(refusal_of(text.substr(0, text.size() - 1)).message == "accepted");  // only the newline is missing
  for (std::size_t size = 1; size + 1 < head.size(); ++size)
    CHECK(refusal_of(head.substr(0, size)).message.starts_with("line 1 of the recording: not JSON at byte "));
  const Refused words = refusal_of(head + "no JSON\n");
  CHECK(words.message.starts_with("line 2 of the recording: not JSON at byte "));
  CHECK(words.hint == hint);
  // Every key of a line is needed, but those that stand only where they say something.
  const auto line = nlohmann::ordered_json::parse(tma_line);
  for (const auto& item : line.items()) {
    const std::string& key = item.key();
    auto less = line;
    less.erase(key);
    CAPTURE(key);
    if (key == "rank" || key == "steps" || key == "modes") continue;
    CHECK(refusal_of(head + less.dump() + "\n").message.starts_with("line 2 of the recording"));
  }
}

TEST_CASE("a number that is not whole, or too long, is refused") {
  // Found by fuzzing: the JSON library cuts 1e28 to an integer, which has no such value.
  for (const std::string number : {"0.5", "1e28", "-1e300", "18446744073709551616"}) {
    const Refused refusal = refusal_of(head + replace_in_line(tma_line, 1, "\"to\":2048", "\"to\":" + number));
    CAPTURE(number);
    CHECK(refusal.message.starts_with("line 2 of the recording: "));
    CHECK(refusal.message.ends_with(" is not a whole number of 64 bits"));
    CHECK(refusal.hint == "a recording is one JSON object a line, as --record writes it");
  }
}

TEST_CASE("a plan that was asked twice was answered twice") {
  const ProbePlan plan = suite_of_all().front().plans.front();
  const Observation truth = expected(plan);
  Observation other = truth;
  other[0] += 1;
  const std::string text =
      head + recording_line(plan, observed(other), true) + recording_line(plan, observed(truth), true);
  const VerifyReport report = replay(text);
  CHECK(report.cases() == 2);
  CHECK(report.confirmed() == 1);
}
