// SPDX-License-Identifier: Apache-2.0
#include "sass/constant_bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "binary/kernel_catalog.hpp"

namespace swz {

namespace {

// Where bank 0 has what. The rows are in the order of the targets; the last whose number is not above holds.
struct BankRow {
  std::uint32_t sm;
  std::int64_t block, grid, parameters, parameter_address;
};
constexpr std::int64_t none = -1;
constexpr BankRow bank_rows[] = {
    {0, 0x0, 0xc, 0x160, none},
    {90, 0x0, 0xc, 0x210, 0x198},
    {100, 0x360, 0x36c, 0x380, 0x348},
};

const BankRow& bank_of(std::string_view target) {
  const std::uint32_t sm = read_sm_arch(target).value_or(SmArch{90}).number;
  const BankRow* row = &bank_rows[0];
  for (const BankRow& each : bank_rows)
    if (each.sm <= sm) row = &each;
  return *row;
}

}  // namespace

ConstantBank::ConstantBank(std::string_view kernel, std::string_view target, std::vector<SassParameter> parameters,
                           std::optional<std::int64_t> base)
    : kernel_(kernel), parameters_(std::move(parameters)) {
  const BankRow& row = bank_of(target);
  block_ = row.block;
  grid_ = row.grid;
  base_ = base.value_or(row.parameters);
  address_ = row.parameter_address;
  if (parameters_.empty()) parameters_.push_back({0, 1 << 15});
}

std::string ConstantBank::parameter_name(std::size_t place) const { return fmt::format("{}_param_{}", kernel_, place); }

ConstantBank::Read ConstantBank::read(int bank, std::int64_t offset) const {
  if (bank != 0) return {"ld.const.b32", fmt::format("[c{}+{}]", bank, offset)};
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const char letter = static_cast<char>('x' + axis);
    if (offset == block_ + 4 * axis) return {"mov.u32", fmt::format("%ntid.{}", letter)};
    if (offset == grid_ + 4 * axis) return {"mov.u32", fmt::format("%nctaid.{}", letter)};
  }
  for (std::size_t place = 0; place < parameters_.size(); ++place) {
    const std::int64_t byte = offset - base_ - parameters_[place].offset;
    if (byte >= 0 && byte < parameters_[place].bytes)
      return {"ld.param.b32", fmt::format("[{}+{}]", parameter_name(place), byte)};
  }
  return {"ld.const.b32", fmt::format("[c0+{}]", offset)};
}

std::string ConstantBank::declaration() const {
  std::string text;
  for (std::size_t place = 0; place < parameters_.size(); ++place)
    text += fmt::format("{}.param .align 8 .b8 {}[{}]", place == 0 ? "" : ", ", parameter_name(place),
                        parameters_[place].bytes);
  return text;
}

}  // namespace swz
