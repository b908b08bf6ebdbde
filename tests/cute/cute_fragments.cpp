// SPDX-License-Identifier: Apache-2.0
// ALayout, BLayout and CLayout of the MMA atoms of sm_70 to sm_120, SrcLayout and DstLayout of the copies that swz
// has.
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED 1  // N other than 8, 16, 32, 64, 96, 128, 192 and 256
#include <cute/atom/copy_traits_sm100.hpp>
#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/copy_traits_sm90.hpp>
#include <cute/atom/mma_traits_sm120.hpp>
#include <cute/atom/mma_traits_sm70.hpp>
#include <cute/atom/mma_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

#include "fragments.hpp"

namespace {

using namespace cute;
using swz::CuteCopy, swz::CuteFragment;
using Fragments = std::vector<CuteFragment>;

template <class T>
std::string name_of() {
  if (is_same_v<T, half_t>) return "f16";
  if (is_same_v<T, bfloat16_t>) return "bf16";
  if (is_same_v<T, tfloat32_t>) return "tf32";
  if (is_same_v<T, float>) return "f32";
  if (is_same_v<T, double>) return "f64";
  if (is_same_v<T, float_e4m3_t>) return "e4m3";
  if (is_same_v<T, float_e5m2_t>) return "e5m2";
  if (is_same_v<T, float_e3m2_t>) return "e3m2";
  if (is_same_v<T, float_e2m3_t>) return "e2m3";
  if (is_same_v<T, float_e2m1_t>) return "e2m1";
  if (is_same_v<T, int32_t>) return "s32";
  if (is_same_v<T, int8_t>) return "s8";
  if (is_same_v<T, uint8_t>) return "u8";
  if (is_same_v<T, int4_t>) return "s4";
  if (is_same_v<T, uint4_t>) return "u4";
  if (is_same_v<T, uint1_t>) return "b1";
  return "";
}

// Empty where CuTe's text is not a layout: the strides of A of SM80_16x8x128 are in one bracket too many.
template <class Layout>
std::vector<int> table(Layout layout) {
  std::vector<int> out;
  if constexpr (is_congruent<decltype(layout.shape()), decltype(layout.stride())>::value)
    for (int i = 0; i < int(size(layout)); ++i) out.push_back(layout(i));
  return out;
}

template <class Traits>
std::string shape_of() {
  typename Traits::Shape_MNK shape;
  return "m" + std::to_string(get<0>(shape)) + "n" + std::to_string(get<1>(shape)) + "k" +
         std::to_string(get<2>(shape));
}

// `a` and `b` name the types of A and B, `orders` the layouts of m8n8k4.
template <class Op>
void add_mma(Fragments& out, std::string a, std::string b, const char* orders = "") {
  using Traits = MMA_Traits<Op>;
  const std::string name = "mma." + shape_of<Traits>() + orders, d = name_of<typename Traits::ValTypeD>();
  const std::vector<int> lanes = table(typename Traits::ThrID{});
  out.push_back({name, a, 'a', d, lanes, table(typename Traits::ALayout{})});
  out.push_back({name, b, 'b', d, lanes, table(typename Traits::BLayout{})});
  out.push_back({name, a, 'd', d, lanes, table(typename Traits::CLayout{})});
}
template <class... Ops>
void add_mmas(Fragments& out) {
  (add_mma<Ops>(out, name_of<typename MMA_Traits<Ops>::ValTypeA>(), name_of<typename MMA_Traits<Ops>::ValTypeB>()),
   ...);
}

template <class... Ops>
void add_wgmmas(Fragments& out) {
  const auto add = [&]<class Traits>(Traits) {
    const std::string name = "wgmma." + shape_of<Traits>(), a = name_of<typename Traits::ValTypeA>(),
                      d = name_of<typename Traits::ValTypeD>();
    const std::vector<int> lanes = table(typename Traits::ThrID{});
    out.push_back({name, a, 'a', d, lanes, table(typename Traits::ALayout{})});
    out.push_back({name, a, 'd', d, lanes, table(typename Traits::CLayout{})});
  };
  (add(MMA_Traits<Ops>{}), ...);
}

template <class... A>
void add_slots(Fragments& out) {
  (add_mma<SM120_16x8x32_TN<A, float_e4m3_t, float>>(out, name_of<A>(), "e4m3"), ...);
}

void add_quad_pairs(Fragments& out) {
  const auto add = [&]<class TN, class NT, class NN, class TT>() {
    add_mma<TN>(out, "f16", "f16", ".row.col");
    add_mma<NT>(out, "f16", "f16", ".col.row");
    add_mma<NN>(out, "f16", "f16", ".col.col");
    add_mma<TT>(out, "f16", "f16", ".row.row");
  };
  add.operator()<SM70_8x8x4_F16F16F16F16_TN, SM70_8x8x4_F16F16F16F16_NT, SM70_8x8x4_F16F16F16F16_NN,
                 SM70_8x8x4_F16F16F16F16_TT>();
  add.operator()<SM70_8x8x4_F32F16F16F32_TN, SM70_8x8x4_F32F16F16F32_NT, SM70_8x8x4_F32F16F16F32_NN,
                 SM70_8x8x4_F32F16F16F32_TT>();
}

// A of wgmma in registers. CuTe names one atom for each N.
#define SWZ_F32_OF_F16(n) SM90::GMMA::MMA_64x##n##x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>
#define SWZ_8(X, a, b, c, d, e, f, g, h) X(a), X(b), X(c), X(d), X(e), X(f), X(g), X(h)

void add_wgmma(Fragments& out) {
  add_wgmmas<SWZ_8(SWZ_F32_OF_F16, 8, 16, 24, 32, 40, 48, 56, 64)>(out);
  add_wgmmas<SWZ_8(SWZ_F32_OF_F16, 72, 80, 88, 96, 104, 112, 120, 128)>(out);
  add_wgmmas<SWZ_8(SWZ_F32_OF_F16, 136, 144, 152, 160, 168, 176, 184, 192)>(out);
  add_wgmmas<SWZ_8(SWZ_F32_OF_F16, 200, 208, 216, 224, 232, 240, 248, 256)>(out);

  using namespace SM90::GMMA;
  constexpr Major k = Major::K;
  add_wgmmas<MMA_64x8x16_F16F16F16_RS<k, k>, MMA_64x64x16_F16F16F16_RS<k, k>, MMA_64x248x16_F16F16F16_RS<k, k>,
             MMA_64x8x16_F32BF16BF16_RS<k, k>, MMA_64x64x16_F32BF16BF16_RS<k, k>, MMA_64x248x16_F32BF16BF16_RS<k, k>,
             MMA_64x8x8_F32TF32TF32_RS_TN<>, MMA_64x64x8_F32TF32TF32_RS_TN<>, MMA_64x248x8_F32TF32TF32_RS_TN<>>(out);
  add_wgmmas<MMA_64x8x32_F32E4M3E4M3_RS_TN<>, MMA_64x64x32_F32E4M3E4M3_RS_TN<>, MMA_64x248x32_F32E4M3E4M3_RS_TN<>,
             MMA_64x8x32_F16E4M3E5M2_RS_TN<>, MMA_64x64x32_F16E4M3E5M2_RS_TN<>, MMA_64x248x32_F16E4M3E5M2_RS_TN<>,
             MMA_64x8x32_F32E5M2E4M3_RS_TN<>, MMA_64x64x32_F32E5M2E4M3_RS_TN<>, MMA_64x248x32_F32E5M2E4M3_RS_TN<>,
             MMA_64x8x32_F16E5M2E5M2_RS_TN<>, MMA_64x64x32_F16E5M2E5M2_RS_TN<>, MMA_64x248x32_F16E5M2E5M2_RS_TN<>>(out);
  add_wgmmas<MMA_64x8x32_S32S8S8_RS_TN, MMA_64x24x32_S32S8S8_RS_TN, MMA_64x48x32_S32S8S8_RS_TN,
             MMA_64x64x32_S32S8U8_RS_TN, MMA_64x240x32_S32S8U8_RS_TN, MMA_64x8x32_S32U8S8_RS_TN,
             MMA_64x24x32_S32U8S8_RS_TN, MMA_64x48x32_S32U8U8_RS_TN, MMA_64x240x32_S32U8U8_RS_TN>(out);
}

template <class Op>
void add_load(const char* name, std::vector<CuteCopy>& out) {
  using Traits = Copy_Traits<Op>;
  out.push_back({name, table(typename Traits::DstLayout{}), table(typename Traits::SrcLayout{})});
}
template <class Op>
void add_store(const char* name, std::vector<CuteCopy>& out) {
  using Traits = Copy_Traits<Op>;
  out.push_back({name, table(typename Traits::SrcLayout{}), table(typename Traits::DstLayout{})});
}

}  // namespace

