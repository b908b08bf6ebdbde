// Where single elements of a placement lie, and which of them lie in a byte.
#include <algorithm>

#include "view/place.hpp"

namespace swz {

Point point_of(const PlacedOperand& placed, TileCoordinate first, TileExtents cell) {
  const Placement& p = placed.placement;
  const Bits bit = p.bit(first.row, first.k);
  Point point{.at = {{"row", first.row, cell.mn}, {"k", first.k, cell.k}}};
  point.offset = (bit.count - placed.base.count * 8) / p.element_bits();
  point.memory = Point::Memory{bit, Bits{cell.mn * cell.k * p.element_bits()}};
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
  return asked_elements(query, p.extents(), p.element_bits(), p.bits());
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
