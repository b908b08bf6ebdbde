// SPDX-License-Identifier: Apache-2.0
#include "ptx/values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/value_builder.hpp"
#include "ptx/value_facts.hpp"
#include "ptx/value_patterns.hpp"

namespace swz {

namespace {

std::uint64_t shifted_right_signed(std::uint64_t value, std::uint64_t by, int bits) {
  return static_cast<std::uint64_t>(as_signed(value, bits) >> std::min<std::uint64_t>(by, 63));
}

// The table has one entry for each combination of the three bits.
std::uint64_t any_bits_of(std::uint64_t table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t result = 0;
  for (unsigned entry = 0; entry < 8; ++entry)
    if (table >> entry & 1) result |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
  return result;
}

// Each of four nibbles of the selector names a byte of b:a; its bit 3 spreads the sign of that byte.
std::uint64_t bytes_of(std::uint64_t selector, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t all = b << 32 | (a & low_mask(32));
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t nibble = selector >> (4 * i) & 15;
    std::uint64_t byte = all >> (8 * (nibble & 7)) & 255;
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

std::uint64_t reversed(std::uint64_t value, int bits) {
  std::uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

}  // namespace

std::optional<std::uint64_t> evaluate(const PtxValue& value, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t mask = low_mask(value.bits);
  const int from = static_cast<int>(value.number);
  switch (value.op) {
    case ValueOp::constant: return value.number;
    case ValueOp::add: return (a + b) & mask;
    case ValueOp::multiply: return (a * b) & mask;
    case ValueOp::bit_and: return a & b & mask;
    case ValueOp::bit_or: return (a | b) & mask;
    case ValueOp::bit_xor: return (a ^ b) & mask;
    case ValueOp::shift_left: return b >= value.bits ? 0 : (a << b) & mask;
    case ValueOp::shift_right: return b >= value.bits ? 0 : (a & mask) >> b;
    case ValueOp::shift_right_signed: return shifted_right_signed(a, b, value.bits) & mask;
    case ValueOp::divide: return b == 0 ? std::nullopt : std::optional(a / b & mask);
    case ValueOp::remainder: return b == 0 ? std::nullopt : std::optional(a % b & mask);
    case ValueOp::divide_signed:
    case ValueOp::remainder_signed: {
      const std::int64_t x = as_signed(a, value.bits), y = as_signed(b, value.bits);
      if (y == 0 || y == -1) return std::nullopt;
      return static_cast<std::uint64_t>(value.op == ValueOp::divide_signed ? x / y : x % y) & mask;
    }
    case ValueOp::sign_extend: return static_cast<std::uint64_t>(as_signed(a, from)) & mask;
    case ValueOp::select: return (a & 1 ? b : c) & mask;
    case ValueOp::equal: return a == b;
    case ValueOp::less: return a < b;
    case ValueOp::less_signed: return as_signed(a, from) < as_signed(b, from);
    case ValueOp::any_bits: return any_bits_of(value.number, a, b, c) & mask;
    case ValueOp::bytes: return bytes_of(value.number, a, b) & mask;
    case ValueOp::count_ones: return static_cast<std::uint64_t>(std::popcount(a));
    case ValueOp::count_leading_zeros: return static_cast<std::uint64_t>(std::countl_zero(a) - (64 - from));
    case ValueOp::reverse_bits: return reversed(a, value.bits);
    default: return std::nullopt;
  }
}

int KnownValue::trailing_zeros() const { return std::countr_one(zeros); }

std::size_t PtxValues::Hash::operator()(const PtxValue& value) const {
  std::uint64_t hash = value.number * 0x9e3779b97f4a7c15;
  for (const std::uint64_t part : {std::uint64_t{value.a}, std::uint64_t{value.b}, std::uint64_t{value.c},
                                   std::uint64_t{value.bits} << 8 | static_cast<std::uint64_t>(value.op)}) {
    hash = (hash ^ part) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

PtxValues::PtxValues(const PtxModule& module, const PtxKernel& kernel, PtxLaunch launch)
    : module_(&module),
      kernel_(&kernel),
      window_target_(find_target(kernel.target)),
      launch_(std::move(launch)),
      flow_(ptx_flow(module, kernel)),
      reads_rows_(reads_rows(module, kernel)),
      shared_(shared_arrays(module, kernel, launch_.shared)),
      of_operand_(kernel.end_operand - kernel.first_operand, no_value),
      of_guard_(kernel.instructions.size(), no_value),
      branch_(flow_.blocks.size(), no_value) {
  if (window_target_ == nullptr) window_target_ = &sm_90a();
  std::unordered_map<std::string_view, std::uint32_t> names;
  for (const PtxRegister& reg : kernel.registers) ordinal_.push_back(++names[reg.name]);
  PtxValueBuilder(*this).build();
  const std::vector<ValueId> order = values_in_order(*this);
  known_ = known_values(*this, order);
  is_of_array_ = values_of_arrays(*this);
  UniformFacts uniform = uniform_values(*this, order);
  is_uniform_ = std::move(uniform.is_uniform);
  is_together_ = std::move(uniform.is_together);
  loses_lanes_ = std::move(uniform.loses_lanes);
}

ValueId PtxValues::constant(std::uint64_t number, int bits) {
  return make({.op = ValueOp::constant, .bits = static_cast<std::uint8_t>(bits), .number = number & low_mask(bits)});
}

ValueId PtxValues::make(PtxValue value) {
  if (value.a != no_value)
    if (const auto simpler = simplified(*this, value)) return *simpler;
  const auto [entry, is_new] = ids_.try_emplace(value, static_cast<ValueId>(values_.size()));
  if (is_new) {
    values_.push_back(value);
    origin_.push_back(building_);
  }
  return entry->second;
}

bool reads_rows(const PtxModule& module, const PtxKernel& kernel) {
  return std::ranges::any_of(module.operands_of(kernel), [&](const PtxOperand& operand) {
    if (operand.kind != PtxOperandKind::symbol || module.symbols[operand.id].space != PtxSpace::special) return false;
    const std::string_view name = module.symbols[operand.id].name;
    return name == "%tid" || name == "%tid.y" || name == "%tid.z";
  });
}

std::uint32_t PtxValues::register_id(ValueId id) const {
  if (values_[id].op == ValueOp::phi) return phi(values_[id]).reg;
  if (origin(id).operands == 0) return no_register;
  const PtxOperand* operand = module_->operands_of(origin(id)).data();
  while (operand->kind == PtxOperandKind::list && operand->parts > 0) operand = module_->parts_of(*operand).data();
  return operand->kind == PtxOperandKind::reg ? operand->id : no_register;
}

std::string_view PtxValues::register_of(ValueId id) const {
  const std::uint32_t reg = register_id(id);
  return reg == no_register ? std::string_view() : kernel_->registers[reg].name;
}

std::string PtxValues::register_text(ValueId id) const {
  const std::uint32_t reg = register_id(id);
  if (reg == no_register) return {};
  return std::string(kernel_->registers[reg].name) + (ordinal_[reg] == 1 ? "" : "#" + std::to_string(ordinal_[reg]));
}

}  // namespace swz
