// SPDX-License-Identifier: Apache-2.0
// SmemTile: one operand tile in shared memory. This is the one place where elements become bytes.
//
//   SmemTile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B", .base = Bytes{0x400}})
//     K-major, atoms of 8 rows x 64 k (1024 B), stacked MN first: 16 along MN, then 2 along K
//     element (9, 64): atom 1 along MN, atom 1 along K   1 * 1024 + 1 * 16384 + (9 % 8) * 128 + 0   = 17536
//     linear address 0x400 + 17536 = 18560 = line 145; 145 & 7 = 1, so chunk 0 becomes chunk 1:  byte 18576
//
// A row is an index along MN. An element takes element_bits() bits; an element smaller than a byte is named by the byte
// that it is in.
//
// Elements of 4 and 6 bits with gaps (arch/narrow.hpp) are laid out as elements of 8 bits, their slots: 16 slots are a
// chunk, and the chunk has its 16 elements at the front. byte() is the address of the slot, which layouts, words and
// swizzles count; bit() is where the element is:
//
//   e2m1 in slots, 8x128 K-major, mode 128B, element (1, 37)
//     slot   0x80 + 37 = 0xa5, line 1: chunk 2 becomes chunk 3                   byte 0xb5
//     bit    NarrowForm::smem(0xb5): chunk 0xb0, element 5 of it, 4 * 5 bits     byte 0xb2, bits 7-4; 0xb8 to 0xbf: gap
//
// Invariants: both extents are multiples of the atom; base is a multiple of 16 B; the tile fits into shared memory and
// into its window. byte() is a bijection onto bytes() bytes; at() inverts it; byte() - base is layout() if base is a
// multiple of the pattern; bit() is one to one and never in a gap (all tested).
//
// Tiles are made of atoms, the smallest pieces that a swizzle mode keeps:
//
//   K_SW128<bf16>   =  Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)      8 rows of 128 bytes
//   MN_SW64<f16>    =  Sw<2,4,3> o smem_ptr[16b](unset) o (32,8):(1,32)
//   MN_INTER<tf32>  =  Sw<0,4,3> o smem_ptr[32b](unset) o (4,8):(1,4)        a core matrix
//
// An atom is K-major (rows x k) or MN-major (mn x k), one line of its swizzle mode wide and 8 lines long; only
// MN_SW128_32B, the 32-byte-atomic mode of tcgen05, has 4. CUTLASS calls them Layout_K_SW128_Atom<T>.
//
// Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.3 (tables of canonical layouts); CUTLASS Layout_*_Atom_Bits; the XOR of
// the absolute address: measured on H200.
//
// Phase: what it means that a tile does not begin where the swizzle pattern does.
//
//   phase(64B, 0x680): the pattern repeats every 512 B, and 0x680 is 128 B (1 line) after its beginning
//     TMA and an MMA with base offset 0    both read bits 7-8 of the absolute address: they agree
//     a reader that counts from 0x680      expects byte 0 at 0x680, but it is at 0x690: 512 of 512 bytes wrong
//     data written by such a writer        an MMA reads it with base offset 5 = (0x680 >> 7) & 7, or 1
//     0x690: no base offset fixes it       the line number changes in the middle of the tile's own lines
//
// Absolute: byte = XOR of the address. Tile-relative: byte = base + XOR of the offset from base, as index swizzles
// compute it. Offsets count the bytes of a tile in linear order, before the XOR.
//
// Invariant (tested): operand_map with a base offset reads tile-relative data correctly exactly for
// relative_base_offsets, and absolute data exactly for absolute_base_offsets, for both majors.
// Source: measured on H200 (absolute address, base offset subtracted, also in mode 32B); PTX ISA 9.1, 9.7.15.5.1.2.2
// for the formula. Mode 128B_32B is neither documented nor measured; it is assumed to work alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/narrow.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// How a type with two forms is stored in shared memory: fp4 packed, two values per byte (kinds mxf4, mxf4nvf4), or in
// 8-bit slots (kinds f8f6f4, mxf8f6f4).
enum class Packing { packed, slots };

