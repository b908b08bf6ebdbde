// SPDX-License-Identifier: Apache-2.0
#include "cute_tile.hpp"

swz::CuteTiles swz::cute_tiles_other() {
  using namespace cute::UMMA;
  using cute::float_e2m1_t, cute::tfloat32_t, cute::uint1_t;
  CuteTiles out;
  add_k_major<tfloat32_t, Ask::both>({{"tf32"}}, out);
  const TileOf<tfloat32_t, Layout_MN_SW128_32B_Atom<tfloat32_t>, Major::MN, Ask::umma> tf32("128B_32B", {{"tf32"}},
                                                                                            out);
  tf32.cut<1, Cut<32, 32>, Cut<64, 8>, Cut<256, 256>>();
  tf32.cut<4, Cut<64, 16>, Cut<96, 32>, Cut<256, 128>>();
  add_mn_major_sample<tfloat32_t, Ask::both>({{"tf32"}}, out);
  add_k_major<float_e2m1_t, Ask::umma>({{"e2m1"}}, out);
  add_mn_major_sample<float_e2m1_t, Ask::umma>({{"e2m1"}}, out);
  add_k_major_sample<uint1_t, Ask::gmma>({{"b1"}}, out);
  return out;
}
