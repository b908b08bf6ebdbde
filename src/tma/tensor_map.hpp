// SPDX-License-Identifier: Apache-2.0
// TensorMap: the arguments of cuTensorMapEncodeTiled as a value, and the 128 bytes that the driver makes of them.
//
//   TensorMap{.data_type = bfloat16, .rank = 2, .dims = {4096, 8192}, .strides = {8192}, .box = {64, 128},
//             .swizzle = b128}
//     encode: word 1 = 0x0000020000006510 (rank 2, type 10, swizzle 3; stride 0 in units of 16 B = 512)
//             word 8 = 2 * 64 * 128 = 16384 bytes of a box, word 9 = 1024
//
// Dimension 0 is the contiguous one; strides[i] belongs to dimension i + 1 and counts bytes. Numbers are unsigned and
// have 64 bits, at least as wide as the driver's, so that the numbers of any dump can be stored and refused. Entries
// at or beyond the rank have no meaning: neither rules nor encode read them.
//
// Invariants (tested): encode and decode are inverses on everything that the driver accepts (tma/tensor_map_rules.hpp)
// and whose codes are known; decode never throws.
// Source: cuda.h of CUDA 13.0 for the arguments; H200 for the bytes (arch/tensor_map_enum.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/tensor_map_enum.hpp"
#include "base/units.hpp"

namespace swz {

struct TensorMap {
  TensorMapDataType data_type = TensorMapDataType::uint8;
  int rank = 0;
  std::uint64_t global_address = 0;
  std::array<std::uint64_t, 5> dims = {};     // elements
  std::array<std::uint64_t, 4> strides = {};  // bytes
  std::array<std::uint64_t, 5> box = {};      // elements
  std::array<std::uint64_t, 5> element_strides = {1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::none;
  TensorMapSwizzle swizzle = TensorMapSwizzle::none;
  TensorMapL2Promotion l2_promotion = TensorMapL2Promotion::none;
  TensorMapOobFill oob_fill = TensorMapOobFill::zero;

  bool operator==(const TensorMap&) const = default;

  // How many entries of the arrays have a meaning: at most 5 and 4, whatever the rank.
  int dim_count() const { return rank < 0 ? 0 : rank > tensor_map_max_rank ? tensor_map_max_rank : rank; }
  int stride_count() const { return dim_count() == 0 ? 0 : dim_count() - 1; }
};

// CUtensorMapIm2ColWideMode
enum class Im2colWideMode : int { w, w128 };

// The arguments of cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide, whose 128 bytes were never measured.
//
//   f16 images (N, H, W, C) = (8, 56, 56, 64), filter 3x3, padding 1:
//     dims (64, 56, 56, 8), strides (128, 7168, 401408), lower (-1, -1), upper (-1, -1), 64 channels, 128 pixels,
//     128B box along W: 56 + upper - lower = 56 places of the filter's first entry
//
// Entry i of a corner belongs to dimension i + 1, W first, as CuTe passes them and the H200 counts; cuda.h lists the
// offsets as {D, H, W}. With interleave the H200 checks entry i against dimension i. A box of pixels runs along
// dimension d from lower to dims[d] + upper, counted in 32 bits.
struct Im2colMap {
  TensorMap tensor;  // its box has no meaning
  std::array<std::int64_t, 3> lower_corner = {}, upper_corner = {};
  std::uint64_t channels_per_pixel = 0, pixels_per_column = 0;
  std::optional<Im2colWideMode> wide = {};  // for cuTensorMapEncodeIm2colWide, whose corners have only W

