// SPDX-License-Identifier: Apache-2.0
// swz phase as a command; the numbers are judged in tests/smem/test_phase.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"
#include "smem/tile.hpp"

namespace swz {
namespace {

CliResult phase_of(Words words) {
  words.insert(words.begin(), "phase");
  return run_cli(words, {.variables = {{"COLUMNS", "80"}}});
}

Parsed phase_json(Words words) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = phase_of(words);
  CAPTURE(r.err);
  CHECK(r.exit_code == 0);
  return Parsed::parse(r.out);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string rules(const Parsed& json) {
  std::string out;
  for (const Parsed& note : json["notes"]) out += note["rule"].get<std::string>() + " ";
  return out;
}

TEST_CASE("the JSON contract") {
  const Parsed json = phase_json({"--swizzle", "64B", "--base", "0x680", "--tile", "64x64"});
  CHECK(json["swizzle"] == "64B");
  CHECK(json["base"] == 0x680);
  CHECK(json["pattern_bytes"] == 512);
  CHECK(json["phase_bytes"] == 128);
  CHECK(json["phase_lines"] == 1);
  CHECK(json["aligned"] == false);
  CHECK(json["below"] == 0x600);
  CHECK(json["above"] == 0x800);
  CHECK(json["pattern"] == Parsed{{"wrong", 512}, {"bytes", 512}});
  CHECK(json["tile"] == Parsed{{"wrong", 8192}, {"bytes", 8192}});
  CHECK(json["first_wrong"] == Parsed{{"offset", 0}, {"lies_at", 0x690}, {"looked_for", 0x680}});
  CHECK(json["base_offsets"] == Parsed{{"absolute", {0, 4}}, {"relative", {1, 5}}, {"documented", 5}});
  CHECK(json["lowest"] == 0x680);
  CHECK(json["highest"] == 0x680 + 8191);
  CHECK(rules(json) == "move-the-tile ");
}

TEST_CASE("an aligned base, mode none, the mode that was not measured, a base that is not a multiple of 128") {
  const Parsed aligned = phase_json({"--swizzle", "128B", "--base", "0x800"});
  CHECK(aligned["aligned"] == true);
  CHECK(aligned["tile"].is_null());
  CHECK(aligned["first_wrong"].is_null());
  CHECK(aligned["base_offsets"]["relative"] == Parsed{0});
  CHECK(rules(aligned).empty());
  const Parsed none = phase_json({"--swizzle", "none", "--base", "0x30"});
  CHECK(none["pattern"]["wrong"] == 0);
  CHECK(none["base_offsets"]["relative"].size() == 8);
  CHECK(rules(phase_json({"--swizzle", "128B_32B", "--base", "0x400"})) == "not-run ");
  const Parsed torn = phase_json({"--swizzle", "128B", "--base", "0x490"});
  CHECK(torn["base_offsets"]["relative"] == Parsed::array());
  CHECK(torn["lowest"] == 0x480);
  CHECK(rules(torn) == "move-the-tile spills tma-alignment ");
}

TEST_CASE("text at 80 columns: the position, who is wrong by how much, both panels with the wrong cells marked") {
  const CliResult r = phase_of({"--swizzle", "64B", "--base", "0x680", "--dtype", "bf16", "--tile", "64x32"});
  CHECK(r.exit_code == 0);
  for (const char* part :
       {"bf16 64x32 K-major at 0x680, mode 64B", "counting lines from 0x680 instead of 0x600 misses 32 of 32 chunks",
        "128 B after the beginning of the pattern: 1 line of 128 B", "wrong in the tile     all: 4096 of 4096 B",
        "offset 0, element (0, 0): lies at 0x690, looked for at", "1 and 5; PTX: (0x680 >> 7) & 7 = 5",
        "0x680 XOR 1 │   0.1   0.0   0.3   0.2   0.5   0.4   0.7   0.6",
        "0x680 XOR 0 │  0.0!  0.1!  0.2!  0.3!  0.4!  0.5!  0.6!  0.7!", "align the buffer to 512 B"}) {
    CAPTURE(std::string(part));
    CHECK(contains(r.out, part));
  }
  const CliResult torn = phase_of({"--swizzle", "32B", "--base", "0x410"});
  CHECK(contains(torn.out, "none: the base is not a multiple of 128 B"));
}

TEST_CASE("a picture: each chunk where it lies and where it is looked for, red where the two differ") {
  for (const SwizzleMode& mode : swizzle_modes())
    for (const std::int64_t base : {0x400, 0x410, 0x480, 0x490, 0x680, 0x7f0}) {
      CAPTURE(mode.name);
      CAPTURE(base);
      const Phase p = phase(mode, Bytes{base});
      const Words words{"phase", "--swizzle", std::string(mode.name), "--base", std::to_string(base)};
      const Figure figure = figure_in(asked(words).document);
      REQUIRE(figure.panels.front().size() == 2);
      const auto square = [&](std::size_t panel, std::int64_t byte) {
        const auto line = static_cast<std::size_t>(byte / 128 - p.below.count / 128);
        return figure.panels[0][panel].squares.at(line).at(static_cast<std::size_t>(byte % 128 / 16));
      };
      for (std::int64_t i = 0; i < pattern_shown(mode).count; i += 16) {
        const std::int64_t lies = absolute_byte(mode, p.base, Bytes{i}).count;
        const std::int64_t looked = relative_byte(mode, p.base, Bytes{i}).count;
        const std::string text = std::to_string(i / 128) + "." + std::to_string(i % 128 / 16);
        CHECK(square(0, lies).text == text);
        CHECK(square(1, looked).text == text);
        CHECK((square(1, looked).mark == Mark::colliding) == (lies != looked));
        // Coloured where the two differ, plain where they do not.
        CHECK((square(0, lies).tint.hue >= 0) == (lies != looked));
      }
    }
}

TEST_CASE("what is refused") {
  CHECK(phase_of({"--base", "0x408"}).err ==
        "swz: error: the base address 0x408 is not a multiple of 16 B\n"
        "hint: descriptors count 16-byte chunks; mode 128B repeats every 1024 B\n");
  CHECK(phase_of({"--swizzle", "77B"}).exit_code == 2);
  CHECK(contains(phase_of({"--base", "0x39000"}).err, "run past 0x39000, the end of shared memory"));
  CHECK(contains(phase_of({"--tile", "100x64"}).err, "MN 100 is not a multiple of 8"));
}

}  // namespace
}  // namespace swz
