// SPDX-License-Identifier: Apache-2.0
// Swizzle find: the smallest change of addresses that makes given accesses of an operand conflict free.
//
//   f16 64x64 K-major, rows of 128 B, ldmatrix.x4: 512 wavefronts, ideal 64: 8 rows share their banks
//     Sw<3,4,3>: the three bits that distinguish 8 rows go into the bits that name a 16-byte chunk of a line
//   f32 32x32, st.shared.b32 rows and ld.shared.b32 columns: Sw<5,2,5>; or rows padded by 4 B
//
// It tries, in order, every Swizzle<B,M,S> on bytes: the fewest bits B first, then the largest M (pieces of 2^M bytes
// stay whole), then the smallest S. M is at least the widest access, which would otherwise be split; M + B <= 7,
// because bits above 6 name no bank. S is positive: a negative one XORs bank bits with bank bits, which renames banks
// and changes no conflict. If no swizzle suffices, it tries any linear map over GF(2) (bank_search.hpp), with pieces
// of 16 bytes if possible.
//
// Addresses are counted from a base that is a multiple of the swizzle's period.
//
// Invariant (tested): the swizzle is the first one by that order for which count_wavefronts has no excess.
// Source: the rule of access.hpp, measured on H200.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "smem/bank_search.hpp"

namespace swz {

// The operand and its accesses, none of which has a thread-value layout.
struct FindRequest {
  Layout layout;  // of rank 2, from (row, k) to elements
  int element_bits = 16;
  std::optional<Major> major = {};
  std::vector<Access> accesses;      // at least one
  const NarrowForm* form = nullptr;  // for elements narrower than a byte
  const Target* target = nullptr;    // of the shared memory; null: one before sm_107
};

// Two lanes of one instruction whose words collide in a bank under every map that has this vector in its kernel.
struct LaneCollision {
  std::size_t walk = 0, step = 0;  // which instruction
  int first = 0, second = 0;       // lanes
  Bytes first_word, second_word;   // addresses before the map
  int bank = 0;
  Bytes kernel_vector() const { return Bytes{first_word.count ^ second_word.count}; }
};

// The mode that counts the lines: the other mode is contiguous and not longer than the pitch of the lines. None if the
// layout has no such lines.
std::optional<std::size_t> line_mode(const Layout& layout);
// The layout with this many more elements from line to line.
Layout padded(const Layout& layout, std::size_t line_mode, std::int64_t elements);

struct LinePadding {
  Bytes line;   // the pitch of the operand without the padding
  Bytes bytes;  // added to the pitch
  Bytes cost;   // added bytes in total
};

struct SwizzleFind {
  Placement placement;  // without a swizzle
  std::vector<Walk> walks = {};
  int log2_piece = 4;                           // piece as wide as the widest access
  int candidates = 0;                           // swizzles tried before the one that is found, or all of them
  std::optional<Swizzle> swizzle = {};          // conflict free; none if there is none
  Swizzle best_swizzle = {};                    // the one found, otherwise the first with the fewest wavefronts
  std::vector<BankSearch> searches = {};        // if no swizzle suffices; the last one has the map, if there is one
  LinearMap map = {};                           // on byte addresses: the map that is found, otherwise the best
  CountingBound bound = {};                     // for every map that keeps pieces of 2^log2_piece bytes
  std::optional<LaneCollision> collision = {};  // under `map`, if a conflict is left
  std::vector<WavefrontTotal> mapped = {};      // each walk under `map`
  bool has_plain_lines = false;  // one mode is contiguous, the other a pitch of at least a line: it can be padded
  std::optional<LinePadding> padding = {};  // the smallest conflict-free one; none if no padding is

  WavefrontTotal total_plain() const;  // of the walks, without `map`
  WavefrontTotal total() const;
  bool is_found() const { return total().excess() == 0; }
  // Whether nothing that keeps accesses whole has fewer wavefronts.
  bool is_best() const { return is_found() || total().wavefronts == bound.wavefronts; }
};

// The swizzles of the search, in its order. address_bits are the bits of the highest address.
std::vector<Swizzle> swizzle_candidates(int log2_piece, int address_bits);

// Searches for an operand. Throws Error if the operand cannot be walked so, or does not fit into shared memory.
SwizzleFind find_swizzle(const FindRequest& request);
// Searches for single instructions with raw addresses: the first candidate under which each has its ideal, or none.
std::optional<Swizzle> find_swizzle(std::span<const AccessPattern> patterns);

}  // namespace swz
