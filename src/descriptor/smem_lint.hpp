// Lints of the 64-bit SMEM descriptor: what is likely wrong with a word, and what to know about it.
//
//   lint(0x4000000400010040 on sm_90a)   stride-overlap: SBO 64 B, less than the atom of 1024 B
//   lint(0x4000004000010042 on sm_90a)   no lint; a note that the start is a K-advance of 32 B
//   lint(0x4000040000010040 on sm_90a)   no lint; a note that SBO is 16 atoms: a tile with 2048 B of K stacked
//                                        k-first, or a forgotten >> 4
//
// The word does not hold the major, the shape or the element type, so a rule fires only when the word is wrong
// under every reading that programs use. Free of lints are every word of the reference documents and every word of
// tile_descriptors whose tile begins where the pattern does (tested).
#pragma once

#include <span>
#include <vector>

#include "descriptor/rule.hpp"

namespace swz {

class SmemDescriptor;

std::span<const DescriptorRule<SmemDescriptor>> smem_rules();

std::vector<Finding> lint(const SmemDescriptor& descriptor);

}  // namespace swz
