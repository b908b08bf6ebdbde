// SPDX-License-Identifier: Apache-2.0
// PtxValues: what every register of a kernel holds at every instruction, and what is known of it.
//
// Two instructions that compute the same give one value, whatever the registers are called. A value is an operation on
// other values, so the values of a kernel are a graph; from its leaves up, swz works out which bits of each value are
// known, between which bounds it lies, and whether all lanes of a warp have the same.
//
//   mov.u32 %r1, %tid.x;        value 5: special %tid.x
//   shr.u32 %r2, %r1, 4;        value 7: shift_right(value 5, 4)
//   and.b32 %r3, %r2, 7;        value 8: bit_and(value 7, 7)
//   bfe.u32 %r4, %r1, 4, 3;     value 8 too
//
//   known of value 8: bits 3 to 31 are 0, it is 0 to 7, lanes differ
//
// A value has up to 64 bits and is the number that zero extension makes of it, so zero extension is not an operation. A
// value may change from one pass of a loop to the next: `phi` joins what reaches a block from the blocks before it. An
// instruction that is not modelled gives `unknown` values, which remember it.
//
// known: bits of `zeros` are 0 and bits of `ones` are 1 whenever control is there; low <= value <= high.
// uniform: all lanes of a warp that are there in the same pass of the same loops have the same value.
//
// Invariants (tested by running random programs): no claimed bit, bound or uniformity is contradicted.
// Source: PTX ISA 9.1, chapter 9.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arch/target.hpp"
#include "ptx/flow.hpp"
#include "ptx/module.hpp"
#include "ptx/shared_arrays.hpp"

namespace swz {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = 0xffffffff;

enum class ValueOp : std::uint8_t {
  constant,  // number
  symbol,    // number: the symbol of the module whose address it is
  special,   // number: the symbol of the special register
  param,     // number: symbol << 32 | byte
  unknown,   // number: instruction << 8 | result; a, b, c: the values that it is a function of, if it is one
  phi,       // number: the place in `phis`
  add,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_right_signed,  // by all its bits or more: 0, or the sign
  divide,
  remainder,
  divide_signed,
  remainder_signed,
  sign_extend,  // number: the bits of a
  select,       // a ? b : c
  equal,
  less,
  less_signed,  // number: the bits of a and b
  any_bits,     // lop3: number is the table, bit 4a+2b+c
  bytes,        // prmt: number is the selector
  count_ones,
  count_leading_zeros,  // number: the bits of a
  reverse_bits,
  lane_of,  // a in lane b
  generic_of_shared,
  shared_of_generic,
};

constexpr bool is_commutative(ValueOp op) {
  return op == ValueOp::add || op == ValueOp::multiply || op == ValueOp::bit_and || op == ValueOp::bit_or ||
         op == ValueOp::bit_xor || op == ValueOp::equal;
}

struct PtxValue {
  ValueOp op = ValueOp::constant;
  std::uint8_t bits = 32;
  bool varies = false;  // of unknown and special: lanes may differ even if a, b and c do not
  ValueId a = no_value, b = no_value, c = no_value;
  std::uint64_t number = 0;
  bool operator==(const PtxValue&) const = default;
};

// What reaches a block. If a branch leads to it, its condition holds: `condition` is 1, or 0 if `is_negated`.
struct PtxPhi {
  struct From {
    std::uint32_t block = no_block;
    ValueId value = no_value, condition = no_value;
    bool is_negated = false;
  };
  std::uint32_t block = 0, reg = 0;
  std::vector<From> from;
};

struct KnownValue {
  std::uint64_t zeros = 0, ones = 0;
  std::uint64_t low = 0, high = ~std::uint64_t{0};

  std::uint64_t known() const { return zeros | ones; }
  bool is_constant() const { return low == high; }
  // The power of two that divides it, up to 2^bits.
  int trailing_zeros() const;
  bool operator==(const KnownValue&) const = default;
};

struct PtxLaunch {
  std::optional<std::array<std::int64_t, 3>> threads = {};             // exactly
  std::optional<std::int64_t> count = {};                              // of the threads, if the shape is not given
  std::unordered_map<std::string_view, std::uint64_t> registers = {};  // what they hold, as the user says
  std::optional<PlacedShared> shared = {};                             // as the cubin says
};

class PtxValues {
 public:
  // module and kernel must outlive the values.
  PtxValues(const PtxModule& module, const PtxKernel& kernel, PtxLaunch launch);

  const PtxModule& module() const { return *module_; }
  const PtxKernel& kernel() const { return *kernel_; }
  const PtxLaunch& launch() const { return launch_; }
  const PtxFlow& flow() const { return flow_; }
  // It is known which threads a warp has. Without the extents of the block it is, if the kernel reads no %tid.y and
  // %tid.z.
  bool knows_shape() const { return launch_.threads || !reads_rows_; }
  const SharedArrays& shared() const { return shared_; }
  // The kernel's target; where swz does not know it, sm_90a's window stands for it.
  const Target& window_target() const { return *window_target_; }
  // The bits of an address of shared memory: 18, on sm_107 19.
  int shared_address_bits() const { return window_target_->smem_address_bits(); }

