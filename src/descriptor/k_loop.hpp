// SPDX-License-Identifier: Apache-2.0
// K loop: do these words read one operand, k step by k step? If not, which mistake explains them?
//
//   wgmma words of mode 128B, LBO 16 B, SBO 1024 B, with the start fields
//     0x40 0x42 0x44 0x46            right, K-major: 32 B per step inside the 128 B line
//     0x40 0x50 0x60 0x70            advance-elements-unshifted: K 16 was added to the field, 256 B instead of 32
//     0x40 0x42 0x44 0x46 0x48       advance-past-atom: the fifth word begins in row 1; it must go to the next k atom
//
// The right start of k step i, relative to that of the first:
//   K-major, mode none        i * 2 * LBO
//   K-major, lines of W B     q / W * D + q % W - p, where q = p + 32 i; the first start is p bytes into its line, and
//                             D is the distance of two atoms along K, which no word contains
//   MN-major, mode none       i * (K / 8) * LBO
//   MN-major, swizzled        i * (K / 8) * SBO, in mode 128B_32B i * (K / 4) * SBO
// The MMAs of a loop cover K in any order, and no two of them read the same byte; this limits the number of rows that
// they may have. B of a sparse MMA reads twice the K, and so does an MMA of sm_107 with twice the K of its kind: words
// that are right for no other MMA are tried as this. A word contains neither major nor element size; without them every reading that an MMA of the target has is checked, each
// as if it were known.
//
// `swz decode`, `swz map` and `swz kernel` all use this check, each with what it knows.
//
// Invariants (tested): the words of a tile, block by block, are right, even if nothing else is known; a planted
// mistake is named, or the words are right in another reading; nothing is claimed about right words; right words read
// no byte twice. Source: operand_map.hpp; CUTLASS DescriptorIterator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/explain.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

// What is known about the operand besides its words; 0 means not known.
struct LoopOperand {
  std::optional<Major> major = {};
  int element_bits = 0;
  std::int64_t rows = 0;                     // rows of one MMA
  std::int64_t k_bytes = 0;                  // bytes of K that one MMA reads of a row: 32 or 64
  Bytes next_atom = {};                      // from an atom to the next one along K
  std::int64_t k_steps = 0;                  // k steps of one block of rows
  std::optional<std::int64_t> first_k = {};  // bytes of K before the first word
  bool has_words = true;                     // false if only the distances are known and the words are examples
};

// A way in which the words are right.
struct LoopReading {
  Major major = Major::K;
  int element_bits = 0;        // 0 for any
  std::int64_t k_bytes = 0;    // 32 or 64
  Bytes next_atom = {};        // 0 if the words stay in one atom, or the operand has no atoms along K
  std::int64_t most_rows = 0;  // with more rows two MMAs would read the same byte; 0 for any
  std::string text;
  bool is_off_pattern = false;             // right only for a tile that begins inside a line: mistakes are named too
  std::size_t blocks = 1;                  // number of loops that are interleaved or follow each other
  std::vector<std::size_t> loops = {};     // for each word, the loop to which it belongs
  std::vector<std::int64_t> k_steps = {};  // for each word, its place in its loop

  bool is_in_order() const;
  bool is_reversed() const;  // whether the last k step comes first
};

struct KLoop {
  std::vector<std::int64_t> advances;  // bytes from each start address to the next
  std::vector<LoopReading> readings;   // simplest first; empty if the words are not right
  std::vector<Explanation> mistakes;   // of words that are not right; `word` is the corrected first wrong word
  std::string other_rows;              // what the words are if they are not k steps; empty if not known

  bool is_right() const { return !readings.empty(); }
  // Whether the words are one loop from its first step to its last, or nothing is known about them.
  bool are_in_order() const { return !is_right() || (readings.front().blocks == 1 && readings.front().is_in_order()); }
  // Whether the words are right, or have a mistake that says more than that they are not right.
  bool is_explained() const;
  bool is_wrong() const { return readings.empty() && other_rows.empty() && !mistakes.empty(); }
};

