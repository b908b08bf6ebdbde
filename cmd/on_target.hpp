// SPDX-License-Identifier: Apache-2.0
// The lint of an answer about an instruction that the target of --arch lacks.
//
//   on_target({document}, context, "tcgen05.cp", available::tensor_memory, "PTX ISA 9.1, 9.7.16")
//   with --arch sm_90a: lint[target-lacks-instruction]: sm_90a has no tcgen05.cp
//
// JSON always has "lints", with those that the document has already.
#pragma once

#include "arch/tcgen05.hpp"
#include "command.hpp"

namespace swz {

Answer on_target(Answer answer, const Context& context, std::string_view what, const Availability& availability,
                 std::string_view source = tcgen05_operation("mma").source.where);
// The answer with the lint for tcgen05.mma of a kind.
Answer on_target(Answer answer, const Context& context, const MmaKindRow& kind, bool sparse = false);

}  // namespace swz
