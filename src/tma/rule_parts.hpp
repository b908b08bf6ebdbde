// SPDX-License-Identifier: Apache-2.0
// The parts that the tables of rules (tma/*_rules.cpp) share: sources, questions that several rules ask, the changed
// call.
//
// Also the origin of a number that cannot be a size: the traces of a 32-bit product that overflowed before it was
// widened.
//
//   overflow_remark(18446744071562067968, 16)  " (-2147483648 as a signed number: …)"   int widened with its sign
//   overflow_remark(2305843007066210304, 16)   " (2^61 - 2147483648: …)"                 … then bits / 8
//   widened_int32(4294967168, 16)              -128                                      int widened without its sign
//
// The second one is a stride that FlashInfer computed for K and V of 131,072 x 128 x 192 elements. Their number is 3 *
// 2^30, which is -2^30 as an int; it was multiplied by 16 bits and divided by 8 in unsigned 64 bits
// (github.com/sgl-project/sglang/issues/13775).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "tma/tensor_map_rules.hpp"

namespace swz::rule_parts {

using Case = TensorMapCase;
using Told = TensorMapAdvice;
using enum RuleEntries;
using enum RuleBasis;

inline constexpr Source cuda_h{"cuda.h of CUDA 13.0, cuTensorMapEncodeTiled", Evidence::header};
inline constexpr Source verdicts{"H200, driver 580.159: 47,372 of 47,372 verdicts", Evidence::measured};

inline bool is_hopper(const Case& c) { return c.target.descriptor == SmemDescriptorKind::wgmma; }
inline bool is_padded(const Case& c) { return c.type != nullptr && c.type->is_padded(); }
inline bool is_interleaved(const Case& c) { return c.map.interleave != TensorMapInterleave::none; }

// The number of bytes of which addresses and strides of the map must be multiples.
inline std::uint64_t global_unit(const Case& c) {
  return c.map.interleave == TensorMapInterleave::bytes_32 || is_padded(c) ? 32 : 16;
}

// The contiguous entries in shared memory: those of dimension 0 of the box, or channels; and their bits, if these
// count.
inline constexpr std::uint64_t most_inner = 256;
inline std::uint64_t inner_entries(const Case& c) {
  return c.im2col == nullptr ? c.map.box[0] : c.im2col->channels_per_pixel;
}
inline bool has_inner_bits(const Case& c) {
  return c.type != nullptr && inner_entries(c) >= 1 && inner_entries(c) <= most_inner;
}
inline std::int64_t inner_bits(const Case& c) {
  return static_cast<std::int64_t>(inner_entries(c)) * c.type->smem_bits;
}
inline bool is_inner_uneven(const Case& c) {
  return has_inner_bits(c) && !is_padded(c) && inner_bits(c) % (chunk.count * 8) != 0;
}
// The next larger number of entries that is whole 16 B.
inline std::uint64_t even_inner(const Case& c) {
  const auto unit = static_cast<std::uint64_t>(128 / c.type->smem_bits);
  return std::min(inner_entries(c) / unit * unit + unit, most_inner);
}

// The bytes of dimension 0; none if the type is unknown or the dimension is too large.
inline std::optional<std::uint64_t> row_bytes(const Case& c) {
  if (c.type == nullptr || c.map.dims[0] > (1ULL << 32)) return std::nullopt;
  return (c.map.dims[0] * static_cast<std::uint64_t>(c.type->gmem_bits) + 7) / 8;
}

// The bytes of dimensions 0 to i, if strides[i] is the number of their elements, that is, it was given in elements.
// None if it was not, or if one element is one byte.
inline std::optional<std::uint64_t> bytes_of_element_stride(const Case& c) {
  if (c.type == nullptr || c.type->gmem_bits <= 8) return std::nullopt;
  std::uint64_t elements = 1, bytes = 0;
  for (std::size_t i = 0; i <= c.i; ++i)
    if (__builtin_mul_overflow(elements, c.map.dims[i], &elements)) return std::nullopt;
  if (elements < 2 || c.map.strides[c.i] != elements) return std::nullopt;
  if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(c.type->gmem_bits / 8), &bytes)) return std::nullopt;
  return bytes;
}

// Both take the bits of an element, which are 0 if not known.
// The remark for a value beyond its bound. Empty if nothing shows that it was a negative number.
std::string overflow_remark(std::uint64_t value, int element_bits);
// For a value within its bound: the small negative number that has its 32 bits, or whose product with the element's
// bytes it is. None if the value is more than 16 MiB below 2^32.
std::optional<std::int64_t> widened_int32(std::uint64_t value, int element_bits);

// The value of an argument as the driver reads it: for an enum or an int, its 32 bits without a sign.
template <class Value>
std::uint64_t number(Value value) {
  if constexpr (sizeof(Value) == 8) return static_cast<std::uint64_t>(value);
  else return static_cast<std::uint64_t>(static_cast<unsigned>(value));
}

// One argument of a call; for a list, its entry i.
template <class Map, class Field>
auto& argument(Im2colMap& call, Field Map::*field, std::size_t i) {
  Field* to = nullptr;
  if constexpr (std::is_same_v<Map, TensorMap>) to = &(call.tensor.*field);
  else to = &(call.*field);
  if constexpr (requires { (*to)[i]; }) return (*to)[i];
  else return *to;
}

// The advice to give one argument its nearest legal value; for a list, that of the entry that is checked, or of
// another.
template <class Map, class Field, class Value>
Told tell(const Case& c, Field Map::*field, std::uint64_t bound, Value nearest, std::string message, std::string fix,
          std::optional<std::size_t> entry = {}) {
  Im2colMap call = c.im2col == nullptr ? Im2colMap{.tensor = c.map} : *c.im2col;
  auto& value = argument(call, field, entry.value_or(c.i));
  const bool is_signed = std::is_same_v<Value, std::int64_t>;  // an offset of a corner
  Told told{number(value), bound, std::move(message), std::move(fix), {}, is_signed};
  value = nearest;
  told.nearest = std::move(call);
  return told;
}

// The advice for a value that names no enumerator; the enum has the values 0 to `last`.
template <class Enum>
Told tell_enum(Enum value, int last, std::string_view argument, std::string_view type) {
  return {number(value), static_cast<std::uint64_t>(last),
          fmt::format("{} = {} is not a {}", argument, static_cast<int>(value), type),
          fmt::format("{} has the values 0 to {}", type, last)};
}

}  // namespace swz::rule_parts
