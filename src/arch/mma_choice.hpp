// SPDX-License-Identifier: Apache-2.0
// Which tcgen05.mma there is: the one place that says whether a kind, M, N, cta_group, .ws, sparsity, K 96 and vector size go
// together, which rule forbids it, and the nearest that do.
//
//   {kinds f16, M 128, N 100, cta_group::1}    tcgen05.mma has no N 100 with M 128, cta_group::1, kind f16
//                                              N is 8..256 step 8; nearest: 96 and 104
//   {M 64, cta_group::2, sparse}               tcgen05.mma has no M 64 with cta_group::2, sparse
//                                              M is 128 and 256; nearest: 128; M 64 exists with cta_group::1 and .ws
//
// A choice is legal when one of its kinds takes it. An instruction descriptor does not hold the cta_group and .ws:
// nearest_shape looks at all of them.
//
// Invariants (tested for every kind, M, N, group and sparsity against PTX's tables): refusal and fitting_groups agree; what a
// refusal names as nearest is legal; what is legal has a data path.
// Source: mma_shapes() of arch/instruction.hpp, scale_qualifiers() of arch/tcgen05.hpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"

namespace swz {

inline constexpr unsigned every_kind = 0x7f;
inline constexpr unsigned plain_kinds = kind_set({MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4, MmaKind::i8});

struct MmaChoice {
  unsigned kinds = every_kind;  // kind_set
  int m = 128;
  int n = 0;  // 0: any
  int cta_group = 1;
  bool ws = false, sparse = false, k96 = false;
  bool transposed_8bit_b = false;
  int vec = 0;  // elements that share a scale factor; 0: any
};

struct MmaRefusal {
  std::string_view rule;
  Advice advice;
  Source source;
};

// ".ws", "cta_group::2" or "cta_group::1", as a row of mma_shapes() names it.
std::string_view group_of(const MmaChoice& choice);
// The N that there are with the M of the choice, ascending.
std::vector<int> legal_n(const MmaChoice& choice);

// Nothing: there is such an MMA.
std::optional<MmaRefusal> refusal_of(const MmaChoice& choice);
// Throws Error of the refusal.
void require_mma(const MmaChoice& choice);

// Kinds whose D may be of this type. Throws Error with the types of D.
unsigned kinds_with_d(const DType& dtype);

// Of the shapes that the flags of the word allow, with any cta_group or .ws. Nothing: there is none.
struct MmaSides {
  int m = 0, n = 0;
};
std::optional<MmaSides> nearest_shape(const MmaShapeQuery& query);

}  // namespace swz
