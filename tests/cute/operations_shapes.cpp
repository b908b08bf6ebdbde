// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "layout/derived.hpp"
#include "layout/shape_algebra.hpp"
#include "operation.hpp"
#include "source.hpp"

namespace swz {
namespace {

using source::call;

using Tuples = std::vector<IntTuple>;

Case of_tuples(const char* name, const Tuples& tuples) {
  std::string text;
  std::vector<std::string> cpp;
  for (const IntTuple& t : tuples) {
    text += (text.empty() ? "" : ",") + to_string(t);
    cpp.push_back(t.is_int() ? source::number(t.value()) : source::tuple(t));
  }
  return {fmt::format("{}({})", name, text), call(name, cpp)};
}

Case of_layout(const char* name, const Layout& l) {
  return {fmt::format("{}({})", name, to_string(l)), call(name, {source::layout(l)})};
}

// With the nesting of `shape`, or less.
IntTuple like(Draw& draw, const IntTuple& shape, std::int64_t least, std::int64_t most) {
  if (!shape.is_tuple()) return draw.number(least, most);
  Tuples children;
  for (const IntTuple& child : shape.children()) children.push_back(like(draw, child, least, most));
  return children;
}

Case division_case(Draw& draw, const char* name) {
  const IntTuple shape = draw.shape(4, 400);
  const bool by_number = draw.chance(40) && std::string_view(name) != "round_up";
  return of_tuples(name, {shape, by_number ? IntTuple(draw.number(1, 30)) : like(draw, shape, 1, 9)});
}

// What divides is drawn again until it does.
Case shape_div_case(Draw& draw) {
  while (true) {
    const IntTuple shape = draw.shape(4, 400);
    const IntTuple by = draw.chance(50) ? IntTuple(draw.number(1, 30)) : like(draw, shape, 1, 4);
    try {
      shape_div(shape, by);
      return of_tuples("shape_div", {shape, by});
    } catch (const Error&) {
    }
  }
}

Case ceil_div_by_layout(Draw& draw) {
  const std::int64_t n = draw.number(1, 200);
  const Layout tile = draw.compact_layout(2, 16);
  return {fmt::format("ceil_div({},{})", n, to_string(tile)),
          call("ceil_div", {source::number(n), source::layout(tile)})};
}

Case comparison_case(Draw& draw, const char* name) {
  const IntTuple a = draw.shape(3, 32);
  return of_tuples(name, {a, draw.chance(40) ? like(draw, a, 1, 4) : draw.shape(3, 32)});
}

Case compact_case(Draw& draw, const char* name) {
  const IntTuple shape = draw.shape(5, 400);
  return draw.chance(50) ? of_tuples(name, {shape}) : of_tuples(name, {shape, draw.number(2, 9)});
}

template <class Lawful>
Case like_case(Draw& draw, const char* name, const Lawful& lawful) {
  while (true) {
    const Layout l = draw.layout(5);
    if (lawful(l)) return of_layout(name, l);
  }
}

bool is_ordered(const Layout& l) {
  try {
    make_layout_like(l);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// CuTe orders the modes after the first by strides of 0 as well, and lays them over each other.
bool is_ordered_without_repeats(const Layout& l) {
  for (std::size_t i = 1; i < rank(l); ++i)
    for (const FlatMode& m : mode(l, i).modes())
      if (m.stride == 0) return false;
  return is_ordered(l);
}

Case crd2idx_case(Draw& draw) {
  const Layout l = draw.layout(5);
  const IntTuple c = idx2crd(draw.number(0, l.size() - 1), l.shape());
  return of_tuples("crd2idx", {c, l.shape(), l.stride()});
}

// Of a layout whose strides lead to the coordinate: (offset / stride) mod extent is only then right.
Case idx2crd_case(Draw& draw) {
  const Layout l = draw.compact_layout(4);
  return of_tuples("idx2crd", {draw.number(0, l.size() - 1), l.shape(), l.stride()});
}

Case coordinate_case(Draw& draw, const char* name) {
  const Layout l = draw.compact_layout(4);
  const std::int64_t offset = draw.number(0, l.size() - 1);
  return {fmt::format("{}({},{})", name, offset, to_string(l)),
          fmt::format("{}.{}({})", source::layout(l), name, source::number(offset))};
}

Case domain_distribute_case(Draw& draw) {
  return of_tuples("domain_distribute", {draw.shape(4, 400), draw.number(1, 60)});
}

Case max_alignment_case(Draw& draw) {
  return of_layout("max_alignment", draw.chance(60) ? draw.compact_layout() : draw.binary_layout(4, 9));
}

Case dice_case(Draw& draw) {
  Layout l = draw.layout(4);
  while (!l.shape().is_tuple()) l = draw.layout(4);
  Tuples coordinate;
  for (std::size_t i = 0; i < rank(l); ++i)
    coordinate.push_back(i > 0 && draw.chance(50) ? IntTuple::underscore() : IntTuple(0));
  return {fmt::format("dice({},{})", to_string(IntTuple(coordinate)), to_string(l)),
          call("dice", {source::coordinate(coordinate), source::layout(l)})};
}

}  // namespace

std::vector<Operation> shape_operations() {
  return {
      {"ceil_div", 1, [](Draw& d) { return division_case(d, "ceil_div"); }},
      {"ceil_div by a layout", 1, ceil_div_by_layout},
      {"round_up", 1, [](Draw& d) { return division_case(d, "round_up"); }},
      {"shape_div", 1, shape_div_case},
      {"congruent", 1, [](Draw& d) { return comparison_case(d, "congruent"); }},
      {"weakly_congruent", 1, [](Draw& d) { return comparison_case(d, "weakly_congruent"); }},
      {"compatible", 1, [](Draw& d) { return comparison_case(d, "compatible"); }},
      {"compact_col_major", 1, [](Draw& d) { return compact_case(d, "compact_col_major"); }},
      {"compact_row_major", 1, [](Draw& d) { return compact_case(d, "compact_row_major"); }},
      {"make_layout_like", 1, [](Draw& d) { return like_case(d, "make_layout_like", is_ordered); }},
      {"make_fragment_like", 1, [](Draw& d) { return like_case(d, "make_fragment_like", is_ordered_without_repeats); }},
      {"filter_zeros", 1, [](Draw& d) { return of_layout("filter_zeros", d.layout(5)); }},
      {"max_alignment", 1, max_alignment_case},
      {"domain_distribute", 1, domain_distribute_case},
      {"crd2idx of a stride", 1, crd2idx_case},
      {"idx2crd of a stride", 1, idx2crd_case},
      {"get_hier_coord", 1, [](Draw& d) { return coordinate_case(d, "get_hier_coord"); }},
      {"get_1d_coord", 1, [](Draw& d) { return coordinate_case(d, "get_1d_coord"); }},
      {"get_flat_coord", 1, [](Draw& d) { return coordinate_case(d, "get_flat_coord"); }},
      {"dice", 1, dice_case},
      {"reverse", 1, [](Draw& d) { return of_tuples("reverse", {d.shape(5, 400)}); }},
  };
}

}  // namespace swz
