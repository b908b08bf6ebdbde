// SPDX-License-Identifier: Apache-2.0
// The tensor of a probe whose bytes show their places, and what a byte of shared memory says after a load.
//
//   byte 70000 of the tensor is place 70001 = 0x011171: it is 0x71, 0x11 and 0x01 in passes 0 to 2, 0x8e in pass 3
//
// The fourth pass is the complement of the first, so that bytes that a load fills are distinguished from bytes that it
// copies. Shared memory is filled before, with another byte in each pass, so that untouched bytes show too.
//
// Invariant (tested): origin(code(byte, pass) for each pass) is the byte.
#pragma once

#include <algorithm>
#include <array>

#include "probe/launch.hpp"
#include "tma/placement.hpp"

namespace swz {

// What a byte of shared memory may hold besides a byte of the tensor (filled_byte, untouched_byte: tma/placement.hpp).
inline constexpr std::int64_t strange_byte = -3;
inline constexpr std::int64_t nan_byte = -0x1000;  // nan_byte - b: byte b of a NaN that was filled in

namespace tensor_image {

inline constexpr std::int64_t bytes = 1 << 20;
inline constexpr int passes = 4;
using Seen = std::array<std::uint8_t, passes>;  // one byte in each pass
// The contents of shared memory before the load of each pass.
inline constexpr Seen before{0x11, 0x22, 0x33, 0x44};
// Examined on either side of what a copy allocates.
inline constexpr Bytes margin{128};
inline constexpr std::int64_t most_allocated = 64 * 1024;

// Types that TMA copies without a change.
inline constexpr std::array copied_types{
    TensorMapDataType::uint8,   TensorMapDataType::uint16,  TensorMapDataType::uint32,  TensorMapDataType::int32,
    TensorMapDataType::uint64,  TensorMapDataType::int64,   TensorMapDataType::float16, TensorMapDataType::float32,
    TensorMapDataType::float64, TensorMapDataType::bfloat16};

constexpr std::uint8_t code(std::int64_t byte, int pass) {
  const auto place = static_cast<std::uint64_t>(byte + 1);
  return static_cast<std::uint8_t>(pass == 3 ? ~place : place >> (8 * pass));
}

// All passes of the tensor, one after another.
inline ByteBuffer all_passes() {
  ByteBuffer out;
  out.reserve(static_cast<std::size_t>(bytes * passes));
  for (int pass = 0; pass < passes; ++pass)
    for (std::int64_t byte = 0; byte < bytes; ++byte) out.push_back(code(byte, pass));
  return out;
}

// The byte of the tensor, or the other meaning of the four passes.
inline std::int64_t origin(const Seen& seen) {
  if (seen == before) return untouched_byte;
  if (std::ranges::count(seen, seen[0]) == passes) return seen[0] == 0 ? filled_byte : nan_byte - seen[0];
  if (seen[3] != static_cast<std::uint8_t>(~seen[0])) return strange_byte;
  return (seen[0] | seen[1] << 8 | seen[2] << 16) - 1;
}

// What a load fills in, at a byte of a row.
constexpr std::int64_t fill_of(const TensorMap& map, std::int64_t byte_in_row) {
  if (map.oob_fill == TensorMapOobFill::zero) return filled_byte;
  return nan_byte - (byte_in_row % 2 == 1 ? nan_fill >> 8 : nan_fill & 0xff);
}

// "byte 64 of the tensor", "filled with 0"
std::string value_name(std::int64_t value);
// What is examined of a copy to `to` that allocates so many bytes.
Window window_of(Bytes to, Bytes allocated);
// Throws Error for a type that TMA does not copy as it is.
void require_copied(TensorMapDataType type);
// Throws Error unless the tensor of the map lies inside the probe's and the box has room.
void require_fine(const TensorMap& map, const BoxPlacement& placement);
// An address for a box, in steps of 128 bytes.
Bytes draw_address(Random& random);

}  // namespace tensor_image
}  // namespace swz
