// SPDX-License-Identifier: Apache-2.0
// Which function a call names, and which functions may end the lanes that call them.
//
//   .func f { … @%p exit; … ret; }      a lane that executes exit in f executes nothing after `call f`
//   .func g { … call f; … }             nor after `call g`
//
// A register may hold the address of any function of the text. Functions that are not in the text are assumed to
// return.
//
// Used only inside src/ptx.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

// The function that a call names, without its results and arguments. Empty: a register holds its address, or
// a comment is before its name.
std::string_view called_function(const PtxModule& module, const PtxInstruction& call);

// The calls of a kernel from which not all lanes may return, as places of its instructions.
std::vector<std::uint32_t> ending_calls(const PtxModule& module, const PtxKernel& kernel);

}  // namespace swz