std::vector<swz::CuteFragment> swz::cute_fragments() {
  Fragments out;
  add_quad_pairs(out);
  add_mmas<SM75_16x8x8_F32F16F16F32_TN, SM75_8x8x16_S32S8S8S32_TN>(out);
  add_mmas<SM80_16x8x8_F16F16F16F16_TN, SM80_16x8x16_F16F16F16F16_TN, SM80_16x8x8_F32F16F16F32_TN,
           SM80_16x8x16_F32F16F16F32_TN, SM80_16x8x8_F32BF16BF16F32_TN, SM80_16x8x16_F32BF16BF16F32_TN,
           SM80_16x8x4_F32TF32TF32F32_TN, SM80_16x8x8_F32TF32TF32F32_TN, SM80_8x8x4_F64F64F64F64_TN>(out);
  add_mmas<SM80_8x8x16_S32S8S8S32_TN, SM80_16x8x16_S32S8S8S32_TN, SM80_16x8x32_S32S8S8S32_TN, SM80_8x8x16_S32S8U8S32_TN,
           SM80_16x8x16_S32S8U8S32_TN, SM80_16x8x32_S32S8U8S32_TN, SM80_8x8x16_S32U8S8S32_TN,
           SM80_16x8x16_S32U8S8S32_TN, SM80_16x8x32_S32U8S8S32_TN, SM80_8x8x16_S32U8U8S32_TN,
           SM80_16x8x16_S32U8U8S32_TN, SM80_16x8x32_S32U8U8S32_TN>(out);
  add_mmas<SM80_8x8x32_S32S4S4S32_TN, SM80_16x8x32_S32S4S4S32_TN, SM80_16x8x64_S32S4S4S32_TN, SM80_8x8x32_S32S4U4S32_TN,
           SM80_16x8x32_S32S4U4S32_TN, SM80_16x8x64_S32S4U4S32_TN, SM80_8x8x32_S32U4S4S32_TN,
           SM80_16x8x32_S32U4S4S32_TN, SM80_16x8x64_S32U4S4S32_TN, SM80_8x8x32_S32U4U4S32_TN,
           SM80_16x8x32_S32U4U4S32_TN, SM80_16x8x64_S32U4U4S32_TN>(out);
  add_mmas<SM80_8x8x128_S32U1U1S32_TN_XORPOPC, SM80_16x8x128_S32U1U1S32_TN_XORPOPC, SM80_16x8x256_S32U1U1S32_TN_XORPOPC,
           SM80_8x8x128_S32U1U1S32_TN_ANDPOPC, SM80_16x8x128_S32U1U1S32_TN_ANDPOPC,
           SM80_16x8x256_S32U1U1S32_TN_ANDPOPC>(out);
  add_mmas<SM89_16x8x32_F32E4M3E4M3F32_TN, SM89_16x8x32_F32E4M3E5M2F32_TN, SM89_16x8x32_F32E5M2E5M2F32_TN,
           SM89_16x8x32_F32E5M2E4M3F32_TN, SM89_16x8x32_F16E4M3E4M3F16_TN, SM89_16x8x32_F16E4M3E5M2F16_TN,
           SM89_16x8x32_F16E5M2E5M2F16_TN, SM89_16x8x32_F16E5M2E4M3F16_TN>(out);
  add_mmas<SM90_16x8x4_F64F64F64F64_TN, SM90_16x8x8_F64F64F64F64_TN, SM90_16x8x16_F64F64F64F64_TN>(out);
  // CuTe calls the types of these uint8_t and uint4_t.
  add_slots<float_e2m1_t, float_e2m3_t, float_e3m2_t, float_e4m3_t, float_e5m2_t>(out);
  using Packed = SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue8m0_t, 32>;
  add_mma<Packed>(out, "e2m1", "e2m1");
  add_wgmma(out);
  return out;
}

