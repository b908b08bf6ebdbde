// What swz claims of the registers of a kernel holds in every execution: random programs and real kernels run with random
// values for all that is unknown, and nothing that is claimed is ever contradicted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ptx/claims.hpp"
#include "ptx/random_program.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

std::string numbered(const std::string& text) {
  std::string out;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += fmt::format("{:4} {}\n", line, text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

struct Ran {
  std::string contradiction;
  long executions = 0, ended = 0;
  std::uint64_t compared = 0;
};

Ran run_all(const PtxModule& module, std::uint64_t seed, int executions, int most_steps) {
  Ran out;
  for (const PtxKernel& kernel : module.kernels) {
    const PtxValues values(module, kernel, {});
    PtxInterpreter warp(module, kernel);
    ClaimWatcher watcher(warp, values);
    for (int i = 0; i < executions && watcher.contradiction.empty(); ++i) {
      watcher.begin(static_cast<int>((seed + static_cast<std::uint64_t>(i)) * 11 % 32));
      out.ended += warp.run(seed * 1000 + static_cast<std::uint64_t>(i), most_steps, watcher);
      ++out.executions;
    }
    out.compared += watcher.compared;
    if (out.contradiction.empty()) out.contradiction = watcher.contradiction;
  }
  return out;
}

TEST_CASE("no claim of a random program is contradicted") {
  Sweep every{20};
  long executions = 0, ended = 0;
  for (std::uint64_t seed = 0; seed < 3400; ++seed) {
    if (!every.takes()) continue;
    const std::string text = random_ptx(seed, {.statements = 15 + static_cast<int>(seed % 4) * 15, .loops = seed % 5 != 0, .branches = seed % 7 != 0});
    const Ran ran = run_all(read_ptx(text), seed, 30, 3000);
    executions += ran.executions;
    ended += ran.ended;
    INFO(numbered(text));
    INFO("seed " << seed);
    REQUIRE(ran.contradiction == "");
  }
  CHECK(executions > at_least(100'000, 20));
  CHECK(ended > executions * 9 / 10);
}

}  // namespace
}  // namespace swz
