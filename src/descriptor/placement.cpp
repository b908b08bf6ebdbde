#include "descriptor/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

std::optional<TileCoordinate> find(const std::vector<std::int64_t>& places, std::int64_t place,
                                   TileExtents extents) {
  const auto found = std::ranges::find(places, place);
  if (found == places.end()) return std::nullopt;
  const std::int64_t i = found - places.begin();
  return TileCoordinate{i / extents.k, i % extents.k};
}

// The position of an element in its byte, in bits.
std::int64_t bit_in_byte(std::int64_t row, std::int64_t k, int element_bits, Major major) {
  return (major == Major::K ? k : row) * element_bits % 8;
}

void check(const ComposedLayout& l, int element_bits, Bytes base) {
  if (rank(l.layout()) != 2)
    throw Error(
        fmt::format("{} has {} modes at the top; an operand has 2, its rows and K", to_string(l), rank(l.layout())),
        "group the modes: ((8,16),64):((64,512),1)");
  if (l.has_pointer() && l.element_bits() != element_bits)
    throw Error(
        fmt::format("{} has elements of {} bits, the operand of {}", to_string(l), l.element_bits(), element_bits),
        "--dtype says what the operand's elements are");
  if (l.size() > placement_limit)
    throw Error(fmt::format("{} has {} elements; at most {} are compared", to_string(l), l.size(), placement_limit),
                "no shared memory holds as many");
  if (base.count < 0 || !base.is_multiple_of(chunk))
    throw Error(fmt::format("the base address {:#x} is not a multiple of 16 B", base.count),
                "descriptors count 16-byte chunks");
}

// Offsets in elements, before the swizzle.
std::int64_t checked_offset(const ComposedLayout& l, std::int64_t index) {
  const std::int64_t offset = checked_add(l.offset(), l.layout()(index));
  constexpr std::int64_t limit = std::int64_t{1} << 35;
  if (offset < 0 || offset >= limit)
    throw Error(fmt::format("{} puts an element at offset {}", to_string(l), offset),
                "offsets into shared memory are 0 or more and have 32 bits");
  return offset;
}

}  // namespace

std::optional<TileCoordinate> Placement::at(std::int64_t place) const { return find(places, place, extents); }

std::optional<TileCoordinate> Placement::at_linear(std::int64_t place) const {
  return find(linear, place, extents);
}

Placement placement_of(const SmemTile& tile) {
  const TileExtents extents = tile.extents();
  const std::size_t size = static_cast<std::size_t>(extents.mn * extents.k);
  Placement out{extents, tile.element_bits(), tile.base(), {}, {}, tile, {}};
  out.places.reserve(size);
  out.linear.reserve(size);
  for (std::int64_t row = 0; row < extents.mn; ++row) {
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const std::int64_t bit = bit_in_byte(row, k, tile.element_bits(), tile.major());
      out.places.push_back(tile.byte(row, k).count * 8 + bit);
      out.linear.push_back((tile.base().count + tile.linear_offset(row, k).count) * 8 + bit);
    }
  }
  return out;
}

Placement placement_of(const ComposedLayout& layout, int element_bits, Bytes base) {
  check(layout, element_bits, base);
  const TileExtents extents{size(mode(layout.layout(), 0)), size(mode(layout.layout(), 1))};
  Placement out{extents, element_bits, base, {}, {}, {}, layout};
  out.places.reserve(static_cast<std::size_t>(layout.size()));
  out.linear.reserve(static_cast<std::size_t>(layout.size()));
  for (std::int64_t row = 0; row < extents.mn; ++row) {
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const std::int64_t offset = checked_offset(layout, row + k * extents.mn);
      const std::int64_t linear = base.count * 8 + offset * element_bits;
      out.linear.push_back(linear);
      out.places.push_back(layout.has_pointer() ? layout.swizzle()(linear / 8) * 8 + linear % 8
                                                : base.count * 8 + layout.element_swizzle()(offset) * element_bits);
    }
  }
  return out;
}

std::string to_string(const Placement& placement) {
  if (placement.layout) return fmt::format("{} at {:#x}", to_string(*placement.layout), placement.base.count);
  const SmemTile& tile = *placement.tile;
  return fmt::format("{} {} {}, mode {}, {}, at {:#x}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()), tile.base().count);
}

std::vector<std::int64_t> places_of(const OperandMap& map) {
  std::vector<std::int64_t> places;
  places.reserve(map.bytes.size());
  for (std::int64_t row = 0; row < map.extents.mn; ++row)
    for (std::int64_t k = 0; k < map.extents.k; ++k)
      places.push_back(map.byte(row, k) * 8 + bit_in_byte(row, k, map.element_bits, map.major));
  return places;
}

}  // namespace swz
