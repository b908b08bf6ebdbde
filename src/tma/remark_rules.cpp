// SPDX-License-Identifier: Apache-2.0
// What the driver accepts although cuda.h forbids it, or although a reader may not expect it; and the origin of a
// number that overflowed.
#include <fmt/format.h>

#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using namespace rule_parts;

constexpr std::uint64_t two_32 = 1ULL << 32;
constexpr std::uint64_t nearest_below = 1ULL << 24;
constexpr int eighth_bits = 61;

// "-1073741824", or "-2147483648, -1073741824 elements" if only the elements fit an int; empty if neither fits.
std::string as_int32(std::int64_t bytes, int element_bits) {
  if (bytes >= INT32_MIN) return fmt::format("{}", bytes);
  if (element_bits < 8 || bytes % (element_bits / 8) != 0) return "";
  const std::int64_t elements = bytes / (element_bits / 8);
  return elements < INT32_MIN ? "" : fmt::format("{}, {} elements", bytes, elements);
}

constexpr Source unchecked{"cuda.h of CUDA 13.0; H200, driver 580.159 does not check it", Evidence::measured};
constexpr Source h200{"H200, driver 580.159", Evidence::measured};
constexpr Source stores{"H100, driver 580.159: 6,000 of 6,000 stores", Evidence::measured};
constexpr Source loads{"cuda.h of CUDA 13.0; H200, 6,000 of 6,000 loads (swz verify)", Evidence::measured};

// The bytes that entry i of the strides must reach so that no two rows overlap; none for more than 64 bits.
std::optional<std::uint64_t> covered_bytes(const Case& c) {
  std::uint64_t bytes = 0;
  if (c.i == 0) return row_bytes(c);
  if (__builtin_mul_overflow(c.map.strides[c.i - 1], c.map.dims[c.i], &bytes)) return std::nullopt;
  return bytes;
}

bool overlaps(const Case& c) {
  if (c.map.dims[c.i + 1] < 2) return false;
  const std::optional<std::uint64_t> bytes = covered_bytes(c);
  return bytes && c.map.strides[c.i] < *bytes;
}

// The bytes after each row that a store overwrites, because it writes whole 16 B.
std::uint64_t bytes_past_row(const Case& c) {
  if (c.type == nullptr || c.type->gmem_bits < 8 || is_interleaved(c)) return 0;
  const std::uint64_t over = c.map.dims[0] % 16 * static_cast<std::uint64_t>(c.type->gmem_bits / 8) % 16;
  return over == 0 ? 0 : 16 - over;
}

// The negative int that a size may have been.
std::optional<std::int64_t> widened_dim(const Case& c) { return widened_int32(c.map.dims[c.i], 0); }
std::optional<std::int64_t> widened_stride(const Case& c) {
  return widened_int32(c.map.strides[c.i], c.type == nullptr ? 0 : c.type->gmem_bits);
}

Told tell_widened(const Case& c, std::string_view argument, std::uint64_t value, std::int64_t number) {
  return {value, 1ULL << 32,
          fmt::format("{}[{}] = {} has the 32 bits of {}: accepted, but was it a negative number?", argument, c.i,
                      value, number),
          "compute sizes in 64 bits"};
}

