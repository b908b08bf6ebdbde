// Reshape: the same numbers under another nesting, and modes picked, added or taken away. Values do not change.
//
//   group((2,3,5):(1,2,6), 0, 2)  =  ((2,3),5):((1,2),6)
//   select((2,3,5):(1,2,6), {2,0}) = (5,2):(6,1)
#pragma once

#include <cstdint>
#include <span>

#include "layout/layout.hpp"

namespace swz {

Layout flatten(const Layout& l);
// Modes [begin, end) become one mode. Requires begin < end <= rank.
Layout group(const Layout& l, std::size_t begin, std::size_t end);
// Modes [begin, end) alone.
Layout take(const Layout& l, std::size_t begin, std::size_t end);
// The named modes in the named order.
Layout select(const Layout& l, std::span<const std::int64_t> modes);
// One more mode at the back or front; a layout of depth 0 becomes the mode beside it.
Layout append(const Layout& l, const Layout& x);
Layout prepend(const Layout& l, const Layout& x);
Layout replace(const Layout& l, std::size_t i, const Layout& x);
// Filled with x at the back or front until it has this rank.
Layout append_to_rank(const Layout& l, std::size_t rank, const Layout& x = Layout());
Layout prepend_to_rank(const Layout& l, std::size_t rank, const Layout& x = Layout());

}  // namespace swz
