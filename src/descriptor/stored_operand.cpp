#include "descriptor/stored_operand.hpp"

#include <fmt/format.h>

#include <algorithm>

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

template <class Of>
std::vector<std::int64_t> row_by_row(TileExtents extents, Of&& of) {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(extents.mn * extents.k));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) out.push_back(of(row, k));
  return out;
}

std::vector<std::int64_t> places_of(const Placement& placement) {
  return row_by_row(placement.extents(),
                    [&](std::int64_t row, std::int64_t k) { return placement.bit(row, k).count; });
}

}  // namespace

std::optional<TileCoordinate> StoredOperand::at(std::int64_t place) const { return find(places, place, extents); }

std::optional<TileCoordinate> StoredOperand::at_linear(std::int64_t place) const {
  return find(linear, place, extents);
}

StoredOperand stored_operand(const SmemTile& tile) {
  const auto linear = [&](std::int64_t row, std::int64_t k) {
    return (tile.base().count + tile.linear_offset(row, k).count) * 8 +
           bit_in_byte(row, k, tile.element_bits(), tile.major());
  };
  return {tile.extents(),
          tile.element_bits(),
          tile.base(),
          places_of(Placement(tile)),
          row_by_row(tile.extents(), linear),
          tile,
          {}};
}

StoredOperand stored_operand(const ComposedLayout& layout, int element_bits, Bytes base) {
  if (base.count < 0 || !base.is_multiple_of(chunk))
    throw Error(fmt::format("the base address {:#x} is not a multiple of 16 B", base.count),
                "descriptors count 16-byte chunks");
  const Placement placement(layout, element_bits, base);
  const ComposedLayout unswizzled(Swizzle(), layout.offset(), layout.layout());
  return {placement.extents(),
          element_bits,
          base,
          places_of(placement),
          places_of(Placement(unswizzled, element_bits, base)),
          {},
          layout};
}

std::string to_string(const StoredOperand& operand) {
  if (operand.layout) return fmt::format("{} at {:#x}", to_string(*operand.layout), operand.base.count);
  const SmemTile& tile = *operand.tile;
  return fmt::format("{} {} {}, mode {}, {}, at {:#x}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()), tile.base().count);
}

std::vector<std::int64_t> places_of(const OperandMap& map) {
  return row_by_row(map.extents, [&](std::int64_t row, std::int64_t k) {
    return map.byte(row, k) * 8 + bit_in_byte(row, k, map.element_bits, map.major);
  });
}

}  // namespace swz
