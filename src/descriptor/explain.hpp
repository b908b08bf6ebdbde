// Explain: are these the bytes where a tile put its elements, and if not, which single mistake explains it?
//
//   0x4000040000010040 against f16 128x64 K-major, mode 128B, at 0x400; MMA 64x16
//     block (0, 0); 896 of 1024 elements differ, first (8, 0): read from 17408, lies at 2048
//     fields-in-bytes    SBO holds 1024, which is bytes: the field counts 16 bytes, 64
//
// Two tables of mistakes. One of the word: the given word differs from one that reads the block (right_word.hpp)
// just as the mistake would make it differ. One of the placement: had the elements been put where the mistake puts
// them, the word would read them. A mistake is reported only if it alone explains every element; several may.
//
// Invariants (tested): each mistake planted in a correct word or tile is found under its name; a word that is
// offered instead reads the block; of correct words nothing is claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/operand_map.hpp"
#include "descriptor/right_word.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/stored_operand.hpp"

namespace swz {

struct Explanation : Finding {
  std::optional<std::uint64_t> word;  // what to write instead, when it is the word that is wrong
};

// A mistake by its name, for tables.
struct MistakeSummary {
  std::string_view name, what;
};
std::vector<MistakeSummary> mistakes();

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

}  // namespace swz
