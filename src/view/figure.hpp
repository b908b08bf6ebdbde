// Figures: what the pictures of all views have in common.
//
//   tint_of_bank(13) == Tint{3, 1}       16-byte chunk 3 of its line, second of the chunk's four banks
//   tint_of_thread(13) == Tint{3, 1}     group 3 of four lanes, second lane of the group
//
// A figure has at most drawable_squares cells; a view asks before it makes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.hpp"
#include "view/document.hpp"

namespace swz {

// Beyond this a cell is smaller than its text on any page, and the file larger than anyone would open.
inline constexpr std::int64_t drawable_squares = limits::drawn_cells.most;

// Throws Error naming `what` ("a figure of 1024 x 1024 elements") and `way_out`.
void require_drawable(std::int64_t squares, std::string_view what, std::string_view way_out);

constexpr Tint tint_of_bank(std::int64_t bank) {
  return {static_cast<int>(bank >> 2 & 7), static_cast<int>(bank & 3)};
}
constexpr Tint tint_of_thread(std::int64_t thread) { return tint_of_bank(thread); }

}  // namespace swz
