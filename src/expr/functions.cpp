// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/evaluate.hpp"
#include "expr/tensor_memory.hpp"
#include "layout/analysis.hpp"
#include "layout/composed_layout.hpp"
#include "layout/swizzled_algebra.hpp"
#include "layout/tiling.hpp"

namespace swz {

namespace {

using Arguments = std::span<const Value>;

// Applies f to the layout inside and keeps swizzle and offset, as CuTe does for a ComposedLayout.
template <class F>
Value inside(const Value& v, const F& f) {
  const ComposedLayout l = as_composed(v);
  return l.with(f(l.layout()));
}

// The same, also for layouts of coordinates. `beyond` is how far f may go along the last mode.
template <class F>
Value inside_any(const Value& v, const F& f, std::int64_t beyond = 1) {
  const auto* b = std::get_if<BasisLayout>(&v);
  if (b == nullptr) return inside(v, f);
  const PackedBasis packed(*b, beyond);
  const Layout result = f(packed.layout());
  return layout_of(result.shape(), packed.stride_of(result));
}

std::size_t as_index(const Value& v) {
  const std::int64_t i = as_int(v);
  if (i < 0) throw Error(fmt::format("{} is not a mode number", i), "modes are numbered from 0");
  return static_cast<std::size_t>(i);
}

using TilerFunction = Layout (*)(const Layout&, const Tiler&);
template <TilerFunction F>
Value tiled(Arguments a) {
  return inside(a[0], [&](const Layout& l) { return F(l, as_tiler(a[1])); });
}

template <TilerFunction F>
Value divided(Arguments a) {
  const Tiler tiler = as_tiler(a[1]);
  return inside_any(
      a[0], [&](const Layout& l) { return F(l, tiler); }, cosize(tiler));
}

using PairFunction = Layout (*)(const Layout&, const Layout&);
template <PairFunction F>
Value paired(Arguments a) {
  return inside(a[0], [&](const Layout& l) { return F(l, as_layout(a[1])); });
}

using ProfileFunction = Layout (*)(const Layout&, const IntTuple&);
template <ProfileFunction F>
Value profiled(Arguments a) {
  return inside_any(a[0], [&](const Layout& l) { return F(l, a.size() > 1 ? as_tuple(a[1]) : IntTuple()); });
}

Value with_rank(Arguments a, Layout (*one)(const Layout&, const Layout&)) {
  // append(L, x), append(L, N) fills with 1:0, append(L, N, x) fills with x
  const auto* second = std::get_if<IntTuple>(&a[1]);
  if (a.size() == 2 && !(second && second->is_int()))
    return inside(a[0], [&](const Layout& l) { return one(l, as_layout(a[1])); });
  const std::size_t rank_wanted = as_index(a[1]);
  require_within(limits::ranks, as_int(a[1]));
  const Layout x = a.size() > 2 ? as_layout(a[2]) : Layout();
  return inside(a[0], [&](Layout l) {
    while (rank(l) < rank_wanted) l = one(l, x);
    return l;
  });
}

Value complement_of(Arguments a) {
  const Layout l = as_composed(a[0]).layout();
  return ComposedLayout(complement_with_holes(l, a.size() > 1 ? product(as_tuple(a[1])) : cosize(filter(l))));
}

// Recasts a value. The unit of a swizzle without a layout changes like that of the layout after it would.
Value recast_of(const Value& v, std::int64_t from_bits, std::int64_t to_bits) {
  const auto* s = std::get_if<Swizzle>(&v);
  if (s == nullptr) return recast(as_composed(v), from_bits, to_bits);
  if (!is_power_of_two(from_bits) || !is_power_of_two(to_bits))
    throw Error(fmt::format("{} cannot be counted in units of {} / {}", to_string(*s), to_bits, from_bits),
                "a swizzle needs powers of two");
  if (const auto result = in_units(*s, log2_exact(to_bits) - log2_exact(from_bits))) return *result;
  throw Error(fmt::format("{} does not keep units of {} whole", to_string(*s), to_bits / from_bits),
              fmt::format("the largest unit it keeps is {}", std::int64_t{1} << s->base()));
}

Value mode_of(Arguments a) {
  return inside_any(a[0], [&](const Layout& l) { return mode(l, as_index(a[1])); });
}

constexpr Function function_rows[] = {
    {"append(L, x) | append(L, rank [, x])", "one more mode at the back, or filled up to a rank", 2, 3,
     [](Arguments a) { return with_rank(a, append); }},
    {"blocked_product(block, tiler)", "block repeated as a block of each mode", 2, 2, paired<blocked_product>},
    {"coalesce(L [, profile])", "the fewest modes with the same values", 1, 2, profiled<coalesce>},
    {"complement(L [, cotarget])", "what is missing to cover [0, cotarget)", 1, 2, complement_of},
    {"composition(A, B)", "A o B: result(i) == A(B(i))", 2, 2, [](Arguments a) { return compose(a[0], a[1]); }},
    {"cosize(L)", "largest offset plus 1", 1, 1,
     [](Arguments a) -> Value {
       if (const auto* b = std::get_if<BasisLayout>(&a[0])) return IntTuple(product(coshape(*b)));
       const ComposedLayout l = as_composed(a[0]);
       if (const auto exact = analyse(l).cosize) return IntTuple(*exact);
       throw Error(fmt::format("the cosize of {} would take {} values to find", to_string(l), l.size()),
                   "ask for its layout alone: cosize(layout_b(L))");
     }},
    {"depth(L)", "levels of nesting", 1, 1, [](Arguments a) -> Value { return IntTuple(depth(shape_or_tuple(a[0]))); }},
    {"downcast(L, n)", "one element becomes n", 2, 2,
     [](Arguments a) -> Value {
       if (std::holds_alternative<Swizzle>(a[0])) return recast_of(a[0], as_int(a[1]), 1);
       return downcast(as_composed(a[0]), as_int(a[1]));
     }},
    {"filter(L [, profile])", "without stride-0 and extent-1 modes", 1, 2, profiled<filter>},
    {"flat_divide(L, tiler)", "divided: (TA,TB,…,a,b,…)", 2, 2, divided<flat_divide>},
    {"flat_product(L, tiler)", "multiplied: (A,B,…,a,b,…)", 2, 2, tiled<flat_product>},
    {"flatten(L)", "one level of nesting", 1, 1,
     [](Arguments a) -> Value {
       if (std::holds_alternative<IntTuple>(a[0])) return flatten(as_tuple(a[0]));
       return inside_any(a[0], [](const Layout& l) { return flatten(l); });
     }},
    {"get(L, i)", "mode i (the same as mode)", 2, 2, mode_of},
    {"group(L, begin, end)", "modes [begin, end) become one", 3, 3,
     [](Arguments a) -> Value {
       return inside_any(a[0], [&](const Layout& l) { return group(l, as_index(a[1]), as_index(a[2])); });
     }},
    {"layout_b(L)", "the layout of a swizzled layout, without swizzle and offset", 1, 1,
     [](Arguments a) -> Value { return ComposedLayout(as_composed(a[0]).layout()); }},
    {"left_inverse(L)", "result(L(i)) == i", 1, 1,
     [](Arguments a) -> Value { return inverse(as_composed(a[0]), left_inverse, false); }},
    {"logical_divide(L, tiler)", "divided: ((TA,a),(TB,b),…)", 2, 2, divided<logical_divide>},
    {"logical_product(L, tiler)", "multiplied: ((A,a),(B,b),…)", 2, 2, tiled<logical_product>},
    {"max_common_layout(A, B)", "where both store the same run of elements", 2, 2,
     [](Arguments a) -> Value { return ComposedLayout(max_common_layout(as_layout(a[0]), as_layout(a[1]))); }},
    {"max_common_vector(A, B)", "longest run both store consecutively, in elements", 2, 2,
     [](Arguments a) -> Value { return IntTuple(max_common_vector(as_composed(a[0]), as_composed(a[1]))); }},
    {"mode(L, i)", "mode i", 2, 2, mode_of},
    {"nullspace(L)", "what L maps to 0", 1, 1,
     [](Arguments a) -> Value { return ComposedLayout(nullspace(as_layout(a[0]))); }},
    {"prepend(L, x) | prepend(L, rank [, x])", "one more mode at the front, or filled up to a rank", 2, 3,
     [](Arguments a) { return with_rank(a, prepend); }},
    {"raked_product(block, tiler)", "block interleaved along each mode", 2, 2, paired<raked_product>},
    {"rank(L)", "number of modes", 1, 1,
     [](Arguments a) -> Value { return IntTuple(static_cast<std::int64_t>(rank(shape_or_tuple(a[0])))); }},
    {"recast(L, from_bits, to_bits)", "counted in elements of another width", 3, 3,
     [](Arguments a) -> Value { return recast_of(a[0], as_int(a[1]), as_int(a[2])); }},
    {"replace(L, i, x)", "x instead of mode i", 3, 3,
     [](Arguments a) -> Value {
       return inside(a[0], [&](const Layout& l) { return replace(l, as_index(a[1]), as_layout(a[2])); });
     }},
    {"right_inverse(L)", "L(result(i)) == i", 1, 1,
     [](Arguments a) -> Value { return inverse(as_composed(a[0]), right_inverse, true); }},
    {"select(L, i, …)", "the named modes in the named order", 2, limits::ranks.most,
     [](Arguments a) -> Value {
       std::vector<std::int64_t> wanted;
       for (const Value& v : a.subspan(1)) wanted.push_back(as_int(v));
       return inside_any(a[0], [&](const Layout& l) { return select(l, wanted); });
     }},
    {"shape(L)", "its shape", 1, 1, [](Arguments a) -> Value { return shape_or_tuple(a[0]); }},
    {"size(L)", "number of coordinates", 1, 1,
     [](Arguments a) -> Value { return IntTuple(product(shape_or_tuple(a[0]))); }},
    {"stride(L)", "its stride", 1, 1,
     [](Arguments a) -> Value {
       if (const auto* b = std::get_if<BasisLayout>(&a[0])) return b->stride();
       return as_layout(a[0]).stride();
     }},
    {"take(L, begin, end)", "modes [begin, end) alone", 3, 3,
     [](Arguments a) -> Value {
       return inside_any(a[0], [&](const Layout& l) { return take(l, as_index(a[1]), as_index(a[2])); });
     }},
    {"tile_to_shape(block, shape [, order])", "block repeated to fill a shape", 2, 3,
     [](Arguments a) {
       return inside(a[0], [&](const Layout& l) {
         return tile_to_shape(l, as_tuple(a[1]), a.size() > 2 ? as_tuple(a[2]) : IntTuple());
       });
     }},
    {"tiled_divide(L, tiler)", "divided: ((TA,TB,…),a,b,…)", 2, 2, divided<tiled_divide>},
    {"tiled_product(L, tiler)", "multiplied: ((A,B,…),a,b,…)", 2, 2, tiled<tiled_product>},
    {"upcast(L, n)", "n elements become one", 2, 2,
     [](Arguments a) -> Value {
       if (std::holds_alternative<Swizzle>(a[0])) return recast_of(a[0], 1, as_int(a[1]));
       return upcast(as_composed(a[0]), as_int(a[1]));
     }},
    {"zipped_divide(L, tiler)", "divided: ((TA,TB,…),(a,b,…))", 2, 2, divided<zipped_divide>},
    {"zipped_product(L, tiler)", "multiplied: ((A,B,…),(a,b,…))", 2, 2, tiled<zipped_product>},
};

[[noreturn]] void expected(const char* wanted, const Value& v, const char* hint) {
  throw Error(fmt::format("expected {}, got {}", wanted, describe(v)), hint);
}

}  // namespace

std::span<const Function> layout_functions() { return function_rows; }

std::span<const Function> functions() {
  static const std::vector<Function> rows = [] {
    std::vector<Function> all;
    for (const auto part : {layout_functions(), construct_functions(), shape_functions()})
      all.insert(all.end(), part.begin(), part.end());
    std::ranges::sort(all, {}, &Function::name);
    return all;
  }();
  return rows;
}

const Function* find_function(std::string_view name) {
  const auto row = std::ranges::find(functions(), name, &Function::name);
  return row == functions().end() ? nullptr : &*row;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& f : functions()) names.emplace_back(f.name());
  return names;
}

