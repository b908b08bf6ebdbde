// SPDX-License-Identifier: Apache-2.0
// Scale factors: layouts of global and shared memory (Sm1xxBlockScaledConfig, Sm103BlockScaledConfig, the output's),
// UMMA::tmem_sf_frg of the MMA traits, and the copies between the two with their descriptors.
#include "shared_memory.hpp"
// Shared memory comes first.
#include <cutlass/cutlass.h>

#include <cute/atom/copy_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/tensor.hpp>
#include <cutlass/detail/sm100_blockscaled_layout.hpp>
#include <cutlass/detail/sm103_blockscaled_layout.hpp>

#include "bit_address.hpp"
#include "scale_factors.hpp"

namespace {

using namespace cute;
using swz::CuteScaleMemory, swz::CuteScaleStage;
using UMMA::Major;

// ---- global memory

template <class Layout>
void add_memory(const char* name, int vec, int rows, int k, int batches, bool is_mn_major, const Layout& layout,
                std::vector<CuteScaleMemory>& out) {
  CuteScaleMemory memory{name, vec, rows, k, batches, {}};
  for (int batch = 0; batch < batches; ++batch)
    for (int at = 0; at < k; ++at)
      for (int row = 0; row < rows; ++row)
        memory.offsets.push_back(is_mn_major ? layout(at, row, batch) : layout(row, at, batch));
  out.push_back(memory);
}

template <int vec>
void add_memories(int rows, int k, int batches, std::vector<CuteScaleMemory>& out) {
  using namespace cutlass::detail;
  using Sm100 = Sm1xxBlockScaledConfig<vec>;
  using Sm103 = Sm103BlockScaledConfig<vec>;
  const auto add = [&](const char* name, bool is_mn_major, const auto& layout) {
    add_memory(name, vec, rows, k, batches, is_mn_major, layout, out);
  };
  const int other = 64;
  add("Sm1xx SFA", false, Sm100::tile_atom_to_shape_SFA(make_shape(rows, other, k, batches)));
  add("Sm1xx SFB", false, Sm100::tile_atom_to_shape_SFB(make_shape(other, rows, k, batches)));
  add("Sm103 SFA", false, Sm103::tile_atom_to_shape_SFA(make_shape(rows, other, k, batches)));
  add("Sm103 SFB", false, Sm103::tile_atom_to_shape_SFB(make_shape(other, rows, k, batches)));
  add("SFD", false, Sm1xxBlockScaledOutputConfig<vec>::tile_atom_to_shape_SFD(make_shape(rows, k, other, batches)));
  add("SFD, MN-major", true,
      Sm1xxBlockScaledOutputConfig<vec, Major::MN>::tile_atom_to_shape_SFD(make_shape(k, rows, other, batches)));
}

// ---- a stage of a CTA, and tensor memory

// What sm100_blockscaled_mma_warpspecialized.hpp does with the two.
template <class CopyOp, class Smem, class Tmem>
void add_copies(const Smem& smem_layout, const Tmem& tmem, CuteScaleStage& stage) {
  const auto begin = make_smem_ptr(reinterpret_cast<float_ue8m0_t*>(swz::shared_memory));
  const auto source = make_tensor(begin, filter_zeros(smem_layout));
  const auto goal = make_tensor(tmem.data(), filter_zeros(tmem.layout()));
  const auto slice = make_utccp_copy(CopyOp{}, goal).get_slice(0);
  const auto words = get_utccp_smem_desc_tensor<CopyOp>(slice.partition_S(source));
  const auto places = slice.partition_D(goal);
  const auto w = group_modes<1, decltype(words)::rank>(words);
  const auto p = group_modes<1, decltype(places)::rank>(places);
  for (int i = 0; i < int(size<1>(p)); ++i) {
    const UMMA::SmemDescriptor word = *(w.data() + w.layout()(0, i));
    stage.copies.emplace_back(std::uint64_t(word), swz::bit_address(p.data() + p.layout()(0, i)));
  }
}

// Rows and factors with the padding: every byte of the stage.
template <class Fragment, class CopyOp, int vec, bool is_split, class Smem>
void add_stage(const char* kind, char operand, int m, int n, int ctas, const Smem& smem,
               std::vector<CuteScaleStage>& out) {
  constexpr int rows = size<0, 0>(Smem{}), each = size<0, 1, 1>(Smem{}), steps = size<2>(Smem{});
  CuteScaleStage stage{kind, vec, operand, m, n, ctas, rows, each * steps, is_split ? 2 : 4, {}, {}, {}};
  if constexpr (rows > 0) {
    const auto tmem = Fragment::make(shape(Smem{}));
    for (int step = 0; step < steps; ++step)
      for (int factor = 0; factor < each; ++factor)
        for (int row = 0; row < rows; ++row) {
          // The last element of the vector: all have the same place.
          const int in_row = vec - 1 + vec * factor;
          stage.smem.push_back(smem(row + rows * in_row, 0, step));
          for (int copy = 0; copy < stage.times; ++copy)
            stage.tmem.push_back(
                swz::bit_address(tmem.data() + tmem.layout()(row + rows * (copy + stage.times * in_row), 0, step)));
        }
    if constexpr (!is_split) add_copies<CopyOp>(smem, tmem, stage);
  }
  out.push_back(stage);
}

template <class Op, class CopyOp, int vec, int m, int n, int k>
void add_stages(const char* kind, std::vector<CuteScaleStage>& out) {
  using Mma = decltype(make_tiled_mma(Op{}));
  using Config = cutlass::detail::Sm1xxBlockScaledConfig<vec>;
  using Tile = Shape<Int<m>, Int<n>, Int<k>>;
  constexpr int ctas = size(typename Mma::AtomThrID{});
  constexpr bool is_split = ctas == 2 && m == 128;
  const auto a = Config::deduce_smem_layoutSFA(Mma{}, Tile{});
  const auto b = Config::deduce_smem_layoutSFB(Mma{}, Tile{});
  add_stage<typename Mma::FrgTypeSFA, CopyOp, vec, false>(kind, 'a', m, n, ctas, a, out);
  add_stage<typename Mma::FrgTypeSFB, CopyOp, vec, is_split>(kind, 'b', m, n, ctas, b, out);
}

using F8 = float_e4m3_t;
using F4 = float_e2m1_t;
using One = SM100_UTCCP_4x32dp128bit_1cta;
using Two = SM100_UTCCP_4x32dp128bit_2cta;
constexpr Major K = Major::K;

// Two to four words of four factors.
template <int n>
void add_kinds(std::vector<CuteScaleStage>& out) {
  add_stages<SM100_MMA_MXF8F6F4_SS<F8, F8, float, float_ue8m0_t, 128, n, K, K>, One, 32, 128, n, 256>("mxf8f6f4", out);
  add_stages<SM100_MMA_MXF4_SS<F4, F4, float, float_ue8m0_t, 128, n, 32, K, K>, One, 32, 128, n, 256>("mxf4", out);
  add_stages<SM100_MMA_MXF4_SS<F4, F4, float, float_ue4m3_t, 128, n, 16, K, K>, One, 16, 128, n, 256>("mxf4nvf4", out);
}
template <int n>
void add_pair_kinds(std::vector<CuteScaleStage>& out) {
  using Wide = SM100_MMA_MXF8F6F4_2x1SM_SS<F8, F8, float, float_ue8m0_t, 256, n, K, K>;
  add_stages<Wide, Two, 32, 256, n, 256>("mxf8f6f4", out);
  add_stages<SM100_MMA_MXF4_2x1SM_SS<F4, F4, float, float_ue8m0_t, 256, n, 32, K, K>, Two, 32, 256, n, 256>("mxf4",
                                                                                                            out);
  add_stages<SM100_MMA_MXF4_2x1SM_SS<F4, F4, float, float_ue4m3_t, 256, n, 16, K, K>, Two, 16, 256, n, 256>("mxf4nvf4",
                                                                                                            out);
  add_stages<SM100_MMA_MXF4_2x1SM_SS<F4, F4, float, float_ue8m0_t, 128, n, 32, K, K>, Two, 32, 128, n, 256>("mxf4",
                                                                                                            out);
  add_stages<SM100_MMA_MXF4_2x1SM_SS<F4, F4, float, float_ue4m3_t, 128, n, 16, K, K>, Two, 16, 128, n, 256>("mxf4nvf4",
                                                                                                            out);
  // CuTe 4.2 refuses M 128 of mxf8f6f4; this is the fragment that its traits would take.
  using Halves = UMMA::tmem_sf_frg<float_ue8m0_t, 32, 2, false, UMMA::TmemAllocMode::ScaleFactorDuplicated2by2>;
  const auto smem = cutlass::detail::Sm1xxBlockScaledConfig<32>::deduce_smem_layoutSFB(make_tiled_mma(Wide{}),
                                                                                       Shape<_256, Int<n>, _256>{});
  add_stage<Halves, Two, 32, true>("mxf8f6f4", 'b', 128, n, 2, smem, out);
}

}  // namespace

std::vector<swz::CuteScaleMemory> swz::cute_scale_memories() {
  std::vector<CuteScaleMemory> out;
  add_memories<16>(128, 128, 1, out);
  add_memories<16>(256, 1024, 1, out);
  add_memories<32>(256, 128, 3, out);
  add_memories<32>(300, 1000, 2, out);
  add_memories<16>(1, 16, 1, out);
  return out;
}

std::vector<swz::CuteScaleStage> swz::cute_scale_stages() {
  std::vector<CuteScaleStage> out;
  add_kinds<64>(out);
  add_kinds<128>(out);
  add_kinds<192>(out);
  add_kinds<256>(out);
  add_pair_kinds<64>(out);
  add_pair_kinds<128>(out);
  add_pair_kinds<192>(out);
  add_pair_kinds<256>(out);
  return out;
}
