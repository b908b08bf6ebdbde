// SPDX-License-Identifier: Apache-2.0
// Metadata of sparse MMAs: UMMA::tmem_e_frg and tmem_e_frg_ws, and the image of it in global memory, TensorE of
// Sm1xxGemmSparseConfig.
#include <cutlass/cutlass.h>

#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/tensor.hpp>
#include <cutlass/gemm/collective/builders/sm1xx_sparse_config.inl>

#include "bit_address.hpp"
#include "tensor_memory.hpp"

namespace {

using namespace cute;
using swz::CuteMetadataImage, swz::CuteTmemMatrices, swz::CuteTmemMatrix;

template <class Fragment, int m, int k, int copies>
void add(const char* name, const char* kind, bool is_ws, CuteTmemMatrices& out) {
  const auto tensor = Fragment::make(Shape<Shape<Int<m>, Int<k>>, _1, _4>{});
  CuteTmemMatrix e{name, kind, m, 1, is_ws, m, copies, k, 4, {}};
  for (int mma = 0; mma < 4; ++mma)
    for (int column = 0; column < k; ++column)
      for (int copy = 0; copy < copies; ++copy)
        for (int row = 0; row < m; ++row)
          e.places.push_back(swz::bit_address(tensor.data() + tensor.layout()(row + m * (column + k * copy), 0, mma)));
  out.push_back(e);
}

template <class T, int k>
void add_ws(const char* kind, CuteTmemMatrices& out) {
  add<UMMA::tmem_e_frg_ws<T>, 128, k, 1>("tmem_e_frg_ws", kind, true, out);
  add<UMMA::tmem_e_frg_ws<T>, 64, k, 2>("tmem_e_frg_ws", kind, true, out);
  add<UMMA::tmem_e_frg_ws<T>, 32, k, 4>("tmem_e_frg_ws", kind, true, out);
}

// `sparsity`: elements of A of one byte of metadata.
template <class A, int a_sparsity, int sparsity>
void add_image(const char* kind, std::vector<CuteMetadataImage>& out) {
  using Config = cutlass::Sm1xxGemmSparseConfig<sparse_elem<a_sparsity, A>, cutlass::layout::RowMajor,
                                                sparse_elem<sparsity, std::uint8_t>>;
  constexpr int m = 256, k = 512;
  const auto layout = Config::fill_layoutE(make_shape(m, 128, k, 2));
  CuteMetadataImage image{kind, m, k, {}};
  for (int column = 0; column < k; ++column)
    for (int row = 0; row < m; ++row) image.bits.push_back(std::int64_t(layout(row, column, 0)) * 8 / sparsity);
  out.push_back(image);
}

}  // namespace

swz::CuteTmemMatrices swz::cute_metadata() {
  CuteTmemMatrices out;
  add<UMMA::tmem_e_frg<float>, 128, 16, 1>("tmem_e_frg", "tf32", false, out);
  add<UMMA::tmem_e_frg<half_t>, 128, 32, 1>("tmem_e_frg", "f16", false, out);
  add<UMMA::tmem_e_frg<std::uint8_t>, 128, 64, 1>("tmem_e_frg", "f8f6f4", false, out);
  add<UMMA::tmem_e_frg<float_e2m1_t>, 128, 128, 1>("tmem_e_frg", "mxf4", false, out);
  add_ws<float, 16>("tf32", out);
  add_ws<half_t, 32>("f16", out);
  add_ws<std::uint8_t, 64>("i8", out);
  return out;
}

std::vector<swz::CuteMetadataImage> swz::cute_metadata_images() {
  std::vector<CuteMetadataImage> out;
  add_image<tfloat32_t, 2, 4>("tf32", out);
  add_image<half_t, 2, 8>("f16", out);
  add_image<std::int8_t, 2, 8>("i8", out);
  add_image<float_e4m3_t, 2, 8>("f8f6f4", out);
  add_image<std::uint8_t, 4, 16>("mxf4", out);
  return out;
}
