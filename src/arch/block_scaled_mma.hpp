// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync, m16n8: which shapes, scale vectors and scale types each kind has, and on which targets.
//
//   kind::mxf4nvf4 scale_vec::4X of ue4m3, dense    K 64, 4 scale factors for each row of A and each column of B: one
//                                                   for 16 k
//   the same with mma.sp::ordered_metadata          K 128, one for 32 k
//
// scale_vec is how many scale factors an instruction reads of each row and column. They are consecutive bytes of one
// register, from byte-id on; thread-id selects the lanes (fragment/block_scaled.hpp).
//
//   byte-id     1X: 0 to 3    2X: 0 and 2    4X: 0
//   thread-id   A: 0 and 1    B: 0 to 3
//
// Invariants (tested): no form is listed twice, each kind takes the scale type (arch/instruction), the scale factors
// of a row fit in a register.
// Source: PTX ISA 9.3, 9.7.15.3, tables 38 to 40; ptxas 13.5.37 for what is legal and where.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"

namespace swz {

struct BlockScaledMma {
  MmaKind kind = MmaKind::mxf8f6f4;
  bool is_sparse = false;
  int k = 0;          // of all elements of A, in a sparse form also of those that are not kept
  int bits = 0;       // of an element, or of its container, in a register
  int scale_vec = 0;  // 1, 2 or 4 for 1X, 2X and 4X
  std::string_view scale_type;
  bool is_default = false;  // scale_vec may be left out
  Availability availability;
  Source source;

  int block() const { return k / scale_vec; }  // k that share a scale factor
  // As a row of mma.sync, with `k` columns of A.
  MmaInstruction instruction() const;
};

std::span<const BlockScaledMma> block_scaled_mmas();

// The forms that fit.
struct BlockScaledQuery {
  MmaKind kind = MmaKind::mxf8f6f4;
  bool is_sparse = false;
  int scale_vec = 0;                 // 0: any
  std::string_view scale_type = {};  // empty: any
};
std::vector<const BlockScaledMma*> find_block_scaled(const BlockScaledQuery& query);

// Whose scale factors.
enum class ScaleOperand { a, b };
// The ids that select a scale factor's place: "{2, 1}" in PTX.
struct ScaleIds {
  int byte = 0, thread = 0;
  bool operator==(const ScaleIds&) const = default;
};
inline constexpr Source scale_ids_source{"PTX ISA 9.3, table 40; ptxas 13.5.37"};
std::vector<int> legal_byte_ids(int scale_vec);
std::vector<int> legal_thread_ids(ScaleOperand operand);
// The rule that the ids break, with the legal ones as hint; nullopt if they are legal.
std::optional<Advice> broken_rule(ScaleIds ids, int scale_vec, ScaleOperand operand);

}  // namespace swz
