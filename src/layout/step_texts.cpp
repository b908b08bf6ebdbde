// SPDX-License-Identifier: Apache-2.0
#include "layout/step_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace swz {

std::string mode_text(FlatMode m) { return fmt::format("{}:{}", m.extent, m.stride); }

std::string bit_range(std::int64_t mask) {
  const auto bits = static_cast<std::uint64_t>(mask);
  const int low = std::countr_zero(bits), high = 63 - std::countl_zero(bits);
  return low == high ? fmt::format("bit {}", low) : fmt::format("bits {}-{}", low, high);
}

std::string moved_bits(const Swizzle& s) {
  if (s.is_identity()) return fmt::format("{} leaves every offset as it is", to_string(s));
  return fmt::format("{} XORs {} into {}", to_string(s), bit_range(s.read_mask()), bit_range(s.written_mask()));
}

std::string xor_text(const Swizzle& s, std::int64_t offset) {
  const std::int64_t value = s(offset), moved = offset ^ value;
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(offset, value))));
  const auto binary = [&](std::int64_t x) { return fmt::format("0b{:0{}b}", x, width); };
  return fmt::format("{} of {} = {} {} {}, {} to the {} {}; {} ^ {} = {} = {}", bit_range(s.read_mask()), offset,
                     binary(offset), s.bits() == 1 ? "is" : "are", binary(offset & s.read_mask()), std::abs(s.shift()),
                     s.shift() > 0 ? "right" : "left", binary(moved), binary(offset), binary(moved), binary(value),
                     value);
}

}  // namespace swz
