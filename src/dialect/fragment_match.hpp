// SPDX-License-Identifier: Apache-2.0
// Which instruction's fragment a register layout is.
//
//   Triton's nvidia_mma v2 of 16x8, one warp     ((4,8),(2,2)):((32,1),(16,8)) = D of mma.m16n8k16 (and of m16n8k8, …)
//   of 64x64, four warps: the same, once for each 16x8 block of the array
//   nvidia_mma v3, instrShape [16, 64, 16], 64x64: D of wgmma.m64n64k16
//
// A layout is a fragment f when each block of f.threads() threads and f.values() values, counted from 0, holds the
// elements of f, moved as a whole. Of each operand the largest are named: D of m16n8 twice side by side is A of
// m16n8k16 as well.
//
// Invariant (tested): the TV layout of every mma and wgmma operand is found as what it is.
#pragma once

#include "dialect/layout_form.hpp"
#include "fragment/fragment.hpp"

namespace swz {

struct FragmentMatch {
  Fragment fragment;
  std::int64_t thread_blocks = 1, value_blocks = 1;  // how often it is repeated, over threads and over values
};

// Of D, A and B those with the most elements, in the order of the table of instructions. Empty: no instruction has it.
std::vector<FragmentMatch> matching_fragments(const RegisterForm& form);

}  // namespace swz
