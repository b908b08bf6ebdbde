// SPDX-License-Identifier: Apache-2.0
#include "tma/placement.hpp"

#include <fmt/format.h>

#include "arch/target.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

// The place of an entry that the tensor has, in bits from globalAddress.
std::int64_t tensor_bit(const BoxPlacement& placement, const TensorCoordinate& element) {
  const TensorMap& map = placement.map();
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(map.dim_count()); ++i)
    bytes = checked_add(bytes, checked_mul(element[i], static_cast<std::int64_t>(map.strides[i - 1])));
  return checked_add(checked_mul(bytes, 8), element[0] * placement.element_gmem_bits());
}

// The target that refuses least.
const Target& lenient_target(const TensorMap& map) {
  return map.swizzle == TensorMapSwizzle::b96 ? require_target("sm_103a") : sm_100a();
}

int interleaved_bytes(TensorMapInterleave interleave) {
  constexpr int bytes[] = {0, 16, 32};
  return bytes[static_cast<std::size_t>(interleave)];
}

void require_pixel(const Im2colWalk& walk, bool is_wide, const TensorCoordinate& start) {
  for (int i = 0; i < walk.axis_count(); ++i) {
    const Im2colAxis& axis = walk.axis(i);
    const std::int64_t at = start[axis.dim];
    if (at < axis.end && (at >= axis.lower || is_wide)) continue;
    throw Error(
        fmt::format("an im2col load that starts at {} along {}, outside of the box of pixels, faults", at, "WHD"[i]),
        fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION on H100; the box has {} to {}, nearest: {}", axis.lower,
                    axis.end - 1, at < axis.lower ? axis.lower : axis.end - 1));
  }
}

}  // namespace

BoxPlacement::BoxPlacement(const TensorMap& map, Bytes address, const Target* target)
    : map_(map), address_(address), target_(target) {
  require_possible(map, lenient_target(map));
  for (std::size_t i = map.interleave == TensorMapInterleave::none ? 1 : 0;
       i < static_cast<std::size_t>(map.dim_count()); ++i)
    sizes_[i] = ceil_div(static_cast<std::int64_t>(map.box[i]), static_cast<std::int64_t>(map.element_strides[i]));
  if (map.interleave == TensorMapInterleave::none) sizes_[0] = static_cast<std::int64_t>(map.box[0]);
  else sizes_[static_cast<std::size_t>(map.rank - 2)] = 1;  // one slice of channels
  place();
}

BoxPlacement::BoxPlacement(const ImageCopy& copy, Bytes address, const Target* target)
    : map_(copy.map.tensor), image_(copy), address_(address), target_(target) {
  require_possible(copy.map, lenient_target(map_));
  require_offsets(copy.map, copy.offsets);
  walk_.emplace(copy.map, copy.offsets);
  if (map_.interleave == TensorMapInterleave::none) sizes_[0] = static_cast<std::int64_t>(copy.map.channels_per_pixel);
  sizes_[1] = walk_->rows();
  place();
}

BoxPlacement::BoxPlacement(const GatherCopy& copy, Bytes address, const Target* target)
    : map_(copy.map), is_gather_(true), address_(address), target_(target) {
  require_possible(map_, lenient_target(map_));
  if (map_.rank != 2)
    throw Error(fmt::format("gather4 and scatter4 need a map of rank 2, not {}", map_.rank), "PTX ISA 9.4, 5.5.2");
  if (map_.box[1] != 1)
    throw Error(fmt::format("gather4 and scatter4 need a box of one row; box[1] = {}", map_.box[1]),
                fmt::format("box = {}, 1: the instruction names four rows; PTX ISA 9.4, 5.5.2", map_.box[0]));
  if (map_.interleave != TensorMapInterleave::none)
    throw Error("gather4 and scatter4 take no interleave", "INTERLEAVE_NONE; PTX ISA 9.4, 5.5.2");
  sizes_[0] = static_cast<std::int64_t>(map_.box[0]);
  sizes_[1] = gathered_rows;
  place();
}

