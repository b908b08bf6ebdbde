// Lints of the 64-bit SMEM descriptor: what is likely wrong with a word, and what to know about it.
//
//   lint(0x4000040000010040 on sm_90a)   stride-in-bytes: SBO field 1024 stands for 16384 B, 16 times the atom
//   lint(0x4000004000010042 on sm_90a)   no lint; a note that the start is a K-advance of 32 B
//
// The word does not hold the major, the shape or the element type, so a rule fires only when the word is wrong
// under every reading that programs use. Every word of the reference documents is free of lints (tested).
#pragma once

#include <span>
#include <vector>

#include "descriptor/rule.hpp"

namespace swz {

class SmemDescriptor;

std::span<const DescriptorRule<SmemDescriptor>> smem_rules();

std::vector<Finding> lint(const SmemDescriptor& descriptor);

}  // namespace swz
