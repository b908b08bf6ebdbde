// SPDX-License-Identifier: Apache-2.0
// CUTLASS's canonical atoms as CuTe has them.
#pragma once

#include "answers.hpp"

namespace swz {

struct CuteAtom {
  const char* name;  // K_SW128
  const char* type;  // in swz's words
  CuteAnswer answer;
};

std::vector<CuteAtom> cute_atoms();

}  // namespace swz
