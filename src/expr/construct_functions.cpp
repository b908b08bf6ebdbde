// SPDX-License-Identifier: Apache-2.0
// Functions that make tuples, tilers, swizzles and layouts, and the layouts of tensor memory. See evaluate.hpp.
//
//   make_layout(make_shape(8,64), make_stride(64,1))   (8,64):(64,1)
//   make_composed_layout(make_swizzle(3,3,3), 0, L)    Sw<3,3,3> o 0 o L
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/evaluate.hpp"
#include "expr/tensor_memory.hpp"
#include "layout/derived.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

Value make_layout_of(Arguments a) {
  const bool tuples = std::ranges::all_of(a, [](const Value& v) { return std::holds_alternative<IntTuple>(v); });
  if (tuples && a.size() == 1) return ComposedLayout(Layout(as_tuple(a[0])));
  if (tuples && a.size() == 2) {
    const IntTuple& stride = std::get<IntTuple>(a[1]);
    return layout_of(as_tuple(a[0]), has_basis(stride) ? stride : as_tuple(a[1]));
  }
  std::vector<Layout> modes;
  for (const Value& v : a) modes.push_back(as_layout(v));
  return ComposedLayout(make_layout(modes));
}

// make_shape(8,64), make_coord(_,3)
Value tuple_of_arguments(Arguments a) {
  std::vector<IntTuple> children;
  for (const Value& v : a) {
    const auto* t = std::get_if<IntTuple>(&v);
    if (t == nullptr)
      throw Error(fmt::format("expected a number or a tuple, got {}", describe(v)), "for example 24 or (8,(2,4))");
    children.push_back(*t);
  }
  return IntTuple(std::move(children));
}

Value make_tile_of(Arguments a) {
  if (std::ranges::all_of(a, [](const Value& v) { return std::holds_alternative<IntTuple>(v); }))
    return tuple_of_arguments(a);
  std::vector<Tiler> modes;
  for (const Value& v : a) modes.push_back(as_tiler(v));
  return Tiler(std::move(modes));
}

Value make_composed_layout_of(Arguments a) {
  const ComposedLayout l = as_composed(a[2]);
  const std::int64_t offset = as_int(a[1]);
  if (std::holds_alternative<Swizzle>(a[0])) return compose(a[0], offset == 0 ? Value(l) : compose(a[1], a[2]));
  const ComposedLayout left = as_composed(a[0]);
  if (offset != 0)
    throw Error(fmt::format("{} o {} o {} is not a layout", to_string(left), offset, to_string(l)),
                "an offset belongs between a swizzle and a layout");
  return compose(a[0], a[2]);
}

Value make_swizzle_of(Arguments a) {
  const auto small = [](const Value& v) {
    const std::int64_t n = as_int(v);
    if (n < -62 || n > 62)
      throw Error(fmt::format("expected a small number in a swizzle, got {}", n),
                  "write make_swizzle(3,4,3): bits, base, shift");
    return static_cast<int>(n);
  };
  if (a.size() == 2) return swizzle_of_masks(as_int(a[0]), as_int(a[1]));
  return Swizzle(small(a[0]), small(a[1]), small(a[2]));
}

// CuTe's identity of an integer is 8:1.
Value make_identity_of(Arguments a) {
  const IntTuple shape = shape_or_tuple(a[0]);
  if (!shape.is_tuple()) return ComposedLayout(Layout(shape, 1));
  return make_identity_layout(shape);
}

constexpr Function construct_rows[] = {
    {"make_composed_layout(inner, offset, outer)", "inner o offset o outer", 3, 3, make_composed_layout_of},
    {"domain_distribute(shape | L, n)", "n elements of a shape, in ascending order", 2, 2,
     [](Arguments a) -> Value { return ComposedLayout(domain_distribute(shape_or_tuple(a[0]), as_int(a[1]))); }},
    {"make_coord(i, …)", "a coordinate", 1, limits::ranks.most, tuple_of_arguments},
    {"make_fragment_like(L)", "the registers for a tensor of this layout", 1, 1,
     [](Arguments a) -> Value { return ComposedLayout(make_fragment_like(as_composed(a[0]).layout())); }},
    {"make_identity_layout(shape)", "each coordinate itself", 1, 1, make_identity_of},
    {"make_identity_tensor(shape)", "each coordinate itself", 1, 1, make_identity_of},
    {"make_layout(shape [, stride]) | make_layout(L, …)", "a layout, or layouts as modes", 1, limits::ranks.most,
     make_layout_of},
    {"make_layout_like(L)", "compact, modes in the order of its strides", 1, 1,
     [](Arguments a) -> Value { return ComposedLayout(make_layout_like(as_composed(a[0]).layout())); }},
    {"make_ordered_layout(shape, order)", "compact, modes in the given order", 2, 2,
     [](Arguments a) -> Value { return ComposedLayout(make_ordered_layout(as_tuple(a[0]), as_tuple(a[1]))); }},
    {"make_shape(n, …)", "a shape", 1, limits::ranks.most, tuple_of_arguments},
    {"make_step(n, …)", "an order of modes", 1, limits::ranks.most, tuple_of_arguments},
    {"make_stride(n, …)", "a stride", 1, limits::ranks.most, tuple_of_arguments},
    {"make_swizzle(bits, base, shift) | make_swizzle(read, written)", "Sw<bits,base,shift>, or of masks", 2, 3,
     make_swizzle_of},
    {"make_tile(x, …)", "a tiler by mode", 1, limits::ranks.most, make_tile_of},
    {"make_tuple(n, …)", "a tuple", 1, limits::ranks.most, tuple_of_arguments},
    {"sf_gmem(rows, factors)", "scale factors, 128x4 tiles: (row, kb) to byte", 2, 2, sf_gmem},
    {"sf_gmem_8x4(rows, factors)", "those in 8x4 tiles", 2, 2, sf_gmem_8x4},
    {"sf_gmem_deepgemm(rows, factors)", "those in DeepGEMM's words of four", 2, 2, sf_gmem_deepgemm},
    {"sf_smem(rows, factors)", "those of a CTA's stage: (row, kb) to byte", 2, 2, sf_smem},
    {"sf_tmem(rows, factors)", "those in TMEM: (row, kb, copy) to byte", 2, 2, sf_tmem},
    {"sf_tmem_2x2(N, factors)", "of B in TMEM, M 128 with two CTAs", 2, 2, sf_tmem_2x2},
    {"tmem_a(M, K, bits [, cta_group])", "A in TMEM: (row, k [, copy]) to element", 3, 4, tmem_a},
    {"tmem_a_ws(M, K, bits)", "A of an MMA with .ws", 3, 3, tmem_a_ws},
    {"tmem_d(M, N [, cta_group])", "D in TMEM: (row of the CTA, n) to address", 2, 3, tmem_d},
    {"tmem_d_sparse(M, N [, cta_group])", "D of a sparse MMA", 2, 3, tmem_d_sparse},
    {"tmem_d_ws(M, N)", "D of an MMA with .ws", 2, 2, tmem_d_ws},
    {"tmem_metadata(bits [, MMAs])", "metadata: (row, chunk, MMA) to nibble", 1, 2, tmem_metadata},
};

}  // namespace

std::span<const Function> construct_functions() { return construct_rows; }

}  // namespace swz
