// SPDX-License-Identifier: Apache-2.0
// answers: the questions that most command tests ask of a command line.
//
//   json_of({"place", "--tile", "8x64"})["chunk_bytes"] == 16
//   error_of({"place", "--tile", "8x63"})    the error stream of a command that must refuse
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "run_cli.hpp"

namespace swz {

// The words between blanks; no quotes.
inline Words words_of(const std::string& line) {
  Words words;
  std::stringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline nlohmann::json json_of(Words words, int exit_code = 0) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = run_cli(words);
  INFO(r.err);
  CHECK(r.exit_code == exit_code);
  return nlohmann::json::parse(r.out);
}

inline std::string error_of(const Words& words) {
  const CliResult r = run_cli(words);
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  return r.err;
}

}  // namespace swz
