// SPDX-License-Identifier: Apache-2.0
#include "cute_tile.hpp"

swz::CuteTiles swz::cute_tiles_8_bit() {
  using cute::float_e4m3_t, cute::float_e5m2_t;
  CuteTiles out;
  add_k_major<float_e4m3_t, Ask::both>({{"e4m3"}}, out);
  add_mn_major<float_e4m3_t, Ask::umma>({{"e4m3"}}, out);
  add_mn_major_sample<float_e4m3_t, Ask::gmma>({{"e4m3"}}, out);
  add_k_major_sample<float_e5m2_t, Ask::both>({{"e5m2"}}, out);
  add_mn_major_sample<float_e5m2_t, Ask::umma>({{"e5m2"}}, out);
  add_k_major_sample<std::int8_t, Ask::both>({{"s8"}}, out);
  add_mn_major_sample<std::int8_t, Ask::umma>({{"s8"}}, out);
  add_k_major_sample<std::uint8_t, Ask::both>({{"u8"}}, out);
  add_mn_major_sample<std::uint8_t, Ask::umma>({{"u8"}}, out);
  // CUTLASS allocates 4- and 6-bit operands of kind f8f6f4 as uint8_t.
  const TypeNames slots{{"e2m1", true}, {"e2m3", true}, {"e3m2", true}};
  add_k_major_sample<std::uint8_t, Ask::umma>(slots, out);
  add_mn_major_sample<std::uint8_t, Ask::umma>(slots, out);
  return out;
}
