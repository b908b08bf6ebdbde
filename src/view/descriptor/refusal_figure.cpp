// SPDX-License-Identifier: Apache-2.0
// The picture of a layout that no descriptor reads: its first lines of shared memory as they are, with the distance that
// is refused, beside the nearest tile that has a descriptor.
//
//   f16 (16,64):(1,16), MN-major    line 0x0: 0,0  8,0  0,1  8,1 …   "next k 32 B"; mode none would have 0,0 0,1 0,2 …
//   nearest, mode 32B               the same chunks after its XOR; those that lie elsewhere in the layout are red there
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "smem/placement.hpp"
#include "view/descriptor/desc.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

constexpr std::int64_t drawn_lines = 8, chunks_of_line = bank_row.count / chunk.count;

// The first element of each chunk of 16 bytes, by the number of the chunk in shared memory.
std::map<std::int64_t, TileCoordinate> first_elements(const Placement& p) {
  std::map<std::int64_t, std::pair<std::int64_t, TileCoordinate>> first;  // with its bit
  const TileExtents all = p.extents();
  for (std::int64_t row = 0; row < all.mn; ++row)
    for (std::int64_t k = 0; k < all.k; ++k) {
      const std::int64_t bit = p.bit(row, k).count;
      const auto [at, is_new] = first.try_emplace(bit / (chunk.count * 8), bit, TileCoordinate{row, k});
      if (!is_new && bit < at->second.first) at->second = {bit, {row, k}};
    }
  std::map<std::int64_t, TileCoordinate> chunks;
  for (const auto& [number, element] : first) chunks[number] = element.second;
  return chunks;
}

// The place of an element in the lines that are drawn.
Grid::Place drawn_place(const Placement& p, TileCoordinate at, std::int64_t first_line) {
  const std::int64_t number = p.bit(at.row, at.k).count / (chunk.count * 8);
  return {number / chunks_of_line - first_line, number % chunks_of_line};
}

Grid first_lines(const std::string& title, const Placement& p) {
  const std::map<std::int64_t, TileCoordinate> chunks = first_elements(p);
  const std::int64_t first = chunks.begin()->first / chunks_of_line, last = chunks.rbegin()->first / chunks_of_line;
  Grid grid = smem_lines(title, "byte\\bank", first, std::min(drawn_lines, last - first + 1));
  const bool is_k = p.major() == Major::K;
  for (const auto& [number, at] : chunks) {
    const Grid::Place place{number / chunks_of_line - first, number % chunks_of_line};
    if (place.row >= std::ssize(grid.squares)) break;
    grid.at(place.row, place.column) = {fmt::format("{},{}", at.row, at.k),
                                        {static_cast<int>((is_k ? at.row : at.k) % 8)},
                                        Mark::none,
                                        fmt::format("row {}, k {}\nbyte {:#x}", at.row, at.k, number * chunk.count)};
  }
  if (last - first + 1 > drawn_lines) {
    grid.squares.emplace_back();
    grid.row_labels.emplace_back("…");
  }
  return grid;
}

// From the first element to the next one across the contiguous direction: the distance that a mode has to have.
void add_distance(Grid& grid, const Placement& p) {
  const bool is_k = p.major() == Major::K;
  const TileCoordinate next = is_k ? TileCoordinate{1, 0} : TileCoordinate{0, 1};
  if (next.row >= p.extents().mn || next.k >= p.extents().k) return;
  const std::int64_t bits = p.bit(next.row, next.k).count - p.bit(0, 0).count;
  const std::int64_t first_line = p.bit(0, 0).count / 8 / bank_row.count;
  const Grid::Place from = drawn_place(p, {0, 0}, first_line), to = drawn_place(p, next, first_line);
  const bool is_drawn = to.row >= 0 && to.row < std::min<std::int64_t>(drawn_lines, std::ssize(grid.squares));
  if (bits % 8 != 0 || !is_drawn || (from.row != to.row && from.column != to.column) || from == to) return;
  grid.arrows.push_back(
      {Grid::Arrow::Kind::distance, from, to, fmt::format("next {} {} B", is_k ? "row" : "k", bits / 8)});
}

// What mode none needs instead: the next line of a core matrix right after the 16 bytes of this one.
void add_needed(Grid& grid, const Placement& p) {
  const TileCoordinate next = p.major() == Major::K ? TileCoordinate{1, 0} : TileCoordinate{0, 1};
  if (next.row >= p.extents().mn || next.k >= p.extents().k || p.bit(0, 0).count / 8 % bank_row.count != 0) return;
  if (p.bit(next.row, next.k).count - p.bit(0, 0).count != chunk.count * 8)
    grid.arrows.push_back(
        {Grid::Arrow::Kind::distance, {0, 0}, {0, 1}, fmt::format("mode none needs {} B", chunk.count)});
}

}  // namespace

Figure refusal_figure(const LayoutOperand& o, const LayoutDescriptors& answer) {
  const Placement given(o.layout, element_bits(*o.dtype, o.packing), o.base, o.major, nullptr, o.target);
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  panels.push_back(first_lines("the layout as given", given));
  add_needed(panels.front(), given);
  add_distance(panels.front(), given);
  figure.caption = "A cell is 16 bytes: row,k of its first element.";
  figure.about_shades = fmt::format(" Colour: {} mod 8.", o.major == Major::K ? "row" : "k");
  if (!answer.nearest) return figure;
  const auto& [tile, words, agreeing] = *answer.nearest;
  panels.push_back(
      first_lines(fmt::format("the nearest with a descriptor: mode {}", tile.swizzle().name), Placement(tile)));
  add_distance(panels.back(), Placement(tile));
  Grid &as_given = panels.front(), &nearest = panels.back();
  bool has_difference = false;
  for (std::size_t row = 0; row < std::min(as_given.squares.size(), nearest.squares.size()); ++row)
    for (std::size_t c = 0; c < std::min(as_given.squares[row].size(), nearest.squares[row].size()); ++c)
      if (as_given.squares[row][c].text != nearest.squares[row][c].text) {
        as_given.squares[row][c].mark = Mark::colliding;
        has_difference = true;
      }
  if (has_difference)
    figure.legend.push_back({fmt::format("another chunk than in mode {}", tile.swizzle().name), {}, Mark::colliding});
  // The layout itself is in the text; with the mode of the title these two make its word.
  figure.caption += fmt::format(" Nearest: LBO {} B, SBO {} B.", words.leading.value.count, words.stride.value.count);
  return figure;
}

}  // namespace swz
