// SPDX-License-Identifier: Apache-2.0
// swz diff of two layouts of which at least one is not in CuTe's notation: each is read with what the other one gives,
// then they are compared as functions of the array.
#pragma once

#include "layout_text.hpp"

namespace swz {

// Requires that at least one side is not CuTe. Throws Error if one is in shared memory and the other in registers.
Answer diff_forms(const DialectText& a, const DialectText& b, const Given& given);

}  // namespace swz
