// SPDX-License-Identifier: Apache-2.0
// The C++ spelling of layouts as CuTe's static types.
//
//   (8,64):(64,1)   Layout<Shape<Int<8>,Int<64>>,Stride<Int<64>,Int<1>>>{}
//   <4:1,8:2>       make_tile(Layout<Int<4>,Int<1>>{},Layout<Int<8>,Int<2>>{})
#pragma once

#include <string>

#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"

namespace swz::source {

std::string number(std::int64_t n);         // Int<8>{}
std::string tuple(const IntTuple& t);       // Shape<Int<8>,Int<64>>{}
std::string coordinate(const IntTuple& t);  // make_coord(_,Int<3>{})
std::string layout(const Layout& l);
std::string layout(const ComposedLayout& l);
std::string tiler(const Tiler& t);
std::string call(const std::string& function, const std::vector<std::string>& arguments);  // f(a,b)
std::string quoted(const std::string& text);

}  // namespace swz::source
