// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cute_model.hpp"
#include "laws.hpp"
#include "layout/shape_algebra.hpp"
#include "operation.hpp"
#include "source.hpp"

namespace swz {
namespace {

namespace model = cute_model;
using source::call;

enum class Gathered { no, yes };  // yes: the tiles of all modes in one; the model does not form that

Case divide(const char* name, const Layout& l, const Tiler& t, Gathered gathered) {
  return {fmt::format("{}({},{})", name, to_string(l), to_string(t)), call(name, {source::layout(l), source::tiler(t)}),
          [=] { return model::logical_divide(l, t); },
          on_layout([=](const Layout& r) { return laws::obeys_divide(l, t, r); }), gathered == Gathered::yes};
}

Case product(const char* name, const Layout& l, const Tiler& t, Gathered gathered) {
  return {fmt::format("{}({},{})", name, to_string(l), to_string(t)), call(name, {source::layout(l), source::tiler(t)}),
          [=] { return model::logical_product(l, t); },
          on_layout([=](const Layout& r) { return laws::obeys_product(l, t, r); }), gathered == Gathered::yes};
}

Case logical_divide_case(Draw& draw) {
  const Layout l = draw.layout();
  return divide("logical_divide", l, draw.tile(size(l)), Gathered::no);
}

Case logical_divide_by_mode(Draw& draw) {
  const Layout l = draw.layout(5);
  return divide("logical_divide", l, draw.tiler(l, true), Gathered::no);
}

template <int Which>
Case gathered_divide(Draw& draw) {
  const char* const name = Which == 0 ? "zipped_divide" : Which == 1 ? "tiled_divide" : "flat_divide";
  const Layout l = draw.layout(5);
  return divide(name, l, draw.tiler(l, false), Gathered::yes);
}

template <int Which>
Case whole_divide(Draw& draw) {
  const char* const name = Which == 0 ? "zipped_divide" : Which == 1 ? "tiled_divide" : "flat_divide";
  const Layout l = draw.layout(4);
  return divide(name, l, draw.tile(size(l)), Gathered::yes);
}

Case zipped_divide_by_shape(Draw& draw) {
  const Layout l = draw.compact_layout(4);
  std::vector<IntTuple> extents;
  for (std::size_t i = 0; i < rank(l); ++i) extents.emplace_back(size(draw.tile(size(mode(l, i)))));
  const IntTuple shape(extents);
  Case c = divide("zipped_divide", l, Tiler::from_shape(shape), Gathered::yes);
  if (rank(l) > 1) c.text = fmt::format("zipped_divide({},{})", to_string(l), to_string(shape));
  c.cpp = call("zipped_divide", {source::layout(l), source::tuple(shape)});
  return c;
}

Case logical_product_case(Draw& draw) {
  const Layout l = draw.layout(3, 32);
  return product("logical_product", l, draw.layout(2, 16), Gathered::no);
}

Case logical_product_by_mode(Draw& draw) {
  const Layout l = draw.layout(3, 32);
  return product("logical_product", l, draw.tiler(l, true), Gathered::no);
}

template <int Which>
Case gathered_product(Draw& draw) {
  const char* const name = Which == 0 ? "zipped_product" : Which == 1 ? "tiled_product" : "flat_product";
  const Layout l = draw.layout(3, 32);
  return product(name, l, draw.chance(50) ? draw.tiler(l, false) : Tiler(draw.layout(2, 16)), Gathered::yes);
}

// ((block_i, tiler_i), …) to (block, tiler), which obeys_product reads. The ranks were filled up with 1:0.
Layout unzipped(const Layout& r, bool raked) {
  std::vector<Layout> blocks;
  std::vector<Layout> places;
  for (std::size_t i = 0; i < rank(r); ++i) {
    blocks.push_back(mode(mode(r, i), raked ? 1 : 0));
    places.push_back(mode(mode(r, i), raked ? 0 : 1));
  }
  return make_layout(std::vector{make_layout(blocks), make_layout(places)});
}

Case ranked_product(Draw& draw, bool raked) {
  const char* const name = raked ? "raked_product" : "blocked_product";
  const Layout block = draw.layout(3, 32);
  const Layout tiler = draw.layout(3, 16);
  return {fmt::format("{}({},{})", name, to_string(block), to_string(tiler)),
          call(name, {source::layout(block), source::layout(tiler)}),
          [=] { return raked ? model::raked_product(block, tiler) : model::blocked_product(block, tiler); },
          on_layout([=](const Layout& r) {
            const Layout apart = unzipped(r, raked);
            return coalesce(mode(apart, 0)) == coalesce(block) && laws::obeys_product(mode(apart, 0), tiler, apart);
          })};
}

Case tile_to_shape_case(Draw& draw) {
  const Layout block = draw.layout(3, 64);
  const std::size_t r = rank(block) + static_cast<std::size_t>(draw.number(0, 1));
  std::vector<IntTuple> target;
  for (std::size_t i = 0; i < r; ++i)
    target.emplace_back((i < rank(block) ? size(mode(block, i)) : 1) * draw.one_of<std::int64_t>({1, 2, 2, 3, 4}));
  if (draw.chance(5)) target[0] = IntTuple(product(target[0]) + 1);
  std::vector<IntTuple> order;
  for (const std::int64_t i : draw.permutation(r)) order.emplace_back(i + 1);
  const IntTuple shape(target);
  const auto copies = [=] {
    std::vector<IntTuple> counts;
    for (std::size_t i = 0; i < r; ++i)
      counts.emplace_back(product(target[i]) / (i < rank(block) ? size(mode(block, i)) : 1));
    return make_ordered_layout(counts, order);
  };
  return {fmt::format("tile_to_shape({},{},{})", to_string(block), to_string(shape), to_string(IntTuple(order))),
          call("tile_to_shape", {source::layout(block), source::tuple(shape), source::tuple(order)}),
          [=] { return model::tile_to_shape(block, shape, order); }, on_layout([=](const Layout& result) {
            const Layout apart = unzipped(result, false);
            return compatible(shape, result.shape()) && coalesce(mode(apart, 0)) == coalesce(block) &&
                   laws::obeys_product(mode(apart, 0), copies(), apart);
          })};
}

Case tile_to_shape_in_order(Draw& draw) {
  Layout block = draw.compact_layout(3, 64);
  while (rank(block) < 2) block = draw.compact_layout(3, 64);  // CuTe cannot zip integers
  std::vector<IntTuple> target;
  for (std::size_t i = 0; i < rank(block); ++i)
    target.emplace_back(size(mode(block, i)) * draw.one_of<std::int64_t>({1, 2, 2, 3, 4}));
  const IntTuple shape(target);
  return {fmt::format("tile_to_shape({},{})", to_string(block), to_string(shape)),
          call("tile_to_shape", {source::layout(block), source::tuple(shape)})};
}

}  // namespace

std::vector<Operation> tiling_operations() {
  return {
      {"logical_divide", 4, logical_divide_case},
      {"logical_divide by mode", 3, logical_divide_by_mode},
      {"zipped_divide", 2, gathered_divide<0>},
      {"tiled_divide", 2, gathered_divide<1>},
      {"flat_divide", 2, gathered_divide<2>},
      {"zipped_divide by a layout", 1, whole_divide<0>},
      {"tiled_divide by a layout", 1, whole_divide<1>},
      {"flat_divide by a layout", 1, whole_divide<2>},
      {"zipped_divide by shape", 2, zipped_divide_by_shape,
       "the extent 1 of a shape is 1:0 for CuTe's divisions and 1:1 for its compositions, swz takes 1:1"},
      {"logical_product", 4, logical_product_case},
      {"logical_product by mode", 2, logical_product_by_mode},
      {"zipped_product", 1, gathered_product<0>},
      {"tiled_product", 1, gathered_product<1>},
      {"flat_product", 1, gathered_product<2>},
      {"blocked_product", 3, [](Draw& d) { return ranked_product(d, false); }},
      {"raked_product", 3, [](Draw& d) { return ranked_product(d, true); }},
      {"tile_to_shape", 4, tile_to_shape_case},
      {"tile_to_shape in order", 1, tile_to_shape_in_order},
  };
}

}  // namespace swz
