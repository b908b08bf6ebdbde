// SPDX-License-Identifier: Apache-2.0
// Columns of banks that no lane touches as one column.
//
//   32 words of bank 0, nothing in the others    columns "0" and "1-31", or "0" and what `name` says
#pragma once

#include <cstdint>
#include <string>

#include "view/document/figure.hpp"

namespace swz {

// Many columns of `banks` banks beside each other that no lane touches become one.
void fold_columns(Grid& grid, std::int64_t banks, const std::string& name = "");
bool has_fold(const Grid& grid);

}  // namespace swz
