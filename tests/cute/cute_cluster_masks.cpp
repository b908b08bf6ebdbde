// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.hpp"
// Shared memory comes first.
#include <vector_types.h>

// The pipelines name these in functions that are not called here; without nvcc they do not exist.
inline uint3 threadIdx;
inline void __syncthreads() {}

#include <cute/tensor.hpp>
// Tensors come before copies.
#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cutlass/pipeline/sm100_pipeline.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>
#include <utility>

#include "cluster_answers.hpp"

namespace swz {

namespace {

// The layout of CTAs (v, m, n, k) as the kernels of CUTLASS make it.
template <int x, int y, int a>
void add_masks(std::vector<CuteMasks>& out) {
  using namespace cute;
  if constexpr (x * y <= 16 && x % a == 0) {
    const auto cluster = make_layout(Shape<Int<x>, Int<y>, _1>{});
    const auto vmnk = tiled_divide(cluster, make_tile(Layout<Int<a>>{}));
    using Pair = Shape<Int<a>, _1, _1>;
    using Cluster = Shape<Int<x>, Int<y>, _1>;
    using cutlass::McastDirection;
    for (int rank = 0; rank < x * y; ++rank) {
      const auto at = vmnk.get_flat_coord(rank);
      const dim3 block(static_cast<unsigned>(rank % x), static_cast<unsigned>(rank / x), 0);
      CuteMasks masks{x, y, a, rank};
      masks.a = create_tma_multicast_mask<2>(vmnk, at);
      masks.b = create_tma_multicast_mask<1>(vmnk, at);
      masks.row_col = cutlass::detail::calculate_multicast_mask<McastDirection::kRowCol>(Cluster{}, Pair{}, block);
      masks.row = cutlass::detail::calculate_multicast_mask<McastDirection::kRow>(Cluster{}, Pair{}, block);
      masks.col = cutlass::detail::calculate_multicast_mask<McastDirection::kCol>(Cluster{}, Pair{}, block);
      masks.peer = cutlass::detail::calculate_umma_peer_mask(Cluster{}, Pair{}, block);
      out.push_back(masks);
    }
  }
}

template <int x, int... y>
void add_row(std::vector<CuteMasks>& out, std::integer_sequence<int, y...>) {
  (add_masks<x, y + 1, 1>(out), ...);
  (add_masks<x, y + 1, 2>(out), ...);
}

template <int... x>
void add_all(std::vector<CuteMasks>& out, std::integer_sequence<int, x...>) {
  (add_row<x + 1>(out, std::make_integer_sequence<int, 16 / (x + 1)>{}), ...);
}

}  // namespace

std::vector<CuteMasks> cute_masks() {
  std::vector<CuteMasks> out;
  add_all(out, std::make_integer_sequence<int, 16>{});
  return out;
}

std::array<int, 128> cutlass_warpgroup_release() {
  std::array<int, 128> out;
  for (int t = 0; t < 128; ++t) {
    const auto [signals, to] = cutlass::detail::spread_arrivals_to_warpgroup(t, t / 32);
    out[static_cast<std::size_t>(t)] = signals ? static_cast<int>(to) : -1;
  }
  return out;
}

std::array<int, 32> cutlass_warp_release() {
  std::array<int, 32> out;
  for (int t = 0; t < 32; ++t) {
    const auto [signals, to] = cutlass::detail::spread_arrivals_to_warp(t);
    out[static_cast<std::size_t>(t)] = signals ? static_cast<int>(to) : -1;
  }
  return out;
}

}  // namespace swz
