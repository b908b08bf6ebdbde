// SPDX-License-Identifier: Apache-2.0
// Layouts and numbers derived from a layout: a compact layout in its order, its alignment, the index of an offset.
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

// A compact layout with the shape of l and its modes in the order of its strides. A stride of 0 stays. Throws Error if
// two modes have the same stride, because nothing orders them.
Layout make_layout_like(const Layout& l);

// The layout of registers for a tensor like l. Mode 0 comes first, compact, with its first mode fastest (a stride of 0
// stays). The other modes follow in the order of their strides. 0 counts as the smallest stride, and several modes of
// stride 0 overlap, as in CuTe.
Layout make_fragment_like(const Layout& l);

// The largest n for which the offsets of l come in whole units of n: the run that is contiguous from 0, and the strides
// beyond it. For a swizzled layout the swizzle and the offset must keep the units whole as well.
std::int64_t max_alignment(const ComposedLayout& l);

// The smallest index i with l(i) == offset, or none if no coordinate has this offset. Throws Error if the strides do
// not lead to it and there are too many coordinates to try.
std::optional<std::int64_t> index_of_offset(const ComposedLayout& l, std::int64_t offset);

// The layout of n elements of a shape, taken along its first modes as far as their extents divide n. Post: ascending;
// the size of the result divides n.
Layout domain_distribute(const IntTuple& shape, std::int64_t n);

}  // namespace swz
