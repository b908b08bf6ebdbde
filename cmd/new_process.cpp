// SPDX-License-Identifier: Apache-2.0
#include "new_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace swz {

void go_on_in_new_process(const std::string& recording) {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (!has("verify") || has("batch") || recording == "-") return;
  if (const auto given = std::ranges::find(words, "--resume"); given != words.end() && given + 1 != words.end())
    words.erase(given, given + 2);
  std::erase_if(words, [](const std::string& word) { return word.starts_with("--resume="); });
  words.insert(words.end(), {"--resume", recording});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
}

}  // namespace swz
