// SPDX-License-Identifier: Apache-2.0
// PtxValueBuilder: from the instructions of a kernel to its values. Between the files of src/ptx.
//
// Registers that are written once are what that instruction gives. Others get a phi where two of their writers meet: at the
// dominance frontier of the blocks that write them, for those that some block reads before it writes.
// Source: Cytron, Ferrante, Rosen, Wegman, Zadeck, Efficiently Computing Static Single Assignment Form.
#pragma once

#include <array>
#include <span>

#include "ptx/values.hpp"

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

class PtxValueBuilder {
 public:
  explicit PtxValueBuilder(PtxValues& values);
  void build();

 private:
  static constexpr std::size_t most_results = 16;  // of which something is known

  struct Undo {
    std::uint32_t reg = 0;
    ValueId before = no_value;
  };

  void place_phis();
  void enter_block(std::uint32_t block, std::vector<Undo>& undo);
  void leave_block(std::uint32_t block);
  void execute(std::uint32_t instruction, std::vector<Undo>& undo);
  // The values of the results, one for each register that the first operand names; no_value: unknown.
  void results(std::uint32_t instruction, std::span<ValueId> out);
  ValueId unmodelled(std::uint32_t instruction, std::uint32_t place, int bits);
  ValueId result(std::uint32_t instruction, const OpcodeParts& parts);
  ValueId loaded(std::uint32_t instruction, const OpcodeParts& parts, std::uint32_t element, int held);
  bool is_of_shared_object(ValueId address, int depth = 0) const;
  bool is_own_memory(const OpcodeParts& parts, ValueId address) const;
  ValueId converted(std::uint32_t instruction, const OpcodeParts& parts);
  ValueId compared(std::uint32_t instruction, const OpcodeParts& parts, std::size_t first);
  ValueId funnel_shift(std::uint32_t instruction, const OpcodeParts& parts);
  ValueId bit_field(std::uint32_t instruction, const OpcodeParts& parts, OperandType type);
  ValueId permuted_bytes(std::uint32_t instruction, const OpcodeParts& parts);
  ValueId logic_table(std::uint32_t instruction);

  const PtxInstruction& at(std::uint32_t instruction) const { return v_.kernel_->instructions[instruction]; }
  // The operand of an instruction as `bits` bits.
  ValueId use(std::uint32_t instruction, std::uint32_t operand, int bits);
  ValueId read(const PtxOperand& operand, int bits);
  ValueId cut(ValueId value, int bits);
  ValueId as_signed(ValueId value, int from, int bits);
  ValueId negate(ValueId value, int bits);
  ValueId op(ValueOp what, ValueId a, ValueId b, int bits, std::uint64_t number = 0);
  ValueId unknown(std::uint32_t instruction, std::uint32_t result, int bits, bool varies, ValueId depends = no_value);
  std::optional<std::uint64_t> number_of(ValueId value) const;
  // The same in every thread of the block, whenever it is asked: of constants, symbols and parameters. False: nobody knows.
  bool is_one_in_block(ValueId value, int depth = 0) const;
  void define(std::uint32_t instruction, const PtxOperand& operand, ValueId value, std::vector<Undo>& undo);
  void record_operands(const PtxInstruction& instruction);
  void record(std::uint32_t operand);

  PtxValues& v_;
  const PtxModule& module_;
  const PtxKernel& kernel_;
  std::vector<ValueId> current_;                                         // of each register
  std::vector<std::uint8_t> writers_;                                    // of each register; 2: more than one
  std::vector<std::vector<std::pair<std::uint32_t, ValueId>>> phis_of_;  // of each block: register, value
  bool has_own_memory_ = false;  // a lane may have the generic address of something that is its own
};

}  // namespace swz
