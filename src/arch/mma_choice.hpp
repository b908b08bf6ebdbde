// SPDX-License-Identifier: Apache-2.0
// Which tcgen05.mma exist. This is the one place that decides whether a kind, M, N, cta_group, .ws, sparsity, K and
// vector size go together, which rule forbids it, and which legal choices are nearest.
//
//   {kinds f16, M 128, N 100, cta_group::1}    tcgen05.mma has no N 100 with M 128, cta_group::1, kind f16
//                                              N is 8..256 step 8; nearest: 96 and 104
//   {M 64, cta_group::2, sparse}               tcgen05.mma has no M 64 with cta_group::2, sparse
//                                              M is 128 and 256; nearest: 128; M 64 exists with cta_group::1 and .ws
//
// A choice is legal if one of its kinds accepts it. An instruction descriptor contains neither cta_group nor .ws, so
// nearest_shape tries all of them.
//
// Invariants (tested for every kind, M, N, group and sparsity against PTX's tables): refusal_of and fitting_groups
// agree; the nearest choices that a refusal names are legal; every legal choice has a data path.
// Source: mma_shapes() of arch/instruction.hpp, scale_qualifiers() of arch/tcgen05.hpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"

namespace swz {

inline constexpr unsigned every_kind = 0xff;
inline constexpr unsigned plain_kinds =
    kind_set({MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4, MmaKind::i8, MmaKind::ti16});

struct MmaChoice {
  unsigned kinds = every_kind;  // kind_set
  int m = 128;
  int n = 0;  // 0: any
  int cta_group = 1;
  bool ws = false, sparse = false;
  KSize k = KSize::usual;
  bool transposed_8bit_b = false;
  int vec = 0;                     // elements that share a scale factor; 0: any
  const Target* target = nullptr;  // null: any
};

struct MmaRefusal {
  std::string_view rule;
  Advice advice;
  Source source;
};

// ".ws", "cta_group::2" or "cta_group::1", as the rows of mma_shapes() name it.
std::string_view group_of(const MmaChoice& choice);
// The N that exist with the M of the choice, ascending.
std::vector<int> legal_n(const MmaChoice& choice);

// The reason why there is no such MMA; nothing if there is one.
std::optional<MmaRefusal> refusal_of(const MmaChoice& choice);
// Throws the refusal as an Error, if there is one.
void require_mma(const MmaChoice& choice);

// The kinds whose D may have this type. Throws Error with the types of D.
unsigned kinds_with_d(const DType& dtype);

// M and N of the nearest shape that the flags of the word allow, with any cta_group or .ws. Nothing if there is none.
struct MmaSides {
  int m = 0, n = 0;
};
std::optional<MmaSides> nearest_shape(const MmaShapeQuery& query);

}  // namespace swz
