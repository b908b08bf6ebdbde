// SPDX-License-Identifier: Apache-2.0
// The instructions that move tensor memory, written as layouts.
//
//   access_layout of tcgen05.ld.16x256b.x4        (thread, register) -> address
//     ((4,8),(2,2,4)):((2,65536),(1,524288,8))    thread 13 = (1,3), register 11 = (1,1,2): lane 11, column 19
//
//   copy_layout of 64x128b.warpx2::01_23          (row, word) and, with a multicast, copy -> address
//     ((32,2),4,2):((65536,4194304),1,2097152)    row 40 = (8,1): lane 72 and, as copy 1, lane 104
//
// A register of .pack::16b and .unpack::16b is two values of 16 bits, each in its own column.
//
// Invariants (tested over every coordinate): the addresses are those of tmem_fragment and TmemCopy::lane.
#pragma once

#include "arch/tensor_memory.hpp"
#include "fragment/fragment.hpp"
#include "layout/layout.hpp"

namespace swz {

// The layout of a fragment of tcgen05.ld or tcgen05.st.
Layout access_layout(const Fragment& fragment);
Layout copy_layout(const TmemCopy& copy);

}  // namespace swz
