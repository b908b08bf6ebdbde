// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of an im2col map, as cuTensorMapEncodeIm2col writes them, and back.
//
//   f16 (64, 4, 4, 1), lower (-1, -1), upper (-1, -1), 64 channels, 16 pixels
//     word 1 bit 0 = 1, boxDim[0] = channels - 1 = 63
//     word 7 = 0x0000000fffffffff: lower 0xffff (8 bits each of W and H), upper 0xffff, pixels - 1 = 15
//     word 8 = 2 * 64 * 16 = 2048
//
// All else is as in a tiled map. Corners are signed and have 16 bits of rank 3, 8 of rank 4, 5 of rank 5, W lowest.
//
// Invariants (tested): equal to what the driver wrote (tests/data/im2col_maps.txt); decode_im2col inverts encode_im2col
// on every map that the driver accepts, and never throws.
// Source: H100, driver 580.159: 6,000 of 6,000 maps. Those of cuTensorMapEncodeIm2colWide are not known.
#pragma once

#include "tma/tensor_map.hpp"

namespace swz {

inline constexpr Source im2col_map_source{"H100, driver 580.159: 6,000 of 6,000 accepted maps", Evidence::measured};

// What an im2col map has in place of a tiled map's box: "pixelBoxLowerCorner[0]" in bits 0-7 of word 7.
struct Im2colField {
  std::string name;
  int word = 0;
  BitField bits;
};
// Those of a rank from 3 to 5, in the order of their bits; the bytes of a copy are word 8, as those of a box.
std::vector<Im2colField> im2col_fields(int rank);

// Throws Error for a map of the wide call, and as encode does. The driver must accept the map.
EncodedTensorMap encode_im2col(const Im2colMap& map);

// Bit 0 of word 1.
bool is_im2col(const EncodedTensorMap& encoded);

struct DecodedIm2colMap {
  std::optional<Im2colMap> map;  // none if the data type or the rank has a code that was never seen with im2col
  std::vector<TensorMapProblem> problems;
};
// If there are no problems, encode_im2col(*map) gives these words again.
DecodedIm2colMap decode_im2col(const EncodedTensorMap& encoded);

}  // namespace swz
