// SPDX-License-Identifier: Apache-2.0
// The enums of cuTensorMapEncodeTiled as tables: the driver's name and value, the short name, the code inside the 128
// bytes and, for data types, the code of tensormap.replace. The three numbers differ:
//
//   FLOAT64    driver enum 8    in the 128 bytes 9     tensormap.replace 9
//   BFLOAT16   driver enum 9    in the 128 bytes 10    tensormap.replace 10
//   TFLOAT32   driver enum 11   in the 128 bytes 7 and the TF32 bit     tensormap.replace 11
//
// An enum here has the driver's values. A number that names no enumerator is also a value, because a dump may contain
// one; find_row() is then null.
//
// The 128 bytes of a CUtensorMap: where each field is in its 16 little-endian 64-bit words.
//
//   bf16, dims (4096, 8192), stride 8192 B, box (64, 128), 128B:
//     stride 0 is 512 units of 16 B: bits 32-63 of word 1;  box 0 is stored as 63: bits 56-63 of word 6
//
// Dimension, box, element stride and rank are stored less one. Fields of entries beyond the rank are 0. The driver
// computes the last two fields from the others.
//
// Invariants (tested): row i of an enum has the value i; names are unique; the rows agree with arch/dtype and
// arch/swizzle_mode if those name a tensor map; fields and reserved ranges cover each of the 1024 bits exactly once.
// Source: cuda.h of CUDA 13.0 for names and values, PTX ISA 9.1, 9.7.9.28 table 33 for tensormap.replace. H200, driver
// 580.159, for the 128 bytes: 15,091 of 15,091 accepted maps, bit for bit. NVIDIA does not document them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bit_field.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"

namespace swz {

// clang-format off
enum class TensorMapDataType : int {
  uint8, uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16,
  float32_ftz, tfloat32, tfloat32_ftz, u4_align8, u4_align16, u6_align16,
};
// clang-format on
enum class TensorMapInterleave : int { none, bytes_16, bytes_32 };
// b96 is no value of the driver: only tensormap.replace makes it, where its swizzle_mode is 4.
enum class TensorMapSwizzle : int { none, b32, b64, b128, b128_atom_32, b128_atom_32_flip_8, b128_atom_64, b96 = 96 };
enum class TensorMapL2Promotion : int { none, b64, b128, b256 };
enum class TensorMapOobFill : int { zero, nan };

struct TensorMapDataTypeRow {
  TensorMapDataType value;
  std::string_view name;        // after CU_TENSOR_MAP_DATA_TYPE_
  std::string_view short_name;  // as in tensormap.replace, "bf16"
  std::optional<int> code;      // in the 128 bytes; none if never seen
  bool rounds_to_tf32 = false;  // the TF32 bit is set in addition to the code
  int replace_code = 0;
  int gmem_bits = 0, smem_bits = 0;  // one element; they differ for types that are padded in shared memory
  bool is_floating = false;          // may be filled with NaN
  bool is_on_sm_90 = true;
  Source source;  // source of the code if it has one, otherwise of the type

  constexpr bool is_packed() const { return gmem_bits < 8; }
  // 16 values take 16 bytes of shared memory, including a gap.
  constexpr bool is_padded() const { return gmem_bits != smem_bits; }
};

struct TensorMapSwizzleRow {
  TensorMapSwizzle value;
  std::string_view name;              // after CU_TENSOR_MAP_SWIZZLE_
  std::string_view short_name;        // "none"; the others are the driver's
  std::optional<int> code;            // in the 128 bytes; none if never seen
  Bytes span;                         // the widest row of a box; 0 for no limit
  int bits = 0, base = 4, shift = 3;  // CuTe's Swizzle on absolute byte addresses
  bool flips_halves = false;          // also swaps the 8-byte halves of chunks, in lines that no document names
  bool is_on_sm_90 = true;
  Source source;

  // The address at which the byte of a linear shared-memory address is stored. Valid only if flips_halves is false.
  constexpr std::int64_t byte(std::int64_t lin) const {
    return lin ^ (((lin >> (base + shift)) & ((1 << bits) - 1)) << base);
  }
  // The period of the XOR in bytes: it depends on the address modulo this.
  constexpr Bytes pattern() const { return bits == 0 ? chunk : Bytes{std::int64_t{1} << (base + shift + bits)}; }
};

// Interleave, L2 promotion, OOB fill: the code in the 128 bytes is the driver's value.
struct TensorMapOptionRow {
  int value = 0;
  std::string_view name;        // after the prefix of its enum
  std::string_view short_name;  // "nan"
};

std::span<const TensorMapDataTypeRow> tensor_map_data_types();
std::span<const TensorMapSwizzleRow> tensor_map_swizzles();  // of the driver
const TensorMapSwizzleRow& swizzle_96();
inline constexpr Source swizzle_96_source{"PTX ISA 9.4, 9.7.10.28 and 5.5.7; ptxas 13.5.37 for the targets"};

// The row of a value, or null if the number names no enumerator.
const TensorMapDataTypeRow* find_row(TensorMapDataType value);
const TensorMapSwizzleRow* find_row(TensorMapSwizzle value);
const TensorMapOptionRow* find_row(TensorMapInterleave value);
const TensorMapOptionRow* find_row(TensorMapL2Promotion value);
const TensorMapOptionRow* find_row(TensorMapOobFill value);

// The name in the driver's header, "CU_TENSOR_MAP_SWIZZLE_128B", or the number if it names no enumerator.
std::string driver_name(TensorMapDataType value);
std::string driver_name(TensorMapSwizzle value);
std::string driver_name(TensorMapInterleave value);
std::string driver_name(TensorMapL2Promotion value);
std::string driver_name(TensorMapOobFill value);

// The name in options and JSON, "bf16", "128B", "none", or the number if it names no enumerator.
std::string short_name(TensorMapDataType value);
std::string short_name(TensorMapSwizzle value);
std::string short_name(TensorMapInterleave value);
std::string short_name(TensorMapL2Promotion value);
std::string short_name(TensorMapOobFill value);

// The value with the driver's name, with or without CU_TENSOR_MAP_…, with the short name, or with a name of arch/dtype
// ("half", "e4m3"), in any case; or the number of the driver's enum, even one that names no enumerator. Throws Error
// with the nearest name and the list.
TensorMapDataType require_tensor_map_data_type(std::string_view name);
// Also accepts a name of arch/swizzle_mode ("SW128").
TensorMapSwizzle require_tensor_map_swizzle(std::string_view name);
TensorMapInterleave require_tensor_map_interleave(std::string_view name);
TensorMapL2Promotion require_tensor_map_l2_promotion(std::string_view name);
TensorMapOobFill require_tensor_map_oob_fill(std::string_view name);

// ---- the 128 bytes

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
  std::string_view name;  // "globalDim[{}]" of index 2 is "globalDim[2]"
  int count;              // entries of the list that it belongs to; 1 if it is not in a list
  int word;
  BitField bits;
  int index = 0;  // in the list
};

struct TensorMapReservedRow {
  int word;
  BitField bits;
  std::string_view if_set;  // what is known about a 1 there; may be empty
};

inline constexpr int tensor_map_words = 16;
inline constexpr int tensor_map_max_rank = 5;
inline constexpr Source tensor_map_source{"H200, driver 580.159: 15,091 of 15,091 accepted maps", Evidence::measured};

// The fields in the order of their bits, entry by entry: the entries of a list follow each other without a gap.
std::vector<TensorMapFieldRow> tensor_map_fields();
std::span<const TensorMapReservedRow> tensor_map_reserved();

}  // namespace swz
