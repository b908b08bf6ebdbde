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

namespace swz {

struct Case {
  std::string text;
  std::string cpp;
  // Throws cute_model::DoesNotCompile where CuTe does not. The layout CuTe answers, where the model says.
  std::function<std::optional<Layout>()> model = [] { return std::nullopt; };
  // Whether an answer is right; not set where that is a matter of reading the same numbers.
  std::function<bool(const Layout&)> law = nullptr;
};

struct Operation {
  const char* name;
  int weight;  // how many cases of it for each one of a weight of 1
  Case (*draw)(Draw&);
  // CuTe's answer has the same values; its shape:stride may legitimately differ. Says why.
  const char* as_function = nullptr;
};

std::vector<Operation> algebra_operations();   // coalesce, composition, complement, inverses
std::vector<Operation> tiling_operations();    // divide, product, tile_to_shape
std::vector<Operation> shaping_operations();   // slices, modes, coordinates, recast of layouts
std::vector<Operation> swizzled_operations();  // the same on swizzled layouts

}  // namespace swz
