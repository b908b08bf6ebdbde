// SPDX-License-Identifier: Apache-2.0
// Tensor memory as one bar: its columns from left to right, its 128 lanes from top to bottom, and the regions of a plan
// in it.
//
//   S=0+128, P=64+64, O=256+128 of 512 columns as a line of text; "!" is a region that shares cells with another one
//     0 S──────64 S P!────128 ··············256 O─────────────384 ··············512
//   D0=0+256, D1=256+256, SFA=512+12: more than there are; what follows the edge "│" has no place
//     0 D0──────────────256 D1──────────────512│SFA─524
//
// A region that takes half the lanes of each quarter is drawn in those lanes. Regions that share cells share the height
// and are hatched; so is what lies beyond the allocation.
#pragma once

#include <string>
#include <vector>

#include "tmem/plan.hpp"
#include "view/document/document.hpp"

namespace swz {

// The line of text, of about `width` columns.
std::string tmem_bar_text(const TmemPlan& plan, int width);

// The picture. most: the columns that there are.
Sketch tmem_bar(const TmemPlan& plan, int most);

// ---- the part of a region that is in some columns, of one stage or of stages that lie in the same columns

struct TmemPiece {
  const TmemRegion* region = nullptr;
  int first = 0, count = 0;
  std::string name;  // "D0", for a single stage "D"
  int stage = 0;
  std::vector<const TmemRegion*> shared_with = {};
  // All regions in these columns, in order, if any two of them share cells: they are drawn below each other.
  std::vector<const TmemRegion*> stacked = {};

  int end() const { return first + count; }
};

// The regions cut where stages and other regions begin and end, by their columns.
std::vector<TmemPiece> tmem_pieces(const TmemPlan& plan);

}  // namespace swz
