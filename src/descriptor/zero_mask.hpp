// SPDX-License-Identifier: Apache-2.0
// Zero-column mask descriptor of tcgen05.mma.ws: which columns of B count as zero.
//
//   0x0003038000000000    non-zero mask, skip span 4, use span 4: columns 4-7, 12-15, 20-23, …
//
// Columns come in runs: `use` of them are used, then `skip` count as zero, and so on. Sub-mask i may begin with the
// skip run, and leaves out its first columns. D of M 128 has one sub-mask for N columns, M 64 has two for N / 2 each,
// M 32 has four for N / 4 each.
//
// Invariant (tested): is_zero agrees with the runs, written out bit by bit.
// Source: PTX ISA 9.1, table 45 and its examples (the table exchanges the two spans in its words); CUTLASS MaskAndShiftB.
// Not measured.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bit_field.hpp"
#include "base/finding.hpp"

namespace swz {

struct ZeroMaskField {
  std::string_view name;
  BitField bits;
  bool reserved = false;
};
std::span<const ZeroMaskField> zero_mask_fields();
inline constexpr Source zero_mask_source{"PTX ISA 9.1, table 45; CUTLASS MaskAndShiftB"};

struct ZeroColumnMask {
  std::uint64_t word = 0;
  std::array<int, 4> left_out{};  // columns at the front of each sub-mask
  std::array<bool, 4> starts_skipping{};
  bool is_zero_mask = true;  // true if no column counts as zero
  int skip = 1, use = 1;     // columns per run
  int shift = 0;             // in columns of B

  // `column` is that of the sub-mask.
  bool is_zero(int sub_mask, int column) const;
};
ZeroColumnMask read_zero_mask(std::uint64_t word);
std::vector<Finding> lint(const ZeroColumnMask& mask);

}  // namespace swz
