// SPDX-License-Identifier: Apache-2.0
// Bank search: the best linear map over GF(2) of addresses to banks, for what of given access patterns decides which
// maps remove their conflicts.
//
// A linear map s has bank(s(a)) ^ bank(s(b)) = bank(s(a ^ b)): only the XORs of the words of a group of lanes matter.
// So groups that are XOR translates of each other are one conflict group, and a whole tile comes down to a few.
//
//   32x32 f32, ld.shared.b32 columns: lanes l at byte 128 l. One group, word differences 32, 64, 96, ...: a map
//   must not send any of these to bank 0. All 32 columns make the same differences: one group, 32 times.
//
// Conflict free, for a group of at most 32 words: no difference of two of its words lies in the kernel of the map
// from words to banks. (Groups have at most 32 different words: 32 lanes of 4 bytes, 16 of 8, 8 of 16, and twice
// as many lanes only where they pair.)
//
// Maps have the form a ^ X(a): pieces of 2^p bytes stay whole, the bank bits above them (p ... 6) get an XOR of
// line bits (7 and up), and nothing else moves. So a map is one number of 7 - p bits for each line bit, and always
// a permutation: it keeps lines, and a line bit only shifts what is in its line.
//
//   a difference d of two words of one group, in the same place of their pieces, has bank part u and line part l;
//   it collides when A(l) = u. l = 0 never does: different pieces of one line.
//   32x32 f32 columns, p = 2: d = 128, 256, ..., so A(l) != 0 for 31 l: A = identity, which is Sw<5,2,5>
//
// The search chooses A for one independent l after the other, and leaves a choice as soon as some d whose l depends
// on what is chosen collides. When every choice fails, no map of this form is conflict free; when in addition every
// u stands in the differences with l = 0, none at all is that is linear and keeps pieces: it would have to be one
// to one on a line, and then it is of this form up to names of banks.
//
// Invariants (tested): wavefronts() is the sum of count_wavefronts over the steps with swizzled addresses; the search
// agrees with trying all maps, where there are few. Source: the rule of access.hpp, measured on H200.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout/swizzle.hpp"
#include "smem/walk.hpp"

namespace swz {

// A bank map is a LinearMap from the number of a word (byte address / 4), of word_bits bits, to its bank.
// The swizzle keeps words whole.
LinearMap bank_map(const Swizzle& byte_swizzle, int word_bits);

struct ConflictGroup {
  std::vector<std::uint32_t> words;  // distinct, each XORed with the first
  std::int64_t times = 0;
};

struct ConflictGroups {
  std::vector<ConflictGroup> groups;
  std::vector<std::uint32_t> differences;  // of two words of one group: all of them, in order, each once
  int word_bits = 0;                       // that any word has
  std::int64_t ideal = 0;                  // wavefronts without a conflict
};

// Walks at the addresses before the map.
ConflictGroups conflict_groups(std::span<const Walk> walks);

std::int64_t wavefronts(const ConflictGroups& groups, const LinearMap& map);
bool is_conflict_free(const ConflictGroups& groups, const LinearMap& map);

// What any map needs that keeps pieces of 2^log2_piece bytes whole, linear or not: words with the same place in
// their piece have only 2^(7 - log2_piece) banks between them.
struct CountingBound {
  std::int64_t wavefronts = 0;
  std::int64_t words = 0;  // in one place, of the group that needs the most passes
  std::int64_t banks = 0;
};
CountingBound counting_bound(const ConflictGroups& groups, int log2_piece);

struct BankSearch {
  int log2_piece = 4;
  std::optional<LinearMap> map = {};  // a conflict-free one
  bool is_complete = true;            // false: given up after the limit; then no map proves nothing
  bool is_every_linear_map = false;   // no map: of no other form either
  std::int64_t tried = 0;             // choices
};

// log2_piece: 2 ... 6, at least the width of every access.
BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece);

// The map of this form with the fewest wavefronts that is found by changing one line bit at a time, from `start`
// (of the same form or not: what it makes of line bits is taken).
LinearMap improved(const ConflictGroups& groups, const LinearMap& start, int log2_piece);

// On byte addresses: a bijection of the numbers below 2^(word_bits + 2).
LinearMap address_map(const LinearMap& bank_map);

}  // namespace swz
