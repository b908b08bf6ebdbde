// SPDX-License-Identifier: Apache-2.0
// Which function a call names, and which functions may end the lanes that call them. Between the files of src/ptx.
//
//   .func f { … @%p exit; … ret; }      a lane that executes exit in f comes to nothing behind `call f`
//   .func g { … call f; … }             nor behind `call g`
//
// A register may hold the address of any function of the text. Of functions that are not in the text swz takes that they come back.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

// The function that a call names, without what it gives and takes. Empty: a register holds its address.
std::string_view called_function(const PtxModule& module, const PtxInstruction& call);

// The calls of a kernel, as places of its instructions, behind which lanes may be missing.
std::vector<std::uint32_t> ending_calls(const PtxModule& module, const PtxKernel& kernel);

}  // namespace swz
