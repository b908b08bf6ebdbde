// SPDX-License-Identifier: Apache-2.0
// Reshape, divide and product: a layout with another nesting, cut into tiles, or a tile repeated. The names and
// profiles are CuTe's.
//
//   group((2,3,5):(1,2,6), 0, 2)                              =  ((2,3),5):((1,2),6)     the values do not change
//   select((2,3,5):(1,2,6), {2,0})                            =  (5,2):(6,1)
//   logical_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)  =  ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
//   logical_product((2,2):(4,1), 6:1)                         =  ((2,2),(2,3)):((4,1),(2,8))
//
// Profiles, for a tiler <TA,TB> over modes A, B (C has no tiler):
//
//   logical_  ((TA,a),(TB,b),C)     zipped_  ((TA,TB),(a,b,C))
//   tiled_    ((TA,TB),a,b,C)       flat_    (TA,TB,a,b,C)
//
// With a single layout as tiler all four have the profile (tile,rest).
#pragma once

#include <cstdint>
#include <span>

#include "layout/algebra.hpp"

namespace swz {

Layout flatten(const Layout& l);
// Modes [begin, end) become one mode. Requires begin < end <= rank.
Layout group(const Layout& l, std::size_t begin, std::size_t end);
// Only the modes [begin, end).
Layout take(const Layout& l, std::size_t begin, std::size_t end);
// The modes with these numbers, in this order.
Layout select(const Layout& l, std::span<const std::int64_t> modes);
// One more mode at the back or front. A layout of depth 0 becomes the mode next to it.
Layout append(const Layout& l, const Layout& x);
Layout prepend(const Layout& l, const Layout& x);
Layout replace(const Layout& l, std::size_t i, const Layout& x);
// l with x appended until it has this rank.
Layout append_to_rank(const Layout& l, std::size_t rank, const Layout& x = Layout());

// Post: result(i, j) == l(tiler(i) + complement(tiler, size(l))(j)). A tile that does not divide l reaches beyond l, as
// in CuTe: 10:1 by 4 is (4,3):(1,4).
Layout logical_divide(const Layout& l, const Tiler& tiler);
Layout zipped_divide(const Layout& l, const Tiler& tiler);
Layout tiled_divide(const Layout& l, const Tiler& tiler);
Layout flat_divide(const Layout& l, const Tiler& tiler);

// Post: mode 0 is block; mode 1 places disjoint copies of it, in the order of tiler.
Layout logical_product(const Layout& block, const Tiler& tiler);
Layout zipped_product(const Layout& block, const Tiler& tiler);
Layout tiled_product(const Layout& block, const Tiler& tiler);
Layout flat_product(const Layout& block, const Tiler& tiler);

// Products that keep the modes separate: mode i of the result is (block's i, tiler's i); raked has the two swapped.
Layout blocked_product(const Layout& block, const Layout& tiler);
Layout raked_product(const Layout& block, const Layout& tiler);

// `block` repeated until it has the extents of `shape`, along the modes in `order` (smallest first; one number: left to
// right). Throws Error if block's extents do not divide shape's.
//   tile_to_shape((8,64):(64,1), (128,64), (1,2))  =  ((8,16),(64,1)):((64,512),(1,0))
Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order = 0);

}  // namespace swz
