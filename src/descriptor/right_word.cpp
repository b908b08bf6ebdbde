#include "descriptor/right_word.hpp"

#include <algorithm>

#include "descriptor/stored_operand.hpp"

namespace swz {

namespace {

constexpr int base_offsets = 8;

// What 18 bits of 16-byte units can say.
bool is_encodable(std::int64_t bytes) { return bytes >= 0 && bytes < 1 << 18 && bytes % chunk.count == 0; }

// The first element along MN and along K that lies past the piece one stride field steps from.
struct Steps {
  std::int64_t leading_row = 0, leading_k = 0, stride_row = 0, stride_k = 0;
};

Steps steps_of(int element_bits, Major major, const SwizzleMode& mode) {
  const bool is_plain = mode.bits == 0;
  const std::int64_t line = mode.span.count * 8 / element_bits;
  if (major == Major::K) return {0, line, mode.lines, 0};
  if (is_plain) return {0, mode.lines, line, 0};
  return {line, 0, 0, mode.lines};
}

// 0 stands for a field that is never stepped over.
bool is_inside(std::int64_t row, std::int64_t k, TileExtents extents) {
  return (row != 0 || k != 0) && row < extents.mn && k < extents.k;
}

std::optional<RightWord> solve(const OperandPlaces& wanted, const SwizzleMode& mode, int base_offset,
                               const SmemDescriptor& like) {
  const auto linear = [&](std::int64_t row, std::int64_t k) {
    return mode.byte(wanted.places[static_cast<std::size_t>(row * wanted.extents.k + k)] >> 3, base_offset);
  };
  const Steps step = steps_of(wanted.element_bits, wanted.major, mode);
  const AppliedStrides applied = applied_strides(wanted.extents, wanted.element_bits, wanted.major, mode);
  const std::int64_t start = linear(0, 0);
  const std::int64_t lbo =
      applied.leading ? linear(step.leading_row, step.leading_k) - start : like.leading_byte_offset().count;
  const std::int64_t sbo =
      applied.stride ? linear(step.stride_row, step.stride_k) - start : like.stride_byte_offset().count;
  if (!is_encodable(start) || !is_encodable(lbo) || !is_encodable(sbo)) return std::nullopt;
  const SmemDescriptor word = SmemDescriptor::encode({.start_address = Bytes{start},
                                                      .leading_byte_offset = Bytes{lbo},
                                                      .stride_byte_offset = Bytes{sbo},
                                                      .base_offset = base_offset,
                                                      .swizzle = mode.name},
                                                     like.target());
  if (!reads(word, wanted)) return std::nullopt;
  return RightWord{word, applied};
}

}  // namespace

AppliedStrides applied_strides(TileExtents extents, int element_bits, Major major, const SwizzleMode& mode) {
  const Steps step = steps_of(element_bits, major, mode);
  return {is_inside(step.leading_row, step.leading_k, extents), is_inside(step.stride_row, step.stride_k, extents)};
}

std::vector<RightWord> right_words(const OperandPlaces& wanted, const SmemDescriptor& like) {
  std::vector<const SwizzleMode*> modes;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!mode.code(like.kind())) continue;
    if (wanted.major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
    modes.push_back(&mode);
  }
  std::stable_partition(modes.begin(), modes.end(),
                        [&](const SwizzleMode* mode) { return mode == like.swizzle(); });

  std::vector<RightWord> words;
  for (const SwizzleMode* mode : modes) {
    for (int i = 0; i < (mode->bits == 0 ? 1 : base_offsets); ++i) {
      const int base_offset = i == 0 ? like.base_offset() : i <= like.base_offset() ? i - 1 : i;
      if (const auto word = solve(wanted, *mode, base_offset, like)) words.push_back(*word);
    }
  }
  return words;
}

bool reads(const SmemDescriptor& word, const OperandPlaces& wanted) {
  return places_of(operand_map(word, wanted.extents, wanted.element_bits, wanted.major)) == wanted.places;
}

}  // namespace swz
