// SPDX-License-Identifier: Apache-2.0
// FormDifference: whether two layouts are the same function of the array, whatever the notation of each.
//
//   (64,64):(64,1) and Triton's nvmma_shared 128 of 64x64 f16
//     3584 of 4096 elements differ, the first is (1,0), number 64: offset 64 and 72 … where the swizzle begins to act
//   registers: compared by (thread, value), for the element of the array that each has
//
// A CuTe layout may be flat, or nested differently from the array: its index i is then the element with column-major
// number i, (i % R, i / R), as CuTe counts.
//
// Invariant (tested): the two are the same exactly if the offset of every element is, or the element of every (thread,
// value).
#pragma once

#include "dialect/layout_form.hpp"

namespace swz {

struct FormDifference {
  bool same = false;
  // The first difference: the number (row by row) of the element, or thread * values + value. None if nothing differs,
  // or if the two have different extents.
  std::optional<std::int64_t> index;
  std::int64_t a = 0, b = 0;  // the offsets there, or the numbers of the elements
  std::int64_t differing = 0, of = 0;
  std::string why = {};  // why nothing was compared: "A is 64x64, B is 32x64"; empty if it was
  // For registers that differ: every thread has the same elements, in values of another order.
  bool same_elements = false;
};

FormDifference form_difference(const SharedForm& a, const SharedForm& b);
FormDifference form_difference(const RegisterForm& a, const RegisterForm& b);

// The form with the array shape `shape`, by the index of a layout that is flat or nested differently. None if it has
// another number of elements.
std::optional<SharedForm> with_array_shape(const SharedForm& form, const ArrayShape& shape);

}  // namespace swz
