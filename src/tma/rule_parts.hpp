// What the tables of rules (tma/*_rules.cpp) share: sources, questions that several rules ask, the changed map.
#pragma once

#include "tma/tensor_map_rules.hpp"

namespace swz::rule_parts {

inline constexpr Source cuda_h{"cuda.h of CUDA 13.0, cuTensorMapEncodeTiled", Evidence::header};
inline constexpr Source verdicts{"H200, driver 580.159: 47,372 of 47,372 verdicts", Evidence::measured};

inline bool is_hopper(const TensorMapCase& c) { return c.target.descriptor == SmemDescriptorKind::wgmma; }
inline bool is_padded(const TensorMapCase& c) { return c.type != nullptr && c.type->is_padded(); }
inline bool is_interleaved(const TensorMapCase& c) { return c.map.interleave != TensorMapInterleave::none; }

// The multiple that addresses and strides of the map must be of, in bytes.
inline std::uint64_t global_unit(const TensorMapCase& c) {
  return c.map.interleave == TensorMapInterleave::bytes_32 || is_padded(c) ? 32 : 16;
}

// The bytes of dimension 0; none: the type is unknown, or the dimension too large.
std::optional<std::uint64_t> row_bytes(const TensorMapCase& c);
// The bytes of dimensions 0 to i, where strides[i] is the number of their elements: it was given in elements.
// None: it was not, or one element is one byte.
std::optional<std::uint64_t> bytes_of_element_stride(const TensorMapCase& c);

// The value of an enum, as the driver takes it: 32 bits without a sign.
template <class Enum>
std::uint64_t number(Enum value) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(value));
}

// The map of the case after change(map).
template <class Change>
std::optional<TensorMap> changed(const TensorMapCase& c, Change change) {
  TensorMap map = c.map;
  change(map);
  return map;
}

// A value that names no enumerator: its enum has 0 to last.
TensorMapAdvice tell_enum(std::uint64_t value, int last, std::string_view argument, std::string_view type);

}  // namespace swz::rule_parts
