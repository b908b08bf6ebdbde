// SPDX-License-Identifier: Apache-2.0
// Bank search: the best linear map over GF(2) from addresses to banks, for access patterns about which it is known
// which maps remove their conflicts.
//
// A linear map s has bank(s(a)) ^ bank(s(b)) = bank(s(a ^ b)), so only the XORs of the words of a group of lanes
// matter. Groups that are XOR translates of each other are therefore one conflict group, and a whole tile reduces to a
// few.
//
//   32x32 f32, ld.shared.b32 columns: lanes l at byte 128 l. One group, word differences 32, 64, 96, ...: a map
//   must not send any of these to bank 0. All 32 columns have the same differences: one group, 32 times.
//
// A group of at most 32 words is conflict free if no difference of two of its words is in the kernel of the map from
// words to banks. (A group has at most 32 different words: 32 lanes of 4 bytes, 16 of 8, 8 of 16, and twice as many
// lanes only if they pair.)
//
// Maps have the form a ^ X(a): pieces of 2^p bytes stay whole, the bank bits above them (p ... 6) are XORed with line
// bits (7 and up), and nothing else moves. So a map is one number of 7 - p bits for each line bit. It is always a
// permutation: it keeps lines, and a line bit only moves things inside its line.
//
//   a difference d of two words of one group, at the same place in their pieces, has bank part u and line part l;
//   it collides if A(l) = u. With l = 0 it never does: these are different pieces of one line.
//   32x32 f32 columns, p = 2: d = 128, 256, ..., so A(l) != 0 for 31 l: A = identity, which is Sw<5,2,5>
//
// The search chooses A for one independent l after another, and abandons a choice as soon as some d whose l depends on
// what is chosen collides. If every choice fails, no map of this form is conflict free. If, in addition, every u occurs
// in the differences with l = 0, no linear map that keeps pieces is conflict free: it would have to be one to one on a
// line, and then it has this form except for the names of the banks.
//
// Invariants (tested): wavefronts() is the sum of count_wavefronts over the steps with swizzled addresses; the search
// agrees with trying all maps if there are few. Source: the rule of access.hpp, measured on H200.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout/swizzle.hpp"
#include "smem/walk.hpp"

namespace swz {

// The bank map of a swizzle that keeps words whole. A bank map is a LinearMap from the number of a word (byte address /
// 4), which has word_bits bits, to its bank.
LinearMap bank_map(const Swizzle& byte_swizzle, int word_bits);

struct ConflictGroup {
  std::vector<std::uint32_t> words;  // distinct, each XORed with the first
  std::int64_t times = 0;
};

struct ConflictGroups {
  std::vector<ConflictGroup> groups;
  std::vector<std::uint32_t> differences;  // of two words of one group: all of them, sorted, each once
  int word_bits = 0;                       // bits of the largest word number
  std::int64_t ideal = 0;                  // wavefronts if there were no conflicts
};

// The groups of walks, at their addresses before the map.
ConflictGroups conflict_groups(std::span<const Walk> walks);

std::int64_t wavefronts(const ConflictGroups& groups, const LinearMap& map);
bool is_conflict_free(const ConflictGroups& groups, const LinearMap& map);

// A bound for any map that keeps pieces of 2^log2_piece bytes whole, linear or not: words at the same place in their
// pieces have only 2^(7 - log2_piece) banks between them.
struct CountingBound {
  std::int64_t wavefronts = 0;
  std::int64_t words = 0;  // at one place, in the group that needs the most passes
  std::int64_t banks = 0;
};
CountingBound counting_bound(const ConflictGroups& groups, int log2_piece);

struct BankSearch {
  int log2_piece = 4;
  std::optional<LinearMap> map = {};  // a conflict-free one
  bool is_complete = true;            // false if the search stopped at its limit; then a missing map proves nothing
  bool is_every_linear_map = false;   // if there is no map: whether there is none of another form either
  std::int64_t tried = 0;             // number of choices
};

// Searches for a map. log2_piece is 2 ... 6, and a piece is at least as wide as every access.
BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece);

// The map of this form with the fewest wavefronts that changes of one line bit at a time find from `start`. `start` may
// have another form: only what it does to line bits is used.
LinearMap improved(const ConflictGroups& groups, const LinearMap& start, int log2_piece);

// The map on byte addresses: a bijection of the numbers below 2^(word_bits + 2).
LinearMap address_map(const LinearMap& bank_map);

}  // namespace swz
