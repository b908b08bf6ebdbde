// SPDX-License-Identifier: Apache-2.0
#include "layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {

namespace {

void append_flat(const IntTuple& t, std::vector<std::int64_t>& out) {
  if (!t.is_tuple()) {
    out.push_back(t.value());
    return;
  }
  for (const IntTuple& child : t.children()) append_flat(child, out);
}

IntTuple take_leaves(const std::vector<std::int64_t>& values, std::size_t& next, const IntTuple& profile) {
  if (!profile.is_tuple()) return values[next++];
  std::vector<IntTuple> children;
  children.reserve(profile.children().size());
  for (const IntTuple& child : profile.children()) children.push_back(take_leaves(values, next, child));
  return children;
}

// Appends one sort key per leaf of shape: the leaf of order that covers it.
void append_order_keys(const IntTuple& shape, const IntTuple& order, std::vector<std::int64_t>& keys) {
  if (!order.is_tuple()) {
    keys.insert(keys.end(), flat_values(shape).size(), order.value());
    return;
  }
  if (!shape.is_tuple() || shape.children().size() != order.children().size())
    throw Error(fmt::format("order {} does not match shape {}", to_string(order), to_string(shape)),
                "give one number per mode, the smallest is fastest");
  for (std::size_t i = 0; i < shape.children().size(); ++i)
    append_order_keys(shape.children()[i], order.children()[i], keys);
}

void append_text(const IntTuple& t, std::string& out) {
  if (t.is_underscore()) {
    out += '_';
  } else if (t.is_int()) {
    fmt::format_to(std::back_inserter(out), "{}", t.value());
  } else if (t.is_basis()) {
    fmt::format_to(std::back_inserter(out), "{}", t.value());
    for (std::size_t i = t.children().size(); i-- > 0;)
      fmt::format_to(std::back_inserter(out), "@{}", t.children()[i].value());
  } else {
    out += '(';
    for (std::size_t i = 0; i < t.children().size(); ++i) {
      if (i > 0) out += ',';
      append_text(t.children()[i], out);
    }
    out += ')';
  }
}

void append_modes(const IntTuple& shape, const IntTuple& stride, std::vector<FlatMode>& out) {
  if (!shape.is_tuple()) {
    out.push_back({shape.value(), stride.value()});
    return;
  }
  for (std::size_t i = 0; i < shape.children().size(); ++i)
    append_modes(shape.children()[i], stride.children()[i], out);
}

IntTuple tuple_of(std::span<const FlatMode> modes, std::int64_t FlatMode::*field, std::int64_t when_empty) {
  if (modes.empty()) return when_empty;
  if (modes.size() == 1) return modes[0].*field;
  std::vector<IntTuple> children;
  children.reserve(modes.size());
  for (const FlatMode& m : modes) children.emplace_back(m.*field);
  return children;
}

// Walks a coordinate together with the layout's tuples. The modes at `_` are collected side by side whatever their
// depth, as in CuTe; the modes at numbers add to the offset.
struct Slicer {
  std::vector<IntTuple> shapes, strides;
  std::int64_t offset = 0;

  void visit(const IntTuple& coordinate, const IntTuple& shape, const IntTuple& stride) {
    if (has_underscore(coordinate) && coordinate.is_tuple()) {
      if (!shape.is_tuple() || rank(shape) != rank(coordinate))
        throw Error(fmt::format("coordinate {} does not fit shape {}", to_string(coordinate), to_string(shape)),
                    "give one number or _ per mode");
      for (std::size_t i = 0; i < rank(shape); ++i) visit(mode(coordinate, i), mode(shape, i), mode(stride, i));
      return;
    }
    if (!coordinate.is_underscore()) {
      offset += offset_at(Layout(shape, stride), coordinate);
    } else {
      shapes.push_back(shape);
      strides.push_back(stride);
    }
  }
};

void append_merged(std::vector<FlatMode>& out, FlatMode m) {
  std::int64_t end = 0;  // one past the last mode's steps, if that fits in 64 bits
  if (!out.empty() && !__builtin_mul_overflow(out.back().extent, out.back().stride, &end) && end == m.stride)
    out.back().extent = checked_mul(out.back().extent, m.extent);
  else out.push_back(m);
}

}  // namespace

std::size_t rank(const IntTuple& t) { return t.is_tuple() ? t.children().size() : 1; }

