// SPDX-License-Identifier: Apache-2.0
// Functions of shapes, coordinates and offsets. See evaluate.hpp.
//
//   crd2idx((2,2), (8,64):(64,1))       130      an offset
//   idx2crd(130, (8,64):(64,1))         (2,2)    and back
//   get_flat_coord(130, (8,(4,16)):(64,(16,1)))   (2,8)
#include <fmt/format.h>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/derived.hpp"
#include "layout/shape_algebra.hpp"
#include "layout/tiling.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

using TupleFunction = IntTuple (*)(const IntTuple&, const IntTuple&);
template <TupleFunction F>
Value of_tuples(Arguments a) {
  return F(as_tuple(a[0]), as_tuple(a[1]));
}

// A test gives 1 or 0, as CuTe prints it.
using ShapeTest = bool (*)(const IntTuple&, const IntTuple&);
template <ShapeTest F>
Value of_shapes(Arguments a) {
  return IntTuple(F(shape_or_tuple(a[0]), shape_or_tuple(a[1])) ? 1 : 0);
}

template <TupleFunction F>
Value compact_of(Arguments a) {
  return F(as_tuple(a[0]), a.size() > 1 ? as_tuple(a[1]) : IntTuple(1));
}

// The layout of the arguments from `first` on: L, or shape and stride. Compact strides that start at an integer stride.
Value layout_at(Arguments a, std::size_t first) {
  if (a.size() == first + 1) return a[first];
  const IntTuple shape = as_tuple(a[first]);
  const auto* stride = std::get_if<IntTuple>(&a[first + 1]);
  if (stride != nullptr && has_basis(*stride)) return layout_of(shape, *stride);
  const IntTuple start = as_tuple(a[first + 1]);
  return layout_of(shape, shape.is_tuple() && start.is_int() ? compact_col_major(shape, start) : start);
}

Value crd2idx_of(Arguments a) {
  const Value l = layout_at(a, 1);
  if (const auto* b = std::get_if<BasisLayout>(&l)) return coordinate_at(*b, as_tuple(a[0]));
  if (std::holds_alternative<ComposedLayout>(l)) return IntTuple(offset_at(as_composed(l), as_tuple(a[0])));
  return IntTuple(crd2idx(as_tuple(a[0]), as_tuple(l)));
}

// The index of the first coordinate that has this offset.
std::int64_t index_of(const Value& offset, const ComposedLayout& l) {
  if (const auto i = index_of_offset(l, as_int(offset))) return *i;
  throw Error(fmt::format("no coordinate of {} has offset {}", to_string(l), as_int(offset)),
              "its table shows the offsets that it has");
}

Value hier_coord_of(Arguments a) {
  const ComposedLayout l = as_composed(layout_at(a, 1));
  return idx2crd(index_of(a[0], l), l.layout().shape());
}

Value idx2crd_of(Arguments a) {
  if (a.size() > 2 || std::holds_alternative<ComposedLayout>(a[1])) return hier_coord_of(a);
  const IntTuple shape = shape_or_tuple(a[1]);
  return idx2crd(crd2idx(as_int(a[0]), Layout(shape).shape()), shape);
}

Value flat_coord_of(Arguments a) {
  const ComposedLayout l = as_composed(a[1]);
  if (rank(l.layout()) == 1) return IntTuple(index_of(a[0], l));  // as in CuTe
  std::vector<IntTuple> sizes;
  for (std::size_t i = 0; i < rank(l.layout()); ++i) sizes.emplace_back(size(mode(l.layout(), i)));
  return idx2crd(index_of(a[0], l), IntTuple(std::move(sizes)));
}

Value ceil_div_of(Arguments a) {
  if (std::holds_alternative<ComposedLayout>(a[1]))
    return complement_with_holes(as_layout(a[1]), product(as_tuple(a[0]))).shape();
  return ceil_div(as_tuple(a[0]), as_tuple(a[1]));
}

// The modes of x, a tuple or a layout, at `_` or at the numbers of the coordinate.
template <TupleFunction F>
Value selected_modes(Arguments a) {
  const auto* coordinate = std::get_if<IntTuple>(&a[0]);
  if (coordinate == nullptr)
    throw Error(fmt::format("expected a coordinate, got {}", describe(a[0])), "for example (_,3)");
  if (const auto* t = std::get_if<IntTuple>(&a[1])) return F(*coordinate, *t);
  if (const auto* b = std::get_if<BasisLayout>(&a[1]))
    return layout_of(F(*coordinate, b->shape()), F(*coordinate, b->stride()));
  const Layout l = as_layout(a[1]);
  return ComposedLayout(Layout(F(*coordinate, l.shape()), F(*coordinate, l.stride())));
}

