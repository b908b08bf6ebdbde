// SPDX-License-Identifier: Apache-2.0
// CuTe's TV layouts of block-scaled and sparse MMAs, as plain data; needs neither CuTe's nor swz's headers.
#pragma once

#include <string>
#include <vector>

namespace swz {

// One operand of an atom. CuTe counts all elements along K: those of A that are not kept, and one scale factor or one
// part of an index for each of them.
struct CuteScaledFragment {
  std::string name;   // as swz has it, with the kind
  std::string dtype;  // of A; for b that of B
  std::string scale;  // type of the scale factors; empty without them
  std::string operand;
  int vector = 0;  // SFVecSize
  int threads = 0;
  std::vector<int> indices;  // thread + value * threads -> line + lines * k; of d, row + rows * column
};

std::vector<CuteScaledFragment> cute_scaled_fragments();

}  // namespace swz
