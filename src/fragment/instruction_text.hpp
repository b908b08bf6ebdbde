// SPDX-License-Identifier: Apache-2.0
// InstructionText: an instruction from pasted text: a line of PTX or SASS, or the name of a CUTLASS atom.
//
//   read_instruction("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 1;")
//     m64n8k16, bf16 into f32, A in shared memory and K-major, B MN-major
//   read_instruction("MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>")   mma.m16n8k16.row.col.f32.bf16.bf16.f32
//   read_instruction("@P0 HMMA.16816.F32.BF16 R4, R8, R12, R4 ;")  the same
//   read_instruction("LDSM.16.MT88.4 R4, [R2]")                    ldmatrix.x4.trans
//   read_instruction("m64n8k16")                                   nullopt: the text names no instruction
//
// The names of CUTLASS and SASS are not listed. They are written from the rows of arch/instruction, arch/tensor_memory
// and fragment/tmem_access by the rule of their dialect, and the text means the row whose name is equal. A name that
// begins several of them (HMMA.16816: with which types?) throws Error with the candidates.
//
// Invariants (tested): the PTX, CUTLASS and SASS name of every row is read as that row; every atom of CUTLASS 4.2 whose
// instruction swz has can be read.
// Source: CUTLASS 4.2 include/cute/arch for its names; ptxas 13.0.88 and nvdisasm 13.5 for those of SASS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/swizzle_mode.hpp"
#include "fragment/fragment.hpp"

namespace swz {

// The constants after the operands of a block-scaled or sparse mma.sync: "%r9, {2, 1}, %r10, {0, 3}". Ids in registers
// are not known.
struct ScaleOperands {
  std::optional<ScaleIds> sfa_ids = {}, sfb_ids = {};
  std::optional<int> selector = {};
};

enum class OperandPlace { unknown, registers, shared_memory, tensor_memory };

struct InstructionText {
  std::string written;       // the name in the text: "HMMA.16816.F32.BF16"
  std::string_view dialect;  // "PTX", "CUTLASS", "SASS"
  std::string name;          // as find_fragment accepts it; for tcgen05.mma, without a fragment, for people only
  // Only for an MMA.
  std::optional<MmaExtents> shape = {};
  std::string d = {}, a = {}, b = {};  // element types; empty if not named
  OperandPlace a_place = OperandPlace::unknown;
  std::optional<Major> a_major = {}, b_major = {};
  const MmaKindRow* kind = nullptr;  // for tcgen05.mma
  ScaleOperands scales = {};

  // "SM80_16x8x16_F32BF16BF16F32_TN is mma.m16n8k16.row.col.f32.bf16.bf16.f32"; empty if the text is PTX.
  std::string reading() const;
};

// The instruction, or nullopt if the text names none. Throws Error if it names several, or one that swz does not have,
// or if the name leaves open which one is meant.
std::optional<InstructionText> read_instruction(std::string_view text);

// The parts of a PTX name between its dots, in lower case; a part that the name does not have is empty.
struct NameParts {
  std::optional<MmaExtents> shape;
  std::vector<OperandOrder> orders;  // of A and B
  std::vector<std::string> types;    // D, A, B, C
  std::string unknown;
  std::string kind;  // "mxf4"
  bool has_block_scale = false;
  int scale_vec = 0;       // 2 for scale_vec::2X
  std::string scale_type;  // "ue8m0"
  bool is_sparse = false, is_ordered = false;
};
NameParts read_parts(const std::vector<std::string>& parts);

// ---- internal to instruction_text and its dialects

inline bool has_part(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

// One mma.sync or wgmma that exists.
struct NamedMma {
  const MmaInstruction* row = nullptr;
  int n = 0;
  std::string_view d, a, b;

  std::string ptx() const;  // "mma.m16n8k16.row.col.f32.bf16.bf16.f32"
};
std::vector<NamedMma> named_mmas();
InstructionText text_of(const NamedMma& choice, std::string_view written, std::string_view dialect);

// `behind` is the text after the name. Returns nullopt if it is not a name of this dialect.
std::optional<InstructionText> read_cutlass_name(std::string_view name, std::string_view behind);
std::optional<InstructionText> read_sass_name(std::string_view name);

// Throws Error for a name that is not among those that exist, with those that it begins, otherwise the nearest.
// `prefix` precedes all of them.
[[noreturn]] void throw_unlisted(std::string_view written, std::string_view looked_up, std::string_view prefix,
                                 const std::vector<std::string>& all);

}  // namespace swz
