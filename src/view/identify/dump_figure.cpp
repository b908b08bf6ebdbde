// SPDX-License-Identifier: Apache-2.0
#include "view/identify/dump_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smem/placement.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

constexpr std::int64_t drawn_lines = 8;

struct ChunkAt {
  std::int64_t number = 0, address = 0;
  std::int64_t line() const { return address / bank_row.count; }
  std::int64_t column() const { return address % bank_row.count / chunk.count; }
};

std::vector<ChunkAt> chunks_of(const SmemTile& tile) {
  const Placement placement(tile);
  std::vector<ChunkAt> chunks;
  for (std::int64_t i = 0; i < placement.lines() * placement.chunks_per_line(); ++i) {
    const TileCoordinate at = TileCoordinate::of(placement.major(), i / placement.chunks_per_line(),
                                                 i % placement.chunks_per_line() * placement.chunk_elements());
    chunks.push_back({i, placement.byte(at.row, at.k).count});
  }
  return chunks;
}

// Hue: where the chunk is in its line of global memory; shade: the group of 8 lines.
Tint tint_of_chunk(std::int64_t number, std::int64_t per_line) {
  return {static_cast<int>(number % per_line % 8), static_cast<int>(number / per_line / 8 % 2) * 2};
}

// A hue for each chunk of a line: its k, or its rows.
std::vector<LegendEntry> legend_of(const Placement& placement) {
  const std::int64_t elements = placement.chunk_elements();
  std::vector<LegendEntry> legend = hue_legend(placement.chunks_per_line(), [&](std::int64_t hue) {
    return range_text(hue * elements, elements) + (hue + 8 < placement.chunks_per_line() ? ", …" : "");
  });
  legend.push_back({"another chunk than expected", {}, Mark::colliding});
  return legend;
}

}  // namespace

Figure dump_figure(const SmemTile& tile, const std::vector<std::int64_t>& in_place, const std::string& way_out) {
  const std::vector<ChunkAt> chunks = chunks_of(tile);
  const Placement placement(tile);
  const std::int64_t first = placement.begin().count / bank_row.count,
                     lines = (placement.end().count - 1) / bank_row.count - first + 1;
  require_drawable(2 * lines * 8, "the figure", "identify a smaller tile");
  Grid expected = smem_lines(fmt::format("expected: mode {}", tile.swizzle().name), "byte\\bank", first, lines);
  Grid dump = smem_lines("the dump", "byte\\bank", first, lines);
  std::int64_t wrong = 0, first_wrong = -1;
  for (const ChunkAt& c : chunks) {
    const std::int64_t found = in_place[static_cast<std::size_t>(c.number)], row = c.line() - first;
    const std::string tip = fmt::format("byte {:#x}\nexpected: chunk {}", c.address, c.number);
    expected.at(row, c.column()) = {std::to_string(c.number), tint_of_chunk(c.number, placement.chunks_per_line()),
                                    Mark::none, tip};
    Grid::Square& square = dump.at(row, c.column());
    square.text = found < 0 ? "?" : std::to_string(found);
    if (found >= 0) square.tint = tint_of_chunk(found, placement.chunks_per_line());
    square.tip = tip + (found < 0 ? "\nno chunk of the tile" : fmt::format("\nthe dump has chunk {}", found));
    if (found == c.number) continue;
    square.mark = Mark::colliding;
    ++wrong;
    if (first_wrong < 0 || row < first_wrong) first_wrong = row;
  }
  const std::int64_t begin = std::max<std::int64_t>(0, first_wrong) / drawn_lines * drawn_lines;
  for (std::int64_t line = begin; line < std::min(lines, begin + drawn_lines); ++line)
    for (Grid* grid : {&expected, &dump}) grid->key_rows.push_back(static_cast<std::size_t>(line));
  if (begin + drawn_lines < lines)
    for (Grid* grid : {&expected, &dump}) grid->key_rows.push_back(static_cast<std::size_t>(lines - 1));
  Figure figure;
  figure.panels = {{std::move(expected), std::move(dump)}};
  figure.legend = legend_of(placement);
  figure.legend_title = placement.major() == Major::K ? "colour: k" : "colour: rows";
  figure.caption = fmt::format("{} of {} chunks of 16 bytes are not where they should be", wrong, chunks.size());
  if (!way_out.empty()) figure.caption += "; " + way_out;
  figure.caption += ". A number is the chunk in the order of global memory.";
  if (lines > drawn_lines + 1) figure.caption += " Drawn: the first lines that differ, and the last line.";
  return figure;
}

}  // namespace swz
