// SPDX-License-Identifier: Apache-2.0
// PtxValues: what every register of a kernel holds at every instruction, as a graph of values, and what is known of each.
//
//   shr.u32 %r2, %r1, 4;        %r1 = tid.x            value 7: shift_right(tid.x, 4)
//   and.b32 %r3, %r2, 7;                               value 8: bit_and(7, 7)
//   bfe.u32 %r4, %r1, 4, 3;                            value 8 too: the same operations are the same value
//
//   known of value 8: bits 3 to 31 are 0, it is 0 to 7
//
// A value has up to 64 bits and is the number that zero extension makes of it, so that an extension is no operation. What
// a value is in one pass of a loop it need not be in the next; `phi` joins what reaches a block from the blocks before it.
// An instruction that is not modelled gives `unknown` values, which remember it.
//
// known: `zeros` and `ones` are bits that are 0 and 1 whenever control is there; low <= value <= high.
// uniform: all lanes of a warp that are there in the same pass of the same loops have the same value.
//
// Invariants (tested by running random programs): no claimed bit, bound or uniformity is contradicted.
// Source: PTX ISA 9.1, chapter 9.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  unknown,   // number: instruction << 8 | result; what it depends on, if it is a function of that
  phi,       // number: the place in `phis`
  add,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_right_signed,  // of bits or more: 0, or the sign
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
  count_leading_zeros,
  reverse_bits,
  lane_of,  // a in lane b
  generic_of_shared,
  shared_of_generic,
};

struct PtxValue {
  ValueOp op = ValueOp::constant;
  std::uint8_t bits = 32;
  bool varies = false;  // of unknown: lanes differ even where what it depends on does not
  ValueId a = no_value, b = no_value, c = no_value;
  std::uint64_t number = 0;
  bool operator==(const PtxValue&) const = default;
};

// What reaches a block. Where a branch leads to it, its condition holds: `condition` is 1, or 0 if `is_negated`.
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
  std::optional<std::int64_t> count = {};                              // of the threads, in rows that nobody said
  std::unordered_map<std::string_view, std::uint64_t> registers = {};  // what the user says they hold
};

class PtxValues {
 public:
  // module and kernel must outlive the values.
  PtxValues(const PtxModule& module, const PtxKernel& kernel, PtxLaunch launch);

  const PtxModule& module() const { return *module_; }
  const PtxKernel& kernel() const { return *kernel_; }
  const PtxLaunch& launch() const { return launch_; }
  const PtxFlow& flow() const { return flow_; }
  // Which threads are in a warp is known. Without the block's extents it is where the kernel reads no %tid.y and %tid.z.
  bool knows_shape() const { return launch_.threads || !reads_rows_; }
  const SharedArrays& shared() const { return shared_; }

  // Of an operand of the module that this kernel reads or writes: a register, a number, a symbol; of brackets the address with
  // what is added to it. no_value: another kind, or no way enters the instruction.
  ValueId of_operand(std::uint32_t operand) const { return of_operand_[operand - kernel_->first_operand]; }
  // Of an instruction's operand, from 0; no_value also where it has none in this place.
  ValueId of_operand(const PtxInstruction& one, std::size_t place) const {
    return place < one.operands ? of_operand(one.operand + static_cast<std::uint32_t>(place)) : no_value;
  }
  // The condition under which the instruction is executed; no_value: always.
  ValueId of_guard(std::uint32_t instruction) const { return of_guard_[instruction]; }

  std::size_t size() const { return values_.size(); }
  const PtxValue& operator[](ValueId id) const { return values_[id]; }
  const PtxPhi& phi(const PtxValue& value) const { return phis_[value.number]; }
  const KnownValue& known(ValueId id) const { return known_[id]; }
  // The number that it always is; nullopt: it has several, or nobody knows. Also of no_value.
  std::optional<std::uint64_t> number_of(ValueId id) const {
    return id != no_value && known_[id].is_constant() ? std::optional(known_[id].low) : std::nullopt;
  }
  // It is known because it is known where an array begins: a number that is better written as the array and what is added.
  bool is_of_array(ValueId id) const { return of_array_[id]; }
  bool is_uniform(ValueId id) const { return uniform_[id]; }
  // The lanes that come to the block of a phi come from one block, in the same pass of its loop.
  bool comes_together(const PtxValue& phi) const { return together_[phis_[phi.number].block]; }
  // The block lies in a loop whose lanes leave it in different passes.
  bool loses_lanes(std::uint32_t block) const { return loses_lanes_[block]; }
  // The condition of the branch at the end of a block; no_value: none.
  ValueId branch_of(std::uint32_t block) const { return branch_[block]; }
  std::string_view name_of(const PtxValue& special_or_symbol) const {
    return module_->symbols[special_or_symbol.number].name;
  }
  // The instruction that gave the value first.
  const PtxInstruction& origin(ValueId id) const { return kernel_->instructions[origin_[id]]; }
  // The register that held it first; for a phi the register that it joins. Empty: none.
  std::string_view register_of(ValueId id) const;
  // Its name; "%tmp#2" is the second of several that scopes call %tmp.
  std::string register_text(ValueId id) const;

  // Equal values have one id; constants are folded.
  ValueId make(PtxValue value);
  ValueId constant(std::uint64_t number, int bits);

 private:
  friend class PtxValueBuilder;
  std::optional<ValueId> recognised(const PtxValue& value);
  std::optional<ValueId> rounded_up(const PtxValue& value);
  std::uint32_t register_id(ValueId id) const;
  // As control comes to them, so that a chain of phis is known after one pass.
  std::vector<ValueId> in_order() const;
  void find_known();
  void find_of_array();
  void find_uniform();
  KnownValue known_of(ValueId id) const;
  KnownValue known_of_phi(ValueId id) const;
  KnownValue assuming(ValueId value, ValueId condition, bool is_true) const;

  const PtxModule* module_;
  const PtxKernel* kernel_;
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
  std::uint32_t building_ = 0;          // the instruction at hand
  std::vector<bool> reached_, of_array_, uniform_, together_, loses_lanes_;
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

// The kernel tells threads apart by %tid.y or %tid.z.
bool reads_rows(const PtxModule& module, const PtxKernel& kernel);

// The window of shared memory has less than 2^18 bytes (arch/target.hpp).
inline constexpr int shared_address_bits = 18;

// The window lies at a multiple of 2^24 among the generic addresses: below, both addresses have the same bits. On an H100 the block of
// a cluster stands above them.
inline constexpr int shared_window_bits = 24;

// The bits below 2^bits.
constexpr std::uint64_t low_mask(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

constexpr std::int64_t as_signed(std::uint64_t number, int bits) {
  return static_cast<std::int64_t>(number << (64 - bits)) >> (64 - bits);
}

// What an operation gives, of operands that are known: the meaning of ValueOp, for all that depend on a, b and c alone.
// nullopt: of the others.
std::optional<std::uint64_t> evaluate(const PtxValue& value, std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace swz
