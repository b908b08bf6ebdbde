// SPDX-License-Identifier: Apache-2.0
#include "ptx/shared_access.hpp"

#include <algorithm>
#include <bit>

#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

namespace {

// A generic address that cvta made of one of shared memory, as code compiled for a debugger has them.
bool is_shared_address(const PtxValues& values, ValueId address) {
  if (address == no_value) return false;
  const LinearForm form = linear_form(values, address, values[address].bits);
  return std::ranges::count_if(form.terms, [&](const LinearTerm& one) {
           return values[one.value].op == ValueOp::generic_of_shared && one.factor == 1;
         }) == 1;
}

// What ptxas makes of atomics, as it was seen of 13.0 and counted on an H100 (tests/gpu/wavefronts/atomics.cu, atomic_addresses.cu).
SharedAccess atomic_access(const PtxValues& values, const PtxInstruction& one, std::uint32_t address,
                           std::span<const std::uint32_t> mentions) {
  SharedAccess out{.instruction = find_access(one.opcode), .address = address};
  if (has_generic_address(one)) {
    out.instruction = nullptr;
    out.why = "swz has no measured rule for an atomic with a generic address";
  }
  if (out.instruction == nullptr) {
    const bool is_loop =
        one.has(".add") && (one.has(".f32") || one.has(".f64") || one.has(".u64") || one.has(".f16x2"));
    if (out.why.empty())
      out.why = is_loop ? "the GPU has a loop for it, which turns as often as lanes meet"
                        : "swz has no measured rule for this atomic";
    return out;
  }
  const bool is_add = one.has(".add");
  const auto operand = values.number_of(values.of_operand(one, address + 1 - one.operand));
  const ValueId old = one.is("red") ? no_value : values.of_operand(one.operand);
  const bool is_old_read = old != no_value && mentions[old] > 1;
  const bool counts = (is_add && one.has(".u32")) || one.has(".inc");
  if (counts && !is_old_read && operand && (*operand & low_mask(32)) == (is_add ? 1 : low_mask(32))) {
    out.instruction = find_access("ATOMS.POPC.INC.32");
    return out;
  }
  const bool is_reduction = one.has(".min") || one.has(".max") || one.has(".and") || one.has(".or") || one.has(".xor");
  out.adds_up = is_add || (is_reduction && !is_old_read);
  return out;
}

}  // namespace

std::vector<std::uint32_t> mentions_of(const PtxValues& values) {
  if (!std::ranges::any_of(values.kernel().instructions, [](const PtxInstruction& one) { return one.is("atom"); }))
    return {};
  std::vector<std::uint32_t> out(values.size() + 1);
  const auto name = [&](ValueId id) { ++out[id == no_value ? values.size() : id]; };
  for (std::uint32_t operand = values.kernel().first_operand; operand < values.kernel().end_operand; ++operand)
    name(values.of_operand(operand));
  for (ValueId id = 0; id < values.size(); ++id) {
    const PtxValue& value = values[id];
    for (const ValueId part : {value.a, value.b, value.c}) name(part);
    if (value.op == ValueOp::phi)
      for (const PtxPhi::From& from : values.phi(value).from) name(from.value);
  }
  return out;
}

