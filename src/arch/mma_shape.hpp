// Legal shapes of tcgen05.mma.
//
//   kind::f16, M 128, N 24:  legal with cta_group::1 (N is a multiple of 8), illegal with cta_group::2
//   kind::i8,  M 128, N 40:  illegal: 8, 16, 24, 32, then 48 to 256 in steps of 16
//
// M and N are elements of D. The instruction descriptor holds neither cta_group nor .ws, so a word is legal when
// any row fits. Source: PTX ISA 9.1, tables 39 and 52; CUTLASS for K = 96 with cta_group::1.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "arch/mma_kind.hpp"

namespace swz {

// first, first + step, ... last
struct Range {
  int first = 0, last = 0, step = 1;
  constexpr bool contains(int x) const { return step > 0 && x >= first && x <= last && (x - first) % step == 0; }
};

enum class Sparsity { dense, sparse, either };

struct MmaShape {
  unsigned kinds;          // kind_set
  std::string_view group;  // "cta_group::1", "cta_group::2" or ".ws"
  Sparsity sparsity = Sparsity::either;
  bool k96 = false;      // the shape of K = 96 (sm_103a)
  std::array<int, 3> m;  // 0: unused
  std::array<Range, 2> n;
  Source source;

  constexpr bool is_ws() const { return group == ".ws"; }
};

// What a word says of its shape.
struct MmaShapeQuery {
  MmaKind kind = MmaKind::f16;
  int m = 0, n = 0;
  bool sparse = false;
  bool k96 = false;
  // B is N-major and its elements are 8 bits wide: N is further restricted (table 52)
  bool transposed_8bit_b = false;
};

std::span<const MmaShape> mma_shapes();
bool fits(const MmaShape& shape, const MmaShapeQuery& query);
// The rows that fit, as "cta_group::1 and .ws"; empty: none.
std::string fitting_groups(const MmaShapeQuery& query);

std::string to_string(const std::array<Range, 2>& n);  // "8..32 step 8, 48..256 step 16"
std::string to_string(const std::array<int, 3>& m);    // "64, 128"

}  // namespace swz
