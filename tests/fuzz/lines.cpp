// SPDX-License-Identifier: Apache-2.0
// Runs generated command lines in process, as swz would: whole, in the format that each asks for.
//
//   lines 2000 1                  what the tests run: 2,000 lines of seed 1
//   lines 100000 7 report         also the slowest and the largest lines, with seconds and MB
//   lines 1 7 only 4711           only line 4711 of seed 7
//   lines 100 7 print             the lines themselves, as `swz batch` reads them
//
// Fails when a line ends with an exit code that no line may have, says nothing, or holds more memory at once than
// the limit. Memory is what operator new has handed out, so it is the same on every run; a sanitizer has its own
// operator new, and nothing is counted there. Only the report reads the clock.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cmd/run_cli.hpp"
#include "generated_lines.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define SWZ_COUNTS_MEMORY 0
#elif defined(__has_feature)
#define SWZ_COUNTS_MEMORY !__has_feature(address_sanitizer)
#else
#define SWZ_COUNTS_MEMORY 1
#endif

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

std::size_t held = 0, peak = 0;

}  // namespace

#if SWZ_COUNTS_MEMORY
void* operator new(std::size_t size) {
  void* const p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  held += malloc_usable_size(p);
  peak = std::max(peak, held);
  return p;
}
void operator delete(void* p) noexcept {
  if (p != nullptr) held -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
#endif

namespace {

struct Ran {
  std::size_t number = 0, bytes = 0;
  double seconds = 0;
  int exit_code = 0;
  std::string line;
};

std::string shown(const swz::Words& words) {
  std::string line;
  for (const std::string& word : words) line += " " + swz::quoted(word, 100);
  return line.size() > 600 ? line.substr(0, 600) + "…" : line;
}

Ran run_line(std::size_t number, const swz::Words& words, bool is_timed) {
  using Clock = std::chrono::steady_clock;
  Ran ran{number, 0, 0, 0, {}};
  const std::size_t before = held;
  peak = held;
  const Clock::time_point begun = is_timed ? Clock::now() : Clock::time_point();
  const swz::CliResult result = swz::run_cli(words, {.variables = {{"COLUMNS", "80"}}});
  if (is_timed) ran.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  ran.bytes = peak - before + result.out.size();  // the stream's own copy
  ran.exit_code = result.exit_code;
  const bool is_silent = result.out.empty() && result.err.empty();
  if (ran.exit_code < 0 || ran.exit_code > 3 || is_silent || ran.bytes > most_bytes) {
    std::printf("line %zu: exit %d, %zu MB, %s:%s\n", number, ran.exit_code, ran.bytes >> 20,
                is_silent ? "silent" : "answered", shown(words).c_str());
    ran.exit_code = -1;
  }
  return ran;
}

template <class Key>
void print_largest(const char* title, std::vector<Ran>& all, const Key& key) {
  std::ranges::stable_sort(all, std::ranges::greater(), key);
  std::printf("%s\n", title);
  for (std::size_t i = 0; i < std::min<std::size_t>(12, all.size()); ++i)
    std::printf("  %6zu  %7.3f s  %5zu MB %s\n", all[i].number, all[i].seconds, all[i].bytes >> 20,
                all[i].line.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string what = argc > 3 ? argv[3] : "";
  const bool is_timed = what == "report";
  const std::size_t only = what == "only" && argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  swz::LineGenerator lines(seed);
  std::vector<Ran> all;
  std::map<std::string, std::pair<std::size_t, std::size_t>> commands;  // lines, answers
  std::size_t failed = 0, answered = 0;
  for (std::size_t i = 1; i <= std::max(count, only); ++i) {
    const swz::Words words = lines.next();
    if (only != 0 && i != only) continue;
    if (what == "print") {
      std::printf("%s\n", swz::Json(words).dump().c_str());
      continue;
    }
    if (only != 0) std::printf("%s\n", shown(words).c_str());
    std::fflush(stdout);
    Ran ran = run_line(i, words, is_timed || only != 0);
    failed += ran.exit_code < 0 ? 1 : 0;
    const bool is_answer = ran.exit_code == 0 || ran.exit_code == 1;
    answered += is_answer ? 1 : 0;
    auto& [lines_of, answers_of] = commands[words.empty() ? "" : words.front()];
    ++lines_of;
    answers_of += is_answer ? 1 : 0;
    if (is_timed || only != 0) {
      ran.line = shown(words);
      all.push_back(std::move(ran));
    }
  }
  if (what == "print") return 0;
  if (!all.empty()) {
    print_largest("slowest", all, &Ran::seconds);
    print_largest("largest", all, &Ran::bytes);
    for (const auto& [command, counts] : commands)
      if (counts.first > all.size() / 200)
        std::printf("  %-10s %zu of %zu answered\n", command.c_str(), counts.second, counts.first);
  }
  std::printf("%zu lines of seed %llu: %zu answered, %zu failed\n", count, static_cast<unsigned long long>(seed),
              answered, failed);
  return failed == 0 ? 0 : 1;
}
