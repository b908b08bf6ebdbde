// SPDX-License-Identifier: Apache-2.0
// Basis elements, the strides of a layout of coordinates, as CuTe prints and writes them.
//
//   1@0   E<0>{}                          a step along mode 0
//   4@1@0   ScaledBasis<C<4>, 0, 1>{}     four steps along mode 1 inside mode 0: printed from the inside out
//   ArithTuple(0,64) o (8,8):(1@0,1@1)    a tensor of coordinates that starts at (0,64)
//
// Source: print() and E of cute/numeric/arithmetic_tuple.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "expr/parser.hpp"

namespace swz {

// @1@0, after the number
IntTuple Parser::basis_element(std::int64_t scale) {
  std::vector<std::int64_t> path;
  const std::size_t begin = scanner_.here().begin;
  while (scanner_.accept('@')) {
    const auto mode = scanner_.integer();
    if (!mode || *mode < 0 || *mode >= limits::ranks.most)
      throw Error(fmt::format("expected the number of a mode after '@', {}",
                              mode ? fmt::format("got {}", *mode) : scanner_.found()),
                  "for example 1@0", scanner_.since(begin));
    grow(limits::expression_numbers, numbers_);
    path.insert(path.begin(), *mode);
    placed(begin, [&] { require_within(limits::expression_nesting, static_cast<std::int64_t>(path.size())); });
  }
  return scale == 0 ? IntTuple(0) : IntTuple::basis(scale, path);
}

// <0, 1> after E; <C<4>, 0, 1> after ScaledBasis
IntTuple Parser::basis_type(bool scaled, std::size_t begin) {
  const std::vector<Value> arguments = type_arguments("", begin);
  return placed(begin, [&] {
    std::vector<std::int64_t> path;
    for (const Value& v : arguments) path.push_back(as_int(v));
    std::int64_t scale = 1;
    if (scaled && !path.empty()) {
      scale = path[0];
      path.erase(path.begin());
    }
    require_within(limits::expression_nesting, static_cast<std::int64_t>(path.size()));
    for (const std::int64_t mode : path)
      if (mode < 0 || mode >= limits::ranks.most)
        throw Error(fmt::format("{} is not the number of a mode", mode), "for example E<0>{}");
    if (path.empty()) return IntTuple(scale);
    return scale == 0 ? IntTuple(0) : IntTuple::basis(scale, path);
  });
}

// The value at a coordinate, or a slice of it.
Value Parser::call_basis(const BasisLayout& l, const IntTuple& coordinate) {
  if (!has_underscore(coordinate)) return coordinate_at(l, coordinate);
  const PackedBasis packed(l);
  const Slice s = slice(packed.layout(), coordinate);
  if (s.offset != 0) add_origin(packed.coordinate_of(s.offset));
  return layout_of(s.layout.shape(), packed.stride_of(s.layout));
}

// Adds a note with the start of the coordinates, which the layout counts from 0.
void Parser::add_origin(const IntTuple& origin) {
  const std::vector<std::int64_t> values = flat_values(origin);
  if (std::ranges::all_of(values, [](std::int64_t v) { return v == 0; })) return;
  add_notes(
      {note("coordinate-origin",
            fmt::format("it starts at coordinate {}; as in CuTe the layout does not hold it, it is added to every "
                        "value",
                        to_string(origin)))});
}

}  // namespace swz
