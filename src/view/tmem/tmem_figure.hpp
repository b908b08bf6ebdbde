// SPDX-License-Identifier: Apache-2.0
// Pictures of tensor memory: where D, A and the data of tcgen05.cp are, in blocks of lanes and columns.
//
//   D of M 128, N 256, cta_group::2 (data path B): lanes 64-95, columns 0-127 of CTA 0 hold rows 0-31, cols 128-255
//
// A matrix or shared memory is on the left, tensor memory on the right; the same block has the same colour in both, and
// the same tooltip. A point that was asked for is a block of its own, and what is highlighted is cut out.
//
// Invariants (tested): the blocks of a matrix and of tensor memory have the same elements; every element is in one
// block of each.
#pragma once

#include <string>
#include <vector>

#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/document/run.hpp"
#include "view/tmem/tmem.hpp"
#include "view/tmem/tmem_copy.hpp"

namespace swz {

// The figure with its evidence on a page; the lines of a text have it beside the picture. "PTX ISA 9.1, 9.7.16.10.5
// (documented); not measured: no Blackwell GPU was available."
Figure with_evidence(Figure figure, Medium medium, const Source& source);
// "warp 2: 64-95"
std::string warp_label(const Run& lanes);
// A part that exists but is not used.
Grid::Square unused_square(std::string tip);

// ---- accumulator_figure.cpp

Figure accumulator_figure(const Accumulator& d, const AccumulatorView& view);
Figure operand_a_figure(const OperandAView& view);
// One of A's columns bit by bit.
Figure word_figure(const OperandAView& view);
Figure tmem_copy_figure(const TmemCopyView& view);
// 16 elements before and after decompression.
Figure decompression_figure(const TmemCopyView& view);

// On a terminal only if no point is asked for.
Drawing accumulator_drawing(const Accumulator& d, const AccumulatorView& view);
Drawing operand_a_drawing(const OperandAView& view);
Drawing tmem_copy_drawing(const TmemCopyView& view);

std::vector<HighlightKind> highlight_kinds(const Accumulator& d);

}  // namespace swz
