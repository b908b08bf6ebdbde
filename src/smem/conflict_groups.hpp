// Conflict groups: what of an access pattern decides which linear maps of the address remove its bank conflicts.
//
//   32x32 f32, ld.shared.b32 columns: lanes l at byte 128 l. One group, word differences 32, 64, 96, ...: a map
//   must not send any of these to bank 0. All 32 columns make the same differences: one group, 32 times.
//
// A linear map s has bank(s(a)) ^ bank(s(b)) = bank(s(a ^ b)): only the XORs of the words of a group matter. So
// groups that are XOR translates of each other are one, and a whole tile comes down to a few.
//
// Conflict free, for a group of at most 32 words: no difference of two of its words lies in the kernel of the map
// from words to banks. (Groups have at most 32 different words: 32 lanes of 4 bytes, 16 of 8, 8 of 16, and twice
// as many lanes only where they pair.)
//
// Invariant (tested): wavefronts() is the sum of count_wavefronts over the steps with swizzled addresses.
// Source: the rule of wavefront.hpp, measured on H200.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/linear_map.hpp"
#include "smem/walk.hpp"

namespace swz {

// The bank of a word: bit i of its number (byte address / 4) contributes columns[i], of five bits.
struct BankMap {
  std::vector<std::uint8_t> columns;
  int operator()(std::uint32_t word) const;
};
// On words below 2^word_bits. The swizzle keeps words whole.
BankMap bank_map(const Swizzle& byte_swizzle, int word_bits);

struct ConflictGroup {
  std::vector<std::uint32_t> words;  // distinct, each XORed with the first
  std::int64_t times = 0;
  std::size_t step = 0;  // the first place where it comes: of all steps of all walks, and its lanes
  int first_lane = 0, lane_count = 0;
};

struct ConflictGroups {
  std::vector<ConflictGroup> groups;
  std::vector<std::uint32_t> differences;  // of two words of one group: all of them, in order, each once
  int word_bits = 0;                       // that any word has
  std::int64_t ideal = 0;                  // wavefronts without a conflict
};

// Walks at the addresses before the map.
ConflictGroups conflict_groups(std::span<const Walk> walks);

int passes(const ConflictGroup& group, const BankMap& map);
std::int64_t wavefronts(const ConflictGroups& groups, const BankMap& map);
bool is_conflict_free(const ConflictGroups& groups, const BankMap& map);

// What any map needs that keeps pieces of 2^log2_piece bytes whole, linear or not: words with the same place in
// their piece have only 2^(7 - log2_piece) banks between them.
struct CountingBound {
  std::int64_t wavefronts = 0;
  std::size_t worst = 0;   // the group that needs the most passes
  std::int64_t words = 0;  // of it in one place
  std::int64_t banks = 0;
};
CountingBound counting_bound(const ConflictGroups& groups, int log2_piece);

}  // namespace swz
