// SPDX-License-Identifier: Apache-2.0
// What real threads and tools print, pasted into a command: tests/data/pasted/<subject>.jsonl, one object per line.
//
//   {"from": "CUTLASS issue 2381, print of sA_layout", "command": ["translate", "--dtype", "bf16"], "text": "Sw<3,4,3> o …",
//    "expect": {"hardware.0.mode": "128B"}}                      the values at these paths of the JSON answer
//   {"from": …, "command": ["decode"], "text": "x = 5", "refused": "a part of the message"}
//
//   text     the last argument; or "input": what standard input holds, for a command with @-
//   expect   path -> value; {"contains": "part"} in place of a value: a string that holds the part, or a list with such
//            a string; {"absent": true}: nothing is there
//   exit     0, and 2 where "refused" is; or as given
//
// Values come from the fields or formulas of the form, never from the program.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "run_cli.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using nlohmann::json;

// Null: the path leads nowhere.
const json* at_path(const json& root, std::string_view path) {
  const json* here = &root;
  while (!path.empty()) {
    const std::string step(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (here->is_object() && here->contains(step)) {
      here = &here->at(step);
    } else if (here->is_array() && !step.empty() &&
               std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; })) {
      const std::size_t index = std::stoul(step);
      if (index >= here->size()) return nullptr;
      here = &here->at(index);
    } else {
      return nullptr;
    }
  }
  return here;
}

bool contains(const json& found, const std::string& part) {
  if (found.is_array()) return std::ranges::any_of(found, [&](const json& item) { return contains(item, part); });
  return found.is_string() && found.get<std::string>().find(part) != std::string::npos;
}

bool agrees(const json* found, const json& expected) {
  if (expected.is_object() && expected.contains("absent")) return found == nullptr;
  if (found == nullptr) return false;
  if (expected.is_object() && expected.contains("contains")) return contains(*found, expected.at("contains"));
  return *found == expected;
}

// What is wrong with the row itself; empty: nothing.
std::string malformed(const json& row) {
  if (!row.is_object()) return "is not an object";
  static const std::vector<std::string> known{"from", "command", "text", "input", "expect", "refused", "exit"};
  for (const auto& [key, value] : row.items())
    if (std::ranges::find(known, key) == known.end()) return fmt::format("has an unknown key '{}'", key);
  for (const char* key : {"from", "command"})
    if (!row.contains(key) || row.at(key).empty() || row.at(key) == "") return fmt::format("has no '{}'", key);
  if (row.contains("text") == row.contains("input")) return "needs either 'text' or 'input'";
  const bool expects = row.contains("expect") && row.at("expect").is_object() && !row.at("expect").empty();
  const bool refuses = row.contains("refused") && row.at("refused").is_string() && row.at("refused") != "";
  if (expects == refuses) return "needs either 'expect' with a value or 'refused' with a text";
  return {};
}

// What the answer to the row has against it; empty: it is as expected.
std::string wrong_with(const json& row) {
  if (std::string fault = malformed(row); !fault.empty()) return fault;
  Words words = row.at("command").get<Words>();
  if (row.contains("expect")) words.insert(words.end(), {"-f", "json"});
  if (row.contains("text")) words.insert(words.end(), {"--", row.at("text").get<std::string>()});
  const bool refuses = row.contains("refused");
  const CliResult r = run_cli(words, {.variables = {{"COLUMNS", "1000"}}}, row.value("input", ""));
  if (const int exit = row.value("exit", refuses ? 2 : 0); r.exit_code != exit)
    return fmt::format("exit {} instead of {}\n{}{}", r.exit_code, exit, r.out, r.err);
  if (refuses) {
    const std::string part = row.at("refused");
    return r.err.find(part) != std::string::npos ? "" : fmt::format("'{}' is not said by\n{}{}", part, r.out, r.err);
  }
  const json answer = json::parse(r.out, nullptr, false);
  std::string wrong;
  for (const auto& [path, expected] : row.at("expect").items())
    if (const json* found = at_path(answer, path); !agrees(found, expected))
      wrong += fmt::format("{}: {} instead of {}\n", path, found ? found->dump() : "nothing", expected.dump());
  return wrong;
}

std::vector<std::filesystem::path> pasted_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SWZ_SOURCE_DIR) + "/tests/data/pasted"))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST_CASE("every pasted form is answered as its row says") {
  REQUIRE_FALSE(pasted_files().empty());
  for (const std::filesystem::path& path : pasted_files()) {
    std::ifstream in(path);
    int rows = 0, number = 0;
    Sweep every{5};
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.empty()) continue;
      ++rows;
      if (!every.takes()) continue;
      const std::string place = fmt::format("{}:{}", path.filename().string(), number);
      CAPTURE(place);
      CAPTURE(line);
      CHECK(wrong_with(json::parse(line, nullptr, false)) == "");
    }
    CHECK_MESSAGE(rows > 0, path.filename().string(), " holds no row");
    MESSAGE(path.filename().string(), ": ", rows, " rows");
  }
}

TEST_CASE("a row that expects nothing, or what the answer is not, is caught") {
  const json right = json::parse(R"({"from": "here", "command": ["decode"], "text": "0x4000004000010042",
                                     "expect": {"word": "0x4000004000010042", "fields.2.raw": 64}})");
  CHECK(wrong_with(right) == "");
  const auto with = [&](const char* key, const json& value) {
    json row = right;
    row[key] = value;
    return wrong_with(row);
  };
  const auto expecting = [&](const char* path, const json& value) { return with("expect", {{path, value}}); };
  CHECK(expecting("word", "0x4000004000010043").starts_with("word: \"0x4000004000010042\" instead of"));
  CHECK(expecting("fields.9.raw", 64) == "fields.9.raw: nothing instead of 64\n");
  CHECK(expecting("nothing", nullptr) == "nothing: nothing instead of null\n");
  CHECK(expecting("nothing", {{"absent", true}}) == "");
  CHECK(expecting("word", {{"absent", true}}) != "");
  CHECK(expecting("word", {{"contains", "0042"}}) == "");
  CHECK(expecting("word", {{"contains", "0043"}}) != "");
  CHECK(with("exit", 1).starts_with("exit 0 instead of 1"));
  CHECK(with("text", "hello").starts_with("exit 2 instead of 0"));
  CHECK(with("expect", json::object()) == "needs either 'expect' with a value or 'refused' with a text");
  CHECK(with("refused", "both") == "needs either 'expect' with a value or 'refused' with a text");
  CHECK(with("input", "both") == "needs either 'text' or 'input'");
  CHECK(with("exits", 0) == "has an unknown key 'exits'");
  CHECK(with("from", "") == "has no 'from'");
  json refused = json::parse(R"({"from": "here", "command": ["decode"], "text": "hello", "refused": "'hello'"})");
  CHECK(wrong_with(refused) == "");
  refused["refused"] = "something else";
  CHECK(wrong_with(refused).starts_with("'something else' is not said by"));
  refused["text"] = "0x4000004000010042";
  CHECK(wrong_with(refused).starts_with("exit 0 instead of 2"));
  CHECK(wrong_with(json::parse("{", nullptr, false)) == "is not an object");
}

}  // namespace
}  // namespace swz
