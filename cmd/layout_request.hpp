// SPDX-License-Identifier: Apache-2.0
// What may be given for a layout in the notation of any project: the dialect, and the shape of the array and its
// element type if the text does not give them.
//
//   --from triton --shape 128x32 --dtype f16
#pragma once

#include "command.hpp"
#include "dialect/dialect.hpp"

namespace swz {

// "128x32", "(64, 64)", "[2, 64, 64]", "512"
struct ShapeText {
  ArrayShape extents;
};
void read_value(const std::string& text, ShapeText& to);
void read_value(const std::string& text, const Dialect*& to);  // "all" is null

struct GivenRequest {
  std::optional<ShapeText> shape;
  const DType* dtype = nullptr;
  const Dialect* from = nullptr;

  Given given() const { return {shape ? shape->extents : ArrayShape(), dtype}; }
};
// --from, --shape, --dtype
Options given_options(GivenRequest& given);
Words dialect_words();

}  // namespace swz
