// SPDX-License-Identifier: Apache-2.0
#include "tma/placement.hpp"

#include <fmt/format.h>

#include "arch/target.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

// The place of an element that the tensor has, in bits from globalAddress.
std::int64_t tensor_bit(const TensorMap& map, const TensorCoordinate& element) {
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(map.dim_count()); ++i)
    bytes = checked_add(bytes, checked_mul(element[i], static_cast<std::int64_t>(map.strides[i - 1])));
  return checked_add(checked_mul(bytes, 8), element[0] * find_row(map.data_type)->gmem_bits);
}

}  // namespace

BoxPlacement::BoxPlacement(const TensorMap& map, Bytes address, const Target* target)
    : map_(map), address_(address), target_(target) {
  // The target that refuses least.
  require_possible(map, map.swizzle == TensorMapSwizzle::b96 ? require_target("sm_103a") : sm_100a());
  if (map.interleave != TensorMapInterleave::none)
    throw Error("where an interleaved load puts its bytes is not known",
                "no document says it and it was not measured; INTERLEAVE_NONE is");
  if (find_row(map.swizzle)->flips_halves)
    throw Error(fmt::format("where swizzle {} puts its bytes is not known", find_row(map.swizzle)->name),
                "no document says in which lines the 8-byte halves are swapped");
  type_ = find_row(map.data_type);
  swizzle_ = find_row(map.swizzle);
  form_ = find_narrow_form_of_map(type_->name);
  sizes_ = {static_cast<std::int64_t>(map.box[0]), 1, 1, 1, 1};
  for (std::size_t i = 1; i < static_cast<std::size_t>(map.dim_count()); ++i)
    sizes_[i] = ceil_div(static_cast<std::int64_t>(map.box[i]), static_cast<std::int64_t>(map.element_strides[i]));
  if (address.count < 0 || !address.is_multiple_of(tma_smem_alignment))
    throw Error(fmt::format("the SMEM address {:#x} of a tensor copy is not a multiple of 128", address.count),
                "align the buffer to 128 B");
  const Bytes window = smem_window(target);
  if (address.count > window.count - allocate().count)
    throw Error(fmt::format("a box that takes {} B at {:#x} runs past {:#x}, the end of shared memory",
                            allocate().count, address.count, window.count),
                fmt::format("{} rows at a pitch of {} B: take a smaller box", rows(), pitch().count));
}

std::vector<std::int64_t> BoxPlacement::addresses() const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows() * sizes_[0]));
  for (std::int64_t row = 0; row < rows(); ++row)
    for (std::int64_t i = 0; i < sizes_[0]; ++i) out.push_back(bit(row, i).in_bytes().count);
  return out;
}

TensorCoordinate BoxPlacement::row_start(std::int64_t row, const TensorCoordinate& start) const {
  TensorCoordinate element = start;
  for (std::size_t i = 1; i < sizes_.size(); ++i) {
    element[i] += row % sizes_[i] * static_cast<std::int64_t>(map_.element_strides[i]);
    row /= sizes_[i];
  }
  return element;
}

bool BoxPlacement::is_filled(const TensorCoordinate& element) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(map_.dim_count()); ++i)
    if (element[i] < 0 || element[i] >= static_cast<std::int64_t>(map_.dims[i])) return true;
  return false;
}

std::vector<std::string> BoxPlacement::unmeasured() const {
  std::vector<std::string> out;
  if (!swizzle_->is_on_sm_90)
    out.push_back(fmt::format("swizzle {}: {}", swizzle_->name,
                              map_.swizzle == TensorMapSwizzle::b96 ? swizzle_96_source.where : "PTX ISA 9.1, 5.5.7"));
  if (type_->is_packed())
    out.push_back(
        fmt::format("{}: cuda.h{}", type_->name,
                    type_->is_padded() ? "; that the mbarrier counts bytes of global memory: CUTLASS, CuTe-DSL" : ""));
  return out;
}

std::vector<std::int64_t> box_image(const BoxPlacement& placement, const TensorCoordinate& start) {
  const TensorMapDataTypeRow& type = *find_row(placement.map().data_type);
  if (type.is_padded())
    throw Error(fmt::format("{} has no image byte by byte: shared memory holds padded values", type.name), "");
  for (const std::int64_t coordinate : start)
    if (coordinate < INT32_MIN || coordinate > INT32_MAX)
      throw Error(fmt::format("the coordinate {} does not fit in 32 bits", coordinate),
                  "the instruction takes signed 32-bit coordinates, in elements");
  const std::int64_t start_bits = tma_start_alignment.count * 8;
  if (start[0] * type.gmem_bits % start_bits != 0)
    throw Error(
        fmt::format("a load of {} that starts at element {} of dimension 0, which is not a multiple of 16 B, faults",
                    type.name, start[0]),
        fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of {} elements",
                    start_bits / type.gmem_bits));
  std::vector<std::int64_t> image(static_cast<std::size_t>(placement.allocate().count), untouched_byte);
  for (std::int64_t row = 0; row < placement.rows(); ++row) {
    TensorCoordinate element = placement.row_start(row, start);
    for (std::int64_t b = 0; b < placement.inner().count; ++b) {
      element[0] = start[0] + b * 8 / type.gmem_bits;
      const auto to = static_cast<std::size_t>(placement.byte(row, b).count - placement.address().count);
      image[to] = placement.is_filled(element) ? filled_byte
                                               : (tensor_bit(placement.map(), element) + b * 8 % type.gmem_bits) / 8;
    }
  }
  return image;
}

}  // namespace swz
