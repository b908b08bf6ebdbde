// SPDX-License-Identifier: Apache-2.0
// View of a convolution: what `swz tma conv` answers. Its figure shows which pixel each row of a copy holds, for each
// entry of the filter.
#pragma once

#include "arch/target.hpp"
#include "tma/convolution.hpp"
#include "view/document/document.hpp"

namespace swz {

struct ConvReport {
  Convolution conv;
  Im2colMap map;
  std::int64_t row = 0;              // the first row of the GEMM's tile
  std::vector<FilterEntry> entries;  // those that were asked for
};

// JSON: op, dtype, dims, strides, element_strides, lower, upper, channels, pixels, swizzle, places, gemm {rows, k},
// expect_bytes, row, start, entries [{at, offsets, k, inside}].
Document view_convolution(const ConvReport& report);

}  // namespace swz
