// IntTuple: an integer, or a tuple of IntTuples. Shapes, strides and coordinates are IntTuples.
//
//   ((2,4),8)   rank 2, depth 2, product 64, flattens to (2,4,8)
//
// A coordinate may also hold `_`, which keeps a mode whole when a layout is sliced; every function here that
// computes with numbers expects none.
//
// Two IntTuples are congruent when they have the same nesting, whatever the numbers: ((2,4),8) and ((1,2),8).
// A shape B refines A (CuTe: A is compatible with B) when A is B with some tuples replaced by their product.
#pragma once

#include <cstdint>
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

  bool is_int() const { return kind_ == Kind::integer; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  bool is_underscore() const { return kind_ == Kind::underscore; }

  std::int64_t value() const { return value_; }                        // requires is_int()
  const std::vector<IntTuple>& children() const { return children_; }  // empty unless is_tuple()

  bool operator==(const IntTuple&) const = default;

 private:
  enum class Kind : std::uint8_t { integer, underscore, tuple };
  Kind kind_ = Kind::integer;
  std::int64_t value_ = 0;
  std::vector<IntTuple> children_;
};

// Number of modes at the top: 1 for an integer.
std::size_t rank(const IntTuple& t);
// Mode i at the top; an integer is its own mode 0. Throws Error when there is no mode i.
const IntTuple& mode(const IntTuple& t, std::size_t i);
// Levels of nesting: 0 for an integer.
int depth(const IntTuple& t);
// Product of all integers. Throws Error beyond 2^63 - 1.
std::int64_t product(const IntTuple& t);
// All integers, left to right.
std::vector<std::int64_t> flat_values(const IntTuple& t);
// The same as a tuple of depth 1; an integer stays an integer.
IntTuple flatten(const IntTuple& t);
// The integers of `values` in the nesting of `profile`; as many as profile has.
IntTuple unflatten(const std::vector<std::int64_t>& values, const IntTuple& profile);
// A tuple of one becomes its element, again and again: ((3)) is 3.
IntTuple unwrap(const IntTuple& t);

bool has_underscore(const IntTuple& t);
bool congruent(const IntTuple& a, const IntTuple& b);
// a is compatible with b: same size, and every coordinate of a is a coordinate of b.
bool compatible(const IntTuple& a, const IntTuple& b);

// Strides that make `shape` compact with the first mode fastest: (4,8) gives (1,4). Here and below an extent of 1
// gets stride 0, as in CuTe.
IntTuple compact_left(const IntTuple& shape);
// Compact strides in the order of the leaves of `order`, the smallest is fastest: (4,8) in order (2,1) gives (8,1).
// `order` has the nesting of shape or less; inside a mode that one leaf of order covers, the first leaf is fastest.
// Throws Error when a number stands twice, or order does not fit.
IntTuple compact_order(const IntTuple& shape, const IntTuple& order);

// Linear index of a coordinate, first mode fastest; a coordinate may be flatter than the shape.
//   crd2idx((1,2), (3,4)) == 7
// Throws Error when the coordinate does not fit the shape or is out of its bounds.
std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape);
// Its inverse; index must be in [0, product(shape)).
IntTuple idx2crd(std::int64_t index, const IntTuple& shape);

// CuTe's notation: ((2,4),8), `_` for an underscore.
std::string to_string(const IntTuple& t);

}  // namespace swz