Value filter_zeros_of(Arguments a) {
  if (std::holds_alternative<IntTuple>(a[0])) {
    const IntTuple t = as_tuple(a[0]);
    return filter_zeros(t, a.size() > 1 ? as_tuple(a[1]) : t);
  }
  const ComposedLayout l = as_composed(a[0]);
  const Layout& inside = l.layout();
  return l.with(Layout(filter_zeros(a.size() > 1 ? as_tuple(a[1]) : inside.stride(), inside.shape()), inside.stride()));
}

Value reversed(Arguments a) {
  if (const auto* t = std::get_if<IntTuple>(&a[0])) return reverse(*t);
  const ComposedLayout l = as_composed(a[0]);
  return l.with(Layout(reverse(l.layout().shape()), reverse(l.layout().stride())));
}

Value coshape_of(Arguments a) {
  if (const auto* b = std::get_if<BasisLayout>(&a[0])) return coshape(*b);
  return IntTuple(cosize(as_composed(a[0]).layout()));
}

constexpr Function shape_rows[] = {
    {"ceil_div(a, b | tiler)", "a / b rounded up, mode by mode", 2, 2, ceil_div_of},
    {"compact_col_major(shape [, first])", "strides, the first mode fastest", 1, 2, compact_of<compact_col_major>},
    {"compact_order(shape, order)", "strides in the given order", 2, 2,
     [](Arguments a) -> Value { return compact_order(as_tuple(a[0]), as_tuple(a[1])); }},
    {"compact_row_major(shape [, first])", "strides, the last mode fastest", 1, 2, compact_of<compact_row_major>},
    {"compatible(A, B)", "1: a coordinate of A is one of B, of the same size", 2, 2, of_shapes<compatible>},
    {"congruent(A, B)", "1: the same nesting", 2, 2, of_shapes<congruent>},
    {"coshape(L)", "the smallest shape that holds its values", 1, 1, coshape_of},
    {"crd2crd(coordinate, from, to)", "the coordinate of another shape with this index", 3, 3,
     [](Arguments a) -> Value {
       const IntTuple to = as_tuple(a[2]);
       return idx2crd(crd2idx(crd2idx(as_tuple(a[0]), as_tuple(a[1])), to), to);
     }},
    {"crd2idx(coordinate, shape [, stride] | L)", "linear index of a coordinate, or its offset", 2, 3, crd2idx_of},
    {"dice(coordinate, t | L)", "the modes at its numbers", 2, 2, selected_modes<dice>},
    {"filter_zeros(L | t [, profile])", "extent 1 where the stride is 0", 1, 2, filter_zeros_of},
    {"get_1d_coord(offset, L)", "linear index of the first coordinate with an offset", 2, 2,
     [](Arguments a) -> Value { return IntTuple(index_of(a[0], as_composed(a[1]))); }},
    {"get_coord(offset, L)", "the first coordinate with an offset", 2, 2, hier_coord_of},
    {"get_flat_coord(offset, L)", "that one, a number for each mode", 2, 2, flat_coord_of},
    {"get_hier_coord(offset, L)", "that one, as nested as L", 2, 2, hier_coord_of},
    {"idx2crd(index, shape [, stride] | L)", "coordinate of a linear index, or of an offset", 2, 3, idx2crd_of},
    {"max_alignment(L)", "the largest unit that it keeps whole", 1, 1,
     [](Arguments a) -> Value {
       if (const auto* s = std::get_if<Swizzle>(&a[0])) return IntTuple(std::int64_t{1} << s->base());
       return IntTuple(max_alignment(as_composed(a[0])));
     }},
    {"reverse(t | L)", "the modes from the last to the first", 1, 1, reversed},
    {"round_up(a, b)", "the next multiple of b, mode by mode", 2, 2, of_tuples<round_up>},
    {"shape_div(a, b)", "a / b where one divides the other", 2, 2, of_tuples<shape_div>},
    {"slice(coordinate, t | L)", "the modes at its _", 2, 2, selected_modes<slice>},
    {"weakly_congruent(A, B)", "1: B has the nesting of A, or more", 2, 2, of_shapes<weakly_congruent>},
};

}  // namespace

std::span<const Function> shape_functions() { return shape_rows; }

}  // namespace swz
