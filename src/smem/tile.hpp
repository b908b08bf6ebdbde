// SmemTile: one operand tile in shared memory, the one place where elements become bytes.
//
//   SmemTile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B", .base = Bytes{0x400}})
//     K-major, atoms of 8 rows x 64 k (1024 B), stacked MN first: 16 along MN, then 2 along K
//     element (9, 64): atom 1 along MN, atom 1 along K   1 * 1024 + 1 * 16384 + (9 % 8) * 128 + 0   = 17536
//     linear address 0x400 + 17536 = 18560 = line 145; 145 & 7 = 1, so chunk 0 becomes chunk 1:  byte 18576
//
// A row is an index along MN. An element takes element_bits() bits; one that is smaller than a byte is named by the
// byte it lies in. A 4- or 6-bit value of an 8-bit slot is named by its slot: in the memory itself the 16 values of
// a 16-byte chunk lie packed at its front (PTX ISA 9.1, 9.7.16.10.4).
//
// Invariants: both extents are multiples of the atom; base is a multiple of 16 B; the tile fits into shared memory
// and into its window. byte() is a bijection onto bytes() bytes; at() inverts it; byte() - base is layout() when
// base is a multiple of the pattern (all tested).
//
// Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.3; the XOR of the absolute address: measured on H200.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "base/units.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// How a type with two forms lies in shared memory: fp4 packed, two values a byte (kinds mxf4, mxf4nvf4), or in
// 8-bit slots (kinds f8f6f4, mxf8f6f4).
enum class Packing { packed, slots };

// Bits of one element. Throws Error when no kind reads the type from 8-bit slots.
int element_bits(const DType& dtype, Packing packing = Packing::packed);

// The direction in which atoms follow each other without a gap.
enum class StackingOrder { mn_first, k_first };

constexpr std::string_view to_string(StackingOrder order) {
  return order == StackingOrder::mn_first ? "mn-first" : "k-first";
}
// Throws Error unless `name` is "mn-first" or "k-first".
StackingOrder require_stacking_order(std::string_view name);

// Elements along MN and along K.
struct TileExtents {
  std::int64_t mn = 0, k = 0;
  bool operator==(const TileExtents&) const = default;
};
std::string to_string(const TileExtents& extents);  // 128x64

// One atom of a mode, in elements of `bits`. Throws Error when nobody defines it, as atom() does.
TileExtents atom_extents(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing);

struct SmemTileValues {
  std::string_view dtype = "f16";
  Packing packing = Packing::packed;
  Major major = Major::K;
  std::int64_t mn = 0, k = 0;
  std::string_view swizzle = "128B";
  StackingOrder order = StackingOrder::mn_first;
  Bytes base = {};  // shared-memory address
};

struct TileCoordinate {
  std::int64_t row = 0, k = 0;
  bool operator==(const TileCoordinate&) const = default;
};

// 16 bytes of the tile, named by their first element.
struct Chunk {
  std::int64_t row = 0, k = 0;
  Bytes byte;    // shared-memory address
  int bank = 0;  // of the first of its four words
};

class SmemTile {
 public:
  // Throws Error when the atom does not divide the extents, base is not a multiple of 16, or the tile does not fit
  // into the shared memory of any target. Whether an instruction can read the tile is for smem/legality.hpp to say.
  explicit SmemTile(const SmemTileValues& values);

  // What it was made of: another tile differs in one of these.
  SmemTileValues values() const;
  const DType& dtype() const { return *dtype_; }
  Packing packing() const { return packing_; }
  int element_bits() const { return element_bits_; }
  Major major() const { return major_; }
  TileExtents extents() const { return extents_; }
  TileExtents atom() const { return atom_; }
  // How many atoms lie along MN and along K.
  TileExtents atoms() const { return {extents_.mn / atom_.mn, extents_.k / atom_.k}; }
  const SwizzleMode& swizzle() const { return *swizzle_; }
  StackingOrder order() const { return order_; }
  Bytes base() const { return base_; }
  Bytes bytes() const { return Bytes{extents_.mn * extents_.k * element_bits_ / 8}; }
  bool is_pattern_aligned() const { return base_.is_multiple_of(swizzle_->pattern()); }

  // From one atom to its neighbour along MN, along K.
  Bytes mn_atom_stride() const { return mn_atom_stride_; }
  Bytes k_atom_stride() const { return k_atom_stride_; }

  // Of element (row, k), from the base, before the XOR. 0 <= row < mn, 0 <= k < K, here and below.
  Bytes linear_offset(std::int64_t row, std::int64_t k) const;
  // The shared-memory address of element (row, k).
  Bytes byte(std::int64_t row, std::int64_t k) const;
  // byte() of every element, row by row; extents().mn x extents().k numbers.
  std::vector<std::int64_t> byte_map() const;
  // The element at an address, the lowest when several share a byte. None: not a byte of the tile.
  std::optional<TileCoordinate> at(Bytes address) const;
  // Line by line: row by row when K-major, k by k when MN-major.
  std::vector<Chunk> chunks() const;

  // The same tile as CuTe writes it, relative to a base that is a multiple of the pattern:
  // tile_to_shape(atom, (MN,K), order).
  ComposedLayout layout() const;

 private:
  const DType* dtype_;
  Packing packing_;
  int element_bits_;
  Major major_;
  const SwizzleMode* swizzle_;
  Swizzle byte_swizzle_;
  TileExtents extents_, atom_;
  StackingOrder order_;
  Bytes base_, mn_atom_stride_, k_atom_stride_;
};

}  // namespace swz
