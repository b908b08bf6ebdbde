// SPDX-License-Identifier: Apache-2.0
// Readable mode: the swizzle mode in which a tensor core reads an array as it is stored, whichever dimension is K.
//
//   Sw<2,3,3> o 0 o (128,32):(32,1) of bf16      mode 64B
//     rows are MN, columns K: K-major, SBO 512 B         rows are K, columns MN: MN-major, LBO and SBO of that
//   (64,64):(64,1) of bf16                       none: rows are 128 B apart, without a swizzle
//   (8,8):(8,1) of bf16                          an atom of mode none, too small for one MMA: K 8 of 16
//
// Invariant (tested): each answer is one of layout_descriptors, so its words read every element from where the layout
// puts it. Source: as layout_descriptor.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/layout_descriptor.hpp"

namespace swz {

struct ReadableMode {
  const SwizzleMode* mode = nullptr;
  const Target* target = nullptr;  // sm_90a if wgmma reads it, otherwise sm_100a
  Major major = Major::K;
  bool is_transposed = false;  // whether the rows of the array are K
  TileDescriptors descriptors;
  std::optional<TileDescriptors> tcgen05 = {};  // for sm_100a, if wgmma reads it too
  std::string lacks = {};  // for an atom: "K 8 of 16", what one MMA needs; its words are those of the repeated atom

  bool is_atom() const { return !lacks.empty(); }
};

// The modes for an array (rows, columns), in plain form and in elements of `dtype`. Empty if no MMA reads it; none
// reads an array of another rank than 2, or one larger than shared memory.
std::vector<ReadableMode> readable_modes(const ComposedLayout& layout, const DType& dtype);
// The modes for an array that is smaller than what one MMA reads, as an atom, which MMAs read if it is repeated. None
// for an array that is large enough.
std::vector<ReadableMode> modes_of_atom(const ComposedLayout& layout, const DType& dtype);

// A type of this width that MMAs read. Null if there is none.
const DType* readable_dtype(int element_bits);

}  // namespace swz
