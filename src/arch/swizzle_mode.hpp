// SPDX-License-Identifier: Apache-2.0
// Swizzle modes: how the 16-byte chunks of an operand are permuted inside lines of 32, 64 or 128 bytes.
//
//   byte = lin ^ (((lin >> 7) & line_mask) << base)        lin is an absolute shared-memory address
//
//   mode 128B (Sw<3,4,3> on bytes): lin 0x490 is in line 9, 9 & 7 = 1, byte = 0x490 ^ 0x10 = 0x480
//
// The same mode has three different numbers: one in the wgmma descriptor, one in the tcgen05 descriptor and one in the
// TMA enum. tcgen05 = 2 x wgmma, because the physical bits 62-63 are the same; only bit 61 is new.
//
// Invariants (tested): base + shift == 7, so the line number is always counted in 128 bytes; span_bytes is
// 16 << bits for 16-byte atomicity; atom_bytes = lines x span; pattern_bytes = 128 << bits.
// Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.4.1; CUTLASS mma_sm90_desc.hpp, mma_sm100_desc.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arch/row_of.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"
#include "layout/swizzle.hpp"

namespace swz {

// The direction of an operand that is contiguous in shared memory.
enum class Major { K, MN };

constexpr std::string_view to_string(Major major) { return major == Major::K ? "K-major" : "MN-major"; }
constexpr std::string_view direction_name(Major direction) { return direction == Major::K ? "K" : "MN"; }
// The value of --major.
constexpr std::string_view major_word(Major major) { return major == Major::K ? "k" : "mn"; }
constexpr Major other_major(Major major) { return major == Major::K ? Major::MN : Major::K; }

// Modes of one family share the meaning of LBO and SBO.
enum class SwizzleFamily { none, chunk_16, chunk_32 };

struct SwizzleMode {
  std::string_view name;  // "none", "32B", "64B", "128B", "128B_32B": the names in JSON
  SwizzleFamily family = SwizzleFamily::none;
  int bits = 0, base = 4, shift = 3;  // CuTe's Swizzle<bits, base, shift> on byte addresses
  Bytes span;                         // contiguous run of one line of the atom
  Bytes atomicity;                    // smallest piece that stays whole
  int lines = 8;                      // lines of one atom: rows (K-major) or k (MN-major)
  std::optional<int> wgmma_code, tcgen05_code, tma_code;
  std::string_view atom_name;  // in CuTe's Layout_K_SW128_Atom and the like, as swz's K_SW128<bf16> uses it
  std::string_view cutlass_sm90, cutlass_sm100;
  std::string_view tma_name;  // after CU_TENSOR_MAP_SWIZZLE_
  Source source;

  constexpr int line_mask() const { return (1 << bits) - 1; }
  constexpr Bytes atom() const { return Bytes{lines * span.count}; }
  // The period of the XOR in bytes: it depends on the address modulo this. Without a swizzle it is one chunk.
  constexpr Bytes pattern() const { return bits == 0 ? chunk : Bytes{bank_row.count << bits}; }
  // The swizzle on absolute byte addresses (measured on H200).
  Swizzle byte_swizzle() const { return Swizzle(bits, base, shift); }
  // The address at which an MMA reads the byte of the linear address `lin` (absolute, after all offsets). With base
  // offset 0 this is byte_swizzle(), which TMA uses to write; base_offset is subtracted from the number of the
  // 128-byte line. The function is its own inverse for each base_offset.
  constexpr std::int64_t byte(std::int64_t lin, std::int64_t base_offset = 0) const {
    return lin ^ ((((lin >> 7) - base_offset) & line_mask()) << base);
  }
  // The same for a bit address: the bits of a byte stay together.
  constexpr std::int64_t bit(std::int64_t lin, std::int64_t base_offset = 0) const {
    return byte(lin >> 3, base_offset) << 3 | (lin & 7);
  }
  constexpr std::optional<int> code(SmemDescriptorKind kind) const {
    if (kind == SmemDescriptorKind::wgmma) return wgmma_code;
    if (kind == SmemDescriptorKind::tcgen05) return tcgen05_code;
    return std::nullopt;
  }
};

std::span<const SwizzleMode> swizzle_modes();

// The mode with one of its names ("128B", "SW128", "B128", "SWIZZLE_128B", "CU_TENSOR_MAP_SWIZZLE_128B"), in any case.
// Null if unknown.
const SwizzleMode* find_swizzle_mode(std::string_view name);
// Whether the name is that of the 96-byte swizzle of TMA, which is no mode: no MMA descriptor has a code for it.
bool is_swizzle_96(std::string_view name);
// As find_swizzle_mode, but throws Error with the nearest name and the list.
const SwizzleMode& require_swizzle_mode(std::string_view name);
using SwizzleModeRow = RowOf<SwizzleMode, require_swizzle_mode>;
// The mode of a descriptor's swizzle code. Null if no mode has this code.
const SwizzleMode* swizzle_mode_of_code(SmemDescriptorKind kind, std::uint64_t code);

// The largest number of bytes of K that an MMA reads of one row: B of a sparse MMA. Dense MMAs read half.
inline constexpr Bytes longest_k{64};

// What the two strides of a descriptor step over. It depends on the major, which the word does not contain.
struct StrideRoles {
  Major major = Major::K;
  SwizzleFamily family = SwizzleFamily::none;
  std::string_view leading;  // empty if dense MMAs do not use it; "W bytes" is the span of the mode
  std::string_view stride;
  std::string_view group;  // what SBO steps over: "groups of 8 rows"
  Source source;
  // If `leading` is empty: what LBO steps over when an MMA reads more than W bytes of K of a row (measured).
  std::string_view past_span = "";
};

std::span<const StrideRoles> stride_roles();
const StrideRoles& stride_roles(Major major, SwizzleFamily family);
// For K-major: whether the rows of B of a sparse MMA are longer than the span, so that LBO is used. True for mode 32B.
constexpr bool may_pass_span(const SwizzleMode& mode) {
  return mode.family == SwizzleFamily::chunk_16 && mode.span < longest_k;
}
// A role as this mode has it: "from one block of 64 B along MN to the next" for the table's "W bytes".
std::string role_text(std::string_view role, const SwizzleMode& mode);

}  // namespace swz