// Bits of one element of a layout. Throws Error if no kind reads the type from 8-bit slots.
int element_bits(const DType& dtype, Packing packing = Packing::packed);
// The form of tcgen05's elements narrower than a byte; null for others. fp6 has gaps in either packing.
const NarrowForm* narrow_form(const DType& dtype, Packing packing);
// The bits of the element whose place in the layout begins at bit `slot`. The form may be null.
constexpr Bits value_bit(const NarrowForm* form, Bits slot) {
  return form != nullptr && form->has_gaps ? form->smem(slot.in_bytes().count) : slot;
}

// The direction in which atoms follow each other without a gap.
enum class StackingOrder { mn_first, k_first };

constexpr std::string_view to_string(StackingOrder order) {
  return order == StackingOrder::mn_first ? "mn-first" : "k-first";
}
constexpr StackingOrder other_order(StackingOrder order) {
  return order == StackingOrder::mn_first ? StackingOrder::k_first : StackingOrder::mn_first;
}
// Throws Error unless `name` is "mn-first" or "k-first".
StackingOrder require_stacking_order(std::string_view name);

// Elements along MN and along K.
struct TileExtents {
  std::int64_t mn = 0, k = 0;
  // The extent in the contiguous direction, and in the other one.
  constexpr std::int64_t along(Major major) const { return major == Major::K ? k : mn; }
  constexpr std::int64_t across(Major major) const { return major == Major::K ? mn : k; }
  bool operator==(const TileExtents&) const = default;
};
std::string to_string(const TileExtents& extents);  // 128x64
// This many elements in the contiguous direction and one in the other: run_extents(Major::K, 8) is 1 x 8.
constexpr TileExtents run_extents(Major major, std::int64_t elements) {
  return major == Major::K ? TileExtents{1, elements} : TileExtents{elements, 1};
}

// One atom of a mode, in elements of the type. Throws Error if a line does not contain whole elements, and for the
// K-major atom of 128B_32B, which no source defines.
ComposedLayout atom(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing = Packing::packed);
TileExtents atom_extents(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing);

// The atom with this name: "K_SW128", or as CUTLASS writes it, "GMMA::Layout_K_SW128_Atom". Null if there is none.
// K_SW128_32B has a name so that atom() can say why it does not exist.
struct NamedAtom {
  std::string name;
  Major major = Major::K;
  const SwizzleMode* mode = nullptr;
};
std::vector<NamedAtom> named_atoms();
const NamedAtom* find_atom(const std::vector<NamedAtom>& atoms, std::string_view name);

// Throws Error unless a tile can begin at the address: descriptors count 16-byte chunks. The hint names the mode, if it
// is given.
void require_chunk_address(Bytes base, const SwizzleMode* mode = nullptr);

struct SmemTileValues {
  DTypeRow dtype = "f16";
  Packing packing = Packing::packed;
  Major major = Major::K;
  std::int64_t mn = 0, k = 0;
  SwizzleModeRow swizzle = "128B";
  StackingOrder order = StackingOrder::mn_first;
  Bytes base = {};                           // shared-memory address
  const Target* target = &default_target();  // whose shared memory the tile has to fit into

  TileExtents extents() const { return {mn, k}; }
};

struct TileCoordinate {
  std::int64_t row = 0, k = 0;
  // From the number of a line and the place along it.
  static constexpr TileCoordinate of(Major major, std::int64_t line, std::int64_t along) {
    return major == Major::K ? TileCoordinate{line, along} : TileCoordinate{along, line};
  }
  constexpr std::int64_t along(Major major) const { return major == Major::K ? k : row; }
  constexpr std::int64_t line(Major major) const { return major == Major::K ? row : k; }
  bool operator==(const TileCoordinate&) const = default;
};

class SmemTile {
 public:
  // Throws Error if the atom does not divide the extents, base is not a multiple of 16, or the tile does not fit into
  // the shared memory of any target. Whether an instruction can read the tile is decided by smem/mma_operand.hpp.
  explicit SmemTile(const SmemTileValues& values);

