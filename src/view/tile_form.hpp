// SPDX-License-Identifier: Apache-2.0
// What an answer about a tile adds when its elements are narrower than a byte, or when one CTA of a pair holds it.
//
//   e2m1 under mxf8f6f4       "form": {"kind":"mxf8f6f4","bits":4,"chunk_bytes":8,"gap_bytes":8,"tx_bytes_per_128":64,
//                              "evidence":"claimed"}, and "open", the questions that no source settles
//   e2m1 without a kind       a note: packed, as mxf4 and mxf4nvf4 read it; which kinds read it with gaps
//   CTA 1 of two, 256x64      "pair": {"cta":1,"rows":[128,255],"of":256}; the same offsets in both CTAs
//
// Other tiles have none of it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "smem/mma_operand.hpp"
#include "view/document.hpp"

namespace swz {

// Which half of the rows of an operand one CTA of a pair holds.
struct PairHalf {
  int cta = 0;
  std::int64_t rows = 0;  // of both CTAs

  std::int64_t first_row() const { return cta * rows / 2; }
};

struct TileForm {
  const DType* dtype = nullptr;
  Packing packing = Packing::packed;
  Major major = Major::K;
  const MmaKindRow* kind = nullptr;
  bool is_stated = false;             // by a kind, or as slots
  bool is_copied = false;             // by TMA: what is open of that is said, too
  const Target* default_target = {};  // that was taken for such elements; null: one was given
  std::optional<PairHalf> pair = {};
};

// What the sources do not settle, a note of each name in arch/open_question.hpp.
Notes open_notes(const std::vector<std::string_view>& names);

// Before the notes of the document; its own are the last of these.
void add_tile_form(Document& d, const TileForm& form);

}  // namespace swz
