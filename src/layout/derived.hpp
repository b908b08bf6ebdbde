// SPDX-License-Identifier: Apache-2.0
// What is made after a layout: a compact layout in its order, its alignment, the coordinate of an offset.
//
//   make_layout_like((2,3,4,5):(0,42,1,0))        =  (2,3,4,5):(0,4,1,0)
//   max_alignment((8,8):(16,1))                   =  8            upcast by 8 keeps units whole
//   index_of_offset((8,64):(64,1), 130)           =  18           coordinate (2,2)
//   domain_distribute((15,14), 6)                 =  (3,2):(1,15)
//
// Source: cute/layout.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/composed_layout.hpp"

namespace swz {

// Compact, with the shape of l, its modes in the order of its strides; what has stride 0 keeps it. Throws Error when two
// modes have the same stride, so that nothing orders them.
Layout make_layout_like(const Layout& l);

// The layout of registers for a tensor like l: mode 0 comes first, compact with the first mode fastest (a stride of 0
// stays), the other modes follow in the order of their strides, of which 0 is the
// smallest; several of 0 lie over each other, as in CuTe.
Layout make_fragment_like(const Layout& l);

// The largest n for which the offsets of l lie in whole units of n: what is contiguous from 0 on, and the strides beyond.
// Of a swizzled layout also what the swizzle and the offset keep whole.
std::int64_t max_alignment(const ComposedLayout& l);

// The smallest index i with l(i) == offset. None when no coordinate has this offset. Throws Error when strides do not lead
// to it and the coordinates are too many to try.
std::optional<std::int64_t> index_of_offset(const ComposedLayout& l, std::int64_t offset);

// n elements of a shape, taken along its first modes as far as their extents divide n. Post: ascending; the size of the
// result divides n.
Layout domain_distribute(const IntTuple& shape, std::int64_t n);

}  // namespace swz