  // The values of the constructor: another tile differs in one of these.
  const SmemTileValues& values() const { return values_; }
  const DType& dtype() const { return *values_.dtype; }
  Packing packing() const { return values_.packing; }
  int element_bits() const { return element_bits_; }
  Major major() const { return values_.major; }
  TileExtents extents() const { return values_.extents(); }
  TileExtents atom() const { return atom_; }
  // The number of atoms along MN and along K.
  TileExtents atoms() const { return {values_.mn / atom_.mn, values_.k / atom_.k}; }
  const SwizzleMode& swizzle() const { return *values_.swizzle; }
  const Target& target() const { return *values_.target; }
  StackingOrder order() const { return values_.order; }
  Bytes base() const { return values_.base; }
  Bytes bytes() const { return Bytes{values_.mn * values_.k * element_bits_ / 8}; }
  bool is_pattern_aligned() const { return base().is_multiple_of(swizzle().pattern()); }

  // The distance from one atom to its neighbour along MN, and along K.
  Bytes mn_atom_stride() const { return mn_atom_stride_; }
  Bytes k_atom_stride() const { return k_atom_stride_; }

  // The offset of element (row, k) from the base, before the XOR. Here and below 0 <= row < mn and 0 <= k < K.
  Bytes linear_offset(std::int64_t row, std::int64_t k) const;
  // The shared-memory address of element (row, k); with gaps, the address of its slot.
  Bytes byte(std::int64_t row, std::int64_t k) const;
  // The first bit of element (row, k) in shared memory.
  Bits bit(std::int64_t row, std::int64_t k) const;
  const NarrowForm* form() const { return form_; }
  // The element at an address, the lowest if several share a byte. None if the tile does not contain the byte.
  std::optional<TileCoordinate> at(Bytes address) const;

  // The same tile in CuTe's notation, relative to a base that is a multiple of the pattern: tile_to_shape(atom, (MN,K),
  // order).
  ComposedLayout layout() const;

 private:
  SmemTileValues values_;
  int element_bits_;
  const NarrowForm* form_;
  Swizzle byte_swizzle_;
  TileExtents atom_;
  Bytes mn_atom_stride_, k_atom_stride_;
};

struct PhaseCount {
  Bytes wrong, of;
};

// A chunk that a tile-relative reader misses.
struct MisplacedChunk {
  Bytes offset;      // in the tile
  Bytes lies_at;     // where absolute writers put it
  Bytes looked_for;  // where a tile-relative reader expects it
};

struct Phase {
  const SwizzleMode* mode = nullptr;
  Bytes base;
  Bytes bytes;         // base modulo the pattern
  Bytes below, above;  // the nearest addresses of phase 0; both are base when its phase is 0

  // A tile-relative reader of what absolute writers wrote, or the reverse.
  PhaseCount over_pattern;
  std::optional<PhaseCount> over_tile;
  std::optional<MisplacedChunk> first_wrong;  // in the tile if there is one, otherwise in one pattern

  // All of 0 ... 7 with which an MMA reads the data correctly; without a swizzle all of them.
  std::vector<int> absolute_base_offsets;
  std::vector<int> relative_base_offsets;  // empty if there is none
  int documented_base_offset = 0;          // PTX: (pattern start >> 7) & 7, if the pattern begins at base

  // The bytes that absolute writers touch, of the tile if there is one and otherwise of one pattern. An XOR inside
  // aligned lines leaves [base, base + size) if base is not a multiple of the mode's line.
  Bytes size, lowest, end;

  std::int64_t lines() const { return bytes.count / bank_row.count; }
  bool is_aligned() const { return bytes.count == 0; }
  bool stays_inside() const { return lowest >= base && end.count <= base.count + size.count; }
};

// The address of the chunk at `offset` of a tile at `base`.
inline Bytes absolute_byte(const SwizzleMode& mode, Bytes base, Bytes offset) {
  return Bytes{mode.byte(base.count + offset.count)};
}
inline Bytes relative_byte(const SwizzleMode& mode, Bytes base, Bytes offset) {
  return Bytes{base.count + mode.byte(offset.count)};
}

// The bytes in the picture of one pattern: the pattern, or one line of banks without a swizzle.
inline Bytes pattern_shown(const SwizzleMode& mode) { return std::max(mode.pattern(), bank_row); }

// The phase of a base. Throws Error unless base is a multiple of 16 in shared memory and tile_bytes, if given, is a
// multiple of 16 that fits after base.
Phase phase(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes = std::nullopt,
            const Target* target = nullptr);

}  // namespace swz
