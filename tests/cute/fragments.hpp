// SPDX-License-Identifier: Apache-2.0
// CuTe's TV layouts of registers, as plain data; needs neither CuTe's nor swz's headers.
#pragma once

#include <string>
#include <vector>

namespace swz {

// One operand of an MMA atom.
struct CuteFragment {
  std::string name;   // in swz's words, "mma.m16n8k16"
  std::string dtype;  // of A for operands a and d, of B for b
  char operand;
  std::string accumulator;
  std::vector<int> lanes;    // which lane each of CuTe's threads is
  std::vector<int> indices;  // thread + value * threads -> where in the tile, as Fragment::tile_index counts
};

// A copy between memory and the registers of a warp. CuTe numbers the bits of the matrices; which bits are where in
// memory follows from the lane that gives the address.
struct CuteCopy {
  std::string name;            // "ldmatrix.x4.trans"
  std::vector<int> registers;  // thread + 32 * (bit of its registers) -> bit
  std::vector<int> memory;     // lane + 32 * (bit after the address of that lane) -> bit
};

std::vector<CuteFragment> cute_fragments();
std::vector<CuteCopy> cute_copies();

}  // namespace swz
