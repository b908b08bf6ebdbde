// SPDX-License-Identifier: Apache-2.0
// The way of one element through a story, and from each of its places back.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "story/story.hpp"

namespace swz {

namespace {

// The lanes and columns of tensor memory that hold a row or a column of D.
ResultPlace in_tensor_memory(const Story& story, std::int64_t index) {
  const Accumulator& d = *story.tensor_memory;
  const bool is_row = story.ask.role == OperandRole::a;
  const int across = is_row ? d.n() : d.path().m;
  ResultPlace out{.index = index, .lanes = {tmem_lanes, -1}, .columns = {d.columns(), -1}};
  for (int i = 0; i < across; ++i) {
    const Coordinate at = is_row ? Coordinate{static_cast<int>(index), i} : Coordinate{i, static_cast<int>(index)};
    const TmemCell cell = d.place(at);
    out.lanes = {std::min<std::int64_t>(out.lanes.first, cell.lane), std::max<std::int64_t>(out.lanes.last, cell.lane)};
    out.columns = {std::min<std::int64_t>(out.columns.first, cell.column),
                   std::max<std::int64_t>(out.columns.last, cell.column)};
  }
  out.warp = static_cast<int>(out.lanes.first / tmem_quarter);
  return out;
}

// The threads that hold a row or a column of D, and the values in the first of them.
ResultPlace in_registers(const Story& story, std::int64_t index) {
  const Fragment& d = *story.registers;
  const FragmentInverse inverse(d);
  const bool is_row = story.ask.role == OperandRole::a;
  ResultPlace out{.index = index, .lanes = {d.threads(), -1}, .columns = {0, d.columns - 1}};
  std::vector<Holder> holders;
  for (int i = 0; i < (is_row ? d.columns : d.rows); ++i)
    holders.push_back(
        inverse(is_row ? Coordinate{static_cast<int>(index), i} : Coordinate{i, static_cast<int>(index)}));
  for (const Holder& holder : holders)
    out.lanes = {std::min<std::int64_t>(out.lanes.first, holder.thread),
                 std::max<std::int64_t>(out.lanes.last, holder.thread)};
  for (const Holder& holder : holders)
    if (holder.thread == out.lanes.first) out.values.push_back(holder.value);
  out.warp = static_cast<int>(out.lanes.first / warp_lanes);
  if (!is_row) out.columns = {index, index};
  return out;
}

ResultPlace result_of(const Story& story, TileCoordinate in_mma) {
  // Each CTA of a pair has half of the rows of A and of the columns of B.
  const std::int64_t index = story.ask.cta * story.step.mn + in_mma.row;
  return story.tensor_memory ? in_tensor_memory(story, index) : in_registers(story, index);
}

Coordinate in_fragment(const Story& story, TileCoordinate in_mma) {
  const int row = static_cast<int>(in_mma.row), k = static_cast<int>(in_mma.k);
  return story.ask.role == OperandRole::a ? Coordinate{row, k} : Coordinate{k, row};
}

}  // namespace

TileCoordinate telling_element(const Story& story) {
  // Row 37 is line 5 of group 4, and in the second warp.
  constexpr std::int64_t row = 37, line = 5;
  const TileExtents tile = story.tile().extents(), atom = story.tile().atom();
  const std::int64_t step = story.step.k;
  const std::int64_t first = atom.k > step ? tile.k - atom.k : 0;  // of the last atom that has several k steps
  const std::int64_t steps = (tile.k - first) / step;
  return {tile.mn > row ? row : std::min(line, tile.mn - 1), first + (steps > 1 ? step : 0) + step / 4};
}

StoryWay story_way(const Story& story, TileCoordinate at) {
  const TileExtents extents = story.tile().extents();
  if (at.row < 0 || at.k < 0 || at.row >= extents.mn || at.k >= extents.k)
    throw usage_error(fmt::format("the tile of {} has no element ({}, {})", to_string(extents), at.row, at.k),
                      fmt::format("rows are 0 to {}, k is 0 to {}", extents.mn - 1, extents.k - 1));
  const TileExtents first = story.copies.from().tile_at;
  const auto value = [&](std::int64_t slot) {
    return slot < 0 ? Bits{slot} : value_bit(story.tile().form(), Bits{slot});
  };
  StoryWay way{.at = at,
               .tensor = {first.mn + at.row, first.k + at.k},
               .global = story.copies.global_bit(at),
               .entry = story.copies.copy_of(at),
               .written = value(story.copies.place(at)),
               .read = value(story.read[static_cast<std::size_t>(at.row * extents.k + at.k)]),
               .mma = {at.row / story.step.mn, at.k / story.step.k},
               .in_mma = {at.row % story.step.mn, at.k % story.step.k},
               .holder = {},
               .result = {}};
  if (story.operand) way.holder = FragmentInverse(*story.operand)(in_fragment(story, way.in_mma));
  way.result = result_of(story, way.in_mma);
  return way;
}

StoryWayBack story_way_back(const Story& story, const StoryWay& way) {
  const auto from_mma = [&](TileCoordinate in_mma) {
    return TileCoordinate{way.mma.row * story.step.mn + in_mma.row, way.mma.k * story.step.k + in_mma.k};
  };
  StoryWayBack back{.from_global = story.copies.at_global(way.global),
                    .from_copy = {},
                    .from_shared = story.copies.at_place(way.written),
                    .from_mma = from_mma(way.in_mma),
                    .from_register = {}};
  if (way.entry) back.from_copy = story.copies.element_of(*way.entry);
  if (way.holder) {
    const Coordinate at = story.operand->at(way.holder->thread, way.holder->value);
    const bool is_a = story.ask.role == OperandRole::a;
    back.from_register = from_mma(is_a ? TileCoordinate{at.row, at.column} : TileCoordinate{at.column, at.row});
  }
  return back;
}

}  // namespace swz
