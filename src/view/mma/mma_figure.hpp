// SPDX-License-Identifier: Apache-2.0
// Pictures of what accompanies the operands: scale factors in tensor memory, narrow elements, metadata, CTA pairs.
//
// In tensor memory, a block of lanes and four bytes of a column is one cell.
#pragma once

#include "arch/narrow.hpp"
#include "view/document/figure.hpp"
#include "view/mma/scale_factor.hpp"

namespace swz {

// ---- scale_figure.cpp

// Lanes and columns, and the bytes of the words with the MMA that reads them.
Figure scale_place_figure(const ScalePlaceView& view, bool is_page = false);

Drawing scale_place_drawing(const ScalePlaceView& view);

// ---- narrow_figure.cpp

// 16 elements in global, shared and tensor memory, or in the last two; `asked` is one of them, -1 for none: then the
// first 16 elements are shown.
enum class NarrowPanels { all, smem_and_tmem };
Figure narrow_figure(const NarrowForm& form, std::int64_t asked, NarrowPanels panels);
Drawing narrow_drawing(const NarrowForm& form, std::int64_t k);

// ---- metadata_figure.cpp

// The metadata of the rows of a CTA (32 or 64 rows appear more than once) for two MMAs, which with tf32 and f16 share
// an address column; `at`: row of the CTA and k of MMA `mma`.
Figure metadata_figure(const SparseForm& form, int mma, Coordinate at, int rows = 128);
Drawing metadata_drawing(const SparseForm& form, int mma, Coordinate at, int rows = 128);
// Which elements each nibble of a word keeps.
Drawing word_drawing(const SparseForm& form, const MetadataWord& word);

// ---- pair_figure.cpp

Figure pair_figure(const PairView& view);
Drawing pair_drawing(const PairView& view);

}  // namespace swz
