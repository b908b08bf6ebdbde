// SPDX-License-Identifier: Apache-2.0
// From a layout to descriptors: the words with which MMAs read a layout, or the reason why there are none and the
// nearest layout that has them.
//
//   (16,64):(1,16) of f16, MN-major, on sm_90a; MMA 16x16
//     unchanged, mode none: steps of k are 32 B apart, and the 8 k of a core matrix are 16 B apart
//     with 32B                 Sw<1,4,3> o smem_ptr[16b](unset) o (16,64):(1,16): SBO 256 B, 0xc000001000000000
//     nearest                  the 32B tile, which has this layout
//
// A layout maps (MN, K) to elements. Without a swizzle it is read in mode none, with the swizzle of a hardware mode in
// that mode. Its base must be a multiple of the mode's pattern.
//
// Reasons are given in terms of the atom: (64,128):(128,1) of f16 in mode 128B has rows 256 B apart, but the mode needs
// 128 B.
//
// Invariant (tested): the answer is a word exactly if operand_map of the words reads every element of every MMA from
// the byte, and below a byte the bit, at which the layout puts it; nothing else decides. All words have the same LBO
// and SBO, and base offset 0. Source: as operand_map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/tile_descriptor.hpp"
#include "layout/composed_layout.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

// The swizzle of the layout on bytes. None if it moves pieces smaller than a byte.
std::optional<Swizzle> byte_form(const ComposedLayout& layout, int element_bits);
// The hardware mode whose swizzle the layout has; without a swizzle it is mode none. Null if no mode has that swizzle.
const SwizzleMode* stated_mode(const ComposedLayout& layout, int element_bits);
// The reason for null: "Sw<3,4,3> on elements is Sw<3,5,3> on bytes, the swizzle of no hardware mode".
std::string swizzle_reason(const ComposedLayout& layout, int element_bits);

// The layout and how it is read. No pointer is null.
struct LayoutOperand {
  ComposedLayout layout;  // of rank 2: (MN, K)
  const Target* target;
  const DType* dtype;
  Packing packing = Packing::packed;
  Major major = Major::K;
  std::optional<TileExtents> mma = {};  // none for default_mma of `role`
  Bytes base = {};
  OperandRole role = OperandRole::a;
};

// The operand in the mode of its swizzle if the target has this mode, otherwise in the first legal mode: what an
// instruction that reads it must be able to read. Mode none if nothing is legal.
OperandChoice readable_choice(const LayoutOperand& operand);

// The words of one swizzle mode, or why there are none.
struct ModeAnswer {
  const SwizzleMode* mode = nullptr;
  ComposedLayout layout;  // the layout before its swizzle, with this mode's swizzle
  std::optional<TileDescriptors> descriptors;
  std::string reason;  // empty if there are words
};

// A tile of the same extents, type and major that has words.
struct NearestTile {
  SmemTile tile;
  TileDescriptors descriptors;
  std::int64_t agreeing = 0;  // elements that both put at the same offset before their swizzles
};

struct LayoutDescriptors {
  TileExtents extents;
  // For the layout as given: the mode whose words read it, or the reason why none do.
  const SwizzleMode* mode = nullptr;
  std::optional<TileDescriptors> descriptors;
  std::string reason;
  std::string hint;  // the nearest legal choice, if the type cannot be read in this way
  // The layout before its swizzle, with each mode that the target has.
  std::vector<ModeAnswer> modes;
  // If several tiles agree equally, the widest mode, mn-first. None if no tile of these extents is legal.
  std::optional<NearestTile> nearest;
  std::int64_t repeated = 0;  // elements that share their place with an earlier one
};

// Throws Error for a layout of another rank, of another element size than `dtype` or larger than shared memory, a
// target without descriptors, a base that is not a multiple of 16, and an MMA that does not exist or does not divide
// the layout.
LayoutDescriptors layout_descriptors(const LayoutOperand& operand);
// Only `mode` and `descriptors` of the above: no words of other modes, no reasons, no nearest tile.
struct LayoutWords {
  const SwizzleMode* mode = nullptr;
  std::optional<TileDescriptors> descriptors;
};
LayoutWords words_as_it_lies(const LayoutOperand& operand);

}  // namespace swz
