// SPDX-License-Identifier: Apache-2.0
// Divide, product and tile_to_shape, step by step: the complement, the composition or the copies, the regrouping.
//
//   logical_divide(24:3, 4:2)       complement(4:2, 24) = (2,3):(1,8)
//                                   24:3 o (4:2, (2,3):(1,8)) = (4,(2,3)):(6,(3,24))
//   logical_product((2,2):(4,1), 6:1)   where 6 copies fit: complement = (2,3):(2,8); its places o 6:1 beside the block
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "layout/steps.hpp"
#include "layout/tiling.hpp"

namespace swz {
namespace {

// A function of the algebra, which gives the result of an operation such as "zipped_divide(A, T)", or throws its Error.
using TilerFunction = Layout (*)(const Layout&, const Tiler&);
struct TilerFunctions {
  const char* name;
  TilerFunction answer;
  const char* profile;
};
constexpr TilerFunctions tiler_functions[] = {
    {"zipped_divide", zipped_divide, "((TA,TB,…),(a,b,…)): all tiles, then all rests"},
    {"tiled_divide", tiled_divide, "((TA,TB,…),a,b,…): all tiles, then each rest"},
    {"flat_divide", flat_divide, "(TA,TB,…,a,b,…): each tile, then each rest"},
    {"zipped_product", zipped_product, "((A,B,…),(a,b,…)): all tiles, then all copies"},
    {"tiled_product", tiled_product, "((A,B,…),a,b,…): all tiles, then the copies of each"},
    {"flat_product", flat_product, "(A,B,…,a,b,…): each tile, then the copies of each"},
};

std::string called(const std::string& name, const Layout& l, const Tiler& tiler) {
  return fmt::format("{}({}, {})", name, to_string(l), to_string(tiler));
}

// f(part of l, part of the tiler) at the terminals of the tiler. `name` is logical_divide or logical_product.
template <class F>
Layout at_terminals(LayoutSteps& steps, const char* name, const Layout& l, const Tiler& tiler, TilerFunction answer,
                    const F& f) {
  if (tiler.is_underscore()) return l;
  if (tiler.is_layout()) return f(l, tiler.layout());
  const std::string operation = called(name, l, tiler);
  if (tiler.modes().size() > rank(l)) return steps.answer_or_refusal(operation, [&] { return answer(l, tiler); });
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i) {
    if (i >= tiler.modes().size()) {
      modes.push_back(mode(l, i));
      continue;
    }
    const Tiler& part = tiler.modes()[i];
    steps.append({operation, "by mode",
                  fmt::format("mode {} of the layout {}", i,
                              part.is_underscore() ? "stays: the tiler has _ there" : "by " + to_string(part)),
                  mode(l, i)});
    modes.push_back(at_terminals(steps, name, mode(l, i), part, answer, f));
  }
  const Layout result = make_layout(modes);
  steps.append({operation, "together",
                l.modes().empty() || tiler.modes().size() == rank(l)
                    ? "side by side"
                    : fmt::format("side by side; modes from {} on stay", tiler.modes().size()),
                result});
  return result;
}

// The logical result in the profile of `name`.
Layout regrouped(LayoutSteps& steps, const std::string& operation, const std::string& name, const Layout& logical,
                 const Layout& l, const Tiler& tiler) {
  for (const TilerFunctions& f : tiler_functions) {
    if (f.name != name) continue;
    const Layout result = f.answer(l, tiler);
    steps.conclude({operation, "regroup", fmt::format("the same modes as {}", f.profile), result});
    return result;
  }
  return logical;
}

Layout pair_of(const Layout& a, const Layout& b) { return make_layout(std::vector{a, b}); }

}  // namespace