const IntTuple& mode(const IntTuple& t, std::size_t i) {
  if (i >= rank(t))
    throw Error(fmt::format("{} has no mode {}", to_string(t), i),
                fmt::format("modes are numbered 0 to {}", rank(t) - 1));
  return t.is_tuple() ? t.children()[i] : t;
}

int depth(const IntTuple& t) {
  if (!t.is_tuple()) return 0;
  int deepest = 0;
  for (const IntTuple& child : t.children()) deepest = std::max(deepest, depth(child));
  return 1 + deepest;
}

std::int64_t product(const IntTuple& t) {
  if (!t.is_tuple()) return t.value();
  std::int64_t result = 1;
  for (const IntTuple& child : t.children()) result = checked_mul(result, product(child));
  return result;
}

std::vector<std::int64_t> flat_values(const IntTuple& t) {
  std::vector<std::int64_t> out;
  append_flat(t, out);
  return out;
}

IntTuple flatten(const IntTuple& t) {
  if (!t.is_tuple()) return t;
  std::vector<IntTuple> children;
  for (const std::int64_t v : flat_values(t)) children.emplace_back(v);
  return children;
}

IntTuple unflatten(const std::vector<std::int64_t>& values, const IntTuple& profile) {
  std::size_t next = 0;
  return take_leaves(values, next, profile);
}

IntTuple unwrap(const IntTuple& t) { return t.is_tuple() && t.children().size() == 1 ? unwrap(t.children()[0]) : t; }

bool has_underscore(const IntTuple& t) {
  return t.is_underscore() || std::ranges::any_of(t.children(), has_underscore);
}

bool has_basis(const IntTuple& t) { return t.is_basis() || std::ranges::any_of(t.children(), has_basis); }

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple() || !b.is_tuple()) return a.is_tuple() == b.is_tuple();
  return std::ranges::equal(a.children(), b.children(), congruent);
}

IntTuple compact_order(const IntTuple& shape, const IntTuple& order) {
  const std::vector<std::int64_t> extents = flat_values(shape);
  std::vector<std::int64_t> keys;
  append_order_keys(shape, order, keys);
  std::vector<std::int64_t> places = flat_values(order);
  std::ranges::sort(places);
  if (const auto twice = std::ranges::adjacent_find(places); twice != places.end())
    throw Error(fmt::format("order {} has {} twice", to_string(order), *twice), "every mode needs its own place");

  std::vector<std::size_t> by_key(extents.size());
  std::iota(by_key.begin(), by_key.end(), std::size_t{0});
  std::ranges::stable_sort(by_key, {}, [&](std::size_t i) { return keys[i]; });

  std::vector<std::int64_t> strides(extents.size());
  std::int64_t next = 1;
  for (const std::size_t i : by_key) {
    strides[i] = extents[i] == 1 ? 0 : next;
    next = checked_mul(next, extents[i]);
  }
  return unflatten(strides, shape);
}

std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape) {
  if (!coordinate.is_tuple()) {
    const std::int64_t size = product(shape);
    if (coordinate.value() < 0 || coordinate.value() >= size)
      throw Error(fmt::format("coordinate {} is outside {}", coordinate.value(), to_string(shape)),
                  fmt::format("it must be from 0 to {}", size - 1));
    return coordinate.value();
  }
  if (!shape.is_tuple() || coordinate.children().size() != shape.children().size())
    throw Error(fmt::format("coordinate {} does not fit shape {}", to_string(coordinate), to_string(shape)),
                "give one number per mode, or one linear index for a whole mode");
  std::int64_t index = 0;
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < shape.children().size(); ++i) {
    index += scale * crd2idx(coordinate.children()[i], shape.children()[i]);
    scale *= product(shape.children()[i]);
  }
  return index;
}

IntTuple idx2crd(std::int64_t index, const IntTuple& shape) {
  std::vector<std::int64_t> digits;
  for (const std::int64_t extent : flat_values(shape)) {
    digits.push_back(index % extent);
    index /= extent;
  }
  return unflatten(digits, shape);
}

std::string to_string(const IntTuple& t) {
  std::string out;
  append_text(t, out);
  return out;
}

