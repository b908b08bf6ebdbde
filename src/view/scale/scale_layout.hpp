// SPDX-License-Identifier: Apache-2.0
// Views of scale factors in memory: `swz sf place`, `sf list`, `sf diff`, `sf identify`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scale/scale_identify.hpp"
#include "scale/scale_tensor.hpp"
#include "view/document/figure.hpp"

namespace swz {

// "gated, then shuffle32", and the names as a list.
std::string order_text(const std::vector<const RowOrder*>& orders);
Json order_json(const std::vector<const RowOrder*>& orders);

// For an element (row, k) its factor, without one the layout.
struct ScaleLayoutView {
  ScaleTensor tensor;
  int vec = 32;
  std::int64_t k = 0;                      // K of the operand
  std::optional<ScaleCoordinate> at = {};  // the factor
  std::optional<std::int64_t> at_k = {};   // the element's k, if one was asked for
  std::optional<Bytes> offset = {};        // or which factor is there
  bool has_map = false;
};
// Throws Error for an element or byte that does not exist, and for a map beyond limits::listed_factors.
Document view_scale_layout(const ScaleLayoutView& view);
// Where each block of the operand begins; the factors of one block, that of the point or the first.
Figure scale_blocks_figure(const ScaleLayoutView& view);
Figure scale_units_figure(const ScaleLayoutView& view);
Drawing scale_layout_drawing(const ScaleLayoutView& view);

// Every layout, with its size and those that are the same function for these extents, if there are some.
Document view_scale_list(const std::optional<ScaleExtents>& extents);

// What the reader of `b` gets from what `a` wrote.
Document view_scale_difference(const ScaleTensor& a, const ScaleTensor& b, const ScaleDifference& difference);

struct ScaleIdentityView {
  std::string input;  // the form and name of the dump
  ScaleExtents extents;
  ScaleIdentity found;
};
Document view_scale_identity(const ScaleIdentityView& view);

// Python that fills factors so that one dump decides.
std::string scale_fill_source(const ScaleExtents& extents);

}  // namespace swz
