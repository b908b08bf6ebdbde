// SPDX-License-Identifier: Apache-2.0
// Speed of what every descriptor command does, in process.
//
// The operand map of a 256 x 64 operand of 16-bit elements, bound 0.1 ms; the 16 words of a 128 x 128 tile; the
// placement of a 128 x 64 tile, bound 1 ms.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "arch/target.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "ratios.hpp"
#include "smem/placement.hpp"

namespace {

void operand_map(benchmark::State& state, const char* swizzle, swz::Major major) {
  const swz::SmemDescriptor word = swz::SmemDescriptor::encode({.start_address = swz::Bytes{0x400},
                                                                .leading_byte_offset = swz::Bytes{4096},
                                                                .stride_byte_offset = swz::Bytes{1024},
                                                                .swizzle = swizzle},
                                                               swz::require_target("sm_90a"));
  for (auto _ : state) benchmark::DoNotOptimize(swz::operand_map(word, {256, 64}, 16, major));
}

void operand_map_k_128B(benchmark::State& state) { operand_map(state, "128B", swz::Major::K); }
void operand_map_mn_64B(benchmark::State& state) { operand_map(state, "64B", swz::Major::MN); }
void operand_map_k_none(benchmark::State& state) { operand_map(state, "none", swz::Major::K); }

swz::SmemTile tile(std::int64_t mn, std::int64_t k) {
  return swz::SmemTile({.dtype = "bf16", .mn = mn, .k = k, .base = swz::Bytes{0x400}});
}

void tile_descriptors_128x128(benchmark::State& state) {
  const swz::SmemTile t = tile(128, 128);
  const swz::Target& target = swz::require_target("sm_100a");
  for (auto _ : state) benchmark::DoNotOptimize(swz::tile_descriptors(t, target, {64, 16}));
}

void placement_128x64(benchmark::State& state) {
  const swz::SmemTile t = tile(128, 64);
  for (auto _ : state) benchmark::DoNotOptimize(swz::Placement(t).bits());
}

}  // namespace

BENCHMARK(operand_map_k_128B);
BENCHMARK(operand_map_mn_64B);
BENCHMARK(operand_map_k_none);
BENCHMARK(tile_descriptors_128x128);
BENCHMARK(placement_128x64);

int main(int argc, char** argv) {
  const Ratios ratios(argc, argv);
  for (const char* map : {"operand_map_k_128B", "operand_map_mn_64B", "operand_map_k_none"}) ratios.bound(map, 1e5);
  ratios.bound("placement_128x64", 1e6);
}
