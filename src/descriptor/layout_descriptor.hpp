// SPDX-License-Identifier: Apache-2.0
// Layout to descriptor: the words by which MMAs read a layout, or the reason why there are none and the nearest
// layout that has them.
//
//   (16,64):(1,16) of f16, MN-major, on sm_90a; MMA 16x16
//     as it stands, mode none: k are 32 B apart, and the 8 k of a core matrix lie 16 B apart
//     under 32B                Sw<1,4,3> o smem_ptr[16b](unset) o (16,64):(1,16): SBO 256 B, 0xc000001000000000
//     nearest                  the 32B tile, whose layout it is
//
// A layout maps (MN, K) to elements. Without a swizzle it stands for mode none, with that of a hardware mode for
// that mode. Its base is a multiple of the mode's pattern.
//
// Reasons are in the words of the atom: (64,128):(128,1) of f16 in mode 128B has rows 256 B apart, where the mode needs
// 128 B.
//
// Invariant (tested): an answer is a word exactly when operand_map of the words reads every element of every MMA
// from the byte, and below a byte the bit, where the layout puts it; nothing but that decides. One LBO and one SBO
// hold for all words, and the base offset is 0. Source: as operand_map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/tile_descriptor.hpp"
#include "layout/composed_layout.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

// The swizzle of the layout on bytes. None: it moves pieces smaller than a byte.
std::optional<Swizzle> byte_form(const ComposedLayout& layout, int element_bits);
// The hardware mode that the swizzle of the layout is; none is one. Null: the swizzle is that of no mode.
const SwizzleMode* stated_mode(const ComposedLayout& layout, int element_bits);
// Why it is none: "Sw<3,4,3> on elements is Sw<3,5,3> on bytes, the swizzle of no hardware mode".
std::string swizzle_reason(const ComposedLayout& layout, int element_bits);

// None of the pointers is null.
struct LayoutOperand {
  ComposedLayout layout;  // of rank 2: (MN, K)
  const Target* target;
  const DType* dtype;
  Packing packing = Packing::packed;
  Major major = Major::K;
  std::optional<TileExtents> mma = {};  // none: default_mma of `role`
  Bytes base = {};
  OperandRole role = OperandRole::a;
};

// The operand in the mode of its swizzle, where that is one of the target, else in the first legal mode: what an
// instruction that reads it has to read. Mode none when nothing is legal.
OperandChoice readable_choice(const LayoutOperand& operand);

// The words of one swizzle mode, or why there are none.
struct ModeAnswer {
  const SwizzleMode* mode = nullptr;
  ComposedLayout layout;  // the layout before its swizzle, under this mode
  std::optional<TileDescriptors> descriptors;
  std::string reason;  // empty when there are words
};

// A tile of the same extents, type and major that has words.
struct NearestTile {
  SmemTile tile;
  TileDescriptors descriptors;
  std::int64_t agreeing = 0;  // elements that both put at the same offset before their swizzles
};

struct LayoutDescriptors {
  TileExtents extents;
  // As the layout stands: the mode whose words read it, or the reason.
  const SwizzleMode* mode = nullptr;
  std::optional<TileDescriptors> descriptors;
  std::string reason;
  std::string hint;  // the nearest legal choice, where the type cannot be read so
  // The layout before its swizzle under each mode the target has.
  std::vector<ModeAnswer> modes;
  // Of several tiles that agree equally: the widest mode, mn-first. None: no tile of these extents is legal.
  std::optional<NearestTile> nearest;
  std::int64_t repeated = 0;  // elements that share their place with one before them
};

// Throws Error for a layout of another rank, of another element size than `dtype` or larger than shared memory,
// a target without descriptors, a base that is not a multiple of 16, and an MMA that does not exist or does not
// divide the layout.
LayoutDescriptors layout_descriptors(const LayoutOperand& operand);
// `mode` and `descriptors` of the above alone: no words under other modes, no reasons, no nearest tile.
struct LayoutWords {
  const SwizzleMode* mode = nullptr;
  std::optional<TileDescriptors> descriptors;
};
LayoutWords words_as_it_lies(const LayoutOperand& operand);

}  // namespace swz
