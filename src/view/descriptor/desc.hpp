// SPDX-License-Identifier: Apache-2.0
// View of descriptors: what `swz desc` answers for a tile, and for a layout.
#pragma once

#include <string>
#include <vector>

#include "descriptor/layout_descriptor.hpp"
#include "descriptor/staged_layout.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "layout/layout.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"

namespace swz {

// "64x16, the default for A (M 64)"; "64x16" if the MMA was named.
std::string mma_text(const TileDescriptors& words);
// "a", "b" or null: the operand for which the MMA is the default.
Json default_of_json(const TileDescriptors& words);

struct DescViewOptions {
  std::string source = {};          // source code that was asked for; empty for none
  std::vector<Finding> notes = {};  // on how the operand was given
  Highlight highlight = {};         // of desc_highlight_kinds
};

// "f16 128x64, K-major, mode 128B, mn-first"
std::string describe_operand(const SmemTile& tile);
// "f16 (16,64):(1,16), MN-major"
std::string describe_operand(const LayoutOperand& operand);

// JSON: lbo, sbo (numbers of bytes), swizzle, leading, stride (what the two step over, in words), arch, kind,
// dtype, major, tile [MN, K], order (null for a layout), base, layout, atom [MN, K], mma [MN, K], default_of
// (the operand for which the MMA is the default: "a", "b" or null), m_blocks, k_steps, legal_swizzles, descriptors
// [{m, k, byte_offset, advance, next_atom, word}] (k outer, m inner), notes, source (left out when empty).
Document view_tile_descriptors(const SmemTile& tile, const TileDescriptors& words, const DescViewOptions& options);

// The same if the layout has descriptors. Otherwise: layout, arch, dtype, major, reason, hint, modes [{swizzle,
// layout, lbo, sbo, word, reason}] (word is null if there is none, reason is null if there is a word), nearest {layout,
// swizzle, order, lbo, sbo, word, agreeing, elements} or null.
Document view_layout_descriptors(const LayoutOperand& operand, const LayoutDescriptors& answer,
                                 const DescViewOptions& options);

// Adds the words of every stage: text has the first of each, JSON stages {count, bytes, starts, words [[word, …], …]}.
Document add_stage_words(Document d, const TileDescriptors& words, const StagedLayout& stages, int element_bits);

// ---- the figure, in desc_figure.cpp

// What is drawn beside its words. `layout`: before the swizzle, rank 2 (MN, K), in elements.
struct DescribedOperand {
  OperandShape shape;
  Bytes base;
  Layout layout;
  std::string title;
};

// The shape of a layout that has descriptors.
OperandShape operand_shape(const LayoutOperand& operand, const LayoutDescriptors& answer);

// rows, ks, chunks in GMEM order, and bytes by their address. A chunk is highlighted if it has one of each kind that is
// named.
std::vector<HighlightKind> desc_highlight_kinds(const OperandShape& shape, const Target& target);
// "16 chunks in 0x400 to 0x7ff; …"
std::string highlight_text(const DescribedOperand& operand, const Highlight& highlight);

// The picture: the lines of shared memory, and the words.
//
//   f16 128x64 K-major, mode 128B, at 0x400; MMAs of 64x16
//     lines   one hue for each k step; SBO from 0x400 to 0x800, "k step +32 B" from chunk 0 to chunk 2 of the first
//             line, nothing for LBO, which is not used
//     words   4 k steps x 2 blocks of rows, in the same colours
//
// The first atom is drawn, the lines where an arrow, a k step or a block of rows begins, and the last line.
//
// Invariant (tested): an arrow spans as many bytes as the LBO, SBO or advance of the words; there is one for each
// stride that an MMA applies and whose end is inside the operand.
Figure desc_figure(const DescribedOperand& operand, const TileDescriptors& words, const Highlight& highlight = {});
// Of a layout without a descriptor: its first lines beside those of the nearest tile that has one.
Figure refusal_figure(const LayoutOperand& operand, const LayoutDescriptors& answer);

}  // namespace swz
