// SPDX-License-Identifier: Apache-2.0
// Shared memory ends where the target's does: 1 KiB before its end is the last place of 1 KiB, for every command that
// takes a place and every target; a place behind it is refused with that end.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "answers.hpp"
#include "arch/target.hpp"

using namespace swz;
namespace fs = std::filesystem;

TEST_CASE("1 KiB at the end of the shared memory of every target") {
  // f16 8 x 64 in mode 128B, element (r, c) is 64 r + c.
  const fs::path dump = fs::temp_directory_path() / "swz_window.bin";
  std::vector<char> bytes(1024);
  for (int i = 0; i < 512; ++i) {
    // 1024 + x in f16 has the exponent 25 and x as its mantissa; below 1024 the numbers 0 to 511 need their own.
    const auto bits = [](int n) {
      int exponent = 0;
      while (n >> (exponent + 1) != 0) ++exponent;
      return n == 0 ? 0 : (exponent + 15) << 10 | (n << (10 - exponent) & 0x3ff);
    };
    const auto element = static_cast<std::uint16_t>(bits(i));
    const int byte = 2 * i ^ (2 * i >> 3 & 0x70);
    std::memcpy(bytes.data() + byte, &element, 2);
  }
  std::ofstream(dump, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  const std::pair<std::string, bool> commands[] = {
      // with their place, and whether they need TMA
      {"place --dtype bf16 --layout (8,64):(64,1) --base {}", false},
      {"place --dtype bf16 --tile 8x64 --swizzle 128B --base {}", false},
      {"phase --swizzle 128B --base {}", false},
      {"phase --dtype bf16 --tile 8x64 --swizzle 128B --base {}", false},
      {"tma place --dtype bf16 --box 64,8 --swizzle 128B --base {}", true},
      {"tma plan --dtype bf16 --layout (8,64):(64,1) --base {}", true},
      {fmt::format("identify @{} --dtype f16 --tile 8x64 --address {{}}", dump.string()), false}};
  for (const Target& target : targets())
    for (const auto& [command, needs_tma] : commands) {
      if (needs_tma && !target.has_tma) continue;
      const std::int64_t last = target.smem_window().count - 1024;
      const std::string line = fmt::format(fmt::runtime(command), last) + fmt::format(" --arch {}", target.name);
      CAPTURE(line);
      CHECK_NOTHROW(json_of(words_of(line)));
      const std::string behind =
          error_of(words_of(fmt::format(fmt::runtime(command), last + 128) + fmt::format(" --arch {}", target.name)));
      CHECK(behind.find(fmt::format("{:#x}", target.smem_window().count)) != std::string::npos);
    }
  fs::remove(dump);
}

TEST_CASE("a layout of more than 228 KiB, and the swizzle of its reads") {
  // 1024 rows of 304 B: 304 KiB.
  const std::string layout = "--dtype bf16 --layout (1024,152):(152,1)";
  CHECK(json_of(words_of("place " + layout + " --arch sm_107a"))["end"] == 1024 * 304);
  CHECK(json_of(words_of("swizzle find " + layout + " --reads ldmatrix.x4 --arch sm_107a"))["found"] == true);
  for (const char* command : {"place ", "swizzle find --reads ldmatrix.x4 "})
    CHECK(error_of(words_of(command + layout + " --arch sm_103a")).find("ends at 0x39000") != std::string::npos);
}
