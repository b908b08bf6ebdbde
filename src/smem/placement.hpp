// SPDX-License-Identifier: Apache-2.0
// Placement: where every element of an operand is in shared memory, for a canonical tile or for any layout of rank 2.
//
//   Placement(parse_layout("(8,16):(16,1)"), 16)          bf16 rows of 32 B, one after another
//     byte(1, 8) = (1 * 16 + 8) * 2 = 48, bank 12; chunk 3 = elements (1, 8) ... (1, 15)
//   Placement(SmemTile{bf16, 8x16, K-major, mode 32B})    the same tile, swizzled: byte(4, 0) = 144
//
// A layout in smem_ptr form swizzles absolute byte addresses, as the hardware does; one in plain form swizzles element
// indices counted from the base. In both, the base is the address of index 0 before the swizzle.
//
// Chunks are the 16-byte pieces along the contiguous dimension, numbered in their GMEM order: row by row if K-major, k
// by k if MN-major. A layout has no chunks if its pieces are not contiguous in shared memory or do not begin at
// multiples of 16.
//
// Invariants: every address is at least 0 and below the end of the target's shared memory; for a tile, byte()
// is SmemTile::byte (tested).
//
// Selection: some chunks of an operand, and the number of wavefronts that it takes to read them.
//
//   bf16 8x16 K-major, rows 0-7 and k 0-7: chunks 0, 2, ..., 14, one phase of ldmatrix
//     rows of 32 B one after another: banks 0, 8, 16, 24, 0, ...: 2 wavefronts, 2-way, all eight collide
//     mode 32B: all banks once: 1 wavefront
//
// An access of 16 bytes per lane is served in phases of eight lanes. In one phase every 16-byte column of banks gives
// one chunk per wavefront. `rows` and `ks` select their rectangle, which ldmatrix reads eight lines of one chunk
// column at a time. `chunks` are read in the given order, eight at a time. `lanes` are those of ldmatrix, eight per
// phase: lane j names line j % 16 of the operand and chunk column j / 16 (j % 8 and j / 8 if it has only 8 lines), the
// order of the four matrices of an A operand of mma.sync. `bytes`, `banks` and `lines` are places in shared memory:
// they restrict what the others select, or the whole operand, to the elements there. These are not read together.
//
// Source: smem/access.hpp, for ldmatrix.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "smem/tile.hpp"

namespace swz {

// 16 bytes of an operand, named by the first element.
struct Chunk {
  std::int64_t row = 0, k = 0;
  Bytes byte;    // shared-memory address
  int bank = 0;  // bank of the first of its four words
};

class Placement {
 public:
  explicit Placement(const SmemTile& tile)
      : Placement(tile.layout(), tile.element_bits(), tile.base(), tile.major(), tile.form(), &tile.target()) {}
  // The layout is in elements of element_bits. Without a major, it is the dimension with contiguous chunks; K if both
  // or neither has them. Throws Error if the rank is not 2, the element sizes differ, the base is not a multiple of an
  // element, or an element would be outside of shared memory.
  // Without a target the end of shared memory is that of the targets before sm_107.
  Placement(const ComposedLayout& layout, int element_bits, Bytes base = {}, std::optional<Major> major = {},
            const NarrowForm* form = nullptr, const Target* target = nullptr);

  int element_bits() const { return element_bits_; }
  const Target* target() const { return target_; }  // null: not given
  // The form of elements narrower than a byte that tcgen05 reads; null for others.
  const NarrowForm* form() const { return form_; }
  bool has_gaps() const { return form_ != nullptr && form_->has_gaps; }
  // Bits of the element itself. With gaps this is less than its slot of element_bits().
  int value_bits() const { return has_gaps() ? form_->bits : element_bits_; }
  Bits value_bit(std::int64_t row, std::int64_t k) const { return swz::value_bit(form_, bit(row, k)); }
  Major major() const { return major_; }
  TileExtents extents() const { return extents_; }