// Checks at least two words of one format, with a legal swizzle mode and a relative LBO. A difference in another field
// than the start address is a mistake, advance-other-field.
KLoop k_loop(const std::vector<SmemDescriptor>& words, const LoopOperand& known = {});

// A loop among the words of a log or a command line: their indices, in order.
struct FoundLoop {
  std::vector<std::size_t> words;
  KLoop loop;
};

// The result of k_loop for each group of words that differ only in their start address. If the whole group is not
// explained, also the longest runs that are. Words in no group or run are omitted, and so are those that no format
// reads. For a log, which mixes words of several operands, an unexplained group is omitted and only its runs are
// given. `operands` gives the operand of each word, if it is known: A and B of one MMA are not steps of one loop.
std::vector<FoundLoop> find_loops(const std::vector<SmemDescriptor>& words, bool is_log,
                                  const std::vector<std::optional<OperandRole>>& operands = {});

// ---- internal to the files k_loop*.cpp

// Start addresses repeat after this number of bytes: the field counts 16 bytes and has 14 bits, on sm_107 15.
inline std::int64_t start_window(const SmemDescriptor& word) {
  return chunk.count << word.format().find(FieldId::start_address)->bits.width;
}

// Where the MMAs of a k loop should start, for one reading of the words.
struct KSteps {
  SmemDescriptor word;  // the first word
  Major major = Major::K;
  int element_bits = 0;
  std::int64_t k_bytes = 32;
  std::int64_t phase = 0;                    // offset of the first start in its line
  std::int64_t next_atom = 0;                // 0 if not known
  std::optional<std::int64_t> first_k = {};  // bytes of K before `word`

  const SwizzleMode& mode() const { return *word.swizzle(); }
  std::int64_t span() const { return mode().span.count; }
  // Whether the operand is swizzled and K-major: a step stays in a line or goes to the next atom.
  bool has_lines() const { return major == Major::K && mode().bits > 0; }
  // For other operands a step is a number of whole strides.
  bool steps_over_leading() const { return mode().bits == 0; }
  std::int64_t stride() const {
    return (steps_over_leading() ? word.leading_byte_offset() : word.stride_byte_offset()).count;
  }
  std::int64_t other_stride() const {
    return (steps_over_leading() ? word.stride_byte_offset() : word.leading_byte_offset()).count;
  }
  std::int64_t elements() const { return k_bytes * 8 / element_bits; }
  // The number of strides in a step.
  std::int64_t groups() const { return major == Major::K ? k_bytes / chunk.count : elements() / mode().lines; }
  // The number of atoms from the first one to that of step i.
  std::int64_t atom(std::int64_t i) const { return (phase + i * k_bytes) / span(); }
  // The offset of step i from the start of the first step, if atoms are `distance` apart.
  std::int64_t offset(std::int64_t i, std::int64_t distance) const {
    if (!has_lines()) return i * groups() * stride();
    return atom(i) * distance + (phase + i * k_bytes) % span() - phase;
  }

  // "LBO" or "SBO"
  const char* stride_name() const { return steps_over_leading() ? "LBO" : "SBO"; }
  // "2 x SBO = 2048 B a step (field +128)"
  std::string text() const;
};

// The mistakes of words that are not right. `offsets` are from the first start to each.
std::vector<Explanation> mistakes_of_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                             const LoopOperand& known);
// The mistake that words of several blocks of rows also appear to make.
inline constexpr std::string_view advance_by_rows = "advance-by-rows";
// The explanation if no mistake explains the words: whether they read K twice or leave some of it out.
Explanation unexplained_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                const LoopOperand& known);
// Rules for words that may have nothing in common.
inline constexpr std::string_view advance_at_all = "advance", advance_repeats = "advance-repeats";
// Rule for MMAs between which K is left out: another MMA may read it.
inline constexpr std::string_view advance_skips = "advance-skips";

// The largest number of rows of MMAs that start there, before two of them read the same byte: 8, 16 ...; 0 for any;
// none if not even 8. For a word that reads a byte twice by itself, only the rows for which it does not are counted.
std::optional<std::int64_t> rows_that_fit(const std::vector<std::int64_t>& offsets, const KSteps& steps);

}  // namespace swz
