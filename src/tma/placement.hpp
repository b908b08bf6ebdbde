// SPDX-License-Identifier: Apache-2.0
// BoxPlacement: where a copy of one box writes, or reads, every byte in shared memory.
//
//   pitch = max(inner bytes, span of the swizzle)          inner bytes: those of dimension 0 of the box
//   lin   = address + row * pitch + byte in the row        row: the outer dimensions, dimension 1 fastest
//   byte  = lin ^ (((lin >> 7) & mask) << 4)               on the absolute address
//
//   bf16, box (16, 4), 64B, at 0x400:  rows of 32 B at a pitch of 64 B: allocate 256 B, expect 128 B
//     element (8, 2): lin = 0x400 + 2 * 64 + 16 = 0x490, line 9, 9 & 3 = 1, byte 0x480
//
//   16-bit types, box (48, 4), 96B, at 0x400 (sm_103a):  rows of 96 B
//     element (16, 1): lin = 0x400 + 96 + 32 = 0x480, line 9, 9 & 1 = 1, byte 0x490
//
// Bytes between the end of a row and the pitch are not written, but the XOR spreads these gaps over the span. Elements
// outside of the tensor are filled, and count on the mbarrier like the others. They are filled with zeros, or with the
// 16 bits of nan_fill, repeated. If an element stride is not 1, ceil(box / stride) entries are loaded; the stride of
// dimension 0 is ignored.
//
//   16U4_ALIGN16B, box (128, 8), 128B:  rows of 128 B, 64 of which are data: allocate 1024 B, expect 512 B
//     element (37, 0): slot 0x25, byte 0x22, bits 7-4
//
// An im2col copy has a row for each pixel of its walk (tma/im2col_walk.hpp), of channelsPerPixel entries:
//
//   f16, 64 channels, 128B, at 0:  row 5 begins at 640, its channel 8 is in chunk 1 ^ 5: byte 704
//
// gather4 and scatter4 have a box (W, 1) and take {x, y0, y1, y2, y3}: row j is row y_j of the tensor. Otherwise both
// follow the rules above.
//
// With interleave an entry of dimension 0 is 16 or 32 bytes: the channels of a slice, which are no dimension. The second
// last dimension counts slices, of which a copy loads one, whatever the box says. Rows lie without gaps, also below the
// span of the swizzle.
//
// Measured on H200: 6,000 of 6,000 loads of rank 1 to 5, with element strides in every dimension, from before, inside
// and beyond the tensor, both fills, modes NONE to 128B, including the gaps. The rest follows cuda.h and PTX ISA 9.1,
// 5.5; unmeasured() lists it.
//
// Invariants (tested): byte() is a bijection from rows() x inner() into [address, address + allocate()).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "smem/tile.hpp"
#include "tma/im2col_walk.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

// The SMEM address of any tensor copy is a multiple of this.
inline constexpr Bytes tma_smem_alignment{128};

// A copy of an im2col map, and one of tile::gather4 or tile::scatter4.
struct ImageCopy {
  Im2colMap map;
  Im2colOffsets offsets = {};
};
struct GatherCopy {
  TensorMap map;
};
inline constexpr int gathered_rows = 4;

class BoxPlacement {
 public:
  // Throws Error if a driver refuses the map on every target, if the address is not a multiple of 128, or if the box
  // runs past the end of shared memory; and for what no document describes: the mode with flipped halves.
  BoxPlacement(const TensorMap& map, Bytes address, const Target* target = nullptr);
  // Also for offsets that the instruction has no bits for.
  BoxPlacement(const ImageCopy& copy, Bytes address, const Target* target = nullptr);
  // Also unless the map has rank 2, a box of one row and no interleave.
  BoxPlacement(const GatherCopy& copy, Bytes address, const Target* target = nullptr);

  // Null unless the copy is one of an im2col map.
  const ImageCopy* image() const { return image_ ? &*image_ : nullptr; }
  const Im2colWalk* walk() const { return walk_ ? &*walk_ : nullptr; }
  bool is_gather() const { return is_gather_; }
  bool is_tile() const { return !image_ && !is_gather_; }
  const TensorMap& map() const { return map_; }
  Bytes address() const { return address_; }
  const Target* target() const { return target_; }  // null: not given
  // The entries that a load writes along each dimension.
  const TensorCoordinate& sizes() const { return sizes_; }
  std::int64_t rows() const { return sizes_[1] * sizes_[2] * sizes_[3] * sizes_[4]; }
  // Dimensions of the box: those of the tensor, or of an im2col copy and of gather4 two, entries and rows.
  int box_rank() const { return is_tile() ? map_.dim_count() : 2; }
  // The bits of an entry of dimension 0 in shared memory.
  int element_bits() const { return interleaved_ == 0 ? type_->smem_bits : interleaved_ * 8; }
  int element_gmem_bits() const { return interleaved_ == 0 ? type_->gmem_bits : interleaved_ * 8; }

