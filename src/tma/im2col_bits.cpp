// SPDX-License-Identifier: Apache-2.0
#include "tma/im2col_bits.hpp"

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int corner_bits(int rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }

std::uint64_t packed(const std::array<std::int64_t, 3>& corner, int count, int bits) {
  std::uint64_t out = 0;
  for (int i = 0; i < count; ++i)
    out |= (static_cast<std::uint64_t>(corner[static_cast<std::size_t>(i)]) & ((1U << bits) - 1)) << (bits * i);
  return out;
}

}  // namespace

EncodedTensorMap encode_im2col(const Im2colMap& map) {
  if (map.wide)
    throw Error("the 128 bytes of cuTensorMapEncodeIm2colWide are not known",
                "it needs Blackwell and was not measured");
  TensorMap tiled = map.tensor;
  tiled.box = {map.channels_per_pixel, 1, 1, 1, 1};
  EncodedTensorMap out = encode(tiled);
  const int count = map.corner_count(), bits = corner_bits(map.tensor.rank);
  out.words[1] |= 1;
  out.words[7] = packed(map.lower_corner, count, bits) | packed(map.upper_corner, count, bits) << 16 |
                 (map.pixels_per_column - 1) << 32;
  const auto size = static_cast<std::uint64_t>(find_row(map.tensor.data_type)->smem_bits / 8);
  out.words[8] = size * map.channels_per_pixel * map.pixels_per_column;
  return out;
}

}  // namespace swz
