// SPDX-License-Identifier: Apache-2.0
// Speed of the layout algebra, beside its baselines.
//
// The table of Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0)), 8192 offsets, against a
// hand-written XOR loop over the same tile and against CuTe's run-time layout; composition and right_inverse of
// rank-4 layouts against their bound of 2 microseconds.
#include <benchmark/benchmark.h>

#include <vector>

#include "expr/evaluate.hpp"
#include "layout/algebra.hpp"
#include "ratios.hpp"

#ifdef SWZ_HAS_CUTE
void cute_table_by_index(std::int64_t* out);
void cute_table_by_coordinate(std::int64_t* out);
#endif

namespace {

constexpr std::size_t rows = 128;
constexpr std::size_t columns = 64;

std::vector<std::int64_t>& table() {
  static std::vector<std::int64_t> out(rows * columns);
  return out;
}

void xor_loop(benchmark::State& state) {
  std::vector<std::int64_t>& out = table();
  for (auto _ : state) {
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) {
        const auto offset = static_cast<std::int64_t>(r * columns + c);
        out[c * rows + r] = offset ^ ((offset & 0x1c0) >> 3);
      }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void swz_table(benchmark::State& state) {
  std::vector<std::int64_t>& out = table();
  const swz::ComposedLayout l =
      swz::parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))");
  for (auto _ : state) {
    swz::tabulate(l, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void swz_calls(benchmark::State& state) {
  std::vector<std::int64_t>& out = table();
  const swz::ComposedLayout l =
      swz::parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))");
  for (auto _ : state) {
    for (std::int64_t i = 0; i < l.size(); ++i) out[static_cast<std::size_t>(i)] = l(i);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

#ifdef SWZ_HAS_CUTE
void cute_index(benchmark::State& state) {
  for (auto _ : state) {
    cute_table_by_index(table().data());
    benchmark::ClobberMemory();
  }
}
void cute_coordinate(benchmark::State& state) {
  for (auto _ : state) {
    cute_table_by_coordinate(table().data());
    benchmark::ClobberMemory();
  }
}
#endif

void composition(benchmark::State& state) {
  const swz::Layout a = swz::parse_layout("(4,8,2,16):(128,4,64,512)").layout();
  const swz::Layout b = swz::parse_layout("(2,4,8,4):(64,1,4,128)").layout();
  for (auto _ : state) benchmark::DoNotOptimize(swz::composition(a, b));
}

void right_inverse(benchmark::State& state) {
  const swz::Layout a = swz::parse_layout("(4,8,2,16):(16,64,512,1)").layout();
  for (auto _ : state) benchmark::DoNotOptimize(swz::right_inverse(a));
}

void left_inverse(benchmark::State& state) {
  const swz::Layout a = swz::parse_layout("(4,8,2,16):(16,64,512,1)").layout();
  for (auto _ : state) benchmark::DoNotOptimize(swz::left_inverse(a));
}

void logical_divide(benchmark::State& state) {
  const swz::ComposedLayout a = swz::parse_layout("logical_divide((128,64):(64,1), <8:1,16:1>)");
  for (auto _ : state) benchmark::DoNotOptimize(swz::coalesce(a.layout()));
}

}  // namespace

BENCHMARK(xor_loop);
BENCHMARK(swz_table);
BENCHMARK(swz_calls);
#ifdef SWZ_HAS_CUTE
BENCHMARK(cute_index);
BENCHMARK(cute_coordinate);
#endif
BENCHMARK(composition);
BENCHMARK(right_inverse);
BENCHMARK(left_inverse);
BENCHMARK(logical_divide);

int main(int argc, char** argv) {
  const Ratios ratios(argc, argv);
  ratios.ratio("swz_table", "xor_loop", "at most 2");
  ratios.ratio("swz_table", "cute_index", "below 1");
  ratios.ratio("swz_table", "cute_coordinate", "below 1");
  ratios.bound("composition", 2000);
  ratios.bound("right_inverse", 2000);
}
