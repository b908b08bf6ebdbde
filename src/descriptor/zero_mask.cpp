// SPDX-License-Identifier: Apache-2.0
#include "descriptor/zero_mask.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {
namespace {

constexpr ZeroMaskField mask_fields[] = {
    {"start count 0", {0, 8}},   {"start count 1", {8, 8}},   {"start count 2", {16, 8}}, {"start count 3", {24, 8}},
    {"first span 0", {32, 1}},   {"first span 1", {33, 1}},   {"first span 2", {34, 1}},  {"first span 3", {35, 1}},
    {"reserved", {36, 3}, true}, {"non-zero mask", {39, 1}},  {"skip span", {40, 8}},     {"use span", {48, 8}},
    {"column shift", {56, 6}},   {"reserved", {62, 2}, true},
};

constexpr int most_shift = 32;

int number_in(std::uint64_t word, BitField bits) { return static_cast<int>(bits.read(word)); }

}  // namespace

std::span<const ZeroMaskField> zero_mask_fields() { return mask_fields; }

bool ZeroColumnMask::is_zero(int sub_mask, int column) const {
  if (is_zero_mask) return false;
  const auto i = static_cast<std::size_t>(sub_mask);
  const int at = (column + left_out[i]) % (use + skip);
  return starts_skipping[i] ? at < skip : at >= use;
}

ZeroColumnMask read_zero_mask(std::uint64_t word) {
  ZeroColumnMask mask{.word = word};
  for (int i = 0; i < 4; ++i) {
    mask.left_out[static_cast<std::size_t>(i)] = number_in(word, {8 * i, 8});
    mask.starts_skipping[static_cast<std::size_t>(i)] = number_in(word, {32 + i, 1}) != 0;
  }
  mask.is_zero_mask = number_in(word, {39, 1}) == 0;
  mask.skip = number_in(word, {40, 8}) + 1;
  mask.use = number_in(word, {48, 8}) + 1;
  mask.shift = number_in(word, {56, 6});
  return mask;
}

std::vector<Finding> lint(const ZeroColumnMask& mask) {
  std::vector<Finding> found;
  for (const ZeroMaskField& field : mask_fields)
    if (field.reserved && field.bits.read(mask.word) != 0)
      found.push_back(lint("reserved-bits", fmt::format("bits {}-{} are not 0", field.bits.low, field.bits.high()),
                           "is it a zero-column mask descriptor?", to_string(zero_mask_source)));
  if (mask.shift > most_shift)
    found.push_back(lint("column-shift", fmt::format("a column shift of {} columns", mask.shift),
                         "at most 32, with M 32 at most 16", to_string(zero_mask_source)));
  return found;
}

}  // namespace swz
