// SPDX-License-Identifier: Apache-2.0
#include "view/tile/column_banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "smem/access.hpp"

namespace swz {

std::string ColumnBanks::text() const {
  return fmt::format("{} of column 0 lie in {}: {}", plural(rows, "row"), plural(banks, "bank"),
                     ways == 1 ? "no conflict" : fmt::format("{}-way conflict", ways));
}

ColumnBanks column_banks(const Placement& placement) {
  ColumnBanks column;
  column.rows = std::min<std::int64_t>(warp_lanes, placement.extents().mn);
  const auto word_of = [&](std::int64_t row) { return placement.value_bit(row, 0).in_bytes().count / 4; };
  std::map<std::int64_t, std::set<std::int64_t>> words;  // of a bank
  for (std::int64_t row = 0; row < column.rows; ++row) words[word_of(row) % bank_count].insert(word_of(row));
  column.banks = std::ssize(words);
  for (const auto& [bank, own] : words) column.ways = std::max<std::int64_t>(column.ways, std::ssize(own));
  for (std::int64_t row = 0; row < column.rows; ++row)
    column.collides.push_back(words[word_of(row) % bank_count].size() > 1);
  return column;
}

}  // namespace swz
