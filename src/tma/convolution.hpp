// SPDX-License-Identifier: Apache-2.0
// Convolution: the im2col map of a convolution, the offsets of each entry of its filter, and where a tile of its GEMM
// starts.
//
//   f16, N 8, H 56, W 56, C 64, filter 3x3, padding 1, stride 2 along W and H:
//     lower (-1, -1), upper (-1, -1), element strides (1, 2, 2, 1): 28 x 28 places for each image
//     row 30 of the GEMM is place (2, 1) of image 0: a copy that begins there starts at (c, -1 + 2 * 2, -1 + 2 * 1, 0)
//     entry (s, r) of the filter has the offsets (s, r); its K begins at (r * 3 + s) * 64
//
//   operation   lower                   upper                              start of place q      offset of entry t
//   fprop       -before                 after - (R - 1) dilation           lower + stride q      t dilation
//   wgrad       the same, of the activations
//   dgrad       before - (R - 1) dil.   lower + extent - outputs           lower + q             (R - 1 - t) dilation
//
// Fprop and wgrad walk the activations, dgrad (of stride 1) the gradient of the output, whose extents are `outputs`.
// Rows of the GEMM go through W, then H, D and N; K goes through C, then the filter along W, H and D.
//
// Invariants (tested): the walk reads what the definition of the operation reads, for every row and entry.
// Source: CUTLASS 4.7, include/cutlass/conv/detail.hpp and cute/atom/copy_traits_sm90_im2col.hpp; the walk was measured
// on H100.
#pragma once

#include <string>
#include <vector>

#include "tma/im2col_walk.hpp"

namespace swz {

enum class ConvOp { fprop, dgrad, wgrad };

struct ConvAxis {
  std::int64_t extent = 1;  // of the activations
  std::int64_t filter = 1, before = 0, after = 0, stride = 1, dilation = 1;

  std::int64_t reach() const { return (filter - 1) * dilation; }
  std::int64_t outputs() const { return (extent + before + after - reach() - 1) / stride + 1; }
};

struct Convolution {
  ConvOp op = ConvOp::fprop;
  TensorMapDataType type = TensorMapDataType::float16;
  std::int64_t images = 1, channels = 1;  // channels of the tensor that is walked
  std::vector<ConvAxis> axes;             // W first, 1 to 3

  std::int64_t places() const;   // of one image
  std::int64_t entries() const;  // of the filter
  std::int64_t gemm_rows() const { return images * places(); }
  // Places along an axis: outputs, of dgrad inputs.
  std::int64_t places(const ConvAxis& axis) const { return op == ConvOp::dgrad ? axis.extent : axis.outputs(); }
};

// Throws Error for a convolution without an output, for dgrad with a stride, and for numbers that no map has.
void require_convolution(const Convolution& conv);

// The map of its copies; the caller chooses channels, pixels and the swizzle.
Im2colMap im2col_map(const Convolution& conv, std::int64_t channels, std::int64_t pixels, TensorMapSwizzle swizzle);

// An entry of the filter, W fastest. Throws Error for one outside of the filter.
struct FilterEntry {
  std::array<std::int64_t, 3> at = {};  // (s, r, t)
  Im2colOffsets offsets;
  std::int64_t k = 0;  // where its channels begin in K
};
FilterEntry filter_entry(const Convolution& conv, const std::array<std::int64_t, 3>& at);
std::vector<FilterEntry> filter_entries(const Convolution& conv);

// The coordinates of a copy whose first row is this one of the GEMM. Throws Error for a row beyond the GEMM.
TensorCoordinate start_of_row(const Convolution& conv, std::int64_t row, std::int64_t channel = 0);

}  // namespace swz