void BoxPlacement::place() {
  if (find_row(map_.swizzle)->flips_halves)
    throw Error(fmt::format("where swizzle {} puts its bytes is not known", find_row(map_.swizzle)->name),
                "no document says in which lines the 8-byte halves are swapped");
  type_ = find_row(map_.data_type);
  swizzle_ = find_row(map_.swizzle);
  form_ = find_narrow_form_of_map(type_->name);
  interleaved_ = interleaved_bytes(map_.interleave);
  if (address_.count < 0 || !address_.is_multiple_of(tma_smem_alignment))
    throw Error(fmt::format("the SMEM address {:#x} of a tensor copy is not a multiple of 128", address_.count),
                "align the buffer to 128 B");
  const Bytes window = smem_window(target_);
  if (address_.count > window.count - allocate().count)
    throw Error(fmt::format("a box that takes {} B at {:#x} runs past {:#x}, the end of shared memory",
                            allocate().count, address_.count, window.count),
                fmt::format("{} rows at a pitch of {} B: take a smaller box", rows(), pitch().count));
}

std::vector<std::int64_t> BoxPlacement::addresses() const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows() * columns()));
  for (std::int64_t row = 0; row < rows(); ++row)
    for (std::int64_t i = 0; i < columns(); ++i) out.push_back(bit(row, i).in_bytes().count);
  return out;
}

TensorCoordinate BoxPlacement::row_start(std::int64_t row, const TensorCoordinate& start) const {
  if (walk_) return walk_->element(row, start);
  if (is_gather_) return {start[0], start[static_cast<std::size_t>(1 + row)]};
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
  if (is_gather_) out.push_back("tile::gather4 and tile::scatter4: PTX ISA 9.4, 5.5.2; no Blackwell GPU was available");
  if (image_ && image_->map.wide)
    out.push_back(fmt::format("im2col::w{}: PTX ISA 9.4, 5.5.5; no Blackwell GPU was available{}",
                              image_->map.wide == Im2colWideMode::w128 ? "::128" : "",
                              image_->offsets.halo == 0 ? ""
                              : image_->map.wide == Im2colWideMode::w128
                                  ? "; the rows of the halo are from one simulator, NumSim of tirx_harness 0.1.2"
                                  : "; that the halo goes on with the walk: PTX and that simulator"));
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
  require_fine_start(placement, start);
  return image_from(placement, start);
}

std::vector<std::int64_t> image_from(const BoxPlacement& placement, const TensorCoordinate& start) {
  const TensorMapDataTypeRow& type = *find_row(placement.map().data_type);
  if (type.is_padded())
    throw Error(fmt::format("{} has no image byte by byte: shared memory holds padded values", type.name), "");
  const std::int64_t bits = placement.element_gmem_bits();
  const auto step = placement.interleaved_step();
  std::vector<std::int64_t> image(static_cast<std::size_t>(placement.allocate().count), untouched_byte);
  for (std::int64_t row = 0; row < placement.rows(); ++row) {
    TensorCoordinate element = placement.row_start(row, start);
    const std::int64_t first = element[0];
    for (std::int64_t b = 0; b < placement.inner().count; ++b) {
      element[0] = first + b * 8 / bits * step;
      const auto to = static_cast<std::size_t>(placement.byte(row, b).count - placement.address().count);
      image[to] = placement.is_filled(element) ? filled_byte : (tensor_bit(placement, element) + b * 8 % bits) / 8;
    }
  }
  return image;
}

void require_fine_start(const BoxPlacement& placement, const TensorCoordinate& start) {
  const TensorMap& map = placement.map();
  for (const std::int64_t coordinate : start)
    if (coordinate < INT32_MIN || coordinate > INT32_MAX)
      throw Error(fmt::format("the coordinate {} does not fit in 32 bits", coordinate),
                  "the instruction takes signed 32-bit coordinates, in elements");
  const int bits = placement.element_gmem_bits();
  const std::int64_t start_bits = tma_start_alignment.count * 8;
  if (start[0] * bits % start_bits != 0)
    throw Error(
        fmt::format("a load of {} that starts at element {} of dimension 0, which is not a multiple of 16 B, faults",
                    find_row(map.data_type)->name, start[0]),
        fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of {} elements", start_bits / bits));
  if (placement.walk() != nullptr) require_pixel(*placement.walk(), placement.image()->map.wide.has_value(), start);
}

}  // namespace swz
