// SPDX-License-Identifier: Apache-2.0
#include "layout/basis_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

using Path = std::vector<std::int64_t>;

struct BasisMode {
  std::int64_t extent = 1, scale = 0;
  Path path;  // empty for a stride of 0
};

void append_basis_modes(const IntTuple& shape, const IntTuple& stride, std::vector<BasisMode>& out) {
  if (shape.is_tuple()) {
    for (std::size_t i = 0; i < shape.children().size(); ++i)
      append_basis_modes(shape.children()[i], stride.children()[i], out);
    return;
  }
  BasisMode m{shape.value(), stride.value(), {}};
  for (const IntTuple& step : stride.children()) m.path.push_back(step.value());
  out.push_back(std::move(m));
}

std::vector<BasisMode> basis_modes(const BasisLayout& l) {
  std::vector<BasisMode> out;
  append_basis_modes(l.shape(), l.stride(), out);
  return out;
}

using Sums = std::map<Path, std::int64_t>;

// The tuple that has these values at these paths. All the paths agree up to `level`.
IntTuple tuple_at(Sums::const_iterator begin, Sums::const_iterator end, std::size_t level) {
  if (begin->first.size() == level) return begin->second;
  std::vector<IntTuple> children;
  while (begin != end) {
    const std::int64_t i = begin->first[level];
    auto next = begin;
    while (next != end && next->first[level] == i) ++next;
    children.resize(static_cast<std::size_t>(i));  // modes that no path names are 0
    children.push_back(tuple_at(begin, next, level + 1));
    begin = next;
  }
  return children;
}

IntTuple tuple_of(const Sums& sums) { return tuple_at(sums.begin(), sums.end(), 0); }

IntTuple basis_like(const IntTuple& shape, Path& path) {
  if (!shape.is_tuple()) return IntTuple::basis(1, path);
  std::vector<IntTuple> children;
  for (std::size_t i = 0; i < shape.children().size(); ++i) {
    path.push_back(static_cast<std::int64_t>(i));
    children.push_back(basis_like(shape.children()[i], path));
    path.pop_back();
  }
  return children;
}

// One step along the mode at `path`, as a linear index of the shape. Sets `extent` to that of the mode.
std::int64_t index_step(const IntTuple& shape, const Path& path, std::int64_t& extent) {
  const IntTuple* at = &shape;
  std::int64_t step = 1;
  for (const std::int64_t i : path) {
    if (i >= static_cast<std::int64_t>(rank(*at)) || !(at->is_tuple() || path.size() == 1))
      throw Error(fmt::format("shape {} has no mode {}", to_string(shape), to_string(IntTuple::basis(1, path))),
                  "the coordinates must be those of the layout before them");
    for (std::int64_t before = 0; before < i; ++before)
      step *= product(at->children()[static_cast<std::size_t>(before)]);
    at = &mode(*at, static_cast<std::size_t>(i));
  }
  extent = product(*at);
  return step;
}

}  // namespace

BasisLayout::BasisLayout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
  if (!congruent(shape_, stride_))
    throw Error(fmt::format("shape {} and stride {} have different nesting", to_string(shape_), to_string(stride_)),
                "every extent needs exactly one stride");
  std::vector<std::int64_t> zeros(flat_values(shape_).size(), 0);
  const Layout extents(shape_, unflatten(zeros, shape_));  // the constructor checks them
  Sums reach;
  for (const BasisMode& m : basis_modes(*this)) {
    if (m.path.empty() && m.scale != 0)
      throw Error(fmt::format("stride {} is an offset, and {} are coordinates", m.scale, to_string(stride_)),
                  "write it as a step along a mode, for example 1@0");
    if (m.path.empty()) continue;
    std::int64_t& sum = reach[m.path];
    sum = checked_add(sum, checked_mul(m.extent, checked_abs(m.scale)));
  }
  if (reach.empty()) throw Error(fmt::format("no stride of {} is a basis element", to_string(stride_)));
  // In the order of the map a path comes right before the paths that extend it.
  for (auto b = reach.begin(), a = b++; b != reach.end(); a = b++)
    if (a->first.size() < b->first.size() && std::equal(a->first.begin(), a->first.end(), b->first.begin()))
      throw Error(fmt::format("{} and {} name the same mode as a number and as a tuple",
                              to_string(IntTuple::basis(1, a->first)), to_string(IntTuple::basis(1, b->first))),
                  "name one of its modes in each stride");
}

BasisLayout make_identity_layout(const IntTuple& shape) {
  Path path;
  return {shape, basis_like(shape, path)};
}

