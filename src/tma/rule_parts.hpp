// What the tables of rules (tma/*_rules.cpp) share: sources, questions that several rules ask, the changed call.
#pragma once

#include <fmt/format.h>

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

// The multiple that addresses and strides of the map must be of, in bytes.
inline std::uint64_t global_unit(const Case& c) {
  return c.map.interleave == TensorMapInterleave::bytes_32 || is_padded(c) ? 32 : 16;
}

// The bytes of dimension 0; none: the type is unknown, or the dimension too large.
inline std::optional<std::uint64_t> row_bytes(const Case& c) {
  if (c.type == nullptr || c.map.dims[0] > (1ULL << 32)) return std::nullopt;
  return (c.map.dims[0] * static_cast<std::uint64_t>(c.type->gmem_bits) + 7) / 8;
}

// The bytes of dimensions 0 to i, where strides[i] is the number of their elements: it was given in elements.
// None: it was not, or one element is one byte.
inline std::optional<std::uint64_t> bytes_of_element_stride(const Case& c) {
  if (c.type == nullptr || c.type->gmem_bits <= 8) return std::nullopt;
  std::uint64_t elements = 1, bytes = 0;
  for (std::size_t i = 0; i <= c.i; ++i)
    if (__builtin_mul_overflow(elements, c.map.dims[i], &elements)) return std::nullopt;
  if (elements < 2 || c.map.strides[c.i] != elements) return std::nullopt;
  if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(c.type->gmem_bits / 8), &bytes))
    return std::nullopt;
  return bytes;
}

// An enum or a signed number, as the driver takes it: 32 bits without a sign.
template <class Value>
std::uint64_t number(Value value) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(value));
}

// The call of the case with another value of one argument; of a list, of entry i.
template <class Map, class Field, class Value>
std::optional<Im2colMap> changed(const Case& c, Field Map::*field, Value value, std::size_t i) {
  Im2colMap call = c.im2col == nullptr ? Im2colMap{.tensor = c.map} : *c.im2col;
  Field* to = nullptr;
  if constexpr (std::is_same_v<Map, TensorMap>) to = &(call.tensor.*field);
  else to = &(call.*field);
  if constexpr (requires { (*to)[i]; }) (*to)[i] = value;
  else *to = value;
  return call;
}
template <class Map, class Field, class Value>
std::optional<Im2colMap> changed(const Case& c, Field Map::*field, Value value) {
  return changed(c, field, value, c.i);
}

// A value that names no enumerator: its enum has 0 to last.
inline Told tell_enum(std::uint64_t value, int last, std::string_view argument, std::string_view type) {
  return {value, static_cast<std::uint64_t>(last),
          fmt::format("{} = {} is not a {}", argument, static_cast<std::int32_t>(value), type),
          fmt::format("{} has the values 0 to {}", type, last)};
}

}  // namespace swz::rule_parts
