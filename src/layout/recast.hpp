// Recast: the same memory counted in wider or narrower elements.
//
//   upcast((8,64):(64,1), 8)      =  (8,8):(8,1)      16-bit elements -> 128-bit units
//   downcast((8,8):(8,1), 8)      =  (8,64):(64,1)    and back
//   recast(Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1), 16, 128)
//                                 =  Sw<3,4,3> o smem_ptr[128b](unset) o (64,2):(8,1)
//
// The smem_ptr form keeps its swizzle, which counts bytes anyway; in plain form the swizzle changes unit too.
#pragma once

#include <cstdint>

#include "layout/composed_layout.hpp"

namespace swz {

// n elements become one. Post: result at (c divided by n along the contiguous modes) == l(c) / n for every c.
// Throws Error when a stride neither divides n nor is divided by it, or when the n elements of a unit overlap
// others.
Layout upcast(const Layout& l, std::int64_t n);
ComposedLayout upcast(const ComposedLayout& l, std::int64_t n);

// One element becomes n. Post: the n parts of l(c) are l(c)*n, …, l(c)*n + n-1, along the mode of stride 1.
// Throws Error unless exactly one mode has stride 1 or -1.
Layout downcast(const Layout& l, std::int64_t n);
ComposedLayout downcast(const ComposedLayout& l, std::int64_t n);

// From elements of from_bits to elements of to_bits.
ComposedLayout recast(const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits);

// Longest run of consecutive elements that both layouts store consecutively, in elements.
std::int64_t max_common_vector(const ComposedLayout& a, const ComposedLayout& b);

}  // namespace swz
