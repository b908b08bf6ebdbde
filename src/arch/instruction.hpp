// SPDX-License-Identifier: Apache-2.0
// Instructions whose registers hold a fragment: which shapes exist, for which element types and on which targets; and
// which instruction (one of these, or tcgen05.mma) multiplies a given shape.
//
//   mma.m16n8k16    A of 16 x 16 and B of 16 x 8, of f16 or bf16 into f32 (f16 also into f16); sm_80 and later
//   mma.m16n8k16    the same shape of s8 or u8 into s32; another row, because the registers hold 8-bit elements
//   ldmatrix.m8n8   .x1, .x2 or .x4 matrices of 8 rows of 16 bytes, with or without .trans; sm_75 and later
//
// A row is everything that src/fragment needs to know where each element is. `bits` counts an element in its register:
// 8 for the fp6 and fp4 containers of kind::f8f6f4, 4 for the packed fp4 of kind::mxf4.
//
// Invariants (checked at compile time): bits is a power of two, a fragment fills whole registers of 32 threads.
// Invariants (tested): no shape and type is listed twice, every type is an element type.
// Source: each row; PTX ISA 9.1, 9.7.14.5 (mma, ldmatrix, stmatrix, movmatrix) and 9.7.15 (wgmma).
//
// The kinds of tcgen05.mma: what the 32-bit instruction descriptor may contain under each of them, and their shapes.
//
//   0x08400010 under kind::f16    is f16 x f16 -> f32,   M 128, N 256
//   0x08400010 under kind::f8f6f4 is e4m3 x e4m3 -> f32, M 128, N 256     the kind is in the instruction only
//
// E2M1 has code 5 in kinds f8f6f4 and mxf8f6f4 but code 1 in mxf4 and mxf4nvf4. sm_107 has a kind more (ti16), three
// more K (64 of f8f6f4 and mxf8f6f4, 128 of fp4) and no i8.
//
//   kind::f16, M 128, N 24:  legal with cta_group::1 (N is a multiple of 8), illegal with cta_group::2
//   kind::i8,  M 128, N 40:  illegal: 8, 16, 24, 32, then 48 to 256 in steps of 16
//
// M and N are elements of D. The instruction descriptor contains neither cta_group nor .ws, so a word is legal if any
// row of the shapes fits.
//
// Invariants (tested): every kind has at least one A/B type; no two types of one kind and role share a code; every type
// that is named is an element type.
// Source: PTX ISA 9.1, tables 39 (shapes), 42, 43, 44 (descriptors), 51 (transpose, negate), 52 (shapes), 57
// (scaling); CUTLASS for K = 96 with cta_group::1; PTX ISA 9.4, tables 48 and 51 to 53, for sm_107, on which nothing was
// run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"

