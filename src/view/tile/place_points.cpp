// SPDX-License-Identifier: Apache-2.0
// Where single elements of a placement are, and which of them are in a byte.
#include <algorithm>

#include "view/tile/place.hpp"

namespace swz {

Point point_of(const PlacedOperand& placed, TileCoordinate first, TileExtents cell) {
  const Placement& p = placed.placement;
  const Bits bit = p.bit(first.row, first.k);
  Point point{.at = {{"row", first.row, cell.mn}, {"k", first.k, cell.k}}};
  point.offset = (bit.count - placed.base.count * 8) / p.element_bits();
  const std::int64_t count = cell.mn * cell.k;
  point.memory =
      Point::Memory{p.value_bit(first.row, first.k), Bits{count * p.value_bits()}, p.form() != nullptr && count == 1};
  if (p.has_gaps() && count == 1) point.slot_byte = bit.in_bytes();
  if (p.has_gaps() && count > 1) point.gap = Bytes{p.form()->gap_bytes()};
  if (p.has_chunks()) point.chunk = p.chunk_of(first.row, first.k);
  return point;
}

AskedElements asked_elements(const PointQuery& query, TileExtents extents, int element_bits,
                             const std::vector<std::int64_t>& bits) {
  AskedElements asked;
  for (const IntTuple& coordinate : query.coordinates) {
    const auto at = require_coordinate(coordinate, {{"row", 0, extents.mn}, {"k", 0, extents.k}});
    asked.elements.push_back({at[0], at[1]});
  }
  const auto [lowest, highest] = std::ranges::minmax(bits);
  for (const Bytes byte : query.bytes) {
    const auto found = elements_in(byte, std::ssize(bits), element_bits, Bits{lowest}.in_bytes(),
                                   Bits{highest + element_bits + 7}.in_bytes(),
                                   [&](std::int64_t i) { return bits[static_cast<std::size_t>(i)]; });
    for (const std::int64_t i : found.elements) asked.elements.push_back({i / extents.k, i % extents.k});
    asked.notes.insert(asked.notes.end(), found.notes.begin(), found.notes.end());
  }
  return asked;
}

AskedElements asked_elements(const PointQuery& query, const PlacedOperand& placed) {
  const Placement& p = placed.placement;
  if (!p.has_gaps()) return asked_elements(query, p.extents(), p.element_bits(), p.bits());
  std::vector<std::int64_t> bits = p.bits();
  for (std::int64_t& bit : bits) bit = value_bit(p.form(), Bits{bit}).count;
  AskedElements asked = asked_elements(query, p.extents(), p.value_bits(), bits);
  for (const Bytes byte : query.bytes)
    if (byte >= p.begin() && byte < p.end() && byte.count % chunk.count >= chunk.count - p.form()->gap_bytes())
      asked.notes.push_back(note("gap", fmt::format("byte {:#x} is in a gap: of every 16 B the last {} hold nothing",
                                                    byte.count, p.form()->gap_bytes())));
  return asked;
}

Document view_points(Document d, const PlaceReport& report, const Drawing& picture) {
  std::vector<Point> points;
  std::vector<Finding> notes;
  for (const PlacedOperand& o : report.operands) {
    const AskedElements asked = asked_elements(report.query, o);
    const bool several = report.operands.size() > 1;
    for (const TileCoordinate c : asked.elements) {
      points.push_back(point_of(o, c));
      if (several) points.back().of = o.name;
    }
    for (Finding note : asked.notes) {
      if (several) note.message = o.name + ": " + note.message;
      notes.push_back(std::move(note));
    }
  }
  return view_points(std::move(d), points, picture, notes);
}

}  // namespace swz
