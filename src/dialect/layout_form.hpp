// SPDX-License-Identifier: Apache-2.0
// LayoutForm: what all dialects have in common, whatever the text: where the elements of an array lie in shared memory,
// or which thread holds them in which of its values.
//
//   #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}> of 128x32 f16
//     SharedForm of shape (128,32), map Sw<2,3,3> o 0 o (128,32):(32,1)
//     element (1,8), number 1*32 + 8 = 40, lies at offset 40; (2,8), number 72, at 64: 72 ^ (72 >> 6 & 3) << 3
//
// The elements of an array are numbered row by row, the last dimension fastest. Offsets count elements.
//
// A SharedForm has one of three maps, then padding:
//
//   ComposedLayout   of as many modes as the array has dimensions: integer strides and at most one swizzle
//   LinearMap        bits of the number -> bits of the offset: extents are powers of two
//   vector           the offset of each number: whatever is neither (a rotation)
//
//   padding {i, p}   after every i elements p more: x + x / i * p, all intervals of the same x
//
// A RegisterForm is CuTe's (thread, value) layout: its value is the column-major index of the element, m + M n.
// A stride 0 is a copy. Threads of several CTAs are a third mode.
//
// Invariants (tested): as_composed, as_linear and offsets_of of a form are the same function at every coordinate, or
// the first two have no answer. Source: linear algebra over GF(2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arch/dtype.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// Extents of an array, the slowest dimension first as all projects write it: (row, col).
using ArrayShape = std::vector<std::int64_t>;

std::int64_t element_count(const ArrayShape& shape);  // throws Error above limits::known_values
bool are_powers_of_two(const ArrayShape& shape);
std::string shape_text(const ArrayShape& shape);  // 64x128
// The coordinate of the element with this number, and back.
std::vector<std::int64_t> coordinate_of(std::int64_t number, const ArrayShape& shape);
std::int64_t number_of(const std::vector<std::int64_t>& coordinate, const ArrayShape& shape);

// Of each column-major index, the number of the element.
std::vector<std::int64_t> column_major_numbers(const ArrayShape& shape);

// After every `interval` elements, `amount` more.
struct Padding {
  std::int64_t interval = 1, amount = 0;
  bool operator==(const Padding&) const = default;
};

using OffsetMap = std::variant<ComposedLayout, LinearMap, std::vector<std::int64_t>>;

// What a form says of its elements: of which type they are, or only how wide.
struct ElementWidth {
  const DType* dtype = nullptr;  // null: not said
  int bits = 0;                  // 0: not said
};
ElementWidth width_of(const DType& dtype);

struct SharedForm {
  ArrayShape shape;
  ElementWidth element;
  OffsetMap map = ComposedLayout(Layout());
  std::vector<Padding> padding = {};  // ascending intervals
  // CTA of each element, by the bits of its number. Empty: one CTA; then offsets are those inside the CTA.
  LinearMap block = {};
};

struct RegisterForm {
  ArrayShape shape;
  ElementWidth element;
  Layout layout;  // (thread, value), or (thread, value, CTA), to the column-major index
};

// Where the elements of an array lie in tensor memory: number -> 32-bit address, lane * 65536 + column.
struct TensorForm {
  ArrayShape shape;
  ElementWidth element;
  Layout layout;  // (row, column of the array) -> address, times 32 / bits of what shares a column
  int elements_per_column = 1;
};

using LayoutForm = std::variant<SharedForm, RegisterForm, TensorForm>;
const ArrayShape& shape_of(const LayoutForm& form);
ElementWidth element_of(const LayoutForm& form);

// ---- shared memory

// The layout of an array from those of its dimensions. One dimension of several leaves is ((8,4)):((1,16)): (8,4):(1,16)
// would be two dimensions.
Layout array_layout(const std::vector<Layout>& dimensions);
SharedForm shared_form(ArrayShape shape, ElementWidth element, ComposedLayout layout);
SharedForm shared_form(ArrayShape shape, ElementWidth element, LinearMap map);
// From the offset of each element, by its number: strides or a linear map where it is one.
SharedForm shared_form(ArrayShape shape, ElementWidth element, std::vector<std::int64_t> offsets);

// The offset of each element, by its number. Throws Error above limits::known_values.
std::vector<std::int64_t> offsets_of(const SharedForm& form);

// The map on the bits of the number. None: an extent is not a power of two, there is padding that acts, an offset, or
// the map is not linear over GF(2).
std::optional<LinearMap> as_linear(const SharedForm& form);

// One swizzle after one layout, in plain form, with a mode for each dimension. A map that is none is None.
// The layout is coalesced inside each mode.
std::optional<ComposedLayout> as_composed(const SharedForm& form);

// A linear map on the numbers of `shape` as a swizzle after a layout: what as_composed does with it.
std::optional<ComposedLayout> composed_of(const LinearMap& map, const ArrayShape& shape);

// Offsets are x + sum (x / interval) amount, all intervals of the same x, which is linear in the bits of the number. Without
// an XOR in x the least padding is found; it may be none.
struct PaddedBits {
  std::vector<std::uint64_t> columns;  // bit of the number -> x
  std::vector<Padding> padding;
};
// None: extents that are no powers of two, or neither strides that padding makes nor a linear map.
std::optional<PaddedBits> as_padded(const SharedForm& form);

// The same offset at every coordinate. Shapes must be equal.
bool is_same_function(const SharedForm& a, const SharedForm& b);
// The first number where they differ. None: nowhere.
std::optional<std::int64_t> first_difference(const SharedForm& a, const SharedForm& b);

// No two elements share an offset.
bool is_injective(const SharedForm& form);

// ---- registers

std::int64_t thread_count(const RegisterForm& form);
std::int64_t value_count(const RegisterForm& form);
// The number (row by row) of each value, thread by thread; of several CTAs, CTA by CTA.
std::vector<std::int64_t> numbers_of(const RegisterForm& form);

// From bases as Triton has them: each bit of value, thread and CTA moves to a coordinate (all 0: a copy).
struct RegisterBases {
  std::vector<std::vector<std::int64_t>> value, thread, block;
};
RegisterForm register_form(ArrayShape shape, ElementWidth element, const RegisterBases& bases);
// None: a basis moves by more than one bit, or extents that are no powers of two.
std::optional<RegisterBases> as_bases(const RegisterForm& form);

bool is_same_function(const RegisterForm& a, const RegisterForm& b);

}  // namespace swz