IntTuple coordinate_at(const BasisLayout& l, const IntTuple& coordinate) {
  std::int64_t index = crd2idx(coordinate, l.shape());
  Sums sums;
  for (const BasisMode& m : basis_modes(l)) {
    if (!m.path.empty()) sums[m.path] += index % m.extent * m.scale;
    index /= m.extent;
  }
  return tuple_of(sums);
}

IntTuple coshape(const BasisLayout& l) {
  Sums sums;
  for (const BasisMode& m : basis_modes(l))
    if (!m.path.empty()) sums.try_emplace(m.path, 1).first->second += (m.extent - 1) * checked_abs(m.scale);
  IntTuple shape = tuple_of(sums);
  std::vector<std::int64_t> extents = flat_values(shape);
  for (std::int64_t& e : extents) e = std::max<std::int64_t>(e, 1);
  return unflatten(extents, shape);
}

std::string to_string(const BasisLayout& l) { return to_string(l.shape()) + ":" + to_string(l.stride()); }

PackedBasis::PackedBasis(const BasisLayout& l, std::int64_t beyond) {
  const std::vector<BasisMode> modes = basis_modes(l);
  Sums reach;
  for (const BasisMode& m : modes) {
    if (m.path.empty()) continue;
    std::int64_t& sum = reach[m.path];
    sum = checked_add(sum, checked_mul(std::max(m.extent, beyond), checked_abs(m.scale)));
  }
  int shift = 0;
  std::map<Path, int> shifts;
  for (const auto& [path, most] : reach) {
    // Two more bits: one for a sign, one for a tile that reaches beyond its mode.
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))) + 2;
    if (shift + bits > 62)
      throw Error(fmt::format("the coordinates of {} are too large to compute with", to_string(l)),
                  "take smaller extents, or fewer modes at a time");
    digits_.push_back({path, shift, bits});
    shifts[path] = shift;
    shift += bits;
  }
  std::vector<std::int64_t> strides;
  for (const BasisMode& m : modes)
    strides.push_back(m.path.empty() ? 0 : m.scale * (std::int64_t{1} << shifts[m.path]));
  layout_ = Layout(l.shape(), unflatten(strides, l.shape()));
}

// Removes the lowest digit, which may be negative, from `rest` and returns it.
std::int64_t PackedBasis::digit_of(std::int64_t& rest, const Digit& d) const {
  const std::int64_t range = std::int64_t{1} << d.bits;
  std::int64_t low = rest & (range - 1);
  if (low >= range / 2) low -= range;
  rest = (rest - low) / range;
  return low;
}

IntTuple PackedBasis::stride_of(const Layout& made) const {
  std::vector<IntTuple> strides;
  for (const FlatMode& m : made.modes()) {
    std::int64_t rest = m.stride;
    IntTuple stride(0);
    for (const Digit& d : digits_) {
      const std::int64_t steps = digit_of(rest, d);
      if (steps == 0) continue;
      if (!stride.is_int())
        throw Error("the result steps along several modes at once, which no basis stride does",
                    "divide mode by mode, with a tiler such as <4:1,8:1>");
      stride = IntTuple::basis(steps, d.path);
    }
    strides.push_back(std::move(stride));
  }
  std::size_t next = 0;
  const auto nested = [&](const auto& self, const IntTuple& profile) -> IntTuple {
    if (!profile.is_tuple()) return strides[next++];
    std::vector<IntTuple> children;
    for (const IntTuple& child : profile.children()) children.push_back(self(self, child));
    return children;
  };
  return nested(nested, made.shape());
}

IntTuple PackedBasis::coordinate_of(std::int64_t offset) const {
  Sums sums;
  for (const Digit& d : digits_) sums[d.path] = digit_of(offset, d);
  return tuple_of(sums);
}

Layout indices_in(const Layout& a, const BasisLayout& b) {
  std::vector<std::int64_t> strides;
  Sums reach;
  for (const BasisMode& m : basis_modes(b)) {
    std::int64_t extent = 1;
    strides.push_back(m.path.empty() ? 0 : checked_mul(m.scale, index_step(a.shape(), m.path, extent)));
    std::int64_t& sum = reach[m.path];
    sum += (m.extent - 1) * m.scale;
    if (m.scale < 0 || (!m.path.empty() && sum >= extent))
      throw Error(fmt::format("{} o {}: coordinate {} is outside the extent {} of its mode", to_string(a), to_string(b),
                              to_string(IntTuple::basis(m.scale < 0 ? m.scale : sum, m.path)), extent),
                  "the coordinates must be those of the layout before them");
  }
  return Layout(b.shape(), unflatten(strides, b.shape()));
}

Layout composition(const Layout& a, const BasisLayout& b) { return composition(a, indices_in(a, b)); }

}  // namespace swz
