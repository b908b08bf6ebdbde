// Fragments by name, as a person or a PTX listing names them.
//
//   find_fragment({.name = "ldmatrix.x4.trans"})
//   find_fragment({.name = "mma.m16n8k16", .dtype = "bf16", .operand = Operand::a})
//   find_fragment({.name = "wgmma.m64n64k16", .operand = Operand::d})
//   find_fragment({.name = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", .operand = Operand::d})
//
// What does not change the map may stay in the name: sync, aligned, shared, kind::..., m8n8 and b16 of ldmatrix.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fragment/fragment.hpp"

namespace swz {

struct FragmentRequest {
  std::string name;
  // Of A and B. Empty: whichever the shape takes, as long as the map does not depend on it. For c and d it may also
  // be an accumulator type that no A or B of the shape has.
  std::string dtype = {};
  // mma and wgmma need one; ldmatrix and stmatrix have none; movmatrix has d unless a is named.
  std::optional<Operand> operand = {};
  // Of C and D. Empty: the first of the row, the widest.
  std::string accumulator = {};
};

// Throws Error with the nearest name and the list for what does not exist.
Fragment find_fragment(const FragmentRequest& request);

// The one fragment when an operand is named or there is but one; else all that lie in registers: a, b, c, d of mma,
// a and d of wgmma, a and d of movmatrix.
std::vector<Fragment> find_fragments(const FragmentRequest& request);

// Every name of a family; of wgmma m64nNk16 with N as a letter.
std::vector<std::string> fragment_names(InstructionFamily family);

}  // namespace swz
