// SPDX-License-Identifier: Apache-2.0
// Spellings: the names of the swizzle modes in each project, and its notation for Swizzle<B,M,S>.
//
//   mode 128B: Triton swizzlingByteWidth = 128, Mojo SWIZZLE_128B, nvFuser B128 = 1; in a wgmma word 1, in one of tcgen05
//   2, for the driver 3
//
// A number by itself means nothing: 1 is 32B for the driver, Mojo and TileLang, 128B in a wgmma word and for nvFuser,
// and 128B_32B in a tcgen05 word. The numbers of words and of the driver are in arch/swizzle_mode.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/finding.hpp"

namespace swz {

// The names of a mode in the projects; empty if a project has none.
struct ModeSpelling {
  std::string_view mode;  // as in arch/swizzle_mode.hpp
  std::string_view triton, tilelang, mosaic, mojo, nvfuser;
};
std::span<const ModeSpelling> mode_spellings();

struct SwizzleSpelling {
  std::string_view where;
  std::string_view text;     // its text for the 128B mode of 2-byte elements
  std::string_view meaning;  // the order of its arguments and what they count
  Source source;
};
std::span<const SwizzleSpelling> swizzle_spellings();

}  // namespace swz