// clang-format off
constexpr TensorMapRule rules[] = {
    {"address-null", "address", whole, observed, of_tiled, "NULL is accepted",
     [](const Case& c) { return c.map.global_address == 0; },
     [](const Case&) -> Told {
       return {0, 0, "globalAddress = NULL is accepted; a copy through the map faults in the kernel",
               "replace the address before the map is used"};
     }, h200, "not stated"},
    {"box-beyond-tensor", "box", dims, observed, of_tiled, "a box larger than the tensor is accepted",
     [](const Case& c) { return c.map.dims[c.i] > 0 && c.map.box[c.i] > c.map.dims[c.i]; },
     [](const Case& c) -> Told {
       return {c.map.box[c.i], c.map.dims[c.i],
               fmt::format("boxDim[{}] = {} is larger than globalDim[{}] = {}: accepted; a load fills the rest and counts "
                           "it on the mbarrier, a store leaves it out", c.i, c.map.box[c.i], c.i, c.map.dims[c.i]),
               ""};
     }, h200, "not stated"},
    {"store-end-of-row", "dims", first, observed, of_tiled, "a store writes whole 16 B and so goes past the end of a row",
     [](const Case& c) { return bytes_past_row(c) != 0; },
     [](const Case& c) -> Told {
       return {c.map.dims[0], 16,
               fmt::format("globalDim[0] = {} ends inside 16 B: a store overwrites the {} B after the end of each row it "
                           "reaches; a load does not read them", c.map.dims[0], bytes_past_row(c)),
               "store through a map whose rows end at a multiple of 16 B, or keep nothing in these bytes"};
     }, stores, "not stated"},
    {"stride-order", "strides", strides, documented, of_every, "strides are not compared with dimensions or each other: any order, overlap, 0",
     overlaps,
     [](const Case& c) -> Told {
       const std::uint64_t bytes = *covered_bytes(c);
       const std::optional<std::uint64_t> meant = bytes_of_element_stride(c);
       return {c.map.strides[c.i], bytes,
               fmt::format("globalStrides[{}] = {} B is less than the {} B that dimension {} covers: {}", c.i,
                           c.map.strides[c.i], bytes, c.i,
                           meant ? "it is the number of elements, not of bytes"
                                 : "entries overlap or the dimensions are not in the order of their strides"),
               meant ? fmt::format("strides[{}] = {}", c.i, *meant) : std::string()};
     }, unchecked, "each stride covers the dimension below it"},
    {"dim-int32", "dims", dims, observed, of_tiled, "a negative int that was widened without its sign is accepted",
     [](const Case& c) { return widened_dim(c).has_value(); },
     [](const Case& c) { return tell_widened(c, "globalDim", c.map.dims[c.i], *widened_dim(c)); }, h200,
     "not stated"},
    {"stride-int32", "strides", strides, observed, of_tiled, "a negative int that was widened without its sign is accepted",
     [](const Case& c) { return widened_stride(c).has_value(); },
     [](const Case& c) { return tell_widened(c, "globalStrides", c.map.strides[c.i], *widened_stride(c)); }, h200,
     "not stated"},
    {"element-stride-0", "elementStrides", first, documented, of_tiled,
     "without interleave a copy ignores elementStrides[0], the driver counts the box with it",
     [](const Case& c) { return c.map.interleave == TensorMapInterleave::none && c.map.element_strides[0] != 1; },
     [](const Case& c) -> Told {
       return {c.map.element_strides[0], 1,
               fmt::format("elementStrides[0] = {}: a copy ignores it, the driver divides box[0] by it when it counts the "
                           "bytes of a box", c.map.element_strides[0]),
               "elementStrides[0] = 1"};
     }, loads, "ignored without interleave"},
    {"element-stride-divides", "elementStrides", later_dims, observed, of_tiled,
     "a copy loads ceil(box / element stride) entries, the driver counts floor",
     [](const Case& c) {
       return c.map.element_strides[c.i] > 1 && c.map.box[c.i] % c.map.element_strides[c.i] != 0;
     },
     [](const Case& c) -> Told {
       const std::uint64_t box = c.map.box[c.i], step = c.map.element_strides[c.i];
       return {step, box,
               fmt::format("elementStrides[{}] = {} does not divide boxDim[{}] = {}: a copy loads {} entries, the "
                           "driver counts {}", c.i, step, c.i, box, box / step + 1, box / step),
               fmt::format("box[{}] = {}", c.i, (box / step + 1) * step)};
     }, loads, "a copy loads ceil(box / element stride) entries"},
    {"interleave-swizzle", "swizzle", whole, documented, of_measured, "INTERLEAVE_32B takes any swizzle",
     [](const Case& c) {
       return c.map.interleave == TensorMapInterleave::bytes_32 && c.map.swizzle != TensorMapSwizzle::b32;
     },
     [](const Case& c) -> Told {
       return {number(c.map.swizzle), 1,
               "INTERLEAVE_32B without SWIZZLE_32B: cuda.h forbids it, the driver accepts it", "swizzle 32B"};
     }, unchecked, "INTERLEAVE_32B needs SWIZZLE_32B"},
};
// clang-format on

}  // namespace

std::span<const TensorMapRule> remark_rules() { return rules; }

std::string rule_parts::overflow_remark(std::uint64_t value, int element_bits) {
  constexpr std::string_view product = "a 32-bit product that overflowed and was then widened";
  const auto number = static_cast<std::int64_t>(value);
  if (number < 0) {
    const std::string narrow = as_int32(number, element_bits);
    if (narrow.empty()) return fmt::format(" ({} as a signed number)", number);
    return fmt::format(" ({} as a signed number: {})", narrow, product);
  }
  // A negative number of bits, divided by 8 as an unsigned number.
  const std::int64_t below = number - (std::int64_t{1} << eighth_bits);
  if (below >= 0 || as_int32(below, element_bits).empty()) return "";
  return fmt::format(" (2^{} - {}: {}, multiplied to bits and divided by 8 without its sign)", eighth_bits, -below,
                     product);
}

std::optional<std::int64_t> rule_parts::widened_int32(std::uint64_t value, int element_bits) {
  const std::uint64_t bytes = element_bits < 8 ? 1 : static_cast<std::uint64_t>(element_bits / 8);
  for (const std::uint64_t unit : {std::uint64_t{1}, bytes})
    if (value % unit == 0 && value / unit < two_32 && value / unit > two_32 - nearest_below)
      return static_cast<std::int64_t>(value / unit) - static_cast<std::int64_t>(two_32);
  return std::nullopt;
}

}  // namespace swz
