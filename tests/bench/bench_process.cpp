// SPDX-License-Identifier: Apache-2.0
// Whole processes: `swz decode`, `swz layout`, … against an empty program that loads only the C library, taken in
// turns so that noise hits both alike. Prints medians and their ratio, and the memory of the command.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace {

struct Measured {
  double milliseconds = 0;
  double megabytes = 0;  // largest resident set; includes what a forked copy of this program held
};

Measured measure(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, argv[0], &quiet, nullptr, argv.data(), environ) != 0) std::exit(1);
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&quiet);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "%s failed\n", argv[0]);
    std::exit(1);
  }
  return {std::chrono::duration<double, std::milli>(end - begin).count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  constexpr int runs = 100;
  const std::vector<std::vector<std::string>> commands = {
      {SWZ_PROGRAM, "decode", "0x4000004000010042"},
      {SWZ_PROGRAM, "decode", "0x4000004000010042", "--arch", "sm_90a", "-f", "json"},
      {SWZ_PROGRAM, "layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {SWZ_PROGRAM, "layout", "tile_to_shape(K_SW128<bf16>, (128,64))", "-f", "json", "--map"},
      {SWZ_PROGRAM, "desc", "--tile", "128x64"},
      {SWZ_PROGRAM, "map", "0x4000004000010040", "-f", "json"},
      {SWZ_PROGRAM, "place", "--tile", "128x64", "-f", "svg"},                         // bound: 15 ms
      {SWZ_PROGRAM, "place", "--tile", "128x128", "--cells", "element", "-f", "svg"},  // bound: 100 ms
      {SWZ_PROGRAM, "place", "--tile", "256x128", "-f", "svg"},                        // 64 KB; bound: 64 MB
      {SWZ_PROGRAM, "--version"},
  };
  for (const auto& command : commands) {
    std::vector<double> ours;
    std::vector<double> empty;
    double megabytes = 0;
    for (int i = 0; i < runs; ++i) {
      empty.push_back(measure({SWZ_EMPTY_PROGRAM}).milliseconds);
      const Measured one = measure(command);
      ours.push_back(one.milliseconds);
      megabytes = std::max(megabytes, one.megabytes);
    }
    std::string text = "swz";
    for (std::size_t i = 1; i < command.size(); ++i) text += " " + command[i];
    std::printf("%.2f ms / %.2f ms = %.2f   %.0f MB   %s\n", median(ours), median(empty), median(ours) / median(empty),
                megabytes, text.c_str());
  }
}