std::optional<SharedAccess> shared_access(const PtxValues& values, const PtxInstruction& one,
                                          std::span<const std::uint32_t> mentions) {
  const OpcodeParts parts(one.opcode);
  const std::string_view name = parts.first();
  const bool is_cluster = parts.has("shared::cluster");
  const auto operands = values.module().operands_of(one);
  const auto find = std::ranges::find(operands, PtxOperandKind::address, &PtxOperand::kind);
  if (find == operands.end()) return std::nullopt;
  const bool is_named = parts.has("shared") || parts.has("shared::cta") || is_cluster;
  if (!is_named && !(has_generic_address(one) &&
                     is_shared_address(
                         values, values.of_operand(one.operand + static_cast<std::uint32_t>(find - operands.begin())))))
    return std::nullopt;
  SharedAccess out{.address = one.operand + static_cast<std::uint32_t>(find - operands.begin())};
  if (name == "ld" || name == "st" || name == "ldu") {
    int bytes = std::max(operand_type(parts.last()).bits / 8, 1);
    for (const int count : {2, 4, 8})
      if (parts.has("v" + std::to_string(count))) bytes *= count;
    out.instruction = find_access(name == "st" ? AccessOp::store : AccessOp::load, bytes);
    if (out.instruction == nullptr) out.why = "swz has no rule for accesses of " + std::to_string(bytes) + " B a lane";
  } else if (name == "ldmatrix" || name == "stmatrix") {
    out.instruction = find_access(one.opcode);
    if (out.instruction == nullptr) out.why = "swz has no rule for this shape";
  } else if (name == "cp" && parts.all[1] == "async" && !parts.has("bulk") && !parts.has("mbarrier")) {
    if (const auto bytes = values.number_of(values.of_operand(one, 2)))
      out.instruction = find_access(AccessOp::cp_async, static_cast<int>(*bytes));
  } else if (name == "wmma" && (parts.has("load") || parts.has("store"))) {
    out.why = "swz has no measured rule for wmma." + std::string(parts.all[1]);
  } else if (name == "atom" || name == "red") {
    out = atomic_access(values, one, out.address, mentions);
  } else {
    return std::nullopt;
  }
  if (is_cluster && (name == "ld" || name == "st" || name == "atom" || name == "red")) {
    out.instruction = nullptr;
    out.why = "the address may be in another CTA of the cluster";
  }
  return out;
}

std::vector<AccessPattern> patterns_of(const SharedAccess& access, const LaneValue& lanes, std::uint32_t active,
                                       std::string& why) {
  const AccessInstruction& instruction = *access.instruction;
  const AccessPattern pattern{.instruction = &instruction, .active = active};
  const std::uint32_t counted = pattern.lanes();
  const auto width = static_cast<std::uint64_t>(instruction.bytes);
  // An access is a multiple of its width, so that what the lanes share makes up for low bits that all of them have.
  const std::uint64_t low =
      lanes.value[static_cast<std::size_t>(std::countr_zero(counted | 1U << (warp_lanes - 1)))] & (width - 1);
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if ((counted >> l & 1) != 0 && (lanes.value[l] & (width - 1)) != low) {
      why = "lanes lie at different distances from a multiple of " + std::to_string(width) + " B";
      return {};
    }
  const bool is_shared = lanes.kind != LaneKind::exact, is_flipped = lanes.kind == LaneKind::flipped;
  const std::uint64_t step = std::uint64_t{1} << std::min(lanes.zeros, 2);
  if (is_shared && width < 4 && step < 4 && lanes.kind == LaneKind::relabelled) {
    why = "what all lanes share is not proven to be a multiple of 4 B";
    return {};
  }
  std::vector<AccessPattern> out;
  const auto add = [&](std::uint64_t shared) {
    out.push_back(pattern);
    for (std::size_t l = 0; l < warp_lanes; ++l)
      if (counted >> l & 1)
        out.back().address[l] = static_cast<std::uint32_t>(
            (is_flipped ? lanes.value[l] ^ shared : lanes.value[l] + shared) & low_mask(shared_address_bits));
  };
  if ((width >= 4 && is_shared) || access.aligns_down) {
    add(is_flipped ? low : 0 - low);
    return out;
  }
  for (std::uint64_t shared = 0; shared < (is_shared ? 4 : 1); shared += is_shared ? step : 1)
    if ((low + shared) % width == 0 && !(is_flipped && (shared & ~lanes.flips) != 0)) add(shared);
  if (out.empty()) why = "the address is no multiple of " + std::to_string(width) + " B";
  return out;
}

}  // namespace swz
