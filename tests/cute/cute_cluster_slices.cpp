// SPDX-License-Identifier: Apache-2.0
// CuTe makes the tensor map and the partition of a tile that CTAs share. Without nvcc it leaves out its call of the
// driver; here the call is made, and keeps the box.
#define __CUDACC_VER_MAJOR__ 12
#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL
#include "shared_memory.hpp"
// Shared memory comes first.
#include <cuda.h>

#include <cute/tensor.hpp>
// Tensors come before copies.
#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

#include "cluster_answers.hpp"

namespace {
cuuint32_t last_rank, last_box[5];
}

extern "C" CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t rank, void*,
                                                   const cuuint64_t*, const cuuint64_t*, const cuuint32_t* box,
                                                   const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                                   CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  last_rank = rank;
  for (cuuint32_t d = 0; d < 5; ++d) last_box[d] = d < rank ? box[d] : 1;
  return CUDA_SUCCESS;
}

namespace swz {

namespace {

template <class T, class Atom, bool is_mn, int mn, int k, class Order>
void add_tile(const char* dtype, const char* swizzle, bool is_k_first, std::vector<CuteSlicedTile>& out) {
  using namespace cute;
  const auto smem_layout = tile_to_shape(Atom{}, Shape<Int<mn>, Int<k>>{}, Order{});
  alignas(16) static T element[16 / sizeof(T)];
  const auto strides = [] {
    if constexpr (is_mn) return make_stride(_1{}, 4096);
    else return make_stride(4096, _1{});
  }();
  const Tensor gmem = make_tensor(make_gmem_ptr(element), make_shape(4096, 4096), strides);
  for (const int sharers : {1, 2, 4, 8, 16}) {
    const auto copy = make_tma_atom(SM90_TMA_LOAD_MULTICAST{}, gmem, smem_layout, Shape<Int<mn>, Int<k>>{}, sharers);
    CuteSlicedTile tile{dtype, is_mn, is_k_first, swizzle, mn, k, sharers, {}, static_cast<int>(last_rank), {}};
    for (std::size_t d = 0; d < 5; ++d) tile.box[d] = last_box[d];
    const Tensor coordinates = copy.get_tma_tensor(shape(gmem));
    const Tensor tile_of = local_tile(coordinates, Shape<Int<mn>, Int<k>>{}, make_coord(0, 0));
    // Offsets instead of addresses, in elements.
    const Tensor smem = make_tensor(counting_iterator<int>{0}, get_nonswizzle_portion(smem_layout));
    for (int cta = 0; cta < sharers; ++cta) {
      const auto parts =
          tma_partition(copy, cta, make_layout(sharers), group_modes<0, 2>(smem), group_modes<0, 2>(tile_of));
      const auto& from = get<0>(parts);
      const auto& to = get<1>(parts);
      std::vector<CuteSlice>& slices = tile.slices.emplace_back();
      for (int t = 0; t < size<0, 1>(to); ++t) {
        const auto first = make_coord(make_coord(0, t));
        const auto at = from(first);
        slices.push_back({static_cast<std::int64_t>(to(first)) * static_cast<std::int64_t>(sizeof(T)),
                          {static_cast<std::int64_t>(get<0>(at)), static_cast<std::int64_t>(get<1>(at))}});
      }
    }
    out.push_back(std::move(tile));
  }
}

template <class T, class Atom, bool is_mn, int mn, int k>
void add_both(const char* dtype, const char* swizzle, std::vector<CuteSlicedTile>& out) {
  add_tile<T, Atom, is_mn, mn, k, cute::Step<cute::_1, cute::_2>>(dtype, swizzle, false, out);
  add_tile<T, Atom, is_mn, mn, k, cute::Step<cute::_2, cute::_1>>(dtype, swizzle, true, out);
}

// Tiles of one line of atoms and of two, of 64 to 256 rows.
template <class T, int line>
void add_k_major(const char* dtype, std::vector<CuteSlicedTile>& out) {
  using namespace cute::SM90::GMMA;
  add_both<T, Layout_K_SW128_Atom<T>, false, 128, line>(dtype, "128B", out);
  add_both<T, Layout_K_SW128_Atom<T>, false, 64, line>(dtype, "128B", out);
  add_both<T, Layout_K_SW128_Atom<T>, false, 128, 2 * line>(dtype, "128B", out);
  add_both<T, Layout_K_SW64_Atom<T>, false, 128, line>(dtype, "64B", out);
  add_both<T, Layout_K_SW32_Atom<T>, false, 256, line / 2>(dtype, "32B", out);
  add_both<T, Layout_K_INTER_Atom<T>, false, 128, line>(dtype, "none", out);
  add_both<T, Layout_K_SW128_Atom<T>, false, 256, line>(dtype, "128B", out);
  add_both<T, Layout_K_SW64_Atom<T>, false, 64, line / 2>(dtype, "64B", out);
  add_both<T, Layout_K_SW32_Atom<T>, false, 128, line / 2>(dtype, "32B", out);
}

template <class T, int line>
void add_mn_major(const char* dtype, std::vector<CuteSlicedTile>& out) {
  using namespace cute::SM90::GMMA;
  add_both<T, Layout_MN_SW128_Atom<T>, true, 2 * line, 64>(dtype, "128B", out);
  add_both<T, Layout_MN_SW128_Atom<T>, true, 4 * line, 64>(dtype, "128B", out);
  add_both<T, Layout_MN_SW64_Atom<T>, true, line, 32>(dtype, "64B", out);
  add_both<T, Layout_MN_SW32_Atom<T>, true, line, 64>(dtype, "32B", out);
  add_both<T, Layout_MN_INTER_Atom<T>, true, line, 64>(dtype, "none", out);
  add_both<T, Layout_MN_SW128_Atom<T>, true, line, 128>(dtype, "128B", out);
  add_both<T, Layout_MN_SW64_Atom<T>, true, 2 * line, 64>(dtype, "64B", out);
}

}  // namespace

std::vector<CuteSlicedTile> cute_sliced_tiles() {
  std::vector<CuteSlicedTile> out;
  add_k_major<cute::half_t, 64>("f16", out);
  add_k_major<float, 32>("tf32", out);
  add_k_major<cute::float_e4m3_t, 128>("e4m3", out);
  add_mn_major<cute::half_t, 64>("f16", out);
  add_mn_major<cute::bfloat16_t, 64>("bf16", out);
  return out;
}

}  // namespace swz
