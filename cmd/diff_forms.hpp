// SPDX-License-Identifier: Apache-2.0
// swz diff of two layouts of which one at least is not in CuTe's notation: read each with what the other one says,
// then compare as functions of the array.
#pragma once

#include "layout_text.hpp"

namespace swz {

// One side at least is not CuTe. Throws Error where one lies in shared memory and the other in registers.
Answer diff_forms(const DialectText& a, const DialectText& b, const Given& given);

}  // namespace swz
