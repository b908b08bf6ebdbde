// SPDX-License-Identifier: Apache-2.0
#include "probe/recording.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::string_view kind = "swz verify";

RecordedCase read_case(const Json& json) {
  RecordedCase out{probe_plan(json), {}};
  if (json.contains("failed")) {
    out.seen.failure = json.at("failed").get<std::string>();
    if (out.seen.failure.empty()) throw Error("a failure has a name", "\"failed\":\"CUDA_ERROR_ILLEGAL_INSTRUCTION\"");
  } else if (json.contains("seen")) out.seen = observed(json.at("seen").get<Observation>());
  else out.seen.digest = parse_unsigned(json.at("digest").get<std::string>(), 64, {"a digest is written 0x…", ""});
  return out;
}

}  // namespace

std::string recording_head(const DeviceIdentity& device, std::uint64_t seed) {
  const Json head{{"recording", kind},
                  {"gpu", device.gpu},
                  {"target", device.target},
                  {"driver", device.driver},
                  {"nvrtc", device.nvrtc},
                  {"swz", device.tool},
                  {"seed", seed}};
  return head.dump() + "\n";
}

std::string recording_line(const ProbePlan& plan, const Observed& seen, bool is_whole) {
  Json line = to_json(plan);
  // A few numbers are no longer than their digest.
  if (!seen.failure.empty()) line["failed"] = seen.failure;
  else if (seen.whole && (is_whole || seen.whole->size() <= 2)) line["seen"] = *seen.whole;
  else line["digest"] = hex64(seen.digest);
  return line.dump() + "\n";
}

Recording read_recording(std::string_view text, bool may_be_empty) {
  Recording out;
  std::size_t number = 0;
  bool has_head = false;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    try {
      require_within(limits::recording_line_bytes, static_cast<std::int64_t>(line.size()));
      const Json json = Json::parse(line);
      if (!has_head) {
        if (!json.is_object() || !json.contains("recording") || json.at("recording") != kind)
          throw Error("this is not a recording of swz verify", "--record FILE makes one");
        has_head = true;
        out.device = {json.at("gpu").get<std::string>(), json.at("target").get<std::string>(),
                      json.at("driver").get<std::string>(), json.at("nvrtc").get<std::string>(),
                      json.at("swz").get<std::string>()};
        out.seed = json.at("seed").get<std::uint64_t>();
      } else {
        out.cases.push_back(read_case(json));
      }
    } catch (const Error& error) {
      throw Error(fmt::format("line {} of the recording: {}", number, error.message()),
                  error.hint.empty() ? "a recording is one JSON object a line, as --record writes it" : error.hint);
    }
  }
  if (out.cases.empty() && !(has_head && may_be_empty))
    throw Error(has_head ? "the recording holds no case" : "the recording is empty", "--record FILE makes one");
  return out;
}

}  // namespace swz
