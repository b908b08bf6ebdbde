// SPDX-License-Identifier: Apache-2.0
#include "descriptor/layout_reason.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "descriptor/operand_map.hpp"

namespace swz {

std::string distance_text(std::int64_t bits) {
  return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bits", bits);
}

Bytes most_stride(const Target& target) {
  const FieldRow& row = *smem_format(target).find(FieldId::stride_byte_offset);
  return Bytes{static_cast<std::int64_t>(row.bits.max()) * row.scale};
}

std::string atom_reason(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma) {
  const SwizzleMode& mode = *shape.swizzle;
  const std::int64_t bits = shape.element_bits, per_chunk = chunk_bits / bits;
  const bool is_k = shape.major == Major::K;
  const std::string_view along = direction_name(shape.major), line = is_k ? "row" : "k",
                         lines = is_k ? "rows" : "steps of k";
  const std::int64_t length = std::min(mma.along(shape.major), mode.span.count * 8 / bits);
  const std::int64_t count = std::min<std::int64_t>(mma.along(other_major(shape.major)), mode.lines);
  // The distance of element i of line j from the first element.
  const auto at = [&](std::int64_t i, std::int64_t j) { return (is_k ? linear(j, i) : linear(i, j)) - linear(0, 0); };
  for (std::int64_t i = 1; i < std::min(length, per_chunk); ++i) {
    const std::int64_t is = at(i, 0);
    if (is == i * bits) continue;
    if (i > 1)
      return fmt::format("element {} along {} lies {} after the first; 16 contiguous bytes need {}", i, along,
                         distance_text(is), distance_text(i * bits));
    const bool is_other = at(0, 1) == bits;
    return fmt::format("neighbours along {} are {} apart; {} needs {}{}", along, distance_text(is),
                       to_string(shape.major), distance_text(bits),
                       is_other ? fmt::format(" (the layout is {})", to_string(other_major(shape.major))) : "");
  }
  for (std::int64_t c = 1; c < length / per_chunk; ++c)
    if (const std::int64_t is = at(c * per_chunk, 0); is != c * chunk_bits)
      return fmt::format("16-byte chunk {} of {} lies {} after chunk 0; mode {} needs {} B", c, along,
                         distance_text(is), mode.name, c * chunk.count);
  for (std::int64_t j = 1; j < count; ++j) {
    const std::int64_t is = at(0, j), needed = j * mode.span.count;
    if (is == needed * 8) continue;
    return j == 1 ? fmt::format("{} are {} apart; mode {} needs {} B", lines, distance_text(is), mode.name, needed)
                  : fmt::format("{} {} lies {} after {} 0; mode {} needs {} B", line, j, distance_text(is), line,
                                mode.name, needed);
  }
  return {};
}

std::string encoding_reason(const LinearPlacement& linear, const DescriptorStrides& strides, TileExtents mma,
                            const Target& target) {
  const std::int64_t most = most_stride(target).count;
  for (const auto& [name, stride] : {std::pair{"LBO", &strides.leading}, {"SBO", &strides.stride}}) {
    const Bytes value = stride->value;
    if (value.count < 0 || value.count > most || !value.is_multiple_of(chunk))
      return fmt::format("{} would be {} B; a descriptor holds multiples of 16 B from 0 to {} ({})", name, value.count,
                         most, stride->derivation);
  }
  for (std::int64_t k = 0; k < linear.extents.k; k += mma.k)
    for (std::int64_t row = 0; row < linear.extents.mn; row += mma.mn)
      if (const std::int64_t start = linear(row, k); start % chunk_bits != 0)
        return fmt::format("the MMA that begins at element ({},{}) starts at byte {}, which is not a multiple of 16",
                           row, k, start / 8);
  return {};
}

std::string reading_reason(const LinearPlacement& linear, const OperandShape& shape, const TileDescriptors& words) {
  for (const MmaStep& step : words.steps) {
    const OperandMap map = operand_map(step.descriptor, words.mma, shape.element_bits, shape.major);
    for (std::int64_t r = 0; r < words.mma.mn; ++r) {
      for (std::int64_t c = 0; c < words.mma.k; ++c) {
        const std::int64_t row = step.m_block * words.mma.mn + r, k = step.k_step * words.mma.k + c;
        const std::int64_t lies = shape.swizzle->bit(linear(row, k));
        if (map.place(r, c) == lies) continue;
        return fmt::format(
            "with LBO {} B and SBO {} B the MMA at m {}, k {} reads element ({},{}) from byte {}; the layout puts "
            "it at {}",
            words.leading.value.count, words.stride.value.count, step.m_block, step.k_step, row, k, map.byte(r, c),
            distance_text(lies));
      }
    }
  }
  return {};
}

}  // namespace swz
