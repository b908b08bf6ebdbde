// SPDX-License-Identifier: Apache-2.0
// Layout: a function from coordinates to offsets, written shape:stride, and its leaves as a list.
//
// The offset of a coordinate is the sum of coordinate times stride over all leaves. A linear index counts through the
// shape with the first mode fastest.
//
//   (4,(2,8)):(2,(1,8))   at (3,(1,5))  =  3*2 + 1*1 + 5*8  =  47
//                         at 23 = 3 + 4*1 + 8*2, so (3,(1,2)): 23
//
//   coalesce_modes (4,2):(1,4)  =  8:1     4 steps of 1 end where the next step of 4 begins
//
// Invariants, checked once by the constructor, so that evaluation needs no checks:
//   shape and stride are congruent, every extent is at least 1, size and every offset fit in 63 bits,
//   and there are at most limits::layout_extents leaves.
// A Layout has no unit of its own: its offsets count whatever it arranges (elements, unless something else is given).
//
// IntTuple: an integer, or a tuple of IntTuples. Shapes, strides and coordinates are IntTuples.
//
//   ((2,4),8)   rank 2, depth 2, product 64, flattens to (2,4,8)
//
// A coordinate may also contain `_`, which keeps a mode whole when a layout is sliced, and a stride may contain a basis
// element (see basis_layout.hpp). Every function here that computes with numbers expects neither.
//
// Two IntTuples are congruent when they have the same nesting, whatever the numbers: ((2,4),8) and ((1,2),8).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace swz {

class IntTuple {
 public:
  IntTuple() : IntTuple(0) {}
  IntTuple(std::int64_t value) : value_(value) {}  // NOLINT: an integer is an IntTuple
  IntTuple(std::vector<IntTuple> children) : kind_(Kind::tuple), children_(std::move(children)) {}  // NOLINT
  static IntTuple underscore() {
    IntTuple t;
    t.kind_ = Kind::underscore;
    return t;
  }

  // The basis element scale @ mode. The path (0,1) is mode 1 inside mode 0, printed scale@1@0.
  static IntTuple basis(std::int64_t scale, const std::vector<std::int64_t>& path) {
    IntTuple t(scale);
    t.kind_ = Kind::basis;
    t.children_.assign(path.begin(), path.end());
    return t;
  }

  bool is_int() const { return kind_ == Kind::integer; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  bool is_underscore() const { return kind_ == Kind::underscore; }

  bool is_basis() const { return kind_ == Kind::basis; }

  std::int64_t value() const { return value_; }  // requires is_int(), or is_basis(), for which it is the scale
  // The modes of a tuple or the path of a basis element; otherwise empty.
  const std::vector<IntTuple>& children() const { return children_; }

  bool operator==(const IntTuple&) const = default;

 private:
  enum class Kind : std::uint8_t { integer, underscore, tuple, basis };
  Kind kind_ = Kind::integer;
  std::int64_t value_ = 0;
  std::vector<IntTuple> children_;
};

// Number of modes at the top: 1 for an integer.
std::size_t rank(const IntTuple& t);
// Mode i at the top; an integer is its own mode 0. Throws Error when there is no mode i.
const IntTuple& mode(const IntTuple& t, std::size_t i);
// Levels of nesting; 0 for an integer.
int depth(const IntTuple& t);
// Product of all integers. Throws Error if it is above 2^63 - 1.
std::int64_t product(const IntTuple& t);
// All integers, from left to right.
std::vector<std::int64_t> flat_values(const IntTuple& t);
// The integers as a tuple of depth 1; an integer stays an integer.
IntTuple flatten(const IntTuple& t);
// The integers of `values` in the nesting of `profile`, which has as many leaves.
IntTuple unflatten(const std::vector<std::int64_t>& values, const IntTuple& profile);
// Replaces a tuple of one element by that element, repeatedly: ((3)) is 3.
IntTuple unwrap(const IntTuple& t);

bool has_underscore(const IntTuple& t);
bool has_basis(const IntTuple& t);
bool congruent(const IntTuple& a, const IntTuple& b);

// Compact strides in the order of the leaves of `order`, the smallest fastest: (4,8) gives (1,4), and in order (2,1)
// it gives (8,1). An extent of 1 gets stride 0, as in CuTe.
// `order` has the nesting of shape or less. Inside a mode that one leaf of order covers, the first leaf is fastest.
// Throws Error if a number occurs twice or order does not fit.
IntTuple compact_order(const IntTuple& shape, const IntTuple& order = 0);

// Linear index of a coordinate, first mode fastest. A coordinate may be flatter than the shape.
//   crd2idx((1,2), (3,4)) == 7
// Throws Error if the coordinate does not fit the shape or is out of its bounds.
std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape);
// The inverse of crd2idx; index must be in [0, product(shape)).
IntTuple idx2crd(std::int64_t index, const IntTuple& shape);

