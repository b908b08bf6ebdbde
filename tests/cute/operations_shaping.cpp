// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "cute_model.hpp"
#include "laws.hpp"
#include "operation.hpp"
#include "source.hpp"

namespace swz {
namespace {

namespace model = cute_model;
using source::call;

// name(L) or name(L, numbers…), which in CuTe are template arguments.
Case with_numbers(const char* name, const std::string& text, const std::string& cpp,
                  const std::vector<std::int64_t>& numbers) {
  std::string in_text = text;
  std::string in_cpp;
  for (const std::int64_t n : numbers) {
    in_text += fmt::format(",{}", n);
    in_cpp += fmt::format("{}{}", in_cpp.empty() ? "" : ",", n);
  }
  return {fmt::format("{}({})", name, in_text),
          numbers.empty() ? call(name, {cpp}) : fmt::format("{}<{}>({})", name, in_cpp, cpp)};
}

Case with_numbers(const char* name, const Layout& l, const std::vector<std::int64_t>& numbers) {
  return with_numbers(name, to_string(l), source::layout(l), numbers);
}

// Rank 2 or more.
Layout tuple_layout(Draw& draw) {
  Layout l = draw.layout(5);
  while (!l.shape().is_tuple()) l = draw.layout(5);
  return l;
}

std::vector<std::int64_t> range_of_modes(Draw& draw, const Layout& l) {
  const std::int64_t begin = draw.number(0, static_cast<std::int64_t>(rank(l)) - 1);
  return {begin, draw.number(begin + 1, static_cast<std::int64_t>(rank(l)))};
}

std::int64_t mode_of(Draw& draw, const Layout& l) { return draw.number(0, static_cast<std::int64_t>(rank(l)) - 1); }

Case select_case(Draw& draw) {
  const Layout l = tuple_layout(draw);
  std::vector<std::int64_t> modes = draw.permutation(rank(l));
  modes.resize(static_cast<std::size_t>(draw.number(1, static_cast<std::int64_t>(modes.size()))));
  return with_numbers("select", l, modes);
}

Case append_case(Draw& draw, const char* name) {
  const Layout l = draw.layout(4);
  const Layout x = draw.layout(2, 16);
  if (draw.chance(50))
    return {fmt::format("{}({},{})", name, to_string(l), to_string(x)),
            call(name, {source::layout(l), source::layout(x)})};
  const auto rank_wanted = static_cast<std::int64_t>(rank(l)) + draw.number(0, 2);
  return {fmt::format("{}({},{},{})", name, to_string(l), rank_wanted, to_string(x)),
          fmt::format("{}<{}>({},{})", name, rank_wanted, source::layout(l), source::layout(x))};
}

Case replace_case(Draw& draw) {
  const Layout l = tuple_layout(draw);
  const Layout x = draw.layout(2, 16);
  const std::int64_t i = mode_of(draw, l);
  return {fmt::format("replace({},{},{})", to_string(l), i, to_string(x)),
          fmt::format("replace<{}>({},{})", i, source::layout(l), source::layout(x))};
}

// A coordinate of the shape, sometimes flatter than it, with `_` in some places when asked for.
IntTuple coordinate(Draw& draw, const IntTuple& shape, int underscore_percent) {
  if (underscore_percent > 0 && draw.chance(underscore_percent)) return IntTuple::underscore();
  if (!shape.is_tuple() || draw.chance(20)) return draw.number(0, product(shape) - 1);
  std::vector<IntTuple> children;
  for (const IntTuple& child : shape.children()) children.push_back(coordinate(draw, child, underscore_percent));
  return children;
}

std::string arguments(const IntTuple& c) {
  const std::string text = to_string(c);
  return c.is_tuple() ? text : "(" + text + ")";
}

Case slice_case(Draw& draw) {
  const Layout l = tuple_layout(draw);
  IntTuple c = coordinate(draw, l.shape(), 50);
  while (!c.is_tuple() || !has_underscore(c)) c = coordinate(draw, l.shape(), 50);
  return {to_string(l) + arguments(c), fmt::format("{}({})", source::layout(l), source::coordinate(c))};
}

Case offset_case(Draw& draw) {
  const Layout l = draw.layout(5);
  const IntTuple c = coordinate(draw, l.shape(), 0);
  return {to_string(l) + arguments(c), fmt::format("{}({})", source::layout(l), source::coordinate(c))};
}

Case crd2idx_case(Draw& draw) {
  const IntTuple shape = draw.shape(5, 256);
  const IntTuple c = coordinate(draw, shape, 0);
  return {fmt::format("crd2idx({},{})", to_string(c), to_string(shape)),
          call("crd2idx", {source::coordinate(c), source::tuple(shape)})};
}

Case idx2crd_case(Draw& draw) {
  const IntTuple shape = draw.shape(5, 256);
  const std::int64_t i = draw.number(0, product(shape) - 1);
  return {fmt::format("idx2crd({},{})", i, to_string(shape)),
          call("idx2crd", {source::number(i), source::tuple(shape)})};
}

Case make_layout_case(Draw& draw) {
  if (draw.chance(40)) {
    const IntTuple shape = draw.shape(5, 256);
    return {fmt::format("make_layout({})", to_string(shape)), call("make_layout", {source::tuple(shape)})};
  }
  const Layout a = draw.layout(3);
  const Layout b = draw.layout(3);
  return {fmt::format("make_layout({},{})", to_string(a), to_string(b)),
          call("make_layout", {source::layout(a), source::layout(b)})};
}

Case make_ordered_layout_case(Draw& draw) {
  const IntTuple shape = tuple_layout(draw).shape();
  const bool by_leaf = draw.chance(50);
  const IntTuple places(std::vector<IntTuple>(rank(shape), IntTuple(0)));
  const IntTuple& profile = by_leaf ? shape : places;
  std::vector<std::int64_t> order = draw.permutation(flat_values(profile).size());
  const std::int64_t first = draw.number(0, 2);
  for (std::int64_t& o : order) o += first;
  const IntTuple nested = unflatten(order, profile);
  return {fmt::format("make_ordered_layout({},{})", to_string(shape), to_string(nested)),
          call("make_ordered_layout", {source::tuple(shape), source::tuple(nested)})};
}

Case upcast_case(Draw& draw) {
  const Layout l = draw.chance(50) ? draw.binary_layout(4, 9) : draw.layout();
  const std::int64_t n = draw.one_of<std::int64_t>({2, 2, 4, 4, 8, 3, 6});
  Case c = with_numbers("upcast", fmt::format("{},{}", to_string(l), n), source::layout(l), {});
  c.cpp = fmt::format("upcast<{}>({})", n, source::layout(l));
  c.model = [=] { return model::upcast(l, n); };
  c.law = on_layout([=](const Layout& r) { return laws::obeys_upcast(l, n, r); });
  return c;
}

Case downcast_case(Draw& draw) {
  const Layout l = draw.chance(70) ? draw.compact_layout() : draw.layout();
  const std::int64_t n = draw.one_of<std::int64_t>({2, 3, 4, 8});
  Case c{fmt::format("downcast({},{})", to_string(l), n), fmt::format("downcast<{}>({})", n, source::layout(l))};
  c.model = [=] { return model::downcast(l, n); };
  c.law = on_layout([=](const Layout& r) { return laws::obeys_downcast(l, n, r); });
  return c;
}

Case recast_case(Draw& draw) {
  const Layout l = draw.binary_layout(4, 9);
  const std::int64_t from = draw.one_of<std::int64_t>({4, 6, 8, 16, 32, 64});
  const std::int64_t to = draw.one_of<std::int64_t>({4, 6, 8, 16, 32, 128});
  Case c{fmt::format("recast({},{},{})", to_string(l), from, to),
         fmt::format("recast_layout<uint_bit_t<{}>,uint_bit_t<{}>>({})", from, to, source::layout(l))};
  const std::int64_t common = std::gcd(from, to);
  const auto wider = [=] { return to == common ? l : model::upcast(l, to / common); };
  c.model = [=] { return from == common ? wider() : model::downcast(wider(), from / common); };
  c.law = on_layout([=](const Layout& r) {
    const Layout wide = wider();
    return (to == common || laws::obeys_upcast(l, to / common, wide)) &&
           (from == common || laws::obeys_downcast(wide, from / common, r));
  });
  return c;
}

Case measure_case(Draw& draw) {
  const Layout l = draw.layout(5);
  return with_numbers(draw.one_of<const char*>({"size", "cosize", "rank", "depth"}), l, {});
}

}  // namespace

std::vector<Operation> shaping_operations() {
  return {
      {"slice", 3, slice_case},
      {"offset", 1, offset_case},
      {"crd2idx", 1, crd2idx_case},
      {"idx2crd", 1, idx2crd_case},
      {"make_layout", 1, make_layout_case},
      {"make_ordered_layout", 2, make_ordered_layout_case},
      {"size, cosize, rank, depth", 1, measure_case},
      {"get", 1,
       [](Draw& d) {
         const Layout l = tuple_layout(d);
         return with_numbers("get", l, {mode_of(d, l)});
       }},
      {"take", 1,
       [](Draw& d) {
         const Layout l = tuple_layout(d);
         return with_numbers("take", l, range_of_modes(d, l));
       }},
      {"group", 1,
       [](Draw& d) {
         const Layout l = tuple_layout(d);
         return with_numbers("group", l, range_of_modes(d, l));
       }},
      {"select", 1, select_case},
      {"flatten", 1, [](Draw& d) { return with_numbers("flatten", d.layout(5), {}); }},
      {"append", 1, [](Draw& d) { return append_case(d, "append"); }},
      {"prepend", 1, [](Draw& d) { return append_case(d, "prepend"); }},
      {"replace", 1, replace_case},
      {"upcast", 3, upcast_case},
      {"downcast", 2, downcast_case},
      {"recast", 2, recast_case},
  };
}

}  // namespace swz
