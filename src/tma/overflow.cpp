#include "tma/overflow.hpp"

#include <fmt/format.h>

namespace swz {

namespace {

constexpr std::uint64_t two_32 = 1ULL << 32;
constexpr std::uint64_t nearest_below = 1ULL << 24;
constexpr int eighth_bits = 61;

// "-1073741824", or "-2147483648, -1073741824 elements" where only the elements fit an int; empty: neither does.
std::string as_int32(std::int64_t bytes, int element_bits) {
  if (bytes >= INT32_MIN) return fmt::format("{}", bytes);
  if (element_bits < 8 || bytes % (element_bits / 8) != 0) return "";
  const std::int64_t elements = bytes / (element_bits / 8);
  return elements < INT32_MIN ? "" : fmt::format("{}, {} elements", bytes, elements);
}

}  // namespace

std::string overflow_remark(std::uint64_t value, int element_bits) {
  constexpr std::string_view product = "a 32-bit product that overflowed and was then widened";
  const auto number = static_cast<std::int64_t>(value);
  if (number < 0) {
    const std::string narrow = as_int32(number, element_bits);
    if (narrow.empty()) return fmt::format(" ({} as a signed number)", number);
    return fmt::format(" ({} as a signed number: {})", narrow, product);
  }
  // A negative number of bits, divided by 8 as an unsigned one.
  const std::int64_t below = number - (std::int64_t{1} << eighth_bits);
  if (below >= 0 || as_int32(below, element_bits).empty()) return "";
  return fmt::format(" (2^{} - {}: {}, multiplied to bits and divided by 8 without its sign)", eighth_bits, -below,
                     product);
}

std::optional<std::int64_t> widened_int32(std::uint64_t value, int element_bits) {
  const std::uint64_t bytes = element_bits < 8 ? 1 : static_cast<std::uint64_t>(element_bits / 8);
  for (const std::uint64_t unit : {std::uint64_t{1}, bytes})
    if (value % unit == 0 && value / unit < two_32 && value / unit > two_32 - nearest_below)
      return static_cast<std::int64_t>(value / unit) - static_cast<std::int64_t>(two_32);
  return std::nullopt;
}

}  // namespace swz