Layout divide_steps(LayoutSteps& steps, const std::string& name, const Layout& l, const Tiler& tiler) {
  const auto one = [&](const Layout& part, const Layout& tile) {
    const std::string operation = called("logical_divide", part, tile);
    const Layout rest = complement_steps(steps, tile, size(part));
    const Layout pair = pair_of(tile, rest);
    steps.append({operation, "tile and rest",
                  fmt::format("the tile {} beside its complement in {} elements, {}", to_string(tile), size(part),
                              to_string(rest)),
                  pair});
    const Layout result = composition_steps(steps, part, pair);
    steps.conclude({operation, "compose", "the layout o (tile, rest): mode 0 is a tile, mode 1 goes from tile to tile",
                    result, [part, pair](const ComposedLayout& r, std::int64_t i) { return r(i) == part(pair(i)); }});
    return result;
  };
  const Layout logical = at_terminals(steps, "logical_divide", l, tiler, logical_divide, one);
  return regrouped(steps, called(name, l, tiler), name, logical, l, tiler);
}

Layout product_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Tiler& tiler) {
  const auto one = [&](const Layout& part, const Layout& copies) {
    const std::string operation = called("logical_product", part, copies);
    const Layout places = free_offsets_steps(steps, part, cosize(copies));
    const Layout order = composition_steps(steps, places, copies);
    const Layout result = pair_of(part, order);
    steps.append({operation, "block and copies",
                  fmt::format("mode 0 is the block, mode 1 the places {} in the order of {}", to_string(places),
                              to_string(copies)),
                  result, [part, places, copies](const ComposedLayout& r, std::int64_t i) {
                    return r(i) == part(i % part.size()) + places(copies(i / part.size()));
                  }});
    return result;
  };
  const Layout logical = at_terminals(steps, "logical_product", block, tiler, logical_product, one);
  return regrouped(steps, called(name, block, tiler), name, logical, block, tiler);
}

Layout blocked_or_raked_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Layout& tiler) {
  const bool is_raked = name == "raked_product";
  const std::string operation = called(name, block, tiler);
  const std::size_t ranks = std::max(rank(block), rank(tiler));
  const Layout padded = append_to_rank(block, ranks), padded_tiler = append_to_rank(tiler, ranks);
  if (rank(block) != rank(tiler))
    steps.append({operation, "same rank",
                  fmt::format("modes 1:0 are appended until both have rank {}: block {}, tiler {}", ranks,
                              to_string(padded), to_string(padded_tiler)),
                  padded});
  product_steps(steps, "logical_product", padded, padded_tiler);
  const Layout result = is_raked ? raked_product(block, tiler) : blocked_product(block, tiler);
  steps.conclude({operation, "regroup",
                  is_raked ? "mode i is (copies' mode i, block's mode i): the elements of a block lie apart"
                           : "mode i is (block's mode i, copies' mode i): each block stays together",
                  result});
  return result;
}

Layout tile_to_shape_steps(LayoutSteps& steps, const Layout& block, const IntTuple& shape, const IntTuple& order) {
  const std::string operation = fmt::format("tile_to_shape({}, {}{})", to_string(block), to_string(shape),
                                            order == IntTuple(0) ? "" : ", " + to_string(order));
  const auto answer = [&] { return tile_to_shape(block, shape, order); };
  if (rank(block) > rank(shape)) return steps.answer_or_refusal(operation, answer);  // throws
  const Layout padded = append_to_rank(block, rank(shape));
  std::vector<IntTuple> copies;
  std::string text;
  for (std::size_t i = 0; i < rank(shape); ++i) {
    const std::int64_t target = product(mode(shape, i)), extent = size(mode(padded, i));
    text += fmt::format("{}mode {}: {} / {}", i > 0 ? ", " : "", i, target, extent);
    if (target % extent != 0) {
      steps.append({operation, "count the copies", text + " leaves a rest"});
      return steps.answer_or_refusal(operation, answer);  // throws
    }
    copies.emplace_back(target / extent);
    text += fmt::format(" = {}", target / extent);
  }
  const IntTuple counts = shape.is_tuple() ? IntTuple(copies) : copies[0];
  steps.append({operation, "count the copies", text, counts});
  const Layout tiler = steps.answer_or_refusal(operation, [&] { return make_ordered_layout(counts, order); });
  steps.append({operation, "order them",
                order == IntTuple(0) ? "compact, the first mode fastest"
                                     : fmt::format("compact in order {}, the smallest is fastest", to_string(order)),
                tiler});
  return blocked_or_raked_steps(steps, "blocked_product", padded, tiler);
}

}  // namespace swz
