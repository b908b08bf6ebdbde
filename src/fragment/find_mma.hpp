// The part of find_fragment that knows mma and wgmma: shape, types and operand order out of the parts of a name.
//
//   mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32   parts: mma, sync, aligned, m16n8k16, row, ...
//
// The types stand in PTX's order: D, A, B and, for mma only, C.
#pragma once

#include <string>
#include <vector>

#include "fragment/find.hpp"

namespace swz {

// `parts` is request.name at its dots, in lower case; parts[0] is the family.
Fragment find_mma(InstructionFamily family, const std::vector<std::string>& parts, const FragmentRequest& request);

}  // namespace swz
