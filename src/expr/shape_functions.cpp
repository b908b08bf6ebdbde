// Functions of shapes, coordinates and indices. See evaluate.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

IntTuple shape_of(const Value& v) {
  return std::holds_alternative<IntTuple>(v) ? as_tuple(v) : as_composed(v).layout().shape();
}

constexpr Function shape_rows[] = {
    {"crd2idx(coordinate, shape | L)", "linear index of a coordinate, or its offset in L", 2, 2,
     [](Arguments a) -> Value {
       if (std::holds_alternative<ComposedLayout>(a[1]))
         return IntTuple(offset_at(as_composed(a[1]), as_tuple(a[0])));
       return IntTuple(crd2idx(as_tuple(a[0]), as_tuple(a[1])));
     }},
    {"idx2crd(index, shape | L)", "coordinate of a linear index", 2, 2,
     [](Arguments a) -> Value {
       const IntTuple shape = shape_of(a[1]);
       return idx2crd(crd2idx(as_int(a[0]), Layout(shape).shape()), shape);
     }},
};

}  // namespace

std::span<const Function> shape_functions() { return shape_rows; }

}  // namespace swz