namespace swz {

// Where an instruction exists: from a compute capability on, or only on the targets that are named.
struct Availability {
  int from = 0;  // 80 for sm_80 and later; 0 if only_on counts
  std::array<std::string_view, 12> only_on;
};

// Availabilities that several tables use.
namespace available {
inline constexpr Availability sm_70{70, {}}, sm_75{75, {}}, sm_80{80, {}}, sm_89{89, {}}, sm_90{90, {}};
// For ldmatrix and stmatrix of 8-bit, 6-bit and 4-bit elements.
inline constexpr Availability byte_matrices{0,
                                            {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f",
                                             "sm_110a", "sm_110f", "sm_120a", "sm_120f", "sm_121a", "sm_121f"}};
// For tcgen05.
inline constexpr Availability tensor_memory{
    0, {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f"}};
// For mma.sync of 6-bit and 4-bit floats and with scale factors.
inline constexpr Availability workstation{0, {"sm_120a", "sm_120f", "sm_121a", "sm_121f"}};
// For K 96, and for what sm_107 adds.
inline constexpr Availability ultra{0, {"sm_103a", "sm_107a"}}, rubin{0, {"sm_107a", "sm_107f"}};
}  // namespace available

bool runs_on(const Availability& availability, const Target& target);
std::string to_string(const Availability& availability);  // "sm_80 and later", "sm_120a and sm_121a"

// ---- tcgen05.mma

enum class MmaKind { tf32, f16, f8f6f4, i8, ti16, mxf8f6f4, mxf4, mxf4nvf4 };

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
  int k_dense = 0, k_sparse = 0;  // elements of K that one instruction reads
  bool block_scaled = false;
  bool may_select = false;  // the sparsity selector may be other than 0
  bool may_saturate = false;
  bool may_negate = false;
  bool may_transpose = false;
  bool has_8bit_slots = false;              // operands are in shared memory as 8-bit elements
  std::array<std::string_view, 2> only_on;  // empty for every tcgen05 target
  Source source;
};

std::span<const MmaKindRow> mma_kinds();
const MmaKindRow& row_of(MmaKind kind);
constexpr bool runs_on(const MmaKindRow& row, const Target& target) {
  if (target.descriptor != SmemDescriptorKind::tcgen05) return false;
  return row.only_on[0].empty() || row.only_on[0] == target.name || row.only_on[1] == target.name;
}
// The row of "f16" or "kind::f16". Throws Error with the nearest name and the list.
const MmaKindRow& require_mma_kind(std::string_view name);

// The operand whose type a code gives.
enum class TypeRole { a_b, d, scale };
struct TypeCode {
  unsigned kinds;  // kind_set
  TypeRole role;
  int code;
  std::string_view dtype;
  Source source;
  Availability on = available::tensor_memory;
};

std::span<const TypeCode> type_codes();
// Whether A and B may have this type.
bool takes_type(const MmaKindRow& kind, std::string_view dtype);
// The type of a code, or null if this kind has no such code in this role.
const TypeCode* find_type_code(MmaKind kind, TypeRole role, std::uint64_t code);
// "0 f16 and 1 bf16"
std::string legal_type_codes(MmaKind kind, TypeRole role);

// The numbers first, first + step, ... last.
struct Range {
  int first = 0, last = 0, step = 1;
  constexpr bool contains(int x) const { return step > 0 && x >= first && x <= last && (x - first) % step == 0; }
};

enum class Sparsity { dense, sparse, either };

// Which of its K an MMA has: that of its kind, 96 (of fp4, sparse 192), or twice that of its kind (sm_107). The
// instruction descriptor has a code for it.
enum class KSize { usual, k96, twice };
// The elements of K; 0 if the kind has none of this size.
int k_of(MmaKind kind, KSize size, bool sparse = false);
// The targets that have it.
Availability availability_of(MmaKind kind, KSize size, bool sparse);
// Whether A and B may have this type with this K: K 64 of f8f6f4 is for e4m3 and e5m2.
bool takes_type(const MmaKindRow& kind, KSize size, const DType& dtype);

struct MmaShape {
  unsigned kinds;          // kind_set
  std::string_view group;  // "cta_group::1", "cta_group::2" or ".ws"
  Sparsity sparsity = Sparsity::either;
  KSize k = KSize::usual;
  std::array<int, 3> m;  // 0 for unused
  std::array<Range, 2> n;
  Source source;
  Availability on = available::tensor_memory;

  constexpr bool is_ws() const { return group == ".ws"; }
};

// What a word determines of its shape.
struct MmaShapeQuery {
  MmaKind kind = MmaKind::f16;
  int m = 0, n = 0;
  bool sparse = false;
  KSize k = KSize::usual;
  // B is N-major and its elements are 8 bits wide: N is further restricted (table 52)
  bool transposed_8bit_b = false;
};

std::span<const MmaShape> mma_shapes();
bool fits(const MmaShape& shape, const MmaShapeQuery& query);
// The targets that have a shape that fits.
bool fits_on(const Target& target, const MmaShapeQuery& query);
// The rows that fit, as "cta_group::1 and .ws"; empty if none does.
std::string fitting_groups(const MmaShapeQuery& query);

std::string to_string(const std::array<Range, 2>& n);  // "8..32 step 8, 48..256 step 16"
std::string to_string(const std::array<int, 3>& m);    // "64, 128"

// ---- mma.sync, wgmma, and the instructions that move fragments

enum class InstructionFamily { ldmatrix, stmatrix, movmatrix, mma, wgmma };

constexpr std::string_view to_string(InstructionFamily family) {
  return name_in({"ldmatrix", "stmatrix", "movmatrix", "mma", "wgmma"}, family);
}

// mma.sync (one warp) or wgmma (one warpgroup of 4 warps; A is in registers or in shared memory, B in shared memory).
struct MmaInstruction {
  InstructionFamily family = InstructionFamily::mma;
  int m = 0;
  std::array<Range, 2> n;  // mma: one value
  int k = 0;
  std::array<std::string_view, 7> types;         // of A and B
  int bits = 0;                                  // bits of an element of A or B in its register
  std::array<std::string_view, 2> accumulators;  // types of C and D; the first is the default
  Availability availability;
  Source source;

