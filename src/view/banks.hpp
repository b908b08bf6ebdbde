// View of wavefronts: what `swz banks` says. The totals of a walk over an operand, its worst instruction lane by
// lane, the banks it meets in, and the counters where Nsight Compute shows the numbers.
//
//   bf16 8x16 K-major, linear, ldmatrix.x1:    2 instructions, 4 wavefronts, ideal 2, excess 2
//     lane 0  row 0  k 0  byte 0x0   banks 0-3  pass 0  collides with lane 4
//     lane 4  row 4  k 0  byte 0x80  banks 0-3  pass 1  collides with lane 0
#pragma once

#include <vector>

#include "arch/dtype.hpp"
#include "smem/walk.hpp"
#include "view/document.hpp"
#include "view/place.hpp"

namespace swz {

// An operand and the walks over it; all variants of a report have the same walks.
struct WalkedOperand {
  PlacedOperand operand;
  std::vector<Walk> walks;
};

struct BanksReport {
  const Target* target = nullptr;
  const DType* dtype = nullptr;
  std::vector<WalkedOperand> variants;   // the first is what was asked, the others are compared with it
  std::vector<Finding> impossible = {};  // why other variants cannot be compared
};

// One instruction with the addresses of its lanes. given: how many lanes have one.
struct RawBanksReport {
  const Target* target = nullptr;
  WavefrontReport report;
  int given = 0;
};

// JSON: see docs/json.md.
Document view_banks(const BanksReport& report);
Document view_banks(const RawBanksReport& report);

// The table of access instructions.
Document view_access_list();

}  // namespace swz
