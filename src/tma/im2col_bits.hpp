// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of an im2col map, as cuTensorMapEncodeIm2col writes them.
//
//   f16 (64, 4, 4, 1), lower (-1, -1), upper (-1, -1), 64 channels, 16 pixels
//     word 1 bit 0 = 1, boxDim[0] = channels - 1 = 63
//     word 7 = 0x0000000fffffffff: lower 0xffff (8 bits each of W and H), upper 0xffff, pixels - 1 = 15
//     word 8 = 2 * 64 * 16 = 2048
//
// All else is as in a tiled map. Corners have 16 bits of rank 3, 8 of rank 4, 5 of rank 5, W lowest.
//
// Invariant (tested): equal to what the driver wrote (tests/data/im2col_maps.txt).
// Source: H100, driver 580.159: 6,000 of 6,000 maps. Those of cuTensorMapEncodeIm2colWide are not known.
#pragma once

#include "tma/tensor_map.hpp"

namespace swz {

// Throws Error for a map of the wide call, and as encode does. The driver must accept the map.
EncodedTensorMap encode_im2col(const Im2colMap& map);

}  // namespace swz