  // From one entry of dimension 0 to the next, in the tensor: the element stride acts on entries of an interleaved map.
  std::int64_t interleaved_step() const {
    return interleaved_ == 0 || image_ ? 1 : static_cast<std::int64_t>(map_.element_strides[0]);
  }

  Bytes inner() const { return Bytes{sizes_[0] * element_bits() / 8}; }
  // With interleave rows lie without gaps.
  Bytes pitch() const { return interleaved_ == 0 ? std::max(inner(), swizzle_->span) : inner(); }
  // With interleave rows may end inside of the swizzle's span: whole spans, because the XOR goes through them.
  Bytes allocate() const {
    const std::int64_t bytes = rows() * pitch().count,
                       span = interleaved_ == 0 ? 1 : std::max<std::int64_t>(1, swizzle_->span.count);
    return Bytes{(bytes + span - 1) / span * span};
  }
  // The bytes that the mbarrier of one load counts. For the ALIGN16B types these are the bytes of global memory,
  // without the gaps (an open question, tx-bytes).
  Bytes expect_bytes() const { return Bytes{rows() * sizes_[0] * element_gmem_bits() / 8}; }
  // The form of elements narrower than a byte; null for others. Types with the same gaps have the same form.
  const NarrowForm* form() const { return form_; }
  // At multiples of this the image of a box is the same relative to its address.
  Bytes pattern() const { return std::max(tma_smem_alignment, swizzle_->pattern()); }

  // The address of a byte, for 0 <= row < rows() and 0 <= byte_in_row < inner().
  Bytes byte(std::int64_t row, std::int64_t byte_in_row) const {
    return Bytes{swizzle_->byte(address_.count + row * pitch().count + byte_in_row)};
  }
  // The columns of a row: its entries; of entries of 32 bytes, halves of 16.
  int column_bits() const { return std::min(element_bits(), 128); }
  std::int64_t columns() const { return inner().count * 8 / column_bits(); }
  // How far along dimension 0 of the tensor a column is from the first one.
  std::int64_t along(std::int64_t column) const { return column * column_bits() / element_bits() * interleaved_step(); }
  // The first bit of a column of a row. For the ALIGN16B types byte() is that of its 8-bit slot (smem/tile.hpp).
  Bits bit(std::int64_t row, std::int64_t column) const {
    const std::int64_t in_row = column * column_bits();
    return value_bit(form_, Bits{byte(row, in_row / 8).count * 8 + in_row % 8});
  }
  // The byte of each column, dimension 0 fastest.
  std::vector<std::int64_t> addresses() const;

  // The first element of a row, for a copy that starts at `start` (which may be negative, or beyond the tensor); for
  // gather4 the coordinates of the instruction.
  TensorCoordinate row_start(std::int64_t row, const TensorCoordinate& start) const;
  // Whether the tensor has no such element, so that the load fills it.
  bool is_filled(const TensorCoordinate& element) const;

  // The facts that rest only on documents, one sentence each; empty if all were measured.
  std::vector<std::string> unmeasured() const;

 private:
  // The rest of the constructors, once the sizes are known.
  void place();

  TensorMap map_;
  std::optional<ImageCopy> image_;
  std::optional<Im2colWalk> walk_;
  bool is_gather_ = false;
  int interleaved_ = 0;  // bytes of an entry, 0 without interleave
  Bytes address_;
  const Target* target_;
  const TensorMapDataTypeRow* type_ = nullptr;
  const TensorMapSwizzleRow* swizzle_ = nullptr;
  const NarrowForm* form_ = nullptr;
  TensorCoordinate sizes_ = {1, 1, 1, 1, 1};
};

// What a load leaves in a byte of shared memory: the byte of the tensor, counted from globalAddress, or one of these.
inline constexpr std::int64_t filled_byte = -1;
inline constexpr std::int64_t untouched_byte = -2;

// What FLOAT_OOB_FILL_NAN writes, low byte first, for every type; it is not the 0x7fffffff of other NaNs in CUDA.
//   f16 0x7ff7    f32 0x7ff77ff7    f64 0x7ff77ff77ff77ff7
// Source: H200, f16, bf16, f32 and f64.
inline constexpr std::uint16_t nan_fill = 0x7ff7;

// Along dimension 0 a load starts at a multiple of this; otherwise the kernel ends with CUDA_ERROR_ILLEGAL_INSTRUCTION.
// Source: H200, 120 loads: 26 of 27 that faulted had another start; the 27th ran next to them.
inline constexpr Bytes tma_start_alignment{16};

// The contents of every byte of [address, address + allocate). Throws Error for types that are padded in shared
// memory, and for a start that faults.
std::vector<std::int64_t> box_image(const BoxPlacement& placement, const TensorCoordinate& start);
// The same also for a start that faults, as if it did not.
std::vector<std::int64_t> image_from(const BoxPlacement& placement, const TensorCoordinate& start);
// Throws Error for a start that faults: beyond 32 bits, not at a multiple of 16 bytes along dimension 0, or outside of
// the box of pixels.
void require_fine_start(const BoxPlacement& placement, const TensorCoordinate& start);

}  // namespace swz
