// SPDX-License-Identifier: Apache-2.0
// How the banks serve the first rows of column 0, one lane a row: what `swz place` says of elements that are not in chunks.
//
//   bf16 (64,64):(64,1)    32 rows in 1 bank: 32-way conflict, all 32 collide
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smem/placement.hpp"

namespace swz {

struct ColumnBanks {
  std::int64_t rows = 0;       // at most a warp
  std::int64_t banks = 0;      // that have one of them
  std::int64_t ways = 0;       // words of the bank with the most
  std::vector<bool> collides;  // for each row, whether another word is in its bank

  std::string text() const;  // "32 rows of column 0 lie in 1 bank: 32-way conflict"
};

ColumnBanks column_banks(const Placement& placement);

}  // namespace swz
