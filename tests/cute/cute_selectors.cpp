// SPDX-License-Identifier: Apache-2.0
// ss_smem_selector and sm100_smem_selector for the first 32 extents of every type, along K and along MN.
#include <device_launch_parameters.h>
#include <vector_types.h>

// What sm100_common.inl includes has code that calls these; nothing here runs it.
void __syncthreads();
#include <cutlass/gemm/collective/builders/sm100_common.inl>
#include <cutlass/gemm/collective/builders/sm90_common.inl>

#include "selectors.hpp"

cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return cudaErrorUnknown; }
cudaError_t cudaGetLastError() { return cudaErrorUnknown; }

namespace {

using cute::Int, cute::is_same_v;
using swz::CuteChoice;

template <class T, class Atom>
const char* name_of(Atom) {
  using namespace cute::UMMA;
  if (is_same_v<Atom, Layout_K_INTER_Atom<T>> || is_same_v<Atom, Layout_MN_INTER_Atom<T>>) return "none";
  if (is_same_v<Atom, Layout_K_SW32_Atom<T>> || is_same_v<Atom, Layout_MN_SW32_Atom<T>>) return "32B";
  if (is_same_v<Atom, Layout_K_SW64_Atom<T>> || is_same_v<Atom, Layout_MN_SW64_Atom<T>>) return "64B";
  if (is_same_v<Atom, Layout_K_SW128_Atom<T>> || is_same_v<Atom, Layout_MN_SW128_Atom<T>>) return "128B";
  if (is_same_v<Atom, Layout_MN_SW128_32B_Atom<T>>) return "128B_32B";
  return "";
}

template <class T, bool is_sm100, bool is_mn, int mn, int k>
const char* choice() {
  using namespace cutlass::gemm::collective::detail;
  constexpr auto sm90 = is_mn ? cute::GMMA::Major::MN : cute::GMMA::Major::K;
  constexpr auto sm100 = is_mn ? cute::UMMA::Major::MN : cute::UMMA::Major::K;
  if constexpr (is_sm100) return name_of<T>(sm100_smem_selector<sm100, T, Int<mn>, Int<k>>());
  else return name_of<T>(ss_smem_selector<sm90, T, Int<mn>, Int<k>>());
}

constexpr int other_extent = 32;  // so that 1024 of tf32 fit into shared memory

template <class T, bool is_sm100, bool is_mn>
void add(const char* dtype, bool in_slots, std::vector<CuteChoice>& out) {
  constexpr int bits = cute::sizeof_bits<T>::value;
  // Both selectors want multiples of 8 and of a chunk; sm100_smem_selector of whole MN_SW128_32B atoms of tf32.
  constexpr int unit = is_sm100 && is_mn && bits == 32 ? 32 : bits > 16 ? 8 : 128 / bits;
  const auto one = [&]<int extent>(Int<extent>) {
    constexpr int mn = is_mn ? extent : other_extent, k = is_mn ? other_extent : extent;
    out.push_back(
        {is_sm100 ? "sm_100a" : "sm_90a", dtype, in_slots, is_mn, mn, k, choice<T, is_sm100, is_mn, mn, k>()});
  };
  [&]<int... i>(std::integer_sequence<int, i...>) { (one(Int<(i + 1) * unit>{}), ...); }
  (std::make_integer_sequence<int, 32>{});
}

template <class T>
void add_sm100(const char* dtype, std::vector<CuteChoice>& out, bool in_slots = false) {
  add<T, true, false>(dtype, in_slots, out);
  add<T, true, true>(dtype, in_slots, out);
}

template <class T>
void add_both(const char* dtype, std::vector<CuteChoice>& out) {
  add<T, false, false>(dtype, false, out);
  add<T, false, true>(dtype, false, out);
  add_sm100<T>(dtype, out);
}

}  // namespace

std::vector<swz::CuteChoice> swz::cute_choices() {
  std::vector<CuteChoice> out;
  add_both<cute::half_t>("f16", out);
  add_both<cute::bfloat16_t>("bf16", out);
  add_both<cute::tfloat32_t>("tf32", out);
  add_both<cute::float_e4m3_t>("e4m3", out);
  add_both<cute::float_e5m2_t>("e5m2", out);
  add_both<std::int8_t>("s8", out);
  add_both<std::uint8_t>("u8", out);
  add_sm100<cute::float_e2m1_t>("e2m1", out);
  // CUTLASS allocates 4- and 6-bit operands of kind f8f6f4 as uint8_t.
  add_sm100<std::uint8_t>("e2m1", out, true);
  add_sm100<std::uint8_t>("e2m3", out, true);
  add_sm100<std::uint8_t>("e3m2", out, true);
  return out;
}
