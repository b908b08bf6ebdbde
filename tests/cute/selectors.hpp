// SPDX-License-Identifier: Apache-2.0
// The atoms that CUTLASS's collective builders choose for a tile, as plain data; needs neither CuTe's nor swz's
// headers.
#pragma once

#include <vector>

namespace swz {

struct CuteChoice {
  const char* target;  // sm_90a: ss_smem_selector; sm_100a: sm100_smem_selector
  const char* dtype;
  bool in_slots;
  bool is_mn_major;
  int mn, k;
  const char* swizzle;
};

std::vector<CuteChoice> cute_choices();

}  // namespace swz