void require_count(const Function& f, std::size_t arguments) {
  if (arguments >= f.min_arguments && arguments <= f.max_arguments) return;
  const std::string wanted = f.min_arguments == f.max_arguments
                                 ? fmt::format("{}", f.min_arguments)
                                 : fmt::format("{} to {}", f.min_arguments, f.max_arguments);
  throw Error(
      fmt::format("{} takes {} argument{}, got {}", f.name(), wanted, f.max_arguments == 1 ? "" : "s", arguments),
      std::string(f.signature));
}

Value call_function(const Function& f, std::span<const Value> arguments) {
  require_count(f, arguments.size());
  return f.call(arguments);
}

std::vector<Finding> function_notes(std::string_view function, std::span<const Value> a) {
  if (function != "complement") return tensor_memory_notes(function, a);
  const Layout l = as_composed(a[0]).layout();
  try {
    a.size() > 1 ? complement(l, product(as_tuple(a[1]))) : complement(l);
    return {};
  } catch (const Error&) {
    return {
        note("complement-holes",
             fmt::format("copies of {} at these offsets do not collide, but leave offsets free: it has no complement "
                         "that fills them",
                         to_string(l)))};
  }
}

Value layout_of(const IntTuple& shape, const IntTuple& stride) {
  if (has_basis(stride)) return BasisLayout(shape, stride);
  return ComposedLayout(Layout(shape, stride));
}

