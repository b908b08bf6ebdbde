// SPDX-License-Identifier: Apache-2.0
// Opcodes: the parts of one, the types among the parts, and what an instruction does with its operands.
//
//   mad.wide.s32 %rd1, %r1, 4, %rd2;     parts "mad", "wide", "s32"; the type of the operands is s32
//                                        writes its first operand only, and the result depends only on the operands: pure
//
// Used only inside src/ptx and src/sass. Source: PTX ISA 9.1, chapter 9.
#pragma once

#include <array>
#include <string_view>

namespace swz {

// "mad.wide.s32": "mad", "wide", "s32".
struct OpcodeParts {
  std::array<std::string_view, 24> all = {};
  std::size_t count = 0;

  explicit OpcodeParts(std::string_view opcode);
  std::string_view first() const { return all[0]; }
  std::string_view last() const { return all[count - 1]; }
  bool has(std::string_view part) const;
};

struct OperandType {
  char kind = 'b';  // b, u, s; f for all floating-point types, p for predicates
  int bits = 0;     // 0: none
  bool is_integer() const { return bits != 0 && kind != 'f'; }
};
OperandType operand_type(std::string_view part);

// The results depend only on the operands. `name` is the first part of an opcode, "mad".
bool is_pure(std::string_view name);
enum class OpcodeResults { none, first_operand, all_operands };
// Any opcode that swz does not know is assumed to write every register it names.
OpcodeResults results_of(std::string_view name);

}  // namespace swz
