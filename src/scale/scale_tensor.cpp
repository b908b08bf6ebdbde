// SPDX-License-Identifier: Apache-2.0
#include "scale/scale_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {
namespace {

using Axis = ScaleDigit::Axis;

std::int64_t& along(ScaleCoordinate& at, Axis axis) { return axis == Axis::row ? at.row : at.kb; }
std::int64_t& along(ScaleExtents& extents, Axis axis) { return axis == Axis::row ? extents.rows : extents.factors; }

}  // namespace

ScaleTensor::ScaleTensor(const ScaleLayoutRow& row, ScaleExtents extents, const ScaleGroups& groups,
                         const std::vector<const RowOrder*>& orders)
    : extents_(extents), axis_(groups.axis) {
  for (const RowOrder* order : orders) permutations_.emplace_back(*order, extents.rows);
  if (groups.counts.empty()) {
    parts_.push_back({ScaleLayout(row, extents), 0, Bytes{0}});
    return;
  }
  require_within(limits::scale_groups, static_cast<std::int64_t>(groups.counts.size()));
  if (extents.batches > 1) throw usage_error("groups are not in batches", "leave one of the two out");
  if (!orders.empty()) throw usage_error("an order of rows is of weights, which have no groups", "leave one out");
  std::int64_t first = 0;
  Bytes begin{0};
  for (const std::int64_t count : groups.counts) {
    ScaleExtents part = extents;
    along(part, axis_) = count;
    parts_.push_back({ScaleLayout(row, part), first, begin});
    first += count;
    begin.count += parts_.back().layout.size().count;
  }
  const std::int64_t all = along(extents_, axis_);
  if (first != all)
    throw usage_error(fmt::format("the groups have {} {} together, the operand has {}", first,
                                  axis_ == Axis::row ? "rows" : "factors of a row", all),
                      "the groups are all of the operand");
}

Bytes ScaleTensor::size() const { return {parts_.back().begin.count + parts_.back().layout.size().count}; }

std::vector<const RowOrder*> ScaleTensor::orders() const {
  std::vector<const RowOrder*> orders;
  for (const RowPermutation& permutation : permutations_) orders.push_back(&permutation.order());
  return orders;
}

std::size_t ScaleTensor::group_of(ScaleCoordinate at) const {
  // An empty group begins where the one after it does.
  const auto is_before = [index = along(at, axis_)](const Part& part) { return part.first <= index; };
  return static_cast<std::size_t>(std::ranges::partition_point(parts_, is_before) - parts_.begin()) - 1;
}

Bytes ScaleTensor::offset(ScaleCoordinate at) const {
  for (const RowPermutation& permutation : permutations_) at.row = permutation.place_of(at.row);
  const Part& part = parts_[group_of(at)];
  along(at, axis_) -= part.first;
  return {part.begin.count + part.layout.offset(at).count};
}

std::optional<ScaleTensor::Place> ScaleTensor::at(Bytes offset) const {
  const auto is_before = [offset](const Part& part) { return part.begin <= offset; };
  const auto group = static_cast<std::size_t>(std::ranges::partition_point(parts_, is_before) - parts_.begin()) - 1;
  const Part& part = parts_[group];
  const auto inside = part.layout.at({offset.count - part.begin.count});
  if (!inside) return {};
  if (part.layout.is_padding(*inside)) return Place{*inside, true, group};
  Place place{*inside, false, group};
  along(place.at, axis_) += part.first;
  for (std::size_t i = permutations_.size(); i-- > 0;) place.at.row = permutations_[i].source_of(place.at.row);
  return place;
}

ScaleDifference difference_of(const ScaleTensor& a, const ScaleTensor& b) {
  if (a.row().bytes != b.row().bytes)
    throw usage_error(
        fmt::format("factors of {} have {} bytes, of {} {}", a.row().name, a.row().bytes, b.row().name, b.row().bytes),
        "compare layouts of factors of the same size");
  const ScaleExtents& extents = a.extents();
  require_within(limits::compared_factors, extents.batches * extents.rows * extents.factors);
  ScaleDifference difference;
  all_factors(extents, [&](const ScaleCoordinate& at) {
    const Bytes written = a.offset(at), read = b.offset(at);
    if (written == read) return true;
    if (++difference.different == 1)
      difference.first = {at, written, read, read < a.size() ? a.at(read) : std::nullopt};
    return true;
  });
  return difference;
}

bool is_same(const ScaleTensor& a, const ScaleTensor& b) {
  return a.row().bytes == b.row().bytes &&
         all_factors(a.extents(), [&](const ScaleCoordinate& at) { return a.offset(at) == b.offset(at); });
}

}  // namespace swz
