// Value: what an expression evaluates to.
//
//   3, (2,4), (_,3)            IntTuple
//   (8,64):(64,1), Sw<…> o …   ComposedLayout (a plain layout is a trivial one)
//   Sw<3,4,3>                  Swizzle
//   <4:1,8:2>                  Tiler
//
// The as_… functions convert an argument of a function to what it needs, or throw an Error that names both.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

using Value = std::variant<IntTuple, ComposedLayout, Swizzle, Tiler>;

std::string to_string(const Value& v);
// "a layout", "the number 3", … for messages.
std::string describe(const Value& v);

std::int64_t as_int(const Value& v);         // (3) counts as 3
IntTuple as_tuple(const Value& v);           // without `_`
ComposedLayout as_composed(const Value& v);  // a shape S becomes the compact layout of S
Layout as_layout(const Value& v);            // the same, and it must not be swizzled
Tiler as_tiler(const Value& v);              // a layout, a shape, or <…>

}  // namespace swz
