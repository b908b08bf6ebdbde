// Which operands an instruction can read from shared memory: target x element type x major x swizzle mode, as a
// table of rules that forbid.
//
//   refusal({sm_90a, e4m3, MN-major, 128B})    wgmma-mn-16-bit: wgmma transposes 16-bit types only
//     nearest legal choice                     K-major, 128B
//   refusal({sm_100a, tf32, MN-major, 128B})   tf32-mn-32b-atom; nearest: MN-major, 128B_32B
//
// What no rule forbids is legal. Invariant (tested): the legal choices are those of the vendor's table, and
// nearest_legal is legal and costs no more changes than any other legal choice.
//
// Source: PTX ISA 9.1, 9.7.16.10.1 and table 54 (9.7.16.10.3); ptxas for wgmma; the types of tcgen05.mma are
// those of arch/mma_kind.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/mma_kind.hpp"
#include "base/finding.hpp"
#include "smem/tile.hpp"

namespace swz {

// None of the pointers is null.
struct OperandChoice {
  const Target* target;
  const DType* dtype;
  Packing packing = Packing::packed;
  Major major = Major::K;
  const SwizzleMode* swizzle;
};
OperandChoice operand_choice(const SmemTile& tile, const Target& target);

// Kinds of tcgen05.mma on the target that read the type in this packing.
std::vector<const MmaKindRow*> kinds_reading(const OperandChoice& choice);

// One reason why no instruction of the target reads such an operand.
struct OperandRule {
  std::string_view name;
  std::string_view what;
  bool (*forbids)(const OperandChoice&);
  std::string (*tell)(const OperandChoice&);
  Source source;
};
std::span<const OperandRule> operand_rules();

struct Refusal : Finding {
  std::optional<OperandChoice> nearest;  // the same type on the same target; none: nothing is legal
};

// The first rule that forbids. None: legal.
std::optional<Refusal> refusal(const OperandChoice& choice);
inline bool is_legal(const OperandChoice& choice) { return !refusal(choice); }
// Throws Error with the refusal's message and hint.
void require_legal(const OperandChoice& choice);

// The legal choice with the fewest changes: first another mode, then another major. None: the target does not read
// the type at all.
std::optional<OperandChoice> nearest_legal(const OperandChoice& choice);

}  // namespace swz