  // The first bit of every element in shared memory, row by row, and of element (row, k). Here and below 0 <= row < mn
  // and 0 <= k < K.
  const std::vector<std::int64_t>& bits() const { return bits_; }
  Bits bit(std::int64_t row, std::int64_t k) const {
    return Bits{bits_[static_cast<std::size_t>(row * extents_.k + k)]};
  }
  Bytes byte(std::int64_t row, std::int64_t k) const { return bit(row, k).in_bytes(); }
  int bank(std::int64_t row, std::int64_t k) const { return static_cast<int>(byte(row, k).count / 4 % 32); }
  // The lowest byte of the operand, and one past its highest.
  Bytes begin() const { return begin_; }
  Bytes end() const { return end_; }

  // The first element, row by row, that is not where its piece of `bytes` bytes along a dimension requires: right
  // after the element before it, or, for the first of a piece, at a multiple of `bytes`. None if the pieces are whole.
  // The pieces must divide the extent, and an element must divide a piece.
  std::optional<TileCoordinate> first_torn(Major along, int bytes) const;

  bool has_chunks() const { return has_chunks_; }
  std::int64_t chunk_elements() const { return chunk.count * 8 / element_bits_; }
  // The number of lines, which are rows if K-major and k if MN-major, and the number of chunks per line.
  std::int64_t lines() const { return extents_.across(major_); }
  std::int64_t chunks_per_line() const { return extents_.along(major_) / chunk_elements(); }
  // The number of the chunk that contains an element, and the chunk with a number. Both need has_chunks().
  std::int64_t chunk_of(std::int64_t row, std::int64_t k) const {
    const TileCoordinate at{row, k};
    return at.line(major_) * chunks_per_line() + at.along(major_) / chunk_elements();
  }
  Chunk chunk_at(std::int64_t index) const;
  std::int64_t chunk_count() const { return has_chunks_ ? lines() * chunks_per_line() : 0; }

 private:
  bool holds_chunks_along(Major major) const;

  int element_bits_;
  const NarrowForm* form_;
  const Target* target_;
  Major major_ = Major::K;
  TileExtents extents_;
  std::vector<std::int64_t> bits_;
  Bytes begin_, end_;
  bool has_chunks_ = false;
};

// The layout that goes line after line without a swizzle, with `padding` elements between two lines.
Layout linear_layout(TileExtents extents, Major major, std::int64_t padding = 0);
inline Layout linear_layout(const Placement& like, std::int64_t padding = 0) {
  return linear_layout(like.extents(), like.major(), padding);
}

// The indices first ... last.
struct IndexRange {
  std::int64_t first = 0, last = 0;
};

struct Selection {
  std::vector<IndexRange> rows = {}, ks = {};  // if one of the two is empty, all of that dimension
  std::vector<IndexRange> chunks = {}, lanes = {};
  std::vector<IndexRange> bytes = {}, banks = {}, lines = {};
  bool has_places() const { return !bytes.empty() || !banks.empty() || !lines.empty(); }
  bool has_elements() const { return !rows.empty() || !ks.empty() || !chunks.empty() || !lanes.empty(); }
  bool empty() const { return !has_places() && !has_elements(); }
};

// One flag per element, row by row. Throws Error if the selection goes beyond the operand.
std::vector<bool> selected_elements(const Selection& selection, const Placement& placement);

// The chunks that are read together, by number, at most eight each. Empty if the placement has no chunks or places are
// selected. Throws Error if the selection goes beyond the operand, or names chunks or lanes of a placement without
// chunks.
std::vector<std::vector<std::int64_t>> phases_of(const Selection& selection, const Placement& placement);

struct PhaseReading {
  std::int64_t chunks = 0, phases = 0, wavefronts = 0;
  std::int64_t ways = 0;        // ways of the worst phase
  std::vector<bool> colliding;  // one flag per chunk: another chunk of its phase has its banks
};
PhaseReading read(const std::vector<std::vector<std::int64_t>>& phases, const Placement& placement);

}  // namespace swz
