// SPDX-License-Identifier: Apache-2.0
// NpyArray: an array as numpy.save writes it, a header and the elements.
//
//   "\x93NUMPY" 1 0, 118 as two bytes, "{'descr': '<u2', 'fortran_order': False, 'shape': (64, 32), }" padded with
//   blanks to 118 bytes, then 4096 bytes: elements of 2 bytes, the last dimension fastest
//
// Invariants: the data has exactly the elements of the shape; nothing is copied and nothing is executed.
// Source: numpy.lib.format, versions 1.0, 2.0 and 3.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace swz {

struct NpyArray {
  std::string descr;           // "<u2"
  char kind = 'u';             // i, u, f, b, V, c, …: numpy's letter
  std::size_t item_bytes = 1;  // of one element
  bool is_big_endian = false;
  bool is_fortran_order = false;  // the first dimension is fastest
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;  // a part of the input
};

bool is_npy(std::span<const std::byte> bytes);
// Throws Error if it is not an array, is truncated, or has a type other than plain numbers (structures, objects, text).
NpyArray read_npy(std::span<const std::byte> bytes);

// The element at this place in the data. Throws Error unless it is a whole number that fits in 64 bits.
std::int64_t whole_number(const NpyArray& array, std::size_t place);

}  // namespace swz
