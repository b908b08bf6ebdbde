// SPDX-License-Identifier: Apache-2.0
// ALayout, BLayout, CLayout, SFALayout, SFBLayout and ELayout of every block-scaled and sparse atom of sm_120, and of
// atoms of wgmma.sp of every type.
#include <cute/atom/mma_traits_sm120.hpp>
#include <cute/atom/mma_traits_sm120_sparse.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/atom/mma_traits_sm90_gmma_sparse.hpp>

#include "scaled_fragments.hpp"

namespace {

using namespace cute;
using swz::CuteScaledFragment;
using Fragments = std::vector<CuteScaledFragment>;

template <class T>
std::string name_of() {
  if (is_same_v<T, float_e4m3_t>) return "e4m3";
  if (is_same_v<T, float_e5m2_t>) return "e5m2";
  if (is_same_v<T, float_e3m2_t>) return "e3m2";
  if (is_same_v<T, float_e2m3_t>) return "e2m3";
  if (is_same_v<T, float_e2m1_t>) return "e2m1";
  if (is_same_v<T, float_ue8m0_t>) return "ue8m0";
  if (is_same_v<T, float_ue4m3_t>) return "ue4m3";
  return "";
}

template <class Layout>
std::vector<int> table(Layout layout) {
  std::vector<int> out;
  for (int i = 0; i < int(size(layout)); ++i) out.push_back(layout(i));
  return out;
}

// One atom with its names.
template <class Op>
struct Atom {
  using Traits = MMA_Traits<Op>;
  Fragments& out;
  std::string name, a, b, scale = "";
  int vector = 0;

  template <class Layout>
  void add(const char* operand, const std::string& dtype, Layout layout) const {
    out.push_back({name, dtype, scale, operand, vector, int(size(typename Traits::ThrID{})), table(layout)});
  }
  void add_dense() const {
    add("a", a, typename Traits::ALayout{});
    add("b", b, typename Traits::BLayout{});
    add("d", a, typename Traits::CLayout{});
  }
  void add_scales() const {
    add("sfa", a, typename Traits::SFALayout{});
    add("sfb", b, typename Traits::SFBLayout{});
  }
  void add_metadata() const { add("e", a, typename Traits::ELayout{}); }
};

std::string scaled(const char* shape, const char* kind, int vec) {
  return std::string(shape) + ".kind::" + kind + ".block_scale.scale_vec::" + std::to_string(vec) + "X";
}

template <class A, class B>
void add_pair(Fragments& out) {
  using namespace SM120::BLOCKSCALED;
  using Dense = SM120_16x8x32_TN_VS<A, B, float, float_ue8m0_t, 32>;
  using Sparse = SM120::BLOCKSCALED::SPARSE::SM120_SPARSE_16x8x64_TN_VS<A, B, float, float_ue8m0_t, 64>;
  const Atom<Dense> dense{out,     scaled("mma.m16n8k32", "mxf8f6f4", 1), name_of<A>(), name_of<B>(),
                          "ue8m0", MMA_Traits<Dense>::SFVecSize};
  dense.add_dense();
  dense.add_scales();
  const Atom<Sparse> sparse{out,          scaled("mma.sp::ordered_metadata.m16n8k64", "mxf8f6f4", 1),
                            name_of<A>(), name_of<B>(),
                            "ue8m0",      MMA_Traits<Sparse>::SFVecSize};
  sparse.add_dense();
  sparse.add_scales();
  sparse.add_metadata();
  const Atom<SM120::SPARSE::SM120_SPARSE_16x8x64_TN<A, B, float>> unscaled{out, "mma.sp::ordered_metadata.m16n8k64",
                                                                           name_of<A>(), name_of<B>()};
  unscaled.add_dense();
  unscaled.add_metadata();
}
template <class A, class... B>
void add_pairs(Fragments& out) {
  (add_pair<A, B>(out), ...);
}

template <class Scale, int Vector>
void add_fp4(Fragments& out, const char* kind, int vec) {
  using namespace SM120::BLOCKSCALED;
  using T = float_e2m1_t;
  using Dense = SM120_16x8x64_TN_VS<T, T, float, Scale, Vector>;
  using Sparse = SM120::BLOCKSCALED::SPARSE::SM120_SPARSE_16x8x128_TN_VS<T, T, float, Scale, 2 * Vector>;
  const Atom<Dense> dense{out, scaled("mma.m16n8k64", kind, vec), "e2m1", "e2m1", name_of<Scale>(), Vector};
  dense.add_dense();
  dense.add_scales();
  const Atom<Sparse> sparse{
      out, scaled("mma.sp::ordered_metadata.m16n8k128", kind, vec), "e2m1", "e2m1", name_of<Scale>(), 2 * Vector};
  sparse.add_dense();
  sparse.add_scales();
  sparse.add_metadata();
}

template <class Op>
void add_wgmma(Fragments& out, const char* name, const char* dtype) {
  const Atom<Op> atom{out, name, dtype, dtype};
  atom.add("a", dtype, typename MMA_Traits<Op>::ALayout{});
  atom.add("d", dtype, typename MMA_Traits<Op>::CLayout{});
  atom.add_metadata();
}

}  // namespace

std::vector<CuteScaledFragment> swz::cute_scaled_fragments() {
  Fragments out;
  add_pairs<float_e4m3_t, float_e4m3_t, float_e5m2_t, float_e3m2_t, float_e2m3_t, float_e2m1_t>(out);
  add_pairs<float_e5m2_t, float_e4m3_t, float_e5m2_t, float_e3m2_t, float_e2m3_t, float_e2m1_t>(out);
  add_pairs<float_e3m2_t, float_e4m3_t, float_e5m2_t, float_e3m2_t, float_e2m3_t, float_e2m1_t>(out);
  add_pairs<float_e2m3_t, float_e4m3_t, float_e5m2_t, float_e3m2_t, float_e2m3_t, float_e2m1_t>(out);
  add_pairs<float_e2m1_t, float_e4m3_t, float_e5m2_t, float_e3m2_t, float_e2m3_t, float_e2m1_t>(out);
  add_fp4<float_ue8m0_t, 32>(out, "mxf4", 2);
  add_fp4<float_ue8m0_t, 32>(out, "mxf4nvf4", 2);
  add_fp4<float_ue4m3_t, 16>(out, "mxf4nvf4", 4);
  add_fp4<float_ue8m0_t, 16>(out, "mxf4nvf4", 4);

  using namespace SM90::GMMA::SPARSE;
  constexpr auto k = SM90::GMMA::Major::K;
  add_wgmma<GMMA_64x64x32_F32F16F16_RS<k, k>>(out, "wgmma.sp.m64n64k32", "f16");
  add_wgmma<GMMA_64x64x32_F32BF16BF16_RS<k, k>>(out, "wgmma.sp.m64n64k32", "bf16");
  add_wgmma<GMMA_64x64x16_F32TF32TF32_RS_TN<>>(out, "wgmma.sp.m64n64k16", "tf32");
  add_wgmma<GMMA_64x64x64_F32E4M3E4M3_RS_TN<>>(out, "wgmma.sp.m64n64k64", "e4m3");
  add_wgmma<GMMA_64x64x64_F32E5M2E5M2_RS_TN<>>(out, "wgmma.sp.m64n64k64", "e5m2");
  add_wgmma<GMMA_64x64x64_S32S8S8_RS_TN<>>(out, "wgmma.sp.m64n64k64", "s8");
  add_wgmma<GMMA_64x64x64_S32U8U8_RS_TN<>>(out, "wgmma.sp.m64n64k64", "u8");
  return out;
}
