// SPDX-License-Identifier: Apache-2.0
// Speed of counting wavefronts, in process.
//
// One raw pattern, bound 1 us: the widest load with eight-way conflicts, 32 lanes on one bank, random addresses;
// each beside the simulation of the passes that the tests hold it to. All ldmatrix patterns over a 128 x 64 tile of
// 16-bit elements, bound 1 ms.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>

#include "ratios.hpp"
#include "smem/counted_by_hand.hpp"
#include "smem/walk.hpp"

namespace {

swz::AccessPattern strided(const char* name, std::uint32_t stride) {
  swz::AccessPattern p{&swz::require_access(name), 0xffffffff, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane) p.address[lane] = lane * stride;
  return p;
}

swz::AccessPattern random_words() {
  std::mt19937 random(1);
  swz::AccessPattern p = strided("ld.shared.b32", 0);
  for (std::uint32_t& address : p.address) address = static_cast<std::uint32_t>(random() % 58368) * 4;
  return p;
}

// The pattern is hidden from the optimiser, or it would be counted once.
void count(benchmark::State& state, swz::AccessPattern p) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(p);
    benchmark::DoNotOptimize(swz::count_wavefronts(p));
  }
}
void by_hand(benchmark::State& state, swz::AccessPattern p) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(p);
    benchmark::DoNotOptimize(swz::counted_by_hand(p));
  }
}

void count_ldmatrix_8_way(benchmark::State& state) { count(state, strided("ldmatrix.x4", 128)); }
void hand_ldmatrix_8_way(benchmark::State& state) { by_hand(state, strided("ldmatrix.x4", 128)); }
void count_b128_contiguous(benchmark::State& state) { count(state, strided("ld.shared.b128", 16)); }
void hand_b128_contiguous(benchmark::State& state) { by_hand(state, strided("ld.shared.b128", 16)); }
void count_b32_one_bank(benchmark::State& state) { count(state, strided("ld.shared.b32", 128)); }
void hand_b32_one_bank(benchmark::State& state) { by_hand(state, strided("ld.shared.b32", 128)); }
void count_b32_random(benchmark::State& state) { count(state, random_words()); }
void hand_b32_random(benchmark::State& state) { by_hand(state, random_words()); }

void walk_ldmatrix_128x64(benchmark::State& state) {
  const swz::Placement p(swz::SmemTile({.dtype = "bf16", .mn = 128, .k = 64}));
  for (auto _ : state)
    for (const swz::AccessInstruction& i : swz::access_instructions()) {
      if (i.op != swz::AccessOp::ldmatrix) continue;
      const swz::Access access{&i, i.op, swz::WalkOrder::matrices};
      benchmark::DoNotOptimize(swz::walk(p, access, swz::default_target()));
    }
}

}  // namespace

BENCHMARK(count_ldmatrix_8_way);
BENCHMARK(hand_ldmatrix_8_way);
BENCHMARK(count_b128_contiguous);
BENCHMARK(hand_b128_contiguous);
BENCHMARK(count_b32_one_bank);
BENCHMARK(hand_b32_one_bank);
BENCHMARK(count_b32_random);
BENCHMARK(hand_b32_random);
BENCHMARK(walk_ldmatrix_128x64);

int main(int argc, char** argv) {
  const Ratios ratios(argc, argv);
  for (const std::string pattern : {"ldmatrix_8_way", "b128_contiguous", "b32_one_bank", "b32_random"}) {
    ratios.bound(("count_" + pattern).c_str(), 1000);
    ratios.ratio(("count_" + pattern).c_str(), ("hand_" + pattern).c_str(), "at most 1.5, less with conflicts");
  }
  ratios.bound("walk_ldmatrix_128x64", 1e6);
}
