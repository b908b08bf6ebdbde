// SPDX-License-Identifier: Apache-2.0
// Offset text: the offset of an element as a person would write it, in C or in Python.
//
//   (64,72):(72,1)                              row*72 + col
//   (64,(64,2)):(64,(1,4096))                   row*64 + col%64 + col/64*4096
//   Sw<3,3,3> o 0 o (64,64):(64,1)              (row*64 + col) ^ (row%8*8)
//   padding of 8 after every 128 of (64,64)     row*64 + col + (row*64 + col)/128*8      if no strides give it
//   a rotation                                  row*32 + (col + row)%32
//
// In Python the first is row * 72 + col, a digit col // 64 % 2.
//
// Strides are a sum of digits: bits [i, i+n) of a coordinate are col/2^i%2^n. A swizzle or a map over GF(2) adds XORs:
// each run of bits that moves by the same distance is one digit. If the sum has carries, the swizzle is written for
// the sum as a whole: x ^ (x >> S & mask).
//
// Invariant (tested): the text read back is the same function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/layout_form.hpp"

namespace swz {

// The notation of a language: a name for each dimension, and its operators with the blanks around them.
struct OffsetNotation {
  std::vector<std::string_view> names;
  std::string_view times, divided, modulo;
};
OffsetNotation c_notation(std::size_t rank);       // row*64 + col/8%4; at most two dimensions
OffsetNotation python_notation(std::size_t rank);  // i * 64 + j // 8 % 4; at most six

// The texts to try, the shortest kind first; empty if the form is neither strides, XORs nor a rotation.
std::vector<std::string> offset_texts(const SharedForm& form, const OffsetNotation& notation);

}  // namespace swz
