// Right words: all descriptor words that read an operand from given places.
//
//   the block (0, 16) of f16 128x64 K-major, 128B, at 0x400; MMA 64x16; K-major on sm_90a
//     undone by mode 128B, base offset 0, the places step 1024 B from row 0 to row 8:   start 1056, SBO 1024
//     by mode 64B: rows 128 B apart, but one of its lines has 64 B                      no word
//
// A word is solved, not searched: undo the XOR of a mode and base offset, read start, LBO and SBO from the elements
// where an operand first steps over them, and accept the word when it reads every element right.
// Invariant (tested): the word of a tile's block is found, and every word that is found reads the block.
#pragma once

#include <optional>
#include <vector>

#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

// Whether an operand of these extents steps over LBO, over SBO.
struct AppliedStrides {
  bool leading = false, stride = false;
};
AppliedStrides applied_strides(TileExtents extents, int element_bits, Major major, const SwizzleMode& mode);

struct RightWord {
  SmemDescriptor descriptor;  // fields that no element depends on are those of `like`
  AppliedStrides applied;
};

// What is to be read: by MMAs of these extents, from these places (bit addresses, row by row).
struct OperandPlaces {
  TileExtents extents;
  int element_bits = 0;
  Major major = Major::K;
  std::vector<std::int64_t> places;
};

// Over all modes of the target and, where it has an effect, all base offsets; those of `like` first.
std::vector<RightWord> right_words(const OperandPlaces& wanted, const SmemDescriptor& like);

// Whether the word reads exactly these places. Throws Error when it cannot be mapped.
bool reads(const SmemDescriptor& word, const OperandPlaces& wanted);

}  // namespace swz
