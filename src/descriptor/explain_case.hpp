// One case to explain, as explain.cpp hands it to the table of mistakes of the word (explain_word.cpp). Example and
// source: explain.hpp.
#pragma once

#include "descriptor/explain.hpp"

namespace swz {

// What is to be read: by MMAs of these extents, from these places (bit addresses, row by row).
struct OperandPlaces {
  TileExtents extents;
  int element_bits = 0;
  Major major = Major::K;
  std::vector<std::int64_t> places;
};

struct ExplainCase {
  const SmemDescriptor& word;
  const OperandMap& map;
  const StoredOperand& stored;
  TileCoordinate block;
  std::vector<std::int64_t> read;  // places of the map
  OperandPlaces wanted;            // the places of the block
  std::vector<RightWord> rights;
};

// Whether the word reads exactly these places. Throws Error when it cannot be mapped.
bool reads(const SmemDescriptor& word, const OperandPlaces& wanted);

// All words that read an operand from given places, over all modes of the target and, where it has an effect, all base
// offsets; those of `like` first.
//
//   the block (0, 16) of f16 128x64 K-major, 128B, at 0x400; MMA 64x16; K-major on sm_90a
//     undone by mode 128B, base offset 0, the places step 1024 B from row 0 to row 8:   start 1056, SBO 1024
//     by mode 64B: rows 128 B apart, but one of its lines has 64 B                      no word
//
// A word is solved, not searched: undo the XOR of a mode and base offset, read start, LBO and SBO from the elements
// where an operand first steps over them, and accept the word when it reads every element right.
// Invariant (tested): the word of a tile's block is found, and every word that is found reads the block.
std::vector<RightWord> right_words(const OperandPlaces& wanted, const SmemDescriptor& like);
// The one with the fewest other fields. None: there is none.
std::optional<RightWord> nearest_right_word(const ExplainCase& c);

std::vector<Explanation> mistakes_of_word(const ExplainCase& c);
void append_word_mistakes(std::vector<std::string_view>& names);

}  // namespace swz
