// SPDX-License-Identifier: Apache-2.0
// PtxValueBuilder: makes the values of a kernel from its instructions.
//
//   mov.u32 %r1, 0;              %r1 is written twice, and the blocks that write it meet at L:
//   L: add.u32 %r1, %r1, 1;      phi(0, phi + 1), which L reads
//   @%p1 bra L;
//
// A register that is written once has the value that this instruction gives. Any other register gets a phi where two of
// its writers meet, at the dominance frontier of the blocks that write it, if some block reads it before writing it.
//
// Used only inside src/ptx.
// Source: Cytron, Ferrante, Rosen, Wegman, Zadeck, Efficiently Computing Static Single Assignment Form.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ptx/value_maker.hpp"
#include "ptx/values.hpp"

namespace swz {

class PtxValueBuilder : private ValueMaker {
 public:
  explicit PtxValueBuilder(PtxValues& values);
  void build();

  // The value of an operand at the instruction that is read now, as `bits` bits. no_value: it is not known, or a list.
  ValueId read(const PtxOperand& operand, int bits) const;
  // A result that is not known. It varies between lanes, or if `varies` is false, only if `depends` does.
  ValueId unknown(std::uint32_t instruction, std::uint32_t result, int bits, bool varies,
                  ValueId depends = no_value) const;
  // A lane may have the generic address of memory that is its own.
  bool has_own_memory() const { return has_own_memory_; }

 private:
  static constexpr std::size_t most_results = 16;  // that are modelled

  // What a register held before a block wrote it.
  struct Undo {
    std::uint32_t reg = 0;
    ValueId before = no_value;
  };
  using BlocksOfRegisters = std::vector<std::vector<std::uint32_t>>;

  void place_phis();
  BlocksOfRegisters find_writers();
  std::vector<bool> find_read_across_blocks(const BlocksOfRegisters& writing);
  void place_phis_of(std::uint32_t reg, std::vector<std::uint32_t> writing, const BlocksOfRegisters& frontiers,
                     std::vector<std::uint32_t>& has_phi);

  void enter_block(std::uint32_t block, std::vector<Undo>& undo);
  void leave_block(std::uint32_t block);
  void execute(std::uint32_t index, std::vector<Undo>& undo);
  // The values of the results, one for each register that the first operand names; no_value: unknown
  // (value_operations.cpp).
  void read_results(std::uint32_t index, std::span<ValueId> results);
  ValueId unmodelled(std::uint32_t index, std::uint32_t result, int bits) const;
  void define(std::uint32_t index, const PtxOperand& operand, ValueId value, std::vector<Undo>& undo);

  ValueId read_register(std::uint32_t reg) const;
  ValueId where_executed(ValueId value) const;
  ValueId read_symbol(std::uint32_t symbol, std::int64_t added) const;
  void record(std::uint32_t operand);
  ValueId address_of(const PtxOperand& operand) const;

  const PtxInstruction& instruction(std::uint32_t index) const { return kernel_.instructions[index]; }
  ValueId& value_of_operand(std::uint32_t operand) const { return v_.of_operand_[operand - kernel_.first_operand]; }
  int bits_of_register(std::uint32_t reg) const { return kernel_.registers[reg].bits; }

  const PtxModule& module_;
  const PtxKernel& kernel_;
  std::vector<ValueId> current_;                                         // of each register
  std::vector<std::uint8_t> writers_;                                    // of each register; 2: more than one
  std::vector<std::vector<std::pair<std::uint32_t, ValueId>>> phis_of_;  // of each block: register, value
  ValueId guard_ = no_value, not_guard_ = no_value;                      // of the instruction that is read now
  bool has_own_memory_ = false;
};

}  // namespace swz
