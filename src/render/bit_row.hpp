// SPDX-License-Identifier: Apache-2.0
// The segments of a word: what its lines (bit_row.cpp) and its picture (word_figure.cpp) have in common.
//
//   segments_of({0x25, 8, {{"low", {0, 4}}, {"high", {6, 2}}}})
//     high 7-6 tint {0, 0}    unused 5-4    low 3-0 tint {1, 0}
//
// Invariant (tested): from the most significant bit down, every bit of the word is in one segment.
#pragma once

#include <string>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

struct Segment {
  std::string name;
  BitField bits;
  bool reserved = true;
  Tint tint = {};  // reserved and unused bits have none
  std::string value = {};
  BitRow::Look look = BitRow::Look::usual;
  std::string said = {};

  // Bits that belong to no field are named if one of them is set.
  bool is_labelled(std::uint64_t word) const { return !reserved || bits.read(word) != 0; }
  std::string label() const { return reserved ? name + " (not 0)" : name; }
  bool is_wrong(std::uint64_t word) const { return look == BitRow::Look::wrong || (reserved && bits.read(word) != 0); }
  bool is_soft() const { return look == BitRow::Look::quiet || look == BitRow::Look::unused; }
};

// Gaps are filled with segments called "unused". A part that is outside the word or overlaps another is left out.
std::vector<Segment> segments_of(const BitRow& row);

// The bits in which any version differs from the first.
std::uint64_t changed_bits(const BitRow& row);

}  // namespace swz