// The tuple in CuTe's notation: ((2,4),8), with `_` for an underscore.
std::string to_string(const IntTuple& t);

// One leaf of a layout: `extent` steps of `stride`.
struct FlatMode {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  bool operator==(const FlatMode&) const = default;
};

class Layout {
 public:
  // The layout 1:0, CuTe's empty layout.
  Layout() : Layout(IntTuple(1), IntTuple(0)) {}
  // A compact layout, first mode fastest: Layout((4,8)) is (4,8):(1,4).
  explicit Layout(const IntTuple& shape) : Layout(shape, compact_order(shape)) {}
  // Throws Error if the two are not congruent, an extent is below 1, or a number does not fit.
  Layout(IntTuple shape, IntTuple stride);
  // The layout of depth 1 with these leaves. One leaf gives extent:stride, no leaf gives 1:0.
  explicit Layout(std::span<const FlatMode> modes);

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }
  std::span<const FlatMode> modes() const { return modes_; }  // the leaves, from left to right
  std::int64_t size() const { return size_; }

  // Offset of the linear index i in [0, size()). Beyond size() the last mode continues, as in CuTe.
  std::int64_t operator()(std::int64_t i) const {
    std::int64_t offset = 0;
    for (std::size_t m = 0; m + 1 < modes_.size(); ++m) {
      offset += i % modes_[m].extent * modes_[m].stride;
      i /= modes_[m].extent;
    }
    return modes_.empty() ? 0 : offset + i * modes_.back().stride;
  }

  bool operator==(const Layout& other) const { return shape_ == other.shape_ && stride_ == other.stride_; }

 private:
  IntTuple shape_;
  IntTuple stride_;
  std::vector<FlatMode> modes_;
  std::int64_t size_ = 1;
};

inline std::size_t rank(const Layout& l) { return rank(l.shape()); }
inline int depth(const Layout& l) { return depth(l.shape()); }
inline std::int64_t size(const Layout& l) { return l.size(); }
// Largest offset plus 1. With negative strides, CuTe's meaning: the span from the smallest to the largest, plus 1.
std::int64_t cosize(const Layout& l);

// Mode i, as a layout of its own.
Layout mode(const Layout& l, std::size_t i);
// One layout with the given ones as its modes.
Layout make_layout(std::span<const Layout> modes);
// The compact layout of `shape` whose modes are placed in `order`, the smallest number fastest.
Layout make_ordered_layout(const IntTuple& shape, const IntTuple& order);

// The offset at a coordinate. Throws Error if the coordinate does not fit the shape.
std::int64_t offset_at(const Layout& l, const IntTuple& coordinate);

// Writes all offsets in the order of the linear index; out.size() == size(). This is the fast way to make a table.
void tabulate(const Layout& l, std::span<std::int64_t> out);

// The modes of `l` at which the coordinate has `_`, and the offset of the other modes.
//   (8,64):(64,1) at (_,3)  is  (8):(64) with offset 3
struct Slice {
  Layout layout;
  std::int64_t offset = 0;
};
Slice slice(const Layout& l, const IntTuple& coordinate);

std::string to_string(const Layout& l);  // shape:stride

// The modes without those of extent 1 and with neighbours merged. Post: the same values in [0, size).
std::vector<FlatMode> coalesce_modes(std::span<const FlatMode> modes);

// The same, but the last mode has no end: its stride counts even if its extent is 1, because indices beyond the size
// continue along it. Post: at least one mode; the same values for every index >= 0.
std::vector<FlatMode> coalesce_endless(std::span<const FlatMode> modes);

// The modes without those that repeat (stride 0) or do nothing (extent 1), in their order and not merged.
std::vector<FlatMode> moving_modes(std::span<const FlatMode> modes);

// The modes by ascending stride, in a stable order.
std::vector<FlatMode> sorted_by_stride(std::vector<FlatMode> modes);

// Throws Error unless l(i) fits in 64 bits for every index up to `last`. Beyond the size the last mode continues.
void require_reach(const Layout& l, std::int64_t last);

}  // namespace swz
