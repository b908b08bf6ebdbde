// SPDX-License-Identifier: Apache-2.0
#include "ptx/shared_access.hpp"

#include <algorithm>
#include <bit>

#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"

namespace swz {

namespace {

// A generic address that cvta made from a shared one, as in code compiled for a debugger.
bool is_shared_address(const PtxValues& values, ValueId address) {
  if (address == no_value) return false;
  const LinearForm form = linear_form(values, address, values[address].bits);
  return std::ranges::count_if(form.terms, [&](const LinearTerm& term) {
           return values[term.value].op == ValueOp::generic_of_shared && term.factor == 1;
         }) == 1;
}

// What ptxas 13.0 makes of atomics, counted on an H100 (tests/gpu/wavefronts/atomics.cu, atomic_addresses.cu).
SharedAccess atomic_access(const PtxValues& values, const PtxInstruction& atomic, std::uint32_t address,
                           std::span<const std::uint32_t> mentions) {
  SharedAccess access{.instruction = has_generic_address(atomic) ? nullptr : find_access(atomic.opcode),
                      .address = address};
  const bool is_add = atomic.has(".add");
  if (access.instruction == nullptr) {
    const bool is_loop =
        is_add && (atomic.has(".f32") || atomic.has(".f64") || atomic.has(".u64") || atomic.has(".f16x2"));
    access.why = has_generic_address(atomic) ? "swz has no measured rule for an atomic with a generic address"
                 : is_loop                   ? "the GPU runs it as a loop, with as many passes as lanes meet"
                                             : "swz has no measured rule for this atomic";
    return access;
  }
  const auto operand = values.number_of(values.of_operand(atomic, address + 1 - atomic.operand));
  const ValueId old = atomic.is("red") ? no_value : values.of_operand(atomic.operand);
  const bool is_old_read = old != no_value && mentions[old] > 1;
  const bool counts = (is_add && atomic.has(".u32")) || atomic.has(".inc");
  if (counts && !is_old_read && operand && (*operand & low_mask(32)) == (is_add ? 1 : low_mask(32))) {
    access.instruction = find_access("ATOMS.POPC.INC.32");
    return access;
  }
  const bool is_reduction =
      atomic.has(".min") || atomic.has(".max") || atomic.has(".and") || atomic.has(".or") || atomic.has(".xor");
  access.adds_up = is_add || (is_reduction && !is_old_read);
  return access;
}

// ld, ldu, st
SharedAccess plain_shared_access(const OpcodeParts& parts, std::uint32_t address) {
  const int bytes = plain_bytes(parts);
  SharedAccess access{.instruction = find_access(parts.first() == "st" ? AccessOp::store : AccessOp::load, bytes),
                      .address = address};
  if (access.instruction == nullptr)
    access.why = "swz has no rule for accesses of " + std::to_string(bytes) + " B a lane";
  return access;
}

}  // namespace

int plain_bytes(const OpcodeParts& parts) {
  int bytes = 1;
  for (std::size_t i = 1; i < parts.count; ++i)  // the type is the last part, as compilers write it
    if (const int bits = operand_type(parts.all[i]).bits; bits >= 8) bytes = bits / 8;
  for (const int count : {2, 4, 8})
    if (parts.has("v" + std::to_string(count))) bytes *= count;
  return bytes;
}

std::vector<std::uint32_t> mentions_of(const PtxValues& values) {
  const auto is_atomic = [](const PtxInstruction& instruction) { return instruction.is("atom"); };
  if (std::ranges::none_of(values.kernel().instructions, is_atomic)) return {};
  std::vector<std::uint32_t> mentions(values.size() + 1);
  const auto mention = [&](ValueId id) { ++mentions[id == no_value ? values.size() : id]; };
  for (std::uint32_t operand = values.kernel().first_operand; operand < values.kernel().end_operand; ++operand)
    mention(values.of_operand(operand));
  for (ValueId id = 0; id < values.size(); ++id) {
    const PtxValue& value = values[id];
    for (const ValueId part : {value.a, value.b, value.c}) mention(part);
    if (value.op == ValueOp::phi)
      for (const PtxPhi::From& from : values.phi(value).from) mention(from.value);
  }
  return mentions;
}

std::optional<SharedAccess> shared_access(const PtxValues& values, const PtxInstruction& instruction,
                                          std::span<const std::uint32_t> mentions) {
  const auto is = [&](std::string_view name) { return instruction.is(name); };
  const bool is_atomic = is("atom") || is("red"), is_plain = is("ld") || is("st") || is("ldu");
  const bool is_copy = is("cp.async"), is_wmma = is("wmma"), is_matrix = is("ldmatrix") || is("stmatrix");
  if (!is_atomic && !is_plain && !is_copy && !is_wmma && !is_matrix) return std::nullopt;
  const auto operands = values.module().operands_of(instruction);
  const auto place = std::ranges::find(operands, PtxOperandKind::address, &PtxOperand::kind);
  if (place == operands.end()) return std::nullopt;
  const OpcodeParts parts(instruction.opcode);
  const bool is_cluster = parts.has("shared::cluster");
  const bool is_named = parts.has("shared") || parts.has("shared::cta") || is_cluster;
  const auto address = instruction.operand + static_cast<std::uint32_t>(place - operands.begin());
  if (!is_named && !(has_generic_address(instruction) && is_shared_address(values, values.of_operand(address))))
    return std::nullopt;
  SharedAccess access{.address = address};
  if (is("st.bulk")) {
    access.why = "swz has no rule for st.bulk";
  } else if (is_plain) {
    access = plain_shared_access(parts, address);
  } else if (is_matrix) {
    access.instruction = find_access(instruction.opcode);
    if (access.instruction == nullptr) access.why = "swz has no rule for this shape";
  } else if (is_copy && !parts.has("bulk") && !parts.has("mbarrier")) {
    if (const auto bytes = values.number_of(values.of_operand(instruction, 2)))
      access.instruction = find_access(AccessOp::cp_async, static_cast<int>(*bytes));
  } else if (is_wmma && (parts.has("load") || parts.has("store"))) {
    access.why = "swz has no measured rule for wmma." + std::string(parts.all[1]);
  } else if (is_atomic) {
    access = atomic_access(values, instruction, address, mentions);
  } else {
    return std::nullopt;
  }
  if (is_cluster && (is_atomic || is("ld") || is("st"))) {
    access.instruction = nullptr;
    access.why = "the address may be in another CTA of the cluster";
  }
  return access;
}

std::vector<AccessPattern> patterns_of(const SharedAccess& access, const LaneValue& lanes, std::uint32_t active,
                                       int bits, std::string& why) {
  const AccessInstruction& instruction = *access.instruction;
  const AccessPattern pattern{.instruction = &instruction, .active = active};
  const std::uint32_t counted = pattern.lanes();
  const auto width = static_cast<std::uint64_t>(instruction.bytes);
  // An access is at a multiple of its width, so what the lanes share makes up for low bits that all of them have.
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
  std::vector<AccessPattern> patterns;
  const auto add = [&](std::uint64_t shared) {
    patterns.push_back(pattern);
    for (std::size_t l = 0; l < warp_lanes; ++l)
      if (counted >> l & 1)
        patterns.back().address[l] = static_cast<std::uint32_t>(
            (is_flipped ? lanes.value[l] ^ shared : lanes.value[l] + shared) & low_mask(bits));
  };
  if ((width >= 4 && is_shared) || access.aligns_down) {
    add(is_flipped ? low : 0 - low);
    return patterns;
  }
  for (std::uint64_t shared = 0; shared < (is_shared ? 4 : 1); shared += is_shared ? step : 1)
    if ((low + shared) % width == 0 && !(is_flipped && (shared & ~lanes.flips) != 0)) add(shared);
  if (patterns.empty()) why = "the address is not a multiple of " + std::to_string(width) + " B";
  return patterns;
}

}  // namespace swz