IntTuple shape_or_tuple(const Value& v) {
  if (const auto* b = std::get_if<BasisLayout>(&v)) return b->shape();
  return std::holds_alternative<IntTuple>(v) ? as_tuple(v) : as_composed(v).layout().shape();
}

std::string to_string(const Value& v) {
  return std::visit([](const auto& x) { return to_string(x); }, v);
}

std::string describe(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v)) return (t->is_int() ? "the number " : "the tuple ") + to_string(*t);
  if (const auto* l = std::get_if<ComposedLayout>(&v))
    return (l->is_layout() ? "the layout " : "the swizzled layout ") + to_string(*l);
  if (std::holds_alternative<BasisLayout>(v)) return "the layout of coordinates " + to_string(v);
  if (std::holds_alternative<Swizzle>(v)) return "the swizzle " + to_string(v);
  return "the tiler " + to_string(v);
}

std::int64_t as_int(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v))
    if (const IntTuple inner = unwrap(*t); inner.is_int()) return inner.value();
  expected("a number", v, "for example 24");
}

IntTuple as_tuple(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v); t && !has_underscore(*t) && !has_basis(*t)) return *t;
  expected("a number or a tuple of numbers", v, "for example 24 or (8,(2,4))");
}

ComposedLayout as_composed(const Value& v) {
  if (const auto* l = std::get_if<ComposedLayout>(&v)) return *l;
  if (const auto* t = std::get_if<IntTuple>(&v); t && !has_underscore(*t) && !has_basis(*t)) return Layout(*t);
  if (std::holds_alternative<BasisLayout>(v))
    expected("a layout of offsets", v, "put the layout that these coordinates are of before it: L o …");
  expected("a layout", v, "for example (8,64):(64,1)");
}

Layout as_layout(const Value& v) {
  const ComposedLayout l = as_composed(v);
  if (!l.is_layout()) expected("a layout without a swizzle", v, "take its layout alone: layout_b(L)");
  return l.layout();
}

Tiler as_tiler(const Value& v) {
  if (const auto* t = std::get_if<Tiler>(&v)) return *t;
  if (const auto* shape = std::get_if<IntTuple>(&v); shape && !has_basis(*shape)) return Tiler::from_shape(*shape);
  return as_layout(v);
}

}  // namespace swz
