#include "layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {

namespace {

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

// Walks a coordinate beside the layout's tuples. The modes at `_` are collected side by side whatever their depth, as
// CuTe does; what the numbers select adds to the offset.
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
  std::int64_t end = 0;  // where the last mode's steps end, if that fits in 64 bits
  if (!out.empty() && !__builtin_mul_overflow(out.back().extent, out.back().stride, &end) && end == m.stride)
    out.back().extent = checked_mul(out.back().extent, m.extent);
  else out.push_back(m);
}

}  // namespace

Layout::Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
  if (!congruent(shape_, stride_))
    throw Error(fmt::format("shape {} and stride {} have different nesting", to_string(shape_), to_string(stride_)),
                "every extent needs exactly one stride");
  append_modes(shape_, stride_, modes_);
  // Real layouts have a dozen; what repeats modes (select, append) could fill the memory.
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