  // The value of an operand that this kernel reads, in the lanes that its guard lets execute the instruction, or writes:
  // of a register, a number or a symbol; for brackets the address including what is added to it. no_value: another kind, or control never reaches the instruction.
  ValueId of_operand(std::uint32_t operand) const { return of_operand_[operand - kernel_->first_operand]; }
  // The same for an operand of an instruction, from 0; no_value also if it has no such operand.
  ValueId of_operand(const PtxInstruction& instruction, std::size_t place) const {
    return place < instruction.operands ? of_operand(instruction.operand + static_cast<std::uint32_t>(place))
                                        : no_value;
  }
  // The condition under which the instruction is executed; no_value: always.
  ValueId of_guard(std::uint32_t instruction) const { return of_guard_[instruction]; }

  std::size_t size() const { return values_.size(); }
  const PtxValue& operator[](ValueId id) const { return values_[id]; }
  const PtxPhi& phi(const PtxValue& value) const { return phis_[value.number]; }
  // It reaches the phi at the end of a pass of the loop that begins at the phi's block.
  bool is_back(const PtxPhi& phi, const PtxPhi::From& from) const {
    return from.block != no_block && flow_.dominates(phi.block, from.block);
  }
  const KnownValue& known(ValueId id) const { return known_[id]; }
  // The number that it always is; nullopt: it has several, or is not known. Also of no_value.
  std::optional<std::uint64_t> number_of(ValueId id) const {
    return id != no_value && known_[id].is_constant() ? std::optional(known_[id].low) : std::nullopt;
  }
  // It is known because it is known where an array begins. Texts show the array plus an offset instead of the number.
  bool is_of_array(ValueId id) const { return is_of_array_[id]; }
  bool is_uniform(ValueId id) const { return is_uniform_[id]; }
  // The lanes that come to the block of a phi come from one block, in the same pass of its loop.
  bool comes_together(const PtxValue& phi) const { return is_together_[phis_[phi.number].block]; }
  // The block is in a loop whose lanes leave it in different passes.
  bool loses_lanes(std::uint32_t block) const { return loses_lanes_[block]; }
  // The condition of the branch at the end of a block; no_value: none.
  ValueId branch_of(std::uint32_t block) const { return branch_[block]; }
  std::string_view name_of(const PtxValue& special_or_symbol) const {
    return module_->symbols[special_or_symbol.number].name;
  }
  // The instruction that gave the value first.
  const PtxInstruction& origin(ValueId id) const { return kernel_->instructions[origin_[id]]; }
  // The block of that instruction, or of the phi.
  std::uint32_t block_of(ValueId id) const {
    return values_[id].op == ValueOp::phi ? phi(values_[id]).block : flow_.block_of[origin_[id]];
  }
  // The register that held it first; for a phi the register that it joins. Empty: none.
  std::string_view register_of(ValueId id) const;
  // The name of that register; "%tmp#2" is the second of several that scopes call %tmp.
  std::string register_text(ValueId id) const;

  // Equal values have one id; constants are folded.
  ValueId make(PtxValue value);
  ValueId constant(std::uint64_t number, int bits);

 private:
  friend class PtxValueBuilder;
  std::uint32_t register_id(ValueId id) const;

  const PtxModule* module_;
  const PtxKernel* kernel_;
  const Target* window_target_;
  PtxLaunch launch_;
  PtxFlow flow_;
  bool reads_rows_ = false;
  SharedArrays shared_;
  std::vector<ValueId> of_operand_, of_guard_, branch_;
  std::vector<PtxValue> values_;
  std::vector<PtxPhi> phis_;
  std::vector<KnownValue> known_;
  std::vector<std::uint32_t> origin_;   // of each value
  std::vector<std::uint32_t> ordinal_;  // of each register among those of its name, from 1
  std::uint32_t building_ = 0;          // the instruction that is being read
  std::vector<bool> is_of_array_, is_uniform_, is_together_, loses_lanes_;
  struct Hash {
    std::size_t operator()(const PtxValue& value) const;
  };
  std::unordered_map<PtxValue, ValueId, Hash> ids_;
};

// 0 to 2 of "%tid.x" and "%ntid.z".
constexpr std::optional<std::size_t> axis_of(std::string_view special) {
  const std::string_view name = special.substr(0, special.find('.'));
  if ((name != "%tid" && name != "%ntid") || special.size() != name.size() + 2) return std::nullopt;
  const char axis = special.back();
  return axis < 'x' || axis > 'z' ? std::nullopt : std::optional(static_cast<std::size_t>(axis - 'x'));
}

// The kernel distinguishes threads by %tid.y or %tid.z.
bool reads_rows(const PtxModule& module, const PtxKernel& kernel);

// The window begins at a multiple of 2^24 among the generic addresses: below that, both addresses have the same bits.
// On an H100 the number of the block in its cluster is in the bits above.
inline constexpr int shared_window_bits = 24;

// The bits below 2^bits.
constexpr std::uint64_t low_mask(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

constexpr std::int64_t as_signed(std::uint64_t number, int bits) {
  return static_cast<std::int64_t>(number << (64 - bits)) >> (64 - bits);
}

// The result of an operation on known operands: the meaning of every ValueOp that depends only on a, b and c.
// nullopt: for any other.
std::optional<std::uint64_t> evaluate(const PtxValue& value, std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace swz
