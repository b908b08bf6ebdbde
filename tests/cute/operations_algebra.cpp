// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <tuple>

#include "cute_model.hpp"
#include "laws.hpp"
#include "operation.hpp"
#include "source.hpp"

namespace swz {
namespace {

namespace model = cute_model;
using source::call;
using Model = std::function<std::optional<ComposedLayout>()>;
using Law = std::function<bool(const ComposedLayout&)>;

Case unary(
    const char* name, const Layout& l, Model m = [] { return std::nullopt; }, Law law = nullptr) {
  return {fmt::format("{}({})", name, to_string(l)), call(name, {source::layout(l)}), std::move(m), std::move(law)};
}

// A profile with the nesting of the first levels of l.
IntTuple profile_of(Draw& draw, const IntTuple& shape) {
  if (!shape.is_tuple() || draw.chance(30)) return IntTuple(1);
  std::vector<IntTuple> children;
  for (const IntTuple& child : shape.children()) children.push_back(profile_of(draw, child));
  return children;
}

Case by_profile(Draw& draw, const char* name) {
  const Layout l = draw.layout(5);
  const IntTuple profile = profile_of(draw, l.shape());
  return {fmt::format("{}({},{})", name, to_string(l), to_string(profile)),
          call(name, {source::layout(l), source::tuple(profile)})};
}

Case composition_case(Draw& draw) {
  const Layout a = draw.layout();
  const Layout b = draw.right_hand_side(a);
  return {fmt::format("{} o {}", to_string(a), to_string(b)),
          call("composition", {source::layout(a), source::layout(b)}), [=] { return model::composition(a, b); },
          on_layout([=](const Layout& r) { return laws::obeys_composition(a, b, r); })};
}

Case composition_by_mode(Draw& draw) {
  const Layout a = draw.layout(5);
  const Tiler b = draw.tiler(a, true);
  return {fmt::format("composition({},{})", to_string(a), to_string(b)),
          call("composition", {source::layout(a), source::tiler(b)}), [=] { return model::composition(a, b); },
          on_layout([=](const Layout& r) { return laws::obeys_composition(a, b, r); })};
}

Case composition_by_shape(Draw& draw) {
  const Layout a = draw.layout(5);
  std::vector<IntTuple> extents;
  for (std::size_t i = 0; i < rank(a); ++i) extents.emplace_back(size(draw.tile(size(mode(a, i)))));
  const IntTuple shape(extents);
  const Tiler b = Tiler::from_shape(shape);
  return {fmt::format("composition({},<{}>)", to_string(a), to_string(shape).substr(1, to_string(shape).size() - 2)),
          call("composition", {source::layout(a), source::tuple(shape)}), [=] { return model::composition(a, b); },
          on_layout([=](const Layout& r) { return laws::obeys_composition(a, b, r); })};
}

Case complement_case(Draw& draw) {
  const Layout l = draw.layout(3, 64);
  const std::int64_t cotarget = draw.chance(50) ? cosize(l) * draw.number(1, 4) : draw.number(1, 200);
  return {fmt::format("complement({},{})", to_string(l), cotarget),
          call("complement", {source::layout(l), source::number(cotarget)}),
          [=] { return model::complement(l, cotarget); },
          on_layout([=](const Layout& r) { return laws::obeys_complement_with_holes(l, cotarget, r); })};
}

Case complement_of_cosize(Draw& draw) {
  const Layout l = draw.layout(4, 64);
  return unary(
      "complement", l, [=] { return model::complement(l, cosize(filter(l))); },
      on_layout([=](const Layout& r) { return laws::obeys_complement_with_holes(l, cosize(filter(l)), r); }));
}

Case right_inverse_case(Draw& draw) {
  const Layout l = draw.chance(50) ? draw.compact_layout() : draw.layout();
  return unary(
      "right_inverse", l, [=] { return model::right_inverse(l); },
      on_layout([=](const Layout& r) { return laws::obeys_right_inverse(l, r); }));
}

Case left_inverse_case(Draw& draw) {
  const Layout l = draw.chance(40) ? draw.compact_layout() : draw.layout();
  return unary(
      "left_inverse", l, [=] { return model::left_inverse(l); },
      on_layout([=](const Layout& r) { return laws::obeys_left_inverse(l, r); }));
}

std::pair<Layout, Layout> pair_of_layouts(Draw& draw) {
  const Layout a = draw.chance(70) ? draw.compact_layout() : draw.layout();
  if (draw.chance(40)) return {a, draw.compact_layout(3, 64)};
  // The same shape in another order, so that some of them run together.
  std::vector<std::int64_t> strides;
  std::int64_t next = 1;
  for (const std::int64_t extent : flat_values(a.shape())) {
    strides.push_back(next);
    next *= extent;
  }
  return {a, Layout(a.shape(), unflatten(strides, a.shape()))};
}

Case max_common_layout_case(Draw& draw) {
  const auto [a, b] = pair_of_layouts(draw);
  return {fmt::format("max_common_layout({},{})", to_string(a), to_string(b)),
          call("max_common_layout", {source::layout(a), source::layout(b)}),
          [a = a, b = b] { return model::max_common_layout(a, b); },
          on_layout([a = a, b = b](const Layout& r) { return laws::obeys_max_common_layout(a, b, r); })};
}

// A number does not show what was read to find it, so CuTe's has to be right.
Case max_common_vector_case(Draw& draw) {
  auto [a, b] = pair_of_layouts(draw);
  Draw more = draw;  // the other operations keep their draws
  while (!laws::stays_within_both(a, b)) std::tie(a, b) = pair_of_layouts(more);
  return {fmt::format("max_common_vector({},{})", to_string(a), to_string(b)),
          call("max_common_vector", {source::layout(a), source::layout(b)}),
          [a = a, b = b] { return model::max_common_layout(a, b); },
          on_layout([a = a, b = b](const Layout& r) { return laws::obeys_max_common_layout(a, b, r); }), true};
}

}  // namespace

std::vector<Operation> algebra_operations() {
  return {
      {"coalesce", 2, [](Draw& d) { return unary("coalesce", d.layout(5)); }},
      {"coalesce by profile", 2, [](Draw& d) { return by_profile(d, "coalesce"); }},
      {"filter", 2, [](Draw& d) { return unary("filter", d.layout(5)); }},
      {"filter by profile", 1, [](Draw& d) { return by_profile(d, "filter"); }},
      {"composition", 8, composition_case},
      {"composition by mode", 3, composition_by_mode},
      {"composition by shape", 1, composition_by_shape},
      {"complement", 4, complement_case},
      {"complement of cosize", 1, complement_of_cosize},
      {"right_inverse", 4, right_inverse_case},
      {"left_inverse", 4, left_inverse_case},
      {"max_common_layout", 2, max_common_layout_case},
      {"max_common_vector", 1, max_common_vector_case},
      {"nullspace", 1, [](Draw& d) { return unary("nullspace", d.layout(5)); }},
  };
}

}  // namespace swz
