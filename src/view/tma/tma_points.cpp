// SPDX-License-Identifier: Apache-2.0
// Where single elements of a box are, and which chunks its picture marks.
#include <algorithm>

#include "view/tma/tma.hpp"

namespace swz {

namespace {

constexpr std::string_view dimensions[] = {"dim 0", "dim 1", "dim 2", "dim 3", "dim 4"};
// Of a copy whose rows are no dimension of the tensor.
constexpr std::string_view of_rows[] = {"dim 0", "row"};

std::string_view axis_name(const BoxPlacement& box, std::size_t d) {
  return box.is_tile() ? dimensions[d] : of_rows[d];
}

}  // namespace

std::optional<std::int64_t> chunk_number(const BoxPlaceReport& report, const TensorCoordinate& element) {
  const TensorMap& map = report.box.map();
  if (report.box.is_filled(element)) return {};
  const std::int64_t n = chunk.count * 8 / report.box.column_bits();
  const auto dim = [&](int d) { return static_cast<std::int64_t>(map.dims[static_cast<std::size_t>(d)]); };
  std::int64_t line = 0;
  for (int d = map.rank - 1; d > 0; --d) line = line * dim(d) + element[static_cast<std::size_t>(d)];
  return line * ((dim(0) + n - 1) / n) + element[0] / n;
}

Point point_of(const BoxPlaceReport& report, std::int64_t row, std::int64_t column, std::int64_t count) {
  const BoxPlacement& box = report.box;
  Point point{.at = {{axis_name(box, 0), column, count}}};
  std::int64_t rest = row;
  for (std::size_t d = 1; d < static_cast<std::size_t>(box.box_rank()); rest /= box.sizes()[d++])
    point.at.push_back({axis_name(box, d), rest % box.sizes()[d]});
  TensorCoordinate element = box.row_start(row, report.start);
  element[0] += box.along(column);
  point.element.assign(element.begin(), element.begin() + box.map().rank);
  point.chunk = chunk_number(report, element);
  std::int64_t filled = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    TensorCoordinate one = element;
    one[0] += box.along(column + i) - box.along(column);
    filled += box.is_filled(one) ? 1 : 0;
  }
  if (filled > 0) point.filled = filled;
  const NarrowForm* form = box.form();
  const bool has_gaps = form != nullptr && form->has_gaps;
  point.memory = Point::Memory{box.bit(row, column), Bits{count * (has_gaps ? form->bits : box.column_bits())},
                               form != nullptr && count == 1};
  if (has_gaps && count == 1) point.slot_byte = box.byte(row, column);
  if (has_gaps && count > 1) point.gap = Bytes{form->gap_bytes()};
  return point;
}

Asked<BoxElement> asked_elements(const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  const std::int64_t width = box.columns();
  std::vector<Point::Axis> axes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(box.box_rank()); ++d)
    axes.push_back({axis_name(box, d), 0, d == 0 ? box.columns() : box.sizes()[d]});
  Asked<BoxElement> asked;
  for (const IntTuple& coordinate : report.query.coordinates) {
    const std::vector<std::int64_t> at = require_coordinate(coordinate, axes);
    std::int64_t row = 0;
    for (std::size_t d = at.size(); d-- > 1;) row = row * box.sizes()[d] + at[d];
    asked.elements.push_back({row, at[0]});
  }
  for (const Bytes byte : report.query.bytes) {
    const bool has_gaps = box.form() != nullptr && box.form()->has_gaps;
    const auto found = elements_in(byte, box.rows() * width, has_gaps ? box.form()->bits : box.column_bits(),
                                   box.address(), Bytes{box.address().count + box.allocate().count},
                                   [&](std::int64_t i) { return box.bit(i / width, i % width).count; });
    for (const std::int64_t i : found.elements) asked.elements.push_back({i / width, i % width});
    asked.notes.insert(asked.notes.end(), found.notes.begin(), found.notes.end());
  }
  return asked;
}

std::vector<HighlightKind> highlight_kinds(const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  std::int64_t chunks = 1;
  for (std::int64_t row = 0; row < box.rows(); ++row)
    for (std::int64_t i = 0; i < box.columns(); ++i) {
      TensorCoordinate element = box.row_start(row, report.start);
      element[0] += box.along(i);
      chunks = std::max(chunks, chunk_number(report, element).value_or(0) + 1);
    }
  return {{"rows", box.rows()},
          {"columns", box.columns()},
          {"chunks", chunks},
          {"bytes", box.address().count + box.allocate().count}};
}

bool is_marked(const BoxPlaceReport& report, const std::vector<BoxElement>& asked, std::int64_t row,
               std::int64_t column, std::int64_t count) {
  const auto is_here = [&](const BoxElement& e) {
    return e.row == row && e.column >= column && e.column < column + count;
  };
  if (report.highlight.empty()) return std::ranges::any_of(asked, is_here);
  for (std::int64_t i = column; i < column + count; ++i) {
    const Point p = point_of(report, row, i, 1);
    const std::int64_t bit = p.memory->first.count, size = p.memory->size.count;
    if (report.highlight.contains("chunks", p.chunk.value_or(-1)) && report.highlight.contains("rows", row) &&
        report.highlight.contains("columns", i) &&
        report.highlight.contains_any("bytes", bit / 8, (bit + size - 1) / 8 - bit / 8 + 1))
      return true;
  }
  return false;
}

}  // namespace swz
