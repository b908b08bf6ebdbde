// Bank search: the best linear map over GF(2) of addresses to banks, for given conflict groups.
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
// Invariant (tested): agrees with trying all maps, where there are few.
#pragma once

#include <optional>

#include "smem/conflict_groups.hpp"

namespace swz {

struct BankSearch {
  int log2_piece = 4;
  std::optional<BankMap> map = {};   // a conflict-free one
  bool is_complete = true;           // false: given up after the limit; then no map proves nothing
  bool is_every_linear_map = false;  // no map: of no other form either
  std::int64_t tried = 0;            // choices
};

// log2_piece: 2 ... 6, at least the width of every access.
BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece);

// The map of this form with the fewest wavefronts that is found by changing one line bit at a time, from `start`
// (of the same form or not: what it makes of line bits is taken).
BankMap improved(const ConflictGroups& groups, const BankMap& start, int log2_piece);

// On byte addresses: a bijection of the numbers below 2^(word_bits + 2).
LinearMap address_map(const BankMap& map);

}  // namespace swz
