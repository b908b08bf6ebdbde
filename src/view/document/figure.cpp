// SPDX-License-Identifier: Apache-2.0
#include "view/document/figure.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "base/units.hpp"

namespace swz {

void require_drawable(std::int64_t squares, std::string_view what, std::string_view way_out) {
  if (squares > drawable_squares)
    throw Error(fmt::format("{} has {} cells; at most {} are drawn", what, squares, drawable_squares),
                std::string(way_out));
}

std::string range_text(std::int64_t first, std::int64_t count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

std::vector<std::string> number_labels(std::int64_t end, std::int64_t step) {
  return labels_of(end, step, [](std::int64_t i) { return std::to_string(i); });
}

Grid smem_lines(std::string title, std::string corner, const std::vector<std::int64_t>& lines, std::int64_t cell_bits) {
  const std::int64_t columns = bank_row.count * 8 / cell_bits, banks = std::max<std::int64_t>(1, cell_bits / 32);
  std::vector<std::string> addresses;
  for (const std::int64_t line : lines) addresses.push_back(fmt::format("{:#x}", line * bank_row.count));
  return grid_of(std::move(title), std::move(corner), std::move(addresses),
                 labels_of(columns, 1, [&](std::int64_t i) { return range_text(i * cell_bits / 32, banks); }),
                 [](std::int64_t, std::int64_t) { return Grid::Square(); });
}

Grid smem_lines(std::string title, std::string corner, std::int64_t first_line, std::int64_t count,
                std::int64_t cell_bits) {
  std::vector<std::int64_t> lines(static_cast<std::size_t>(count));
  std::iota(lines.begin(), lines.end(), first_line);
  return smem_lines(std::move(title), std::move(corner), lines, cell_bits);
}

}  // namespace swz
