// K loop: are these the words by which one operand is read, k step after k step? If not, which mistake explains them?
//
//   wgmma words of mode 128B, LBO 16 B, SBO 1024 B, with the start fields
//     0x40 0x42 0x44 0x46            right, K-major: 32 B a step inside the 128 B line
//     0x40 0x50 0x60 0x70            advance-elements-unshifted: K 16 was added to the field, 256 B instead of 32
//     0x40 0x42 0x44 0x46 0x48       advance-past-atom: the fifth word begins in row 1; it has to go to the next k atom
//
// The right start of k step i, from that of the first:
//   K-major, mode none        i * 2 * LBO
//   K-major, lines of W B     q / W * D + q % W - p, where q = p + 32 i; the first start lies p bytes into its line, and
//                             D is the distance of two atoms along K, which no word holds
//   MN-major, mode none       i * (K / 8) * LBO
//   MN-major, swizzled        i * (K / 8) * SBO, in mode 128B_32B i * (K / 4) * SBO
// B of a sparse MMA reads twice the K. A word holds neither major nor element size: without them every reading that an
// MMA of the target has is tried.
//
// Invariants (tested): the words of a tile, block by block, are right, also without anything known; a planted mistake
// is named, or the words are right in another reading; nothing is claimed of right words.
// Source: operand_map.hpp; CUTLASS DescriptorIterator; canonical.md of the facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/explain.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

// What is known of the operand besides its words; 0: not known.
struct LoopOperand {
  std::optional<Major> major = {};
  int element_bits = 0;
  std::int64_t rows = 0;                     // of one MMA
  std::int64_t k_bytes = 0;                  // of K that one MMA reads of a row: 32, or 64 for B of a sparse one
  Bytes next_atom = {};                      // from an atom to the next one along K
  std::int64_t k_steps = 0;                  // of one block of rows
  std::optional<std::int64_t> first_k = {};  // bytes of K before the first word
};

// A way in which the words are right.
struct LoopReading {
  Major major = Major::K;
  int element_bits = 0;        // 0: any
  std::int64_t k_bytes = 0;    // 32, or 64: B of a sparse MMA
  Bytes next_atom = {};        // 0: the words stay in one atom, or the operand has no atoms along K
  std::int64_t most_rows = 0;  // rows that fit before the next atom; 0: any
  std::string text;
  bool is_off_pattern = false;  // only of a tile that begins inside a line: mistakes are named as well
};

struct KLoop {
  std::vector<std::int64_t> advances;  // bytes from each start address to the next
  std::size_t blocks = 1;              // loops that are interleaved, or follow each other
  bool is_reversed = false;            // the last k step comes first
  std::vector<LoopReading> readings;   // empty: not right
  std::vector<Explanation> mistakes;   // of words that are not right; `word` is the first wrong one as it should be
  std::string other_rows;              // what the words are when they are no k steps; empty: nothing known

  bool is_right() const { return !readings.empty(); }
  bool says_something() const { return is_right() || !mistakes.empty() || !other_rows.empty(); }
  bool is_wrong() const { return readings.empty() && other_rows.empty() && !mistakes.empty(); }
};

// At least two words of one format, with a legal swizzle mode and a relative LBO. That another field than the start
// address differs is a mistake, advance-other-field.
KLoop k_loop(const std::vector<SmemDescriptor>& words, const LoopOperand& known = {});

// A loop among words that stand together in a log or on a command line: their indices, in order.
struct FoundLoop {
  std::vector<std::size_t> words;
  KLoop loop;
};

// What k_loop says of the words that differ in their start address alone; where it says nothing of all of them, of the
// longest runs of which it does. Words without such company are left out, and those that no format reads.
std::vector<FoundLoop> find_loops(const std::vector<SmemDescriptor>& words);

// The mistakes by name, for tables.
std::vector<MistakeSummary> advance_mistakes();

}  // namespace swz