  bool operator==(const Im2colMap&) const = default;
  // The number of corner entries; 0 if im2col does not have this rank.
  int corner_count() const {
    if (tensor.rank < 3 || tensor.rank > tensor_map_max_rank) return 0;
    return wide ? 1 : tensor.rank - 2;
  }
};

// The same map with the entries beyond the rank as in TensorMap{}, which is what decode returns.
TensorMap without_unused_entries(const TensorMap& map);

// Bytes of the first dimension of the box in shared memory. The data type must be known, and box[0] at most 2^32.
Bytes inner_box_bytes(const TensorMap& map);
// The number that the driver checks against its limit and writes into the map: element size times the product of
// floor(box / element stride). The data type must be known, box and element strides within 1 … 256 and 1 … 8.
Bytes counted_box_bytes(const TensorMap& map);

// A CUtensorMap: its 16 words as `x/16gx` shows them; in memory they are little-endian.
struct EncodedTensorMap {
  std::array<std::uint64_t, tensor_map_words> words = {};
  bool operator==(const EncodedTensorMap&) const = default;
};
std::array<std::uint8_t, 128> to_bytes(const EncodedTensorMap& encoded);
EncodedTensorMap from_bytes(std::span<const std::uint8_t, 128> bytes);
// 256 hexadecimal digits, bytes in memory order.
std::string to_hex(const EncodedTensorMap& encoded);

// Every value must fit into its field, as the values of each accepted map do. Throws Error with the argument that does
// not fit, or whose code in the 128 bytes was never seen.
EncodedTensorMap encode(const TensorMap& map);

// Something that the driver would not have written.
struct TensorMapProblem {
  int word = 0;
  BitField bits;
  std::string message;
};

struct DecodedTensorMap {
  std::optional<TensorMap> map;  // none if the data type or the rank has a code that was never seen
  std::vector<TensorMapProblem> problems;
};

// If there are no problems, encode(*map) gives these words again.
DecodedTensorMap decode(const EncodedTensorMap& encoded);

// "globalDim[2]"
std::string field_name(const TensorMapFieldRow& row);

// Reads the usual text forms: 256 hexadecimal digits, or what a debugger printed.
//
//   parse_tensor_map("0000…1065…")                          bytes in memory order, with or without blanks
//   parse_tensor_map("0x7f…00:\t0x0000000000000000\t0x0000020000006510 …")    x/16gx of cuda-gdb: 64-bit words; the
//                                                     command, "(cuda-gdb) x/16gx &map", may come before them
//   parse_tensor_map("0x7f…00:\t0x00000000\t0x00000000 …")                    x/32wx: 32-bit words
//   parse_tensor_map("0x00, 0x10, …")                                           bytes
//   parse_tensor_map("$1 = {opaque = {139767530389504, …, 0 <repeats 6 times>}}")     print of gdb: 16 words
//   parse_tensor_map("uint64_t tensor_map[16] = {0x7f0000000000, …}")   a list of 16, 32, 64 or 128 numbers of any base
//   parse_tensor_map("opaque[0] = 0x7f0000000000\nopaque[1] = …")       one number per line
//
// In a dump a number with 0x is a little-endian word with as many bytes as its digits give. Digits without 0x are
// bytes in memory order, or words as printf("%016llx") writes them if only these are a whole map. Text before a colon
// in a line is an address or a symbol and is dropped. A list whose name does not mark it (opaque, tensor_map, tma) is
// a tensor map only if the driver would have written its words.
//
// Invariant (tested): to_hex and the debugger's forms of it parse to the same map.
// Throws Error for a character that is not a hexadecimal digit, and for more or fewer than 128 bytes.
EncodedTensorMap parse_tensor_map(std::string_view text);
// Whether a list in the text has the name of a tensor map, as in the print of gdb.
bool names_tensor_map(std::string_view text);
// Whether parse_tensor_map accepts the text.
bool holds_tensor_map(std::string_view text);
// Whether the text should be read as a tensor map: it is one, or parse_tensor_map reports what is wrong with it.
bool is_for_tensor_map(std::string_view text);
// Whether the text is numbers with more than 40 hexadecimal digits, which cannot be a descriptor.
bool looks_like_tensor_map(std::string_view text);

}  // namespace swz
