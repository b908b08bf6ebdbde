// SPDX-License-Identifier: Apache-2.0
// The fragments of D and of A in tensor memory: UMMA::tmem_frg_1sm, tmem_frg_2sm and tmem_frg_ws of the MMA traits.
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/tensor.hpp>

#include "bit_address.hpp"
#include "tensor_memory.hpp"

namespace {

using namespace cute;
using swz::CuteTmemMatrices, swz::CuteTmemMatrix;
using UMMA::Major, UMMA::TmemAllocMode;

// `f` for N = step, 2 step, … 256.
template <int step, class F>
void for_each_n(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(Int<(i + 1) * step>{}), ...); }
  (std::make_integer_sequence<int, 256 / step>{});
}

// Every element of a fragment of `rows` x `columns` for each MMA along K; CuTe gives it `copies` times so many.
template <class Fragment, int rows, int copies, int columns, int mmas>
swz::TmemBits places() {
  const auto tensor = Fragment::make(Shape<Shape<Int<rows>, Int<columns>>, _1, Int<mmas>>{});
  swz::TmemBits out;
  for (int mma = 0; mma < mmas; ++mma)
    for (int i = 0; i < rows * copies * columns; ++i)
      out.push_back(swz::bit_address(tensor.data() + tensor.layout()(i, 0, mma)));
  return out;
}

template <class Fragment, int m, int cta_group, int n>
void add_d(const char* name, const char* dtype, bool is_ws, CuteTmemMatrices& out) {
  constexpr int rows = m / cta_group;
  out.push_back({name, dtype, m, cta_group, is_ws, rows, 1, n, 1, places<Fragment, rows, 1, n, 1>()});
}

// The types of C that MMAs have: 32 bits for each element of any width.
template <class T>
void add_all_d(const char* dtype, CuteTmemMatrices& out) {
  for_each_n<8>([&]<int n>(Int<n>) { add_d<UMMA::tmem_frg_1sm<T>, 64, 1, n>("1sm", dtype, false, out); });
  for_each_n<16>([&]<int n>(Int<n>) {
    add_d<UMMA::tmem_frg_1sm<T>, 128, 1, n>("1sm", dtype, false, out);
    add_d<UMMA::tmem_frg_2sm<T>, 128, 2, n>("2sm", dtype, false, out);
    add_d<UMMA::tmem_frg_2sm<T>, 256, 2, n>("2sm", dtype, false, out);
  });
  const auto add_ws = [&]<int n>(Int<n>) {
    add_d<UMMA::tmem_frg_ws_1sm<T>, 32, 1, n>("ws", dtype, true, out);
    add_d<UMMA::tmem_frg_ws_1sm<T>, 64, 1, n>("ws", dtype, true, out);
    add_d<UMMA::tmem_frg_ws_1sm<T>, 128, 1, n>("ws", dtype, true, out);
  };
  add_ws(_64{});
  add_ws(_128{});
  add_ws(_256{});
}

template <class Op, int m, int cta_group, int n>
void add_d_of(const char* name, CuteTmemMatrices& out) {
  add_d<typename MMA_Traits<Op>::FrgTypeC, m, cta_group, n>(name, "f32", false, out);
}

// A of an MMA with four steps of K. The fragment of two copies is one of twice the rows.
template <class Op, int m, int cta_group, int copies = 1>
void add_a(const char* dtype, CuteTmemMatrices& out) {
  using Traits = MMA_Traits<Op>;
  constexpr int k = get<2>(typename Traits::Shape_MNK{}), rows = m / cta_group;
  out.push_back(
      {"TS", dtype, m, cta_group, false, rows, copies, k, 4, places<typename Traits::FrgTypeA, rows, copies, k, 4>()});
}

#define SWZ_ADD_A(op, A, D, dtype)                                                               \
  add_a<SM100_MMA_##op##_TS<A, A, D, 64, 64, Major::K, Major::K>, 64, 1>(dtype, out);            \
  add_a<SM100_MMA_##op##_TS<A, A, D, 128, 64, Major::K, Major::K>, 128, 1>(dtype, out);          \
  add_a<SM100_MMA_##op##_2x1SM_TS<A, A, D, 128, 64, Major::K, Major::K>, 128, 2, 2>(dtype, out); \
  add_a<SM100_MMA_##op##_2x1SM_TS<A, A, D, 256, 64, Major::K, Major::K>, 256, 2>(dtype, out)

}  // namespace

swz::CuteTmemMatrices swz::cute_accumulators() {
  CuteTmemMatrices out;
  add_all_d<float>("f32", out);
  add_all_d<half_t>("f16", out);
  constexpr Major k = Major::K;
  // What the traits of an MMA take, one of each sort.
  add_d_of<SM100_MMA_F16BF16_SS<half_t, half_t, float, 64, 128, k, k>, 64, 1, 128>("SS", out);
  add_d_of<SM100_MMA_F16BF16_TS<half_t, half_t, float, 64, 128, k, k>, 64, 1, 128>("TS", out);
  add_d_of<SM100_MMA_F16BF16_SS_SPARSE<half_t, half_t, float, 128, 128, k, k>, 128, 1, 128>("SS_SPARSE", out);
  add_d_of<SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, k, k>, 256, 2, 128>("2x1SM_SS", out);
  add_d_of<SM100_MMA_F16BF16_2x1SM_TS<half_t, half_t, float, 128, 128, k, k>, 128, 2, 128>("2x1SM_TS", out);
  add_d_of<SM100_MMA_F16BF16_2x1SM_SS_SPARSE<half_t, half_t, float, 256, 128, k, k>, 256, 2, 128>("2x1SM_SS_SPARSE",
                                                                                                  out);
  add_d_of<SM100_MMA_F16BF16_2x1SM_SS_SPARSE<half_t, half_t, float, 128, 128, k, k>, 128, 2, 128>("2x1SM_SS_SPARSE",
                                                                                                  out);
  return out;
}

swz::CuteTmemMatrices swz::cute_operands_a() {
  CuteTmemMatrices out;
  SWZ_ADD_A(TF32, tfloat32_t, float, "tf32");
  SWZ_ADD_A(F16BF16, half_t, float, "f16");
  SWZ_ADD_A(F16BF16, bfloat16_t, float, "bf16");
  SWZ_ADD_A(S8, std::int8_t, std::int32_t, "s8");
  SWZ_ADD_A(F8F6F4, float_e4m3_t, float, "e4m3");
  SWZ_ADD_A(F8F6F4, float_e2m1_t, float, "e2m1");
  return out;
}