std::vector<swz::CuteCopy> swz::cute_copies() {
  std::vector<CuteCopy> out;
  add_load<SM75_U32x1_LDSM_N>("ldmatrix.x1", out);
  add_load<SM75_U32x2_LDSM_N>("ldmatrix.x2", out);
  add_load<SM75_U32x4_LDSM_N>("ldmatrix.x4", out);
  add_load<SM75_U16x2_LDSM_T>("ldmatrix.x1.trans", out);
  add_load<SM75_U16x4_LDSM_T>("ldmatrix.x2.trans", out);
  add_load<SM75_U16x8_LDSM_T>("ldmatrix.x4.trans", out);
  add_load<SM75_U32x1_MOVM_T>("movmatrix.trans", out);
  add_load<SM100_U8x8_LDSM_T>("ldmatrix.m16n16.x1.trans.b8", out);
  add_load<SM100_U8x16_LDSM_T>("ldmatrix.m16n16.x2.trans.b8", out);
  add_load<SM100_SU4_DU8x16_x1_LDSM_N>("ldmatrix.m8n16.x1.b8x16.b4x16_p64", out);
  add_load<SM100_SU4_DU8x16_x2_LDSM_N>("ldmatrix.m8n16.x2.b8x16.b4x16_p64", out);
  add_load<SM100_SU4_DU8x16_x4_LDSM_N>("ldmatrix.m8n16.x4.b8x16.b4x16_p64", out);
  add_load<SM100_SU6_DU8x16_x1_LDSM_N>("ldmatrix.m8n16.x1.b8x16.b6x16_p32", out);
  add_load<SM100_SU6_DU8x16_x2_LDSM_N>("ldmatrix.m8n16.x2.b8x16.b6x16_p32", out);
  add_load<SM100_SU6_DU8x16_x4_LDSM_N>("ldmatrix.m8n16.x4.b8x16.b6x16_p32", out);
  add_store<SM90_U32x1_STSM_N>("stmatrix.x1", out);
  add_store<SM90_U32x2_STSM_N>("stmatrix.x2", out);
  add_store<SM90_U32x4_STSM_N>("stmatrix.x4", out);
  add_store<SM90_U16x2_STSM_T>("stmatrix.x1.trans", out);
  add_store<SM90_U16x4_STSM_T>("stmatrix.x2.trans", out);
  add_store<SM90_U16x8_STSM_T>("stmatrix.x4.trans", out);
  add_store<SM100_U8x4_STSM_T>("stmatrix.m16n8.x1.trans.b8", out);
  add_store<SM100_U8x8_STSM_T>("stmatrix.m16n8.x2.trans.b8", out);
  add_store<SM100_U8x16_STSM_T>("stmatrix.m16n8.x4.trans.b8", out);
  return out;
}