Layout::Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
  if (!congruent(shape_, stride_))
    throw Error(fmt::format("shape {} and stride {} have different nesting", to_string(shape_), to_string(stride_)),
                "every extent needs exactly one stride");
  append_modes(shape_, stride_, modes_);
  // Real layouts have a dozen. Functions that repeat modes (select, append) could fill the memory.
  require_within(limits::layout_extents, static_cast<std::int64_t>(modes_.size()));
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (const FlatMode& m : modes_) {
    if (m.extent < 1)
      throw Error(fmt::format("extent {} in shape {} is not positive", m.extent, to_string(shape_)),
                  "extents are at least 1");
    size_ = checked_mul(size_, m.extent);
    const std::int64_t reach = checked_mul(m.extent - 1, m.stride);
    (reach < 0 ? lowest : highest) = checked_add(reach < 0 ? lowest : highest, reach);
  }
  checked_add(checked_add(highest, -lowest), 1);  // cosize fits as well
}

Layout::Layout(std::span<const FlatMode> modes)
    : Layout(tuple_of(modes, &FlatMode::extent, 1), tuple_of(modes, &FlatMode::stride, 0)) {}

std::int64_t cosize(const Layout& l) {
  std::int64_t span = 1;
  for (const FlatMode& m : l.modes()) span += (m.extent - 1) * (m.stride < 0 ? -m.stride : m.stride);
  return span;
}

Layout mode(const Layout& l, std::size_t i) { return Layout(mode(l.shape(), i), mode(l.stride(), i)); }

Layout make_layout(std::span<const Layout> modes) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout& m : modes) {
    shapes.push_back(m.shape());
    strides.push_back(m.stride());
  }
  return Layout(std::move(shapes), std::move(strides));
}

Layout make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  return Layout(shape, compact_order(shape, order));
}

std::int64_t offset_at(const Layout& l, const IntTuple& coordinate) { return l(crd2idx(coordinate, l.shape())); }

void tabulate(const Layout& l, std::span<std::int64_t> out) {
  // Each mode repeats the block tabulated so far, shifted by its stride: additions only, no division.
  out[0] = 0;
  std::size_t filled = 1;
  for (const FlatMode& m : l.modes()) {
    for (std::int64_t j = 1; j < m.extent; ++j) {
      const std::int64_t shift = j * m.stride;
      std::int64_t* const to = out.data() + static_cast<std::size_t>(j) * filled;
      for (std::size_t i = 0; i < filled; ++i) to[i] = out[i] + shift;
    }
    filled *= static_cast<std::size_t>(m.extent);
  }
}

Slice slice(const Layout& l, const IntTuple& coordinate) {
  if (coordinate.is_underscore()) return {l, 0};
  Slicer s;
  s.visit(coordinate, l.shape(), l.stride());
  return {s.shapes.empty() ? Layout() : Layout(s.shapes, s.strides), s.offset};
}

std::string to_string(const Layout& l) { return to_string(l.shape()) + ":" + to_string(l.stride()); }

std::vector<FlatMode> coalesce_modes(std::span<const FlatMode> modes) {
  std::vector<FlatMode> out;
  out.reserve(modes.size());
  for (const FlatMode& m : modes)
    if (m.extent != 1) append_merged(out, m);
  return out;
}

std::vector<FlatMode> coalesce_endless(std::span<const FlatMode> modes) {
  if (modes.empty()) return {FlatMode{1, 0}};
  std::vector<FlatMode> out = coalesce_modes(modes.first(modes.size() - 1));
  append_merged(out, modes.back());
  return out;
}

std::vector<FlatMode> moving_modes(std::span<const FlatMode> modes) {
  std::vector<FlatMode> out;
  for (const FlatMode& m : modes)
    if (m.extent != 1 && m.stride != 0) out.push_back(m);
  return out;
}

std::vector<FlatMode> sorted_by_stride(std::vector<FlatMode> modes) {
  std::ranges::stable_sort(modes, {}, &FlatMode::stride);
  return modes;
}

void require_reach(const Layout& l, std::int64_t last) {
  if (l.modes().empty()) return;
  std::int64_t reach = 0;
  for (const FlatMode& m : l.modes().first(l.modes().size() - 1)) {
    reach = checked_add(reach, (m.extent - 1) * checked_abs(m.stride));
    last /= m.extent;
  }
  checked_add(reach, checked_mul(last, checked_abs(l.modes().back().stride)));
}

}  // namespace swz
