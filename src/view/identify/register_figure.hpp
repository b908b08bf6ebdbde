// SPDX-License-Identifier: Apache-2.0
// The picture of dumped registers: what each register of some threads should hold, and what it holds.
//
//   expected   r0       r1       r2       r3           the dump   r0       r1       r2       r3
//   T0         0,0 0,1  8,0 8,1  0,8 0,9  8,8 8,9      T0         0,0 0,1 [0,8 0,9][8,0 8,1] 8,8 8,9
//
// The colour is that of the register that should hold it: registers that are exchanged have exchanged colours.
#pragma once

#include "view/document/document.hpp"
#include "view/identify/identify_registers.hpp"

namespace swz {

// Of a report with a map.
Figure register_figure(const RegisterReport& report);

}  // namespace swz
