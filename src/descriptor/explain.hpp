// SPDX-License-Identifier: Apache-2.0
// Explain: does the word read the bytes at which a tile put its elements, and if not, which single mistake explains it?
//
//   0x4000040000010040 against f16 128x64 K-major, mode 128B, at 0x400; MMA 64x16
//     block (0, 0); 896 of 1024 elements differ, first (8, 0): read from 17408, stored at 2048
//     fields-in-bytes    SBO is 1024, which is in bytes: the field counts 16 bytes, 64
//
// There are two tables of mistakes. The first is about the word: the given word differs from one that reads the block
// in the way that the mistake would cause. The second is about the placement: if the elements had been stored as the
// mistake stores them, the word would read them. A mistake is reported only if it explains every element by itself;
// several may be reported.
//
// The word is compared with a stored operand: where a tile or a layout put each element, and where the element would be
// before the swizzle.
//
//   stored_operand(f16 128x64 K-major, 128B, at 0x400)                       element (9, 8): linear 0x890, at 0x880
//   stored_operand((64,64):(64,1), 16 bits, at 0x400)                        element (9, 8): 0x890 both times
//   stored_operand(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1), 0x480)  the XOR acts on the address
//   stored_operand(Sw<3,3,3> o 0 o (8,64):(64,1), 16 bits, 0x480)            it acts on the index, before base
//
// Invariants (tested): each mistake planted in a correct word or tile is found under its name; a word that is suggested
// instead reads the block; nothing is claimed about correct words.
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
  ComposedLayout layout;         // the layout that was stored
  std::optional<SmemTile> tile;  // if it was given as a tile

  std::int64_t place(std::int64_t row, std::int64_t k) const {
    return places[static_cast<std::size_t>(row * extents.k + k)];
  }
  // The first element at a place, row by row. None if there is no element at the place.
  std::optional<TileCoordinate> at(std::int64_t place) const;
};

StoredOperand stored_operand(const SmemTile& tile);
// Mode 0 is the rows (M or N), mode 1 is K. Throws Error as Placement does, and if base is not a multiple of 16.
StoredOperand stored_operand(const ComposedLayout& layout, int element_bits, Bytes base);

// "f16 128x64 K-major, mode 128B, mn-first, at 0x400", or the layout with its base.
std::string to_string(const StoredOperand& operand);

struct Explanation : Finding {
  std::optional<std::uint64_t> word;  // the word to write instead, if the word is wrong
  std::int64_t word_number = 0;       // which word of a k loop that is, from 1; 0 for none
};

// The names in both tables.
std::vector<std::string_view> mistake_names();

// Whether an operand of these extents steps over LBO, and over SBO.
struct AppliedStrides {
  bool leading = false, stride = false;
};
AppliedStrides applied_strides(TileExtents extents, int element_bits, Major major, const SwizzleMode& mode);

struct RightWord {
  SmemDescriptor descriptor;  // fields on which no element depends are those of the given word
  AppliedStrides applied;
};

struct FirstDifference {
  TileCoordinate at;                    // in the operand
  std::int64_t read = 0, expected = 0;  // byte addresses
  std::optional<TileCoordinate> holds;  // the element of the placement at the address that is read
};

struct Comparison {
  TileCoordinate block;       // first element of the block, in the placement
  std::string why_block;      // how it was chosen
  std::vector<bool> differs;  // one flag per element of the operand, row by row
  std::int64_t differing = 0;
  std::optional<FirstDifference> first;
  std::vector<Explanation> explanations;  // simplest first; empty if nothing differs
  // The right word that differs in the fewest fields. None if no word reads the block, or nothing differs.
  std::optional<RightWord> right;

  bool is_same() const { return differing == 0; }
};

// `map` is that of `word`. `block` is the first element of the block of the placement that the word is for. Without it,
// it is a block of the MMA grid: the one that agrees, of those to which the start address points before the XOR and
// which contain the first address; if none agrees, the first of these. Throws Error if the element sizes differ or the
// block is not inside the placement.
Comparison compare(const SmemDescriptor& word, const OperandMap& map, const StoredOperand& stored,
                   std::optional<TileCoordinate> block = std::nullopt);

// ---- internal to explain.cpp and explain_word.cpp

struct ExplainCase {
  const SmemDescriptor& word;
  const OperandMap& map;  // map of the word
  const StoredOperand& stored;
  TileCoordinate block = {};
  OperandMap wanted;  // the places of the block, which the word should read
};

// Whether the word reads exactly these places. Throws Error if it cannot be mapped.
bool reads(const SmemDescriptor& word, const OperandMap& wanted);

// Adds the mistakes of the word, and the right word, to `out`.
void explain_word(const ExplainCase& c, Comparison& out);
std::vector<std::string_view> word_mistake_names();

}  // namespace swz
