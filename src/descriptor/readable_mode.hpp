// SPDX-License-Identifier: Apache-2.0
// Readable mode: in which swizzle mode a tensor core reads an array as it lies, whichever of its dimensions is K.
//
//   Sw<2,3,3> o 0 o (128,32):(32,1) of bf16      mode 64B
//     rows are MN, columns K: K-major, SBO 512 B         rows are K, columns MN: MN-major, LBO and SBO of that
//   (64,64):(64,1) of bf16                       none: rows 128 B apart, and no swizzle
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
  const Target* target = nullptr;  // sm_90a where wgmma reads it, otherwise sm_100a
  Major major = Major::K;
  bool is_transposed = false;  // rows of the array are K
  TileDescriptors descriptors;
  std::optional<TileDescriptors> tcgen05 = {};  // of sm_100a, where wgmma reads it as well
  std::string lacks = {};  // of an atom: "K 8 of 16", what one MMA reads more; its words are those of the atom repeated

  bool is_atom() const { return !lacks.empty(); }
};

// `layout` is that of an array (rows, columns), plain form, in elements of `dtype`. Empty: no MMA reads it. An array
// of another rank than 2, or larger than shared memory, is read by none.
std::vector<ReadableMode> readable_modes(const ComposedLayout& layout, const DType& dtype);
// The same of an array that is smaller than what one MMA reads: as an atom, which MMAs read when it is repeated. Of an array
// that is large enough there is none.
std::vector<ReadableMode> modes_of_atom(const ComposedLayout& layout, const DType& dtype);

// A type of this width that MMAs read. Null: there is none.
const DType* readable_dtype(int element_bits);

}  // namespace swz
