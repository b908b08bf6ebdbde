// The 128 bytes of a CUtensorMap as data: which field lies where in its 16 little-endian 64-bit words.
//
//   bf16, dims (4096, 8192), stride 8192 B, box (64, 128), 128B:
//     stride 0 is 512 units of 16 B: bits 32-63 of word 1;  box 0 is stored as 63: bits 56-63 of word 6
//
// Dimension, box, element stride and rank are stored less one. Fields of entries beyond the rank are 0. The last
// two are computed by the driver from the others.
//
// Invariant (tested): fields and reserved ranges cover each of the 1024 bits exactly once.
// Source: H200, driver 580.159: 15,091 of 15,091 accepted maps, bit for bit. NVIDIA documents none of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bit_field.hpp"
#include "base/finding.hpp"

namespace swz {

// clang-format off
enum class TensorMapField {
  global_address, rank, data_type, interleave, swizzle, oob_fill, tf32_rounding, l2_promotion,
  stride_low,   // bits 4 to 35 of a stride
  stride_high,  // bits 36 to 39
  dim, element_stride, box,
  box_bytes,        // element size times the product of floor(box / element stride)
  swizzle_pattern,  // 16, 256, 512 or 1024
};
// clang-format on

struct TensorMapFieldRow {
  TensorMapField id;
  int index;  // of the dimension or stride; 0 for the others
  int word;
  BitField bits;
};

struct TensorMapReservedRow {
  int word;
  BitField bits;
  std::string_view if_set;  // what is known of a 1 there; may be empty
};

inline constexpr int tensor_map_words = 16;
inline constexpr int tensor_map_max_rank = 5;
inline constexpr Source tensor_map_source{"H200, driver 580.159: 15,091 of 15,091 accepted maps",
                                          Evidence::measured};

// clang-format off
inline constexpr TensorMapFieldRow tensor_map_fields[] = {
    {TensorMapField::global_address, 0, 0, {0, 57}},
    {TensorMapField::rank, 0, 1, {4, 3}},
    {TensorMapField::data_type, 0, 1, {7, 4}},
    {TensorMapField::interleave, 0, 1, {11, 2}},
    {TensorMapField::swizzle, 0, 1, {13, 2}},
    {TensorMapField::oob_fill, 0, 1, {15, 1}},
    {TensorMapField::tf32_rounding, 0, 1, {16, 1}},
    {TensorMapField::l2_promotion, 0, 1, {17, 2}},
    {TensorMapField::stride_low, 0, 1, {32, 32}},
    {TensorMapField::stride_low, 1, 2, {0, 32}},
    {TensorMapField::stride_low, 2, 2, {32, 32}},
    {TensorMapField::stride_low, 3, 3, {0, 32}},
    {TensorMapField::stride_high, 0, 3, {32, 4}},
    {TensorMapField::stride_high, 1, 3, {36, 4}},
    {TensorMapField::stride_high, 2, 3, {40, 4}},
    {TensorMapField::stride_high, 3, 3, {44, 4}},
    {TensorMapField::dim, 0, 4, {0, 32}},
    {TensorMapField::dim, 1, 4, {32, 32}},
    {TensorMapField::dim, 2, 5, {0, 32}},
    {TensorMapField::dim, 3, 5, {32, 32}},
    {TensorMapField::dim, 4, 6, {0, 32}},
    {TensorMapField::element_stride, 0, 6, {32, 3}},
    {TensorMapField::element_stride, 1, 6, {35, 3}},
    {TensorMapField::element_stride, 2, 6, {38, 3}},
    {TensorMapField::element_stride, 3, 6, {41, 3}},
    {TensorMapField::element_stride, 4, 6, {44, 3}},
    {TensorMapField::box, 0, 6, {56, 8}},
    {TensorMapField::box, 1, 7, {0, 8}},
    {TensorMapField::box, 2, 7, {8, 8}},
    {TensorMapField::box, 3, 7, {16, 8}},
    {TensorMapField::box, 4, 7, {24, 8}},
    {TensorMapField::box_bytes, 0, 8, {0, 64}},
    {TensorMapField::swizzle_pattern, 0, 9, {0, 64}},
};

inline constexpr TensorMapReservedRow tensor_map_reserved[] = {
    {0, {57, 7}, "a global address has 57 bits"},
    {1, {0, 4}, ""},
    {1, {19, 13}, "CuTe clears bit 21 of this word after encoding, for drivers up to 13.1 and tensors below 131,072 B"},
    {3, {48, 16}, ""},
    {6, {47, 9}, ""},
    {7, {32, 32}, ""},
    {10, {0, 64}, ""},
    {11, {0, 64}, ""},
    {12, {0, 64}, ""},
    {13, {0, 64}, ""},
    {14, {0, 64}, ""},
    {15, {0, 64}, ""},
};
// clang-format on

}  // namespace swz
