// SPDX-License-Identifier: Apache-2.0
// MMA operands in shared memory: which operands an instruction can read, as a table of rules that forbid some, and what
// one instruction reads of A or B.
//
//   refusal({sm_90a, e4m3, MN-major, 128B})    wgmma-mn-16-bit: wgmma transposes 16-bit types only
//     nearest legal choice                     K-major, 128B
//   refusal({sm_100a, tf32, MN-major, 128B})   tf32-mn-32b-atom; nearest: MN-major, 128B_32B
//
//   mma_operand({64, 256, 16}, OperandRole::b, bf16 on sm_90a)      256x16
//   mma_operand({256, 128, 16}, OperandRole::a, bf16 on sm_100a)    128x16, half of A: M 256 needs two CTAs
//   mma_operand({64, 260, 16}, …)                                   Error: no such shape; nearest: m64n256k16
//   mma_rows(OperandRole::a, bf16 on sm_90a)                        64
//   mma_rows(OperandRole::b, bf16 on sm_90a)                        256, 248, ..., 8
//
// It also cuts a CTA tile of M x N x K into the shapes that one MMA multiplies:
//
//   tile 256 x 256 x 64, MMA m128n256k16:  2 m-blocks, 1 n-block, 4 k-steps, 8 MMAs
//   MMA (m 1, n 0, k 2) adds A[128..255, 32..47] times B[32..47, 0..255] to C[128..255, 0..255]
//
//   e2m1, kind mxf4nvf4 on sm_103a, m128n256k96   K 96 is a separate shape, 48 B of a row
//   A of m256n256k16, cta_group 2                 128x16, half of A
//
// An operand that no rule forbids is legal, also MN-major elements with gaps, on which PTX and CUTLASS disagree
// (fp4-mn-major of arch/open_question.hpp). Shapes are dense. Invariant (tested): the legal choices are those of the
// vendor's table, and nearest_legal is legal and costs no more changes than any other legal choice.
//
// Source: PTX ISA 9.1, 9.7.16.10.1 and table 54 (9.7.16.10.3); ptxas for wgmma; the shapes and types of tcgen05.mma are
// those of arch/instruction.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "base/finding.hpp"
#include "smem/tile.hpp"

namespace swz {

// K of packed fp4 on sm_103a, in addition to 64: 48 B of a row.
inline constexpr int mma_k96 = 96;

// Selects among the MMAs that read an operand.
struct MmaFilter {
  const MmaKindRow* kind = nullptr;  // kind of tcgen05.mma; null for any
  int cta_group = 0;                 // 0 for either, one CTA before a pair
};

// A choice of target, type, major and mode. No pointer is null.
struct OperandChoice {
  const Target* target;
  const DType* dtype;
  Packing packing = Packing::packed;
  Major major = Major::K;
  const SwizzleMode* swizzle;
  MmaFilter mma = {};
};
OperandChoice operand_choice(const SmemTileValues& tile, const Target& target, const MmaFilter& mma = {});
inline OperandChoice operand_choice(const SmemTile& tile, const Target& target, const MmaFilter& mma = {}) {
  return operand_choice(tile.values(), target, mma);
}

// How a kind reads elements of a type from shared memory: mxf4 reads e2m1 packed, mxf8f6f4 reads it in slots. Throws
// Error with the types that the kind accepts.
Packing packing_of(const MmaKindRow& kind, const DType& dtype);

// A reason why no instruction of the target reads such an operand.
struct OperandRule {
  std::string_view name;
  std::string_view what;
  bool (*forbids)(const OperandChoice&);
  std::string (*tell)(const OperandChoice&);
  Source source;
};
std::span<const OperandRule> operand_rules();

// The first rule that forbids the choice, with the nearest legal choice of the same type on the same target. None if it
// is legal.
std::optional<Finding> refusal(const OperandChoice& choice);
inline bool is_legal(const OperandChoice& choice) { return !refusal(choice); }
// Throws Error with the refusal's message and hint if the choice is not legal.
void require_legal(const OperandChoice& choice);

// The legal choice with the fewest changes: first another mode, then another major. None if the target does not read
// the type at all.
std::optional<OperandChoice> nearest_legal(const OperandChoice& choice);

// ---- what one instruction reads

// The operand of the MMA: A of M x K, or B of N x K.
enum class OperandRole { a, b };

constexpr std::string_view to_string(OperandRole role) { return role == OperandRole::a ? "a" : "b"; }

// What the lines across K are called: rows of A, and of an operand whose role is not known; n of B.
constexpr std::string_view row_word(std::optional<OperandRole> role) { return role == OperandRole::b ? "n" : "row"; }
constexpr std::string_view rows_word(std::optional<OperandRole> role) { return role == OperandRole::b ? "n" : "rows"; }

struct MmaOperand {
  TileExtents extents;
  bool is_half = false;  // the other half is in the other CTA of the pair
};

// What one instruction reads of A or of B. Throws Error, with the nearest shape, if the target does not read such
// operands or has no instruction of this shape.
MmaOperand mma_operand(const MmaExtents& extents, OperandRole role, const OperandChoice& choice);

// The M (of A) or the N (of B) that one CTA has, largest first, of the instructions that it runs by itself, or of
// those of a pair if the choice selects them. Those of .ws are omitted. The choice must be legal.
std::vector<std::int64_t> mma_rows(OperandRole role, const OperandChoice& choice);

// A CTA tile cut into MMAs. The MMA's extents divide the tile's; count() fits in 63 bits.
class MmaTiling {
 public:
  // Throws Error with the extent that is not divisible and the multiples below and above it. All extents are at least
  // 1; those of the tile are at most 2^20.
  MmaTiling(const MmaExtents& tile, const MmaExtents& mma);

  const MmaExtents& tile() const { return tile_; }
  const MmaExtents& mma() const { return mma_; }
  // The number of MMAs along M, N and K.
  MmaExtents blocks() const { return {tile_.m / mma_.m, tile_.n / mma_.n, tile_.k / mma_.k}; }
  std::int64_t count() const { return blocks().m * blocks().n * blocks().k; }

 private:
  MmaExtents tile_, mma_;
};

}  // namespace swz
