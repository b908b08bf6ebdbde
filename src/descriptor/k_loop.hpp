// SPDX-License-Identifier: Apache-2.0
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
// The MMAs of a loop cover K in any order, and no two of them read one byte: from that follows how many rows they may have.
// B of a sparse MMA reads twice the K; it is what words may be that are right for no dense MMA. A word holds neither major
// nor element size: without them every reading that an MMA of the target has is judged, each as if it were known.
//
// `swz decode`, `swz map` and `swz kernel` ask this judge, with what each of them knows.
//
// Invariants (tested): the words of a tile, block by block, are right, also without anything known; a planted mistake
// is named, or the words are right in another reading; nothing is claimed of right words; right words read no byte twice.
// Source: operand_map.hpp; CUTLASS DescriptorIterator; canonical.md of the facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/explain.hpp"
#include "smem/mma_operand.hpp"

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
  bool has_words = true;                     // false: only the distances are known, the words are examples
};

// A way in which the words are right.
struct LoopReading {
  Major major = Major::K;
  int element_bits = 0;        // 0: any
  std::int64_t k_bytes = 0;    // 32, or 64: B of a sparse MMA
  Bytes next_atom = {};        // 0: the words stay in one atom, or the operand has no atoms along K
  std::int64_t most_rows = 0;  // of more, two MMAs would read one byte; 0: any
  std::string text;
  bool is_off_pattern = false;             // only of a tile that begins inside a line: mistakes are named as well
  std::size_t blocks = 1;                  // loops that are interleaved, or follow each other
  std::vector<std::size_t> loops = {};     // of each word: which of them it is of
  std::vector<std::int64_t> k_steps = {};  // of each word: its place in its loop

  bool is_in_order() const;
  bool is_reversed() const;  // the last k step comes first
};

struct KLoop {
  std::vector<std::int64_t> advances;  // bytes from each start address to the next
  std::vector<LoopReading> readings;   // the simplest first; empty: not right
  std::vector<Explanation> mistakes;   // of words that are not right; `word` is the first wrong one as it should be
  std::string other_rows;              // what the words are when they are no k steps; empty: nothing known

  bool is_right() const { return !readings.empty(); }
  // One loop, from its first step to its last, or nothing that is known.
  bool are_in_order() const { return !is_right() || (readings.front().blocks == 1 && readings.front().is_in_order()); }
  // Right, or a mistake that is more than that the words are not right.
  bool is_explained() const;
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

// What k_loop says of the words that differ in their start address alone; where it explains not all of them, also what
// it says of the longest runs that it does. Words without such company are left out, and those that no format reads.
// Of a log, where words of several operands stand together, the runs alone. `operands` says whose the words are, where that
// is known: A and B of one MMA are no steps of one loop.
std::vector<FoundLoop> find_loops(const std::vector<SmemDescriptor>& words, bool is_log,
                                  const std::vector<std::optional<OperandRole>>& operands = {});

// ---- between the files k_loop*.cpp

// Start addresses repeat after this: the field holds 14 bits of 16 bytes.
inline constexpr std::int64_t start_window = std::int64_t{1} << 18;

// Where the MMAs of a k loop should start, under one reading of the words.
struct KSteps {
  SmemDescriptor word;  // the first
  Major major = Major::K;
  int element_bits = 0;
  std::int64_t k_bytes = 32;
  std::int64_t phase = 0;                    // of the first start in its line
  std::int64_t next_atom = 0;                // 0: not known
  std::optional<std::int64_t> first_k = {};  // bytes of K before `word`

  const SwizzleMode& mode() const { return *word.swizzle(); }
  std::int64_t span() const { return mode().span.count; }
  // Swizzled K-major operands: a step stays in a line or goes to the next atom.
  bool has_lines() const { return major == Major::K && mode().bits > 0; }
  // The others go on by whole strides.
  bool steps_over_leading() const { return mode().bits == 0; }
  std::int64_t stride() const {
    return (steps_over_leading() ? word.leading_byte_offset() : word.stride_byte_offset()).count;
  }
  std::int64_t other_stride() const {
    return (steps_over_leading() ? word.stride_byte_offset() : word.leading_byte_offset()).count;
  }
  std::int64_t elements() const { return k_bytes * 8 / element_bits; }
  // How many strides a step goes on.
  std::int64_t groups() const { return major == Major::K ? k_bytes / chunk.count : elements() / mode().lines; }
  // How many atoms after the first one step i begins.
  std::int64_t atom(std::int64_t i) const { return (phase + i * k_bytes) / span(); }
  // From the start of the first step; where it lies in another atom, with atoms `distance` apart.
  std::int64_t offset(std::int64_t i, std::int64_t distance) const {
    if (!has_lines()) return i * groups() * stride();
    return atom(i) * distance + (phase + i * k_bytes) % span() - phase;
  }

  // "LBO" or "SBO"
  const char* stride_name() const { return steps_over_leading() ? "LBO" : "SBO"; }
  // "2 x SBO = 2048 B a step (field +128)"
  std::string text() const;
};

// `offsets`: from the first start to each, of words that are not right.
std::vector<Explanation> mistakes_of_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                             const LoopOperand& known);
// Of these, the one that words of several blocks of rows also make.
inline constexpr std::string_view advance_by_rows = "advance-by-rows";
// What is said where no mistake explains the words: whether they read K twice or leave some of it out.
Explanation unexplained_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                const LoopOperand& known);
// Rules of words that may have nothing in common.
inline constexpr std::string_view advance_at_all = "advance", advance_repeats = "advance-repeats";
// MMAs between which K is left out: another one may read it.
inline constexpr std::string_view advance_skips = "advance-skips";

// How many rows MMAs that start there may have before two of them read one byte: 8, 16 ... 0: any. None: not even 8. A word
// that reads a byte twice by itself is taken with the rows of which it does not.
std::optional<std::int64_t> rows_that_fit(const std::vector<std::int64_t>& offsets, const KSteps& steps);

}  // namespace swz
