// SPDX-License-Identifier: Apache-2.0
// What an answer about a tile adds if its elements are narrower than a byte, or if one CTA of a pair holds it.
//
//   e2m1 under mxf8f6f4       "form": {"kind":"mxf8f6f4","bits":4,"chunk_bytes":8,"gap_bytes":8,"tx_bytes_per_128":64,
//                              "evidence":"claimed"}, and "open", the questions that no source settles
//   e2m1 without a kind       a note: packed, as mxf4 and mxf4nvf4 read it; which kinds read it with gaps
//   CTA 1 of two, 256x64      "pair": {"cta":1,"rows":[128,255],"of":256}; the same offsets in both CTAs
//
// An answer about any other tile adds nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smem/mma_operand.hpp"
#include "view/document/document.hpp"

namespace swz {

// The half of the rows of an operand that one CTA of a pair holds.
struct PairHalf {
  int cta = 0;
  std::int64_t rows = 0;  // of both CTAs

  std::int64_t first_row() const { return cta * rows / 2; }
};

// "16 elements in every 16 B: 8 B and a gap of 8", "2 elements in a byte"
std::string packing_text(const NarrowForm& form);

struct TileForm {
  const DType* dtype = nullptr;
  Packing packing = Packing::packed;
  Major major = Major::K;
  const MmaKindRow* kind = nullptr;
  bool is_stated = false;             // by a kind, or as slots
  bool is_copied = false;             // by TMA: then the open questions on the copy are named, too
  const Target* default_target = {};  // that was assumed for such elements; null if one was given
  std::optional<PairHalf> pair = {};
};

// The questions that the sources leave open: a note for each name in arch/open_question.hpp.
Notes open_notes(const std::vector<std::string_view>& names);

// Adds this before the notes of the document; its own notes come first among them.
void add_tile_form(Document& d, const TileForm& form);

}  // namespace swz
