// SPDX-License-Identifier: Apache-2.0
// Where single elements are read by swz map, and which chunks its picture marks.
#include <fmt/format.h>

#include <algorithm>

#include "view/map/map.hpp"

namespace swz {

TileExtents chunk_extents(const OperandMap& map) { return run_extents(map.major, chunk.count * 8 / map.element_bits); }

namespace {

// Chunks are numbered line by line; the last of a line may be shorter.
std::int64_t chunk_number(const OperandMap& map, TileCoordinate at) {
  const std::int64_t elements = chunk_extents(map).along(map.major), length = map.extents.along(map.major);
  return at.line(map.major) * ((length + elements - 1) / elements) + at.along(map.major) / elements;
}

// Calls `visit` with the row and k of each element of a chunk.
template <class Visit>
void each_element(const OperandMap& map, const ReadChunk& c, Visit visit) {
  const TileExtents all = map.extents, size = chunk_extents(map);
  for (std::int64_t row = c.row; row < std::min(c.row + size.mn, all.mn); ++row)
    for (std::int64_t k = c.k; k < std::min(c.k + size.k, all.k); ++k) visit(TileCoordinate{row, k});
}

// Where the element that is read at (row, k) was stored, if not where it is read.
std::optional<Bytes> stored_elsewhere(const MapAnswer& answer, TileCoordinate at) {
  const auto index = static_cast<std::size_t>(at.row * answer.report.map.extents.k + at.k);
  if (!answer.comparison || answer.comparison->is_same() || !answer.comparison->differs[index]) return {};
  const TileCoordinate& block = answer.comparison->block;
  return Bits{answer.stored->place(block.row + at.row, block.k + at.k)}.in_bytes();
}

}  // namespace

Point point_of(const MapAnswer& answer, TileCoordinate at, TileExtents cell) {
  const OperandMap& map = answer.report.map;
  Point point{.at = {{row_word(answer.role), at.row, cell.mn}, {"k", at.k, cell.k}}};
  point.memory = Point::Memory{Bits{map.place(at.row, at.k)}, Bits{cell.mn * cell.k * map.element_bits}};
  point.chunk = chunk_number(map, at);
  const int reads = answer.report.chunks[static_cast<std::size_t>(*point.chunk)].reads;
  if (reads > 1) point.reads = reads;
  point.lies_at = stored_elsewhere(answer, at);
  return point;
}

std::vector<Mark> marks_of(const MapAnswer& answer) {
  const OperandMap& map = answer.report.map;
  std::vector<Mark> marks(answer.report.chunks.size());
  for (const TileCoordinate at : asked_elements(answer).elements)
    marks[static_cast<std::size_t>(chunk_number(map, at))] = Mark::highlighted;
  if (!answer.query.empty()) return marks;
  const Highlight& highlight = answer.highlight;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const ReadChunk& c = answer.report.chunks[i];
    if (highlight.empty() && c.reads > 1) marks[i] = Mark::colliding;
    if (highlight.empty() ? c.reads > 1 : !highlight.contains("chunks", static_cast<std::int64_t>(i))) continue;
    each_element(map, c, [&](TileCoordinate at) {
      const bool named = highlight.empty() ? stored_elsewhere(answer, at).has_value()
                                           : highlight.contains("rows", at.row) && highlight.contains("ks", at.k) &&
                                                 highlight.contains_any("bytes", map.place(at.row, at.k) / 8,
                                                                        (map.element_bits + 7) / 8);
      if (named) marks[i] = Mark::highlighted;
    });
  }
  return marks;
}

AskedElements asked_elements(const MapAnswer& answer) {
  const OperandMap& map = answer.report.map;
  return asked_elements(answer.query, map.extents, map.element_bits, map.places);
}

std::vector<HighlightKind> highlight_kinds(const OperandReport& report) {
  return {{"rows", report.map.extents.mn},
          {"ks", report.map.extents.k},
          {"chunks", std::ssize(report.chunks)},
          {"bytes", report.highest.count + 1}};
}

bool is_elsewhere(const MapAnswer& answer) {
  if (!answer.comparison) return false;
  if (answer.query.empty()) return !answer.comparison->is_same();
  const auto is_moved = [&](TileCoordinate at) { return stored_elsewhere(answer, at).has_value(); };
  return std::ranges::any_of(asked_elements(answer).elements, is_moved);
}

}  // namespace swz