  constexpr int threads() const { return family == InstructionFamily::wgmma ? 128 : 32; }
  // True for m8n8k4 of f16: four MMAs of 8 threads next to each other, each of A and B either .row or .col.
  constexpr bool is_quad_pair() const { return m == 8 && bits == 16; }
  constexpr bool takes(int columns) const { return columns > 0 && (n[0].contains(columns) || n[1].contains(columns)); }
};

std::span<const MmaInstruction> mma_instructions();
bool takes_type(const MmaInstruction& row, std::string_view dtype);
bool accumulates_in(const MmaInstruction& row, std::string_view dtype);

enum class Transpose { no, optional, yes };

// ldmatrix, stmatrix and movmatrix: `numbers` of 8 x 8, 16 x 16 or 8 x 16 matrices.
struct MatrixInstruction {
  InstructionFamily family = InstructionFamily::ldmatrix;
  std::string_view shape;      // "m8n8"
  std::string_view type;       // "b16"; "b8x16.b4x16_p64" has 4-bit elements that get a byte each
  std::array<int, 3> numbers;  // how many matrices: .x1 .x2 .x4; 0 for unused
  Transpose transpose = Transpose::optional;
  int memory_rows = 0;   // of one matrix, 16 bytes each; lane r of the matrix supplies the address of row r
  int row_elements = 0;  // elements in one memory row
  int bits = 0;          // bits of an element in its register
  Availability availability;
  Source source;
};

std::span<const MatrixInstruction> matrix_instructions();

// ---- shapes

struct MmaExtents {
  std::int64_t m = 0, n = 0, k = 0;
  bool operator==(const MmaExtents&) const = default;
};

std::string to_string(const MmaExtents& extents);  // "m64n256k16"

// The distance of two shapes: the product of the ratios of m, n and k, each the larger over the smaller. k8 is as far
// from k16 as k32 is.
double distance(const MmaExtents& a, const MmaExtents& b);

// Which instruction multiplies an M x N x K shape of a type, and on which targets: mma.sync, wgmma and tcgen05.mma in
// one answer. The shapes are dense; sparse ones have twice the K.
//
//   mma_forms({128, 256, 16}, f16)   tcgen05.mma kind::f16 (cta_group::1, cta_group::2 and .ws) on sm_100a, ...
//   mma_forms({64, 256, 16}, f16)    wgmma on sm_90a; tcgen05.mma kind::f16 (cta_group::1 and .ws)
//   nearest_mma({128, 256, 16}, f16, sm_90a) == {64, 256, 16}
struct MmaForm {
  std::string instruction;  // "mma.sync", "wgmma", "tcgen05.mma kind::f16"
  std::string groups;       // for tcgen05.mma: "cta_group::1 and .ws"
  std::vector<const Target*> targets;
  Source source;

  bool runs_on(const Target& target) const;
};

// The forms that have this shape; empty if no target has it. A form that exists on no target of swz is omitted.
std::vector<MmaForm> mma_forms(const MmaExtents& extents, const DType& dtype);

// The nearest shape that the target has for the type, the smallest of several; nullopt if it has none.
std::optional<MmaExtents> nearest_mma(const MmaExtents& wanted, const DType& dtype, const Target& target);

}  // namespace swz
