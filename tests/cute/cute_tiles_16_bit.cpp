// SPDX-License-Identifier: Apache-2.0
#include "cute_tile.hpp"

swz::CuteTiles swz::cute_tiles_16_bit() {
  using namespace cute::UMMA;
  using cute::bfloat16_t, cute::half_t;
  CuteTiles out;
  add_k_major<half_t, Ask::both>({{"f16"}}, out);
  add_mn_major<half_t, Ask::both>({{"f16"}}, out);
  add_k_major_sample<bfloat16_t, Ask::both>({{"bf16"}}, out);
  add_mn_major_sample<bfloat16_t, Ask::both>({{"bf16"}}, out);

  const TypeNames f16{{"f16"}};
  TileOf<half_t, Layout_MN_SW128_32B_Atom<half_t>, Major::MN, Ask::umma>("128B_32B", f16, out).cut<4, Cut<128, 64>>();
  // 24 rows from row 48 on lie in two atoms.
  TileOf<half_t, Layout_MN_SW128_Atom<half_t>, Major::MN, Ask::both>("128B", f16, out).cut<1, Cut<192, 24>>();
  return out;
}
