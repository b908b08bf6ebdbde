// The map of a fragment as two C expressions of thread and value, written from its steps.
//
//   mma.m16n8k16 D:  row     thread / 4 + 8 * (value / 2)
//                    column  2 * (thread % 4) + value % 2
//
// Post (tested for every fragment): the expressions, read as C, give Fragment::at for every thread and value.
#pragma once

#include <string>

#include "fragment/fragment.hpp"

namespace swz {

std::string row_rule(const Fragment& f);
std::string column_rule(const Fragment& f);

// Fragment::tile_index in the same way: "row + 16 * column".
std::string tile_index_rule(const Fragment& f);

}  // namespace swz
