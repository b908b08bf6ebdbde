#include "descriptor/operand_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace swz {

namespace {

void check(const SmemDescriptor& d, TileExtents extents, int element_bits, Major major) {
  const SwizzleMode& mode = require_swizzle(d);
  if (major == Major::K && mode.family == SwizzleFamily::chunk_32)
    throw Error(
        "nobody defines what a K-major operand reads in mode 128B_32B",
        "MN-major tf32 is defined; K-major is disputed: PTX table 54 allows it, table 55 and CUTLASS have no such "
        "atom");
  if (d.absolute_lbo())
    throw Error("operands with an absolute LBO (K of 48 B, sm_103a) are not mapped",
                "words with a relative LBO are");
  if (element_bits < 1 || chunk.count * 8 % element_bits != 0)
    throw Error(fmt::format("a 16-byte chunk does not hold whole elements of {} bits", element_bits),
                "element sizes are 1, 2, 4, 8, ... 128 bits");
  constexpr std::int64_t limit = operand_map_limit;
  if (extents.mn < 1 || extents.k < 1 || extents.mn > limit || extents.k > limit || extents.mn * extents.k > limit)
    throw Error(fmt::format("an operand of {} elements cannot be mapped", to_string(extents)),
                fmt::format("both extents are 1 or more, and their product at most {}", limit));
}

// offset(row, k) = along_mn[row] + along_k[k]: in every major and mode the two directions do not mix before the
// XOR.
struct Offsets {
  std::vector<std::int64_t> along_mn, along_k;
};

Offsets offsets(const SmemDescriptor& d, TileExtents extents, int element_bits, Major major) {
  const SwizzleMode& mode = *d.swizzle();
  const std::int64_t span = mode.span.count;
  const std::int64_t lines = mode.lines;
  const std::int64_t lbo = d.leading_byte_offset().count;
  const std::int64_t sbo = d.stride_byte_offset().count;

  // Along the lines: line i of W bytes (none: 16); `next` to the next group of 8 (128B_32B: 4).
  const auto across = [&](std::int64_t extent, std::int64_t next) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < extent; ++i) out.push_back(i % lines * span + i / lines * next);
    return out;
  };
  // Inside a line: W bytes are contiguous, then `next` bytes from their start to the next ones.
  const auto along = [&](std::int64_t extent, std::int64_t next) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < extent; ++i) {
      const std::int64_t byte = i * element_bits / 8;
      out.push_back(byte % span + byte / span * next);
    }
    return out;
  };
  if (major == Major::K) return {across(extents.mn, sbo), along(extents.k, lbo)};
  // MN-major the roles of the two strides are swapped without a swizzle.
  const bool is_plain = mode.bits == 0;
  return {along(extents.mn, is_plain ? sbo : lbo), across(extents.k, is_plain ? lbo : sbo)};
}

}  // namespace

const SwizzleMode& require_swizzle(const SmemDescriptor& descriptor) {
  if (const SwizzleMode* mode = descriptor.swizzle()) return *mode;
  throw Error(fmt::format("swizzle code {} is illegal: the word reads nothing", descriptor.raw(FieldId::swizzle)),
              "swz decode lists what is wrong with a word");
}

OperandMap operand_map(const SmemDescriptor& descriptor, TileExtents extents, int element_bits, Major major) {
  check(descriptor, extents, element_bits, major);
  const SwizzleMode& mode = require_swizzle(descriptor);
  const Offsets offset = offsets(descriptor, extents, element_bits, major);
  const std::int64_t base_offset = descriptor.base_offset();

  OperandMap map{extents, element_bits, major, {}};
  map.bytes.resize(static_cast<std::size_t>(extents.mn * extents.k));
  auto out = map.bytes.begin();
  for (const std::int64_t row : offset.along_mn) {
    const std::int64_t start = descriptor.start_address().count + row;
    out = std::transform(offset.along_k.begin(), offset.along_k.end(), out,
                         [&](std::int64_t k) { return mode.byte(start + k, base_offset); });
  }
  return map;
}

std::optional<RepeatedReads> repeated_reads(const OperandMap& map) {
  // Elements smaller than a byte share one: their place is byte and position along the contiguous direction.
  struct Place {
    std::int64_t bit, index;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  places.reserve(map.bytes.size());
  const std::int64_t per_byte = std::max(1, 8 / map.element_bits);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(map.bytes.size()); ++i) {
    const std::int64_t position = map.major == Major::K ? i % map.extents.k : i / map.extents.k;
    places.push_back({map.bytes[static_cast<std::size_t>(i)] * per_byte + position % per_byte, i});
  }
  std::sort(places.begin(), places.end());

  const auto coordinate = [&](std::int64_t i) { return TileCoordinate{i / map.extents.k, i % map.extents.k}; };
  std::optional<RepeatedReads> repeated;
  std::int64_t earliest = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].bit != places[i - 1].bit) continue;
    if (!repeated) repeated.emplace();
    // The witness is the repeated element that comes first row by row.
    if (repeated->count == 0 || places[i].index < earliest) {
      earliest = places[i].index;
      repeated->first = coordinate(places[i - 1].index);
      repeated->second = coordinate(earliest);
      repeated->byte = places[i].bit / per_byte;
    }
    ++repeated->count;
  }
  return repeated;
}

}  // namespace swz
