// SPDX-License-Identifier: Apache-2.0
// The tcgen05 instructions: on which targets each exists, and which modifiers tcgen05.mma accepts together.
//
//   tcgen05.shift.down                                   sm_100a, sm_103a, sm_107a and sm_110a
//   tcgen05.mma kind::mxf4 block_scale.block32           every target with tensor memory
//   tcgen05.mma.sp kind::mxf4 block_scale.block32        sm_100a, sm_103a, sm_107a and sm_110a
//   tcgen05.mma kind::f16 collector::b::fill             sm_107a and sm_107f
//   tcgen05.mma.ws kind::mxf4 block_scale                nowhere
//
// The contents of the instruction descriptor (M, N and K) are in arch/mma_choice.hpp.
//
// Invariants (tested): of 81,000 combinations of modifiers it accepts those that ptxas accepts on each target
// (tests/data/ptxas_tcgen05.txt) and no other. Where PTX is stricter than ptxas, it follows PTX: nCols of
// alloc.exclusive, which are columns that the target has, and the scale of D under kinds i8 and ti16.
// Source: ptxas 13.5.37; PTX ISA 9.1, 9.7.16, and 9.4, 9.7.18.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "arch/instruction.hpp"

namespace swz {

struct Tcgen05Operation {
  std::string_view name;  // "ld.red", after tcgen05.
  std::string_view what;
  std::array<int, 2> cta_groups{};  // 0 for unused; all 0 if it has no .cta_group
  Availability availability;
  Source source;
};
std::span<const Tcgen05Operation> tcgen05_operations();
// The instruction with this name, which must be in the table.
const Tcgen05Operation& tcgen05_operation(std::string_view name);

// Whether tcgen05.alloc and dealloc accept the number of columns: a power of two from 32 to 512.
constexpr bool is_allocation(int columns) { return columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0; }
// Whether alloc.exclusive does, on a target with so many columns: a multiple of 32. It is the CTA's only allocation.
constexpr bool is_exclusive_allocation(int columns, int of_target) {
  return columns >= 32 && columns <= of_target && columns % 32 == 0;
}

// How a block-scaled MMA names the number of elements that share a factor. The f-targets lack .scale_vec and sparse
// fp4.
struct ScaleQualifier {
  unsigned kinds = 0;     // kind_set
  std::string_view name;  // "block_scale.scale_vec::2X"
  int vec = 32;           // elements that share a factor; for a sparse A, kept elements
  Availability dense, sparse;
  Source source;
};
std::span<const ScaleQualifier> scale_qualifiers();

// A tcgen05.mma with its modifiers.
struct Tcgen05Mma {
  MmaKind kind = MmaKind::f16;
  int cta_group = 1;
  bool ws = false, sparse = false;
  std::string_view scale = {};  // name of a ScaleQualifier; empty for none
  bool a_in_tmem = false, shifts_a = false;
  std::string_view collector = {};      // "a::fill", "b0::use", "b::fill", "a::use.b::fill"; empty for none
  std::optional<int> input_scale = {};  // scale-input-d, the scale of D
  std::optional<int> lane_words = {};   // words of disable-output-lane
  bool has_column_mask = false;         // zero-column-mask-desc
  bool has_table = false;               // .decompress::lut::b
};
// The targets that have it. An Availability without targets means nowhere.
Availability availability_of(const Tcgen05Mma& mma);
// The targets that have the kind in any dense form, or in any sparse form.
Availability availability_of(const MmaKindRow& kind, bool sparse = false);

}  // namespace swz
