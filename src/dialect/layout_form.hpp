// SPDX-License-Identifier: Apache-2.0
// LayoutForm: what all dialects have in common: where the elements of an array are in shared memory, or which thread
// has them in which of its values.
//
//   #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}> of 128x32 f16
//     SharedForm of shape (128,32), map Sw<2,3,3> o 0 o (128,32):(32,1)
//     element (1,8), number 1*32 + 8 = 40, is at offset 40; (2,8), number 72, at 64: 72 ^ (72 >> 6 & 3) << 3
//
// The elements of an array are numbered row by row, the last dimension fastest. Offsets count elements.
//
// A SharedForm has one of three maps, followed by padding:
//
//   ComposedLayout   one mode per dimension of the array: integer strides and at most one swizzle
//   LinearMap        bits of the number -> bits of the offset: extents are powers of two
//   vector           the offset of each number, for a map that is neither (a rotation)
//
//   padding {i, p}   p more elements after every i elements: x + x / i * p, all intervals on the same x
//
// A RegisterForm is CuTe's (thread, value) layout: its value is the column-major index of the element, m + M n. A
// stride of 0 is a copy. Threads of several CTAs are a third mode.
//
// Invariants (tested): as_composed, as_linear and offsets_of of a form are the same function at every coordinate,
// unless the first two have no result. Source: linear algebra over GF(2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arch/dtype.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// The extents of an array, slowest dimension first, as all projects write them: (row, col).
using ArrayShape = std::vector<std::int64_t>;

std::int64_t element_count(const ArrayShape& shape);  // throws Error above limits::known_values
bool are_powers_of_two(const ArrayShape& shape);
std::string shape_text(const ArrayShape& shape);  // 64x128
// The coordinate of the element with this number, and the reverse.
std::vector<std::int64_t> coordinate_of(std::int64_t number, const ArrayShape& shape);
std::int64_t number_of(const std::vector<std::int64_t>& coordinate, const ArrayShape& shape);

// The number of the element with each column-major index.
std::vector<std::int64_t> column_major_numbers(const ArrayShape& shape);

// `amount` more elements after every `interval` elements.
struct Padding {
  std::int64_t interval = 1, amount = 0;
  bool operator==(const Padding&) const = default;
};

using OffsetMap = std::variant<ComposedLayout, LinearMap, std::vector<std::int64_t>>;

// What a form knows about its elements: their type, or only their width.
struct ElementWidth {
  const DType* dtype = nullptr;  // null if not known
  int bits = 0;                  // 0 if not known
};
ElementWidth width_of(const DType& dtype);

struct SharedForm {
  ArrayShape shape;
  ElementWidth element;
  OffsetMap map = ComposedLayout(Layout());
  std::vector<Padding> padding = {};  // by ascending interval
  // The CTA of each element, by the bits of its number. Empty for one CTA; otherwise offsets are those inside the CTA.
  LinearMap block = {};
};

struct RegisterForm {
  ArrayShape shape;
  ElementWidth element;
  Layout layout;  // (thread, value), or (thread, value, CTA), to the column-major index
};

// Where the elements of an array are in tensor memory: number -> 32-bit address, lane * 65536 + column.
struct TensorForm {
  ArrayShape shape;
  ElementWidth element;
  Layout layout;  // (row, column of the array) -> address times elements_per_column
  int elements_per_column = 1;
};

using LayoutForm = std::variant<SharedForm, RegisterForm, TensorForm>;
const ArrayShape& shape_of(const LayoutForm& form);
ElementWidth element_of(const LayoutForm& form);

// ---- shared memory

// The layout of an array from those of its dimensions. One dimension of several leaves is ((8,4)):((1,16));
// (8,4):(1,16) would be two dimensions.
Layout array_layout(const std::vector<Layout>& dimensions);
SharedForm shared_form(ArrayShape shape, ElementWidth element, ComposedLayout layout);
SharedForm shared_form(ArrayShape shape, ElementWidth element, LinearMap map);
// The form of the offset of each element, by its number: strides or a linear map if the offsets are that.
SharedForm shared_form(ArrayShape shape, ElementWidth element, std::vector<std::int64_t> offsets);

// The offset of each element, by its number. Throws Error above limits::known_values.
std::vector<std::int64_t> offsets_of(const SharedForm& form);

// The map on the bits of the number. None if an extent is not a power of two, there is an offset or padding that has an
// effect, or the map is not linear over GF(2).
std::optional<LinearMap> as_linear(const SharedForm& form);

// One swizzle after one layout, in plain form, with one mode per dimension. None if the map is not that. The layout is
// coalesced inside each mode.
std::optional<ComposedLayout> as_composed(const SharedForm& form);

// A linear map on the numbers of `shape` as a swizzle after a layout, as as_composed does it.
std::optional<ComposedLayout> composed_of(const LinearMap& map, const ArrayShape& shape);

// Offsets are x + sum (x / interval) amount, all intervals on the same x, which is linear in the bits of the number.
// If x has no XOR, the smallest padding is found, which may be none.
struct PaddedBits {
  std::vector<std::uint64_t> columns;  // bit of the number -> x
  std::vector<Padding> padding;
};
// None if an extent is not a power of two, or if the form is neither padded strides nor a linear map.
std::optional<PaddedBits> as_padded(const SharedForm& form);

// Whether the offset is the same at every coordinate. The shapes must be equal.
bool is_same_function(const SharedForm& a, const SharedForm& b);
// The first number at which they differ; none if they do not.
std::optional<std::int64_t> first_difference(const SharedForm& a, const SharedForm& b);

// Whether no two elements share an offset.
bool is_injective(const SharedForm& form);

// ---- registers

std::int64_t thread_count(const RegisterForm& form);
std::int64_t value_count(const RegisterForm& form);
// The number (row by row) of each value, thread by thread; for several CTAs, CTA by CTA.
std::vector<std::int64_t> numbers_of(const RegisterForm& form);

// The form of bases as Triton has them: each bit of value, thread and CTA moves to a coordinate (all 0 is a copy).
struct RegisterBases {
  std::vector<std::vector<std::int64_t>> value, thread, block;
};
RegisterForm register_form(ArrayShape shape, ElementWidth element, const RegisterBases& bases);
// None if a basis moves more than one bit, or an extent is not a power of two.
std::optional<RegisterBases> as_bases(const RegisterForm& form);

bool is_same_function(const RegisterForm& a, const RegisterForm& b);

}  // namespace swz
