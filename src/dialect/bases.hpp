// SPDX-License-Identifier: Apache-2.0
// The text of a linear map by the bits of its coordinates, which is one of the forms of the dialect bases (bases.cpp).
//
//   dimension_bases({{4, 9}, {1, 2}})  ==  "{row = [4, 9], col = [1, 2]}"      element (2, 1) is at 9 ^ 1 = 8
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swz {

// Writes the offset of each bit of each dimension. Two dimensions are row and col, otherwise they are dim0, dim1, ….
std::string dimension_bases(const std::vector<std::vector<std::uint64_t>>& bases);

}  // namespace swz
