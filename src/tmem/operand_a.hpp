// SPDX-License-Identifier: Apache-2.0
// A in tensor memory: the lanes of a row, and the column and bits of each element.
//
//   f16, M 128, A at column 128: (row 40, k 11) is lane 40, column 128 + 11 * 16 / 32 = 133, bits 16-31
//
// Elements are packed along K, in the containers of the kind: eight columns per MMA. Data paths B and E read two
// copies of A, one for each half of N, and G reads four.
//
// Invariants (tested): every copy of every element is found again; no two elements share a bit; operand_a_layout is the
// same function.
// Source: PTX ISA 9.1, 9.7.16.10.4; CUTLASS 4.7 tmem_frg. M 64 without .ws is an open question
// (arch/open_question.hpp); here it is as in CUTLASS. Data path C has no source. Not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/tensor_memory.hpp"
#include "base/units.hpp"
#include "layout/layout.hpp"

namespace swz {

struct Container {
  int bits = 16;  // bits of tensor memory per element
  int first_bit = 0, value_bits = 16;
};
// The container of an element type under a kind: "tf32" has 32 bits, "f16" 16, "s8" 8, and narrow types follow
// arch/narrow.hpp. Throws Error if the kind does not accept the type.
Container container_of(MmaKind kind, std::string_view dtype);

// The source of the lanes or that of the container, whichever has the weaker evidence.
const Source& operand_a_source(const DataPath& path, MmaKind kind, std::string_view dtype);

struct TmemElement {
  int cta = 0;
  std::vector<int> lanes;
  std::int64_t column = 0;
  int first_bit = 0, bits = 0;
};
// The place of an element. row is in [0, M), k continues over the MMAs of a tile. Throws Error for data path C.
TmemElement operand_a_place(const DataPath& path, const Container& container, int row, std::int64_t k, int column);
// The map (row of the CTA, k), with the copy if there are several, -> container; a column has 32 / container.bits of
// them.
Layout operand_a_layout(const DataPath& path, const Container& container, std::int64_t k);

struct OperandAElement {
  int row = 0;
  std::int64_t k = 0;
  bool operator==(const OperandAElement&) const = default;
};
// The inverse for all copies: the element that has bit `bit`, in [0, 32), of this column. Nothing for a lane that A
// leaves out, a column before the first, or a bit of a container that has no value.
std::optional<OperandAElement> operand_a_element(const DataPath& path, const Container& container, int cta, int lane,
                                                 std::int64_t column, int bit, int first_column);

}  // namespace swz
