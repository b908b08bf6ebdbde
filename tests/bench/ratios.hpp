// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks of a program seven times, interleaved, and prints medians of their CPU time beside the values
// that they must not exceed: other programs that run on the machine have no influence.
//
//   int main(int argc, char** argv) {
//     const Ratios ratios(argc, argv);
//     ratios.ratio("swz_table", "xor_loop", "at most 2");     swz_table / xor_loop = 1.10 (at most 2)
//     ratios.bound("composition", 2000);                      composition = 900 ns (below 2000)
//   }
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

class Ratios : private benchmark::ConsoleReporter {
 public:
  Ratios(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    char repetitions[] = "--benchmark_repetitions=7";
    char interleave[] = "--benchmark_enable_random_interleaving=true";
    arguments.insert(arguments.begin() + 1, {repetitions, interleave});
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    benchmark::RunSpecifiedBenchmarks(this);
  }

  // Both print nothing if --benchmark_filter left one out.
  void ratio(const char* what, const char* baseline, const char* wanted) const {
    if (!nanoseconds_.contains(what) || !nanoseconds_.contains(baseline)) return;
    std::printf("%s / %s = %.2f (%s)\n", what, baseline, nanoseconds_.at(what) / nanoseconds_.at(baseline), wanted);
  }
  void bound(const char* what, double limit) const {
    if (nanoseconds_.contains(what)) std::printf("%s = %.0f ns (below %.0f)\n", what, nanoseconds_.at(what), limit);
  }

 private:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.aggregate_name == "median") nanoseconds_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> nanoseconds_;
};
