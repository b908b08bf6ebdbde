// SPDX-License-Identifier: Apache-2.0
#include "tma/convolution.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr std::string_view axis_names[] = {"W", "H", "D"};

std::int64_t lower_of(const Convolution& conv, const ConvAxis& x) {
  return conv.op == ConvOp::dgrad ? x.before - x.reach() : -x.before;
}
std::int64_t upper_of(const Convolution& conv, const ConvAxis& x) {
  return conv.op == ConvOp::dgrad ? lower_of(conv, x) + x.extent - x.outputs() : x.after - x.reach();
}
// The extent of the tensor that is walked.
std::int64_t walked(const Convolution& conv, const ConvAxis& x) {
  return conv.op == ConvOp::dgrad ? x.outputs() : x.extent;
}

}  // namespace

std::int64_t Convolution::places() const {
  std::int64_t product = 1;
  for (const ConvAxis& axis : axes) product = checked_mul(product, places(axis));
  return product;
}

std::int64_t Convolution::entries() const {
  std::int64_t product = 1;
  for (const ConvAxis& axis : axes) product = checked_mul(product, axis.filter);
  return product;
}

void require_convolution(const Convolution& conv) {
  for (std::size_t i = 0; i < conv.axes.size(); ++i) {
    const ConvAxis& x = conv.axes[i];
    if (x.extent + x.before + x.after <= x.reach())
      throw Error(fmt::format("the filter reaches over {} entries along {}, the padded input has {}", x.reach() + 1,
                              axis_names[i], x.extent + x.before + x.after),
                  fmt::format("an input of {} or more, or {} more of padding", x.reach() + 1 - x.before - x.after,
                              x.reach() + 1 - x.extent - x.before - x.after));
    if (conv.op == ConvOp::dgrad && x.stride != 1)
      throw Error(
          fmt::format("dgrad with stride {} is not one walk: entries of the filter reach different inputs", x.stride),
          "CUTLASS splits it into stride^2 problems without im2col; stride 1 is");
    if (x.stride > 8)
      throw Error(fmt::format("stride {} along {} is not an element stride: 1 to 8", x.stride, axis_names[i]),
                  "cuda.h, cuTensorMapEncodeIm2col, elementStrides; nearest: 8");
  }
}

Im2colMap im2col_map(const Convolution& conv, std::int64_t channels, std::int64_t pixels, TensorMapSwizzle swizzle) {
  require_convolution(conv);
  Im2colMap map;
  TensorMap& tensor = map.tensor;
  tensor.data_type = conv.type;
  tensor.swizzle = swizzle;
  tensor.rank = static_cast<int>(conv.axes.size()) + 2;
  tensor.dims[0] = static_cast<std::uint64_t>(conv.channels);
  const std::int64_t row_bits = checked_mul(conv.channels, find_row(conv.type)->gmem_bits);
  std::int64_t stride = (row_bits + 127) / 128 * 16;
  for (std::size_t i = 0; i < conv.axes.size(); ++i) {
    const ConvAxis& x = conv.axes[i];
    tensor.dims[i + 1] = static_cast<std::uint64_t>(walked(conv, x));
    tensor.strides[i] = static_cast<std::uint64_t>(stride);
    stride = checked_mul(stride, walked(conv, x));
    if (conv.op != ConvOp::dgrad) tensor.element_strides[i + 1] = static_cast<std::uint64_t>(x.stride);
    map.lower_corner[i] = lower_of(conv, x);
    map.upper_corner[i] = upper_of(conv, x);
  }
  tensor.dims[conv.axes.size() + 1] = static_cast<std::uint64_t>(conv.images);
  tensor.strides[conv.axes.size()] = static_cast<std::uint64_t>(stride);
  map.channels_per_pixel = static_cast<std::uint64_t>(channels);
  map.pixels_per_column = static_cast<std::uint64_t>(pixels);
  return map;
}

FilterEntry filter_entry(const Convolution& conv, const std::array<std::int64_t, 3>& at) {
  FilterEntry entry{at, {}, 0};
  std::int64_t position = 0;
  for (std::size_t i = conv.axes.size(); i-- > 0;) {
    const ConvAxis& x = conv.axes[i];
    if (at[i] < 0 || at[i] >= x.filter)
      throw Error(fmt::format("the filter has entries 0 to {} along {}, not {}", x.filter - 1, axis_names[i], at[i]),
                  fmt::format("nearest: {}", at[i] < 0 ? 0 : x.filter - 1));
    entry.offsets.filter[i] = (conv.op == ConvOp::dgrad ? x.filter - 1 - at[i] : at[i]) * x.dilation;
    position = position * x.filter + at[i];
  }
  entry.k = position * conv.channels;
  return entry;
}

std::vector<FilterEntry> filter_entries(const Convolution& conv) {
  std::vector<FilterEntry> entries;
  for (std::int64_t i = 0; i < conv.entries(); ++i) {
    std::array<std::int64_t, 3> at = {};
    std::int64_t rest = i;
    for (std::size_t a = 0; a < conv.axes.size(); rest /= conv.axes[a++].filter) at[a] = rest % conv.axes[a].filter;
    entries.push_back(filter_entry(conv, at));
  }
  return entries;
}

TensorCoordinate start_of_row(const Convolution& conv, std::int64_t row, std::int64_t channel) {
  if (row < 0 || row >= conv.gemm_rows())
    throw Error(fmt::format("row {} is not one of the GEMM's {}", row, conv.gemm_rows()),
                fmt::format("its last one is {}", conv.gemm_rows() - 1));
  TensorCoordinate start = {channel};
  for (std::size_t i = 0; i < conv.axes.size(); ++i) {
    const ConvAxis& x = conv.axes[i];
    const std::int64_t step = conv.op == ConvOp::dgrad ? 1 : x.stride;
    start[i + 1] = lower_of(conv, x) + step * (row % conv.places(x));
    row /= conv.places(x);
  }
  start[conv.axes.size() + 1] = row;
  return start;
}

}  // namespace swz
