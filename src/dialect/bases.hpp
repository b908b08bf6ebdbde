// SPDX-License-Identifier: Apache-2.0
// The text of a linear map by the bits of its coordinates: one of the forms of the dialect bases (bases.cpp).
//
//   dimension_bases({{4, 9}, {1, 2}})  ==  "{row = [4, 9], col = [1, 2]}"      element (2, 1) lies at 9 ^ 1 = 8
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swz {

// The offset of each bit of each dimension. Dimensions are row and col where there are two, else dim0, dim1, ….
std::string dimension_bases(const std::vector<std::vector<std::uint64_t>>& bases);

}  // namespace swz
