// SPDX-License-Identifier: Apache-2.0
// One operation of the algebra: how a random case of it is drawn, as swz's text and as CuTe's C++.
//
//   complement   text  complement((2,4):(1,6),24)
//                cpp   complement(Layout<Shape<Int<2>,Int<4>>,Stride<Int<1>,Int<6>>>{},Int<24>{})
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "draw.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

struct Case {
  std::string text;
  std::string cpp;
  // What CuTe answers, if the model gives it. Throws cute_model::DoesNotCompile if CuTe does not compile the case.
  std::function<std::optional<ComposedLayout>()> model = [] { return std::nullopt; };
  // Whether the model's answer is right; not set if that is a matter of reading the same numbers.
  std::function<bool(const ComposedLayout&)> law = nullptr;
  // The model stops one step before the answer: its modes have not been gathered yet.
  bool gathered = false;
};

// A law of layouts, for answers that are not swizzled.
template <class F>
std::function<bool(const ComposedLayout&)> on_layout(F law) {
  return [law](const ComposedLayout& r) { return law(r.layout()); };
}

struct Operation {
  const char* name;
  int weight;  // how many cases of it for each one of a weight of 1
  Case (*draw)(Draw&);
  // Why the shape:stride of CuTe's answer may legitimately differ from swz's, although the values are the same.
  const char* as_function = nullptr;
};

std::vector<Operation> algebra_operations();   // coalesce, composition, complement, inverses
std::vector<Operation> tiling_operations();    // divide, product, tile_to_shape
std::vector<Operation> shaping_operations();   // slices, modes, coordinates, recast of layouts
std::vector<Operation> shape_operations();     // shapes, coordinates of offsets, layouts made like another one
std::vector<Operation> swizzled_operations();  // the same on swizzled layouts

}  // namespace swz
