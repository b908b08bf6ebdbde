// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer, as an ordinary test: over the files of its corpus, then over mutations of them.
//
//   replay_notation 4000 corpus/notation crashes/notation     each file once, then 4000 mutations, the same every time
//
// libFuzzer is led by coverage and finds more (scripts/nightly); this finds what almost any damaged input meets. A
// folder that does not exist holds no inputs (git keeps no empty folder); no input at all is a failure.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Longer inputs take time and meet nothing that shorter ones do not.
constexpr std::size_t most_bytes = 4096;

void run(const std::string& text) {
  // A block of exactly this size: the address sanitizer then sees a read one past the end.
  const std::vector<std::uint8_t> input(text.begin(), text.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

// One change of the text at a random place: a byte, a bit, a part removed, a part repeated, or a part of `other`.
std::string mutated(std::string text, const std::string& other, swz::Random& random) {
  const auto place = [&](const std::string& in) { return static_cast<std::size_t>(random.below(std::ssize(in) + 1)); };
  const auto length = [&] { return static_cast<std::size_t>(1 + random.below(random.one_in(4) ? 64 : 4)); };
  const std::size_t at = place(text);
  switch (random.below(5)) {
    case 0: text.insert(at, 1, static_cast<char>(random.one_in(4) ? random.below(256) : 32 + random.below(95))); break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << random.below(8));
      break;
    case 2: text.erase(at, length()); break;
    case 3: text.insert(place(text), text.substr(at, length())); break;
    default: text.insert(at, other.substr(place(other), length())); break;
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::filesystem::path> files;  // in order, so that two runs are the same run
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::exists(argv[i])) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.insert(entry.path());
    }
  }
  std::vector<std::string> texts;
  for (const auto& file : files) {
    // Named before it runs: a crash leaves the name as the last line.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(texts.back());
  }
  if (texts.empty()) return 1;
  const int mutations = std::atoi(argv[1]);
  for (int i = 0; i < mutations; ++i) {
    swz::Random random(static_cast<std::uint64_t>(i));
    std::string text = random.of(texts).substr(0, most_bytes);
    for (std::int64_t changes = 1 + random.below(4); changes > 0; --changes)
      text = mutated(std::move(text), random.of(texts), random);
    std::printf("mutation %d\n", i);
    std::fflush(stdout);
    run(text);
  }
  std::printf("%zu inputs replayed, %d mutations\n", texts.size(), mutations);
}
