// SPDX-License-Identifier: Apache-2.0
// Speed of swizzle find, in process, on tiles of 64 KiB and two accesses.
//
// The whole search over all (B,M,S), bound 100 ms, beside its brute force: every swizzle applied to every address
// of every instruction, counted. The transpose has the last candidates' bits, so little ends early. The search over
// only over GF(2), bound 1 s, in all three sizes of pieces.
#include <benchmark/benchmark.h>

#include "expr/evaluate.hpp"
#include "ratios.hpp"
#include "smem/swizzle_find.hpp"

namespace {

swz::FindRequest request(const char* layout, int bits, std::initializer_list<const char*> accesses) {
  swz::FindRequest r{swz::parse_layout(layout).layout(), bits, {}, {}};
  for (const char* access : accesses)
    for (const swz::Access& a : swz::parse_accesses(access)) r.accesses.push_back(a);
  return r;
}

swz::FindRequest tile() { return request("(512,64):(64,1)", 16, {"ldmatrix.x4", "st.shared.b128 rows"}); }
swz::FindRequest transpose() { return request("(128,128):(128,1)", 32, {"transpose"}); }
// Rows whose numbers lie in two places of the address, and pieces of 4 bytes: five bits for each line bit.
swz::FindRequest split_rows() {
  return request("((16,32),32):((32,1024),1)", 32, {"ld.shared.b32 columns", "st.shared.b32 rows"});
}

void find(benchmark::State& state, const swz::FindRequest& r) {
  for (auto _ : state) benchmark::DoNotOptimize(swz::find_swizzle(r));
}

void brute(benchmark::State& state, const swz::FindRequest& r) {
  for (auto _ : state) {
    const swz::Placement placement(r.layout, r.element_bits);
    std::vector<swz::Walk> walks;
    int piece = 2;
    for (const swz::Access& access : r.accesses) {
      walks.push_back(swz::walk(placement, access));
      while (1 << piece < walks.back().access.instruction->bytes) ++piece;
    }
    std::int64_t clean = 0;
    for (const swz::Swizzle& s : swz::swizzle_candidates(piece, 16)) {
      std::int64_t excess = 0;
      for (const swz::Walk& walk : walks)
        for (const swz::WalkStep& step : walk.steps) {
          swz::AccessPattern pattern = step.pattern;
          for (std::uint32_t& address : pattern.address) address = static_cast<std::uint32_t>(s(address));
          excess += swz::count_wavefronts(pattern).excess();
        }
      clean += excess == 0 ? 1 : 0;
    }
    benchmark::DoNotOptimize(clean);
  }
}

void find_tile(benchmark::State& state) { find(state, tile()); }
void brute_tile(benchmark::State& state) { brute(state, tile()); }
void find_transpose(benchmark::State& state) { find(state, transpose()); }
void brute_transpose(benchmark::State& state) { brute(state, transpose()); }
void find_split_rows(benchmark::State& state) { find(state, split_rows()); }

void search_split_rows(benchmark::State& state) {
  const swz::FindRequest r = split_rows();
  const swz::Placement placement(r.layout, r.element_bits);
  std::vector<swz::Walk> walks;
  for (const swz::Access& access : r.accesses) walks.push_back(swz::walk(placement, access));
  const swz::ConflictGroups groups = swz::conflict_groups(walks);
  for (auto _ : state)
    for (int piece = 2; piece <= 4; ++piece) benchmark::DoNotOptimize(swz::search_bank_map(groups, piece));
}

}  // namespace

BENCHMARK(find_tile);
BENCHMARK(brute_tile);
BENCHMARK(find_transpose);
BENCHMARK(brute_transpose);
BENCHMARK(find_split_rows);
BENCHMARK(search_split_rows);

int main(int argc, char** argv) {
  const Ratios ratios(argc, argv);
  ratios.bound("find_tile", 1e8);
  ratios.bound("find_transpose", 1e8);
  ratios.bound("search_split_rows", 1e9);
  ratios.ratio("find_tile", "brute_tile", "below 1");
  ratios.ratio("find_transpose", "brute_transpose", "below 1");
}
