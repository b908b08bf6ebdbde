// SPDX-License-Identifier: Apache-2.0
// The source that fills a tile: its codes are those that --expect codes reads, compiled by the compiler of the tests.
#include <string>

#include "compile_and_run.hpp"
#include "identify/fill_source.hpp"

namespace swz {
namespace {

TEST_CASE("the codes of the source are those of code_tile, in every pass") {
  const std::string prelude =
      "#define __host__\n#define __device__\n#define __CUDACC_RTC__\nstruct { unsigned x; } threadIdx, blockDim;\n";
  for (const char* name : {"u8", "bf16", "e2m1"}) {
    const ElementType type{name};
    const TileExtents extents{64, 192};
    const LogicalTile tile = code_tile(type, extents);
    std::string values;
    for (const std::uint64_t value : tile.values) values += fmt::format("{},", value);
    check_program(
        {{"fill.cpp",
          fmt::format("{}{}const unsigned long long expected[] = {{{}}};\n"
                      "int main() {{\n"
                      "  if (swz_passes != {}) return 1;\n"
                      "  for (int i = 0; i < 64 * 192; ++i) {{\n"
                      "    unsigned long long all = 0;\n"
                      "    for (int p = 0; p < swz_passes; ++p) all |= swz_code(i / 192, i % 192, p) << p * {};\n"
                      "    if (all != expected[i]) return 1;\n"
                      "  }}\n"
                      "}}\n",
                      prelude, fill_source(type, extents), values, tile.passes, type.value_bits())}},
        "-std=c++17 -Wall -Werror -Wno-unused-function");
  }
}

}  // namespace
}  // namespace swz
