// SPDX-License-Identifier: Apache-2.0
// The walk of an im2col copy: which pixel of the tensor is in each row of shared memory.
//
//   for row 0, 1, …, pixels - 1:  the row holds `channels` channels of the pixel at (w + ow, h + oh, d + od, n)
//     w += es_w;  where w reaches W + upper_w: w = lower_w, h += es_h;  where h reaches H + upper_h: h = lower_h,
//     d += es_d;  where d reaches D + upper_d: d = lower_d, n += es_n
//
//   N 1, H 4, W 4, 3x3, padding 1: lower (-1, -1), upper (-1, -1), from (0, -1, -1, 0), offsets (1, 1): pixels 0 to 15
//   the same with offsets (0, 0):  · · · · · 0 1 2 · 4 5 6 · 8 9 10     ·: outside of the tensor, filled
//
// The offsets choose the entry of the filter: they move what is read, not where the walk turns. It turns to lower, not
// to where the copy started. An axis has floor((dim + upper - lower - 1) / es) + 1 places.
//
// Dimensions are (C, W, [H, [D,]] N). With interleave they are (W, [H, [D,]] slices, N): the walk has the same axes, one
// dimension earlier, and stays in the slice of its start.
//
// im2col::w walks along W and then to the next image. PTX moves its box and its start by the offset, which is the same:
// the walk does not change, what it reads moves. After its rows come `halo` more of the same walk. im2col::w::128 has
// 128 rows; the halo of rows 32 c to 32 c + 31 are the `halo` places that follow them, in rows 128 + 4 h + c.
//
// A load from outside of the box of pixels faults (CUDA_ERROR_ILLEGAL_INSTRUCTION on H100), between its places it goes
// on from there.
//
// Invariants (tested): equal to the steps above for every row, also from a start between the places of the walk.
// Source: PTX ISA 9.4, 5.5.4 to 5.5.6; H100, swz verify --only im2col,interleave. The wide forms need Blackwell and were not measured; the rows of the halo of
// im2col::w::128 are from one simulator (open question w128-halo).
#pragma once

#include <array>
#include <cstdint>

#include "tma/tensor_map.hpp"

namespace swz {

// Elements, dimension 0 first. Entries beyond the rank are 0 in a place and 1 in a size.
using TensorCoordinate = std::array<std::int64_t, 5>;

// The last operand of an im2col load.
struct Im2colOffsets {
  std::array<std::int64_t, 3> filter = {};  // W, H, D; of the wide forms W alone
  std::int64_t halo = 0;                    // of the wide forms

  bool operator==(const Im2colOffsets&) const = default;
};

// One axis of the walk: places from `lower` in steps of `step` below `end`, along a dimension of the tensor.
struct Im2colAxis {
  std::size_t dim = 0;
  std::int64_t lower = 0, end = 0, step = 1;

  std::int64_t places() const { return (end - lower + step - 1) / step; }
};

class Im2colWalk {
 public:
  // The map must be one that the driver accepts.
  Im2colWalk(const Im2colMap& map, const Im2colOffsets& offsets);

  // W first.
  const Im2colAxis& axis(int i) const { return axes_[static_cast<std::size_t>(i)]; }
  int axis_count() const { return axis_count_; }
  std::size_t image_dim() const { return image_dim_; }  // that of N
  // The rows of the copy, with those of the halo; and without them.
  std::int64_t rows() const { return rows_; }
  std::int64_t main_rows() const { return main_rows_; }
  bool is_halo(std::int64_t row) const { return row >= main_rows_; }

  // The first element of a row, without the offsets of the filter: the place of the window.
  TensorCoordinate window(std::int64_t row, const TensorCoordinate& start) const;
  // The first element that the row holds. It may be outside of the tensor.
  TensorCoordinate element(std::int64_t row, const TensorCoordinate& start) const;
  // Whether the start is in the box of pixels. A start of im2col::w may also lie before it.
  bool holds_start(const TensorCoordinate& start) const;

 private:
  std::int64_t steps_to(std::int64_t row) const;

  std::array<Im2colAxis, 3> axes_ = {};
  std::array<std::int64_t, 3> moved_ = {};  // by the offsets, along each axis
  int axis_count_ = 0;
  std::size_t image_dim_ = 0;
  std::int64_t image_step_ = 1;
  std::int64_t rows_ = 0, main_rows_ = 0, halo_ = 0;
  bool is_w128_ = false;
};

// The largest offset of the filter of a map: 16 bits for rank 3, 8 for rank 4, 5 for rank 5 and the wide forms.
std::int64_t most_filter_offset(const Im2colMap& map);
// Throws Error for offsets that the operand of the instruction has no bits for.
void require_offsets(const Im2colMap& map, const Im2colOffsets& offsets);

}  // namespace swz
