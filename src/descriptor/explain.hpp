// SPDX-License-Identifier: Apache-2.0
// Explain: are these the bytes where a tile put its elements, and if not, which single mistake explains it?
//
//   0x4000040000010040 against f16 128x64 K-major, mode 128B, at 0x400; MMA 64x16
//     block (0, 0); 896 of 1024 elements differ, first (8, 0): read from 17408, lies at 2048
//     fields-in-bytes    SBO holds 1024, which is bytes: the field counts 16 bytes, 64
//
// Two tables of mistakes. One of the word: the given word differs from one that reads the block just as the mistake
// would make it differ. One of the placement: had the elements been put where the mistake puts
// them, the word would read them. A mistake is reported only if it alone explains every element; several may.
//
// What is compared with is a stored operand: where a tile or a layout put each element, and where it would lie before the
// swizzle.
//
//   stored_operand(f16 128x64 K-major, 128B, at 0x400)                       element (9, 8): linear 0x890, at 0x880
//   stored_operand((64,64):(64,1), 16 bits, at 0x400)                        element (9, 8): 0x890 both times
//   stored_operand(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1), 0x480)  the XOR acts on the address
//   stored_operand(Sw<3,3,3> o 0 o (8,64):(64,1), 16 bits, 0x480)            it acts on the index, before base
//
// Invariants (tested): each mistake planted in a correct word or tile is found under its name; a word that is
// offered instead reads the block; of correct words nothing is claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/operand_map.hpp"

namespace swz {

struct StoredOperand {
  TileExtents extents;
  int element_bits = 0;
  Bytes base;
  std::vector<std::int64_t> places;  // bit addresses, row by row
  std::vector<std::int64_t> linear;
  ComposedLayout layout;         // what was stored
  std::optional<SmemTile> tile;  // where it was given as a tile

  std::int64_t place(std::int64_t row, std::int64_t k) const {
    return places[static_cast<std::size_t>(row * extents.k + k)];
  }
  // The first element at a place, row by row. None: no element lies there.
  std::optional<TileCoordinate> at(std::int64_t place) const;
};

StoredOperand stored_operand(const SmemTile& tile);
// Mode 0 are the rows (M or N), mode 1 is K. Throws Error as Placement does, and when base is not a multiple of 16.
StoredOperand stored_operand(const ComposedLayout& layout, int element_bits, Bytes base);

// "f16 128x64 K-major, mode 128B, mn-first, at 0x400", or the layout with its base.
std::string to_string(const StoredOperand& operand);

struct Explanation : Finding {
  std::optional<std::uint64_t> word;  // what to write instead, when it is the word that is wrong
};

// Of both tables.
std::vector<std::string_view> mistake_names();

// Whether an operand of these extents steps over LBO, over SBO.
struct AppliedStrides {
  bool leading = false, stride = false;
};
AppliedStrides applied_strides(TileExtents extents, int element_bits, Major major, const SwizzleMode& mode);

struct RightWord {
  SmemDescriptor descriptor;  // fields that no element depends on are those of the word that was given
  AppliedStrides applied;
};

struct FirstDifference {
  TileCoordinate at;                    // in the operand
  std::int64_t read = 0, expected = 0;  // byte addresses
  std::optional<TileCoordinate> holds;  // the element of the placement that lies where it is read
};

struct Comparison {
  TileCoordinate block;       // of the placement, its first element
  std::string why_block;      // how it was chosen
  std::vector<bool> differs;  // each element of the operand, row by row
  std::int64_t differing = 0;
  std::optional<FirstDifference> first;
  std::vector<Explanation> explanations;  // simplest first; empty when nothing differs
  // The right word with the fewest other fields. None: no word reads the block, or nothing differs.
  std::optional<RightWord> right;

  bool is_same() const { return differing == 0; }
};

// `map` is that of `word`. `block`: the first element of the block of the placement that the word is for. Without:
// that of the MMA grid which agrees, where the start address points before the XOR or where the first address lies;
// if none does, the first of these.
// Throws Error when the element sizes differ or the block does not lie in the placement.
Comparison compare(const SmemDescriptor& word, const OperandMap& map, const StoredOperand& stored,
                   std::optional<TileCoordinate> block = std::nullopt);

// ---- between explain.cpp and explain_word.cpp

struct ExplainCase {
  const SmemDescriptor& word;
  const OperandMap& map;  // of the word
  const StoredOperand& stored;
  TileCoordinate block = {};
  OperandMap wanted;  // the places of the block instead
};

// Whether the word reads exactly these places. Throws Error when it cannot be mapped.
bool reads(const SmemDescriptor& word, const OperandMap& wanted);

// The mistakes of the word, and the right word, for `out`.
void explain_word(const ExplainCase& c, Comparison& out);
std::vector<std::string_view> word_mistake_names();

}  // namespace swz
