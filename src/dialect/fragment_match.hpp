// SPDX-License-Identifier: Apache-2.0
// FragmentMatch: the instruction whose fragment a register layout is.
//
//   Triton's nvidia_mma v2 of 16x8, one warp     ((4,8),(2,2)):((32,1),(16,8)) = D of mma.m16n8k16 (and of m16n8k8, …)
//   of 64x64, four warps: the same, once for each 16x8 block of the array
//   nvidia_mma v3, instrShape [16, 64, 16], 64x64: D of wgmma.m64n64k16
//
// A layout is a fragment f if each block of f.threads() threads and f.values() values, counted from 0, has the
// elements of f, moved as a whole. For each operand the largest are named: D of m16n8 twice side by side is also A of
// m16n8k16.
//
// Invariant (tested): the TV layout of every mma and wgmma operand is found as that operand.
#pragma once

#include "dialect/layout_form.hpp"
#include "fragment/fragment.hpp"

namespace swz {

struct FragmentMatch {
  Fragment fragment;
  std::int64_t thread_blocks = 1, value_blocks = 1;  // how often it is repeated over threads and over values
};

// The matches of D, A and B with the most elements, in the order of the table of instructions. Empty if no instruction
// has the layout.
std::vector<FragmentMatch> matching_fragments(const RegisterForm& form);

}  // namespace swz
