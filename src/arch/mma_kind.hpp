// The kinds of tcgen05.mma: what the 32-bit instruction descriptor may say under each of them, and their shapes.
//
//   0x08400010 under kind::f16    is f16 x f16 -> f32,   M 128, N 256
//   0x08400010 under kind::f8f6f4 is e4m3 x e4m3 -> f32, M 128, N 256     the kind is in the instruction only
//
// E2M1 has code 5 in kinds f8f6f4 and mxf8f6f4 but code 1 in mxf4 and mxf4nvf4.
//
//   kind::f16, M 128, N 24:  legal with cta_group::1 (N is a multiple of 8), illegal with cta_group::2
//   kind::i8,  M 128, N 40:  illegal: 8, 16, 24, 32, then 48 to 256 in steps of 16
//
// M and N are elements of D. The instruction descriptor holds neither cta_group nor .ws, so a word is legal when any
// row of the shapes fits.
//
// Invariants (tested): every kind has at least one A/B type; no two types of one kind and role share a code; every
// named type is an element type.
// Source: PTX ISA 9.1, tables 39 (shapes), 42, 43, 44 (descriptors), 51 (transpose, negate), 52 (shapes), 57
// (scaling); CUTLASS for K = 96 with cta_group::1.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/target.hpp"

namespace swz {

enum class MmaKind { tf32, f16, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

// A set of kinds, one bit each.
constexpr unsigned kind_set(std::initializer_list<MmaKind> kinds) {
  unsigned set = 0;
  for (const MmaKind kind : kinds) set |= 1U << static_cast<unsigned>(kind);
  return set;
}
constexpr bool contains(unsigned set, MmaKind kind) { return ((set >> static_cast<unsigned>(kind)) & 1U) != 0; }

struct MmaKindRow {
  MmaKind kind;
  std::string_view name;          // after kind::
  int k_dense = 0, k_sparse = 0;  // elements of K one instruction reads
  bool block_scaled = false;
  bool may_select = false;  // the sparsity selector may be other than 0
  bool may_saturate = false;
  bool may_negate = false;
  bool may_transpose = false;
  bool has_8bit_slots = false;              // operands lie in shared memory as 8-bit elements
  std::array<std::string_view, 2> only_on;  // empty: every tcgen05 target
  Source source;
};

std::span<const MmaKindRow> mma_kinds();
const MmaKindRow& row_of(MmaKind kind);
constexpr bool runs_on(const MmaKindRow& row, const Target& target) {
  if (target.descriptor != SmemDescriptorKind::tcgen05) return false;
  return row.only_on[0].empty() || row.only_on[0] == target.name || row.only_on[1] == target.name;
}
// "f16" or "kind::f16"; throws Error with the nearest name and the list.
const MmaKindRow& require_mma_kind(std::string_view name);

// What a type code stands for.
enum class TypeRole { a_b, d, scale };
struct TypeCode {
  unsigned kinds;  // kind_set
  TypeRole role;
  int code;
  std::string_view dtype;
  Source source;
};

std::span<const TypeCode> type_codes();
// Null: this kind has no such code in this role.
const TypeCode* find_type_code(MmaKind kind, TypeRole role, std::uint64_t code);
// "0 f16 and 1 bf16"
std::string legal_type_codes(MmaKind kind, TypeRole role);

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
