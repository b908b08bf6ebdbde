// SPDX-License-Identifier: Apache-2.0
// Copy_Traits of tcgen05.ld and tcgen05.st, every bit of every register, and of tcgen05.cp (UTCCP), every bit.
#include <cute/atom/copy_traits_sm100.hpp>
#include <cute/tensor.hpp>

#include "tensor_memory.hpp"

namespace {

using namespace cute;
using swz::CuteTmemAccess, swz::CuteTmemCopy;

// ValID: bit of the window -> place. Registers: (thread, bit of its registers) -> bit of the window.
template <class ValID, class Registers>
swz::TmemBits places() {
  swz::TmemBits out;
  for (int bit = 0; bit < int(size<1>(Registers{})); ++bit)
    for (int thread = 0; thread < 32; ++thread)
      out.push_back(std::uint32_t(int(ValID{}(int(Registers{}(thread, bit))))));
  return out;
}

template <class Load, class Store>
void add_access(const char* shape, int number, bool packs, std::vector<CuteTmemAccess>& out) {
  using L = Copy_Traits<Load>;
  using S = Copy_Traits<Store>;
  out.push_back({shape, number, false, packs, places<typename L::ValID, typename L::DstLayout>()});
  out.push_back({shape, number, true, packs, places<typename S::ValID, typename S::SrcLayout>()});
}

#define SWZ_ACCESS(shape, cute, number)                                                                         \
  add_access<SM100_TMEM_LOAD_##cute##number##x, SM100_TMEM_STORE_##cute##number##x>(shape, number, false, out); \
  add_access<SM100_TMEM_LOAD_##cute##number##x_16b, SM100_TMEM_STORE_##cute##number##x_16b>(shape, number, true, out)
#define SWZ_ACCESS_TO_32(shape, cute) \
  SWZ_ACCESS(shape, cute, 1);         \
  SWZ_ACCESS(shape, cute, 2);         \
  SWZ_ACCESS(shape, cute, 4);         \
  SWZ_ACCESS(shape, cute, 8);         \
  SWZ_ACCESS(shape, cute, 16);        \
  SWZ_ACCESS(shape, cute, 32)

// Rows, bits of a row, and as often again as SMEM rows lie in runs: the first modes of ValID say how the bits of the
// source count: row of the run, bit of the row, run. 4x256b counts the lane that a row goes to, 32 apart.
template <class Op>
void add_copy(const char* name, int rows, int bits, int run, int row_step, std::vector<CuteTmemCopy>& out) {
  using Traits = Copy_Traits<Op>;
  const int ctas = int(size(typename Traits::ThrID{}));
  for (int cta = 0; cta < ctas; ++cta) {
    CuteTmemCopy c{name, rows, bits, ctas, cta, {}};
    for (int i = 0; i < int(size<1>(typename Traits::SrcLayout{})); ++i) {
      const int source = int(typename Traits::SrcLayout{}(cta, i)), goal = int(typename Traits::DstLayout{}(cta, i));
      const int counted = source % (run * row_step), bit = source / (run * row_step) % bits;
      const int row = counted / row_step + run * (source / (run * row_step * bits));
      c.moves.emplace_back(row * bits + bit, std::uint32_t(int(typename Traits::ValID{}(goal))));
    }
    out.push_back(c);
  }
}

#define SWZ_COPY(name, cute, rows, bits, run, row_step)                      \
  add_copy<SM100_UTCCP_##cute##_1cta>(name, rows, bits, run, row_step, out); \
  add_copy<SM100_UTCCP_##cute##_2cta>(name, rows, bits, run, row_step, out)

}  // namespace

std::vector<CuteTmemAccess> swz::cute_tmem_accesses() {
  std::vector<CuteTmemAccess> out;
  SWZ_ACCESS_TO_32("32x32b", 32dp32b);
  SWZ_ACCESS("32x32b", 32dp32b, 64);
  SWZ_ACCESS("32x32b", 32dp32b, 128);
  SWZ_ACCESS_TO_32("16x64b", 16dp64b);
  SWZ_ACCESS("16x64b", 16dp64b, 64);
  SWZ_ACCESS("16x64b", 16dp64b, 128);
  SWZ_ACCESS_TO_32("16x128b", 16dp128b);
  SWZ_ACCESS("16x128b", 16dp128b, 64);
  SWZ_ACCESS_TO_32("16x256b", 16dp256b);
  SWZ_ACCESS_TO_32("16x32bx2", 16dp32b);
  SWZ_ACCESS("16x32bx2", 16dp32b, 64);
  SWZ_ACCESS("16x32bx2", 16dp32b, 128);
  return out;
}

std::vector<CuteTmemCopy> swz::cute_tmem_copies() {
  std::vector<CuteTmemCopy> out;
  SWZ_COPY("128x256b", 128dp256bit, 128, 256, 128, 1);
  SWZ_COPY("128x128b", 128dp128bit, 128, 128, 128, 1);
  SWZ_COPY("4x256b", 4dp256bit, 4, 256, 4, 32);
  SWZ_COPY("64x128b.warpx2::02_13", 2x64dp128bitlw0213, 64, 128, 64, 1);
  SWZ_COPY("64x128b.warpx2::01_23", 2x64dp128bitlw0123, 64, 128, 32, 1);
  SWZ_COPY("32x128b.warpx4", 4x32dp128bit, 32, 128, 32, 1);
  return out;
}
