// SPDX-License-Identifier: Apache-2.0
#include "ptx/lane_claims.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "ptx/claims.hpp"

namespace swz {

LaneWatcher::LaneWatcher(const PtxInterpreter& interpreter, const PtxValues& values, WarpValues& warp,
                         const std::vector<SmemSite>& sites)
    : interpreter_(interpreter), values_(values), warp_(warp) {
  const PtxModule& module = values.module();
  const auto& instructions = values.kernel().instructions;
  for (const SmemSite& site : sites) sites_[site.instruction] = &site;
  operands_.resize(instructions.size());
  visited_.resize(instructions.size());
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const auto add = [&](std::uint32_t operand, const auto& self) -> void {
      if (values.of_operand(operand) != no_value) operands_[i].push_back(operand);
      for (std::uint32_t k = 0; k < module.operands[operand].parts; ++k) self(module.operands[operand].part + k, self);
    };
    const std::uint32_t first = interpreter.results(i).empty() ? 0 : 1;
    for (std::uint32_t k = first; k < instructions[i].operands; ++k) add(instructions[i].operand + k, add);
  }
}

void LaneWatcher::before(const PtxStep& step) {
  if (!contradiction.empty()) return;
  for (const std::uint32_t operand : operands_[step.instruction]) compare(step, operand, values_.of_operand(operand));
  if (!visited_[step.instruction]) {
    visited_[step.instruction] = true;
    const ActiveLanes lanes = warp_.at_instruction(step.instruction);
    if (lanes.why == no_value && !lanes.is_sampled && step.active != 0 &&
        (lanes.lanes & ~interpreter_.lost()) != step.active)
      say(step, fmt::format("lanes {:#x} execute it, said are {:#x}", step.active, lanes.lanes));
  }
  if (const auto site = sites_.find(step.instruction); site != sites_.end()) count(step, *site->second);
  if (const auto site = global_.find(step.instruction); site != global_.end()) count_sectors(step, *site->second);
}

void LaneWatcher::watch(const std::vector<GmemSite>& sites) {
  for (const GmemSite& site : sites) global_[site.instruction] = &site;
}

void LaneWatcher::count_sectors(const PtxStep& step, const GmemSite& site) {
  if (step.active == 0 || !site.sectors) return;
  const PtxOperand* address = nullptr;
  for (const PtxOperand& operand : values_.module().operands_of(values_.kernel().instructions[step.instruction]))
    if (operand.kind == PtxOperandKind::address) address = &operand;
  std::set<std::uint64_t> touched;
  bool is_allowed = true;
  for (int lane = 0; lane < 32; ++lane) {
    if ((step.active >> lane & 1) == 0) continue;
    is_allowed = is_allowed && interpreter_.is_defined(*address, lane);
    if (!is_allowed) break;
    const std::uint64_t first = interpreter_.value(*address, lane);
    is_allowed = first % static_cast<std::uint64_t>(site.bytes.count) == 0;
    for (std::int64_t byte = 0; byte < site.bytes.count; ++byte)
      touched.insert((first + static_cast<std::uint64_t>(byte)) / 32);
  }
  sectors[step.instruction].push_back(is_allowed ? static_cast<int>(touched.size()) : 0);
}

void LaneWatcher::compare(const PtxStep& step, std::uint32_t operand, ValueId id) {
  const LaneValue& claim = warp_.of(id);
  ++kinds[static_cast<std::size_t>(claim.kind)];
  if (claim.kind == LaneKind::unknown || claim.is_sampled) return;
  const PtxOperand& one = values_.module().operands[operand];
  const std::uint64_t mask = bits_below(std::min<int>(claim.bits, values_[id].bits));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lanes;  // what is claimed, what is there
  lanes.reserve(32);
  std::uint64_t pass = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((step.active >> lane & 1) == 0 || !interpreter_.is_defined(one, lane)) continue;
    if (lanes.empty()) pass = interpreter_.pass(lane);
    if (interpreter_.pass(lane) == pass)
      lanes.emplace_back(claim.value[static_cast<std::size_t>(lane)] & mask, interpreter_.value(one, lane) & mask);
  }
  ++compared;
  for (const auto& [said, held] : lanes) {
    const std::uint64_t first_said = lanes[0].first, first = lanes[0].second;
    bool holds = true;
    switch (claim.kind) {
      case LaneKind::exact: holds = said == held; break;
      case LaneKind::shifted: {
        const std::uint64_t shared = (held - said) & mask;
        holds = shared == ((first - first_said) & mask) && (shared & bits_below(std::min(claim.zeros, 64)) & mask) == 0;
        break;
      }
      case LaneKind::flipped:
        holds = (held ^ said) == (first ^ first_said) && ((held ^ said) & ~claim.flips & mask) == 0;
        break;
      case LaneKind::uniform: holds = held == first; break;
      case LaneKind::relabelled:
        for (const auto& [other_said, other] : lanes) {
          const int zeros = std::min(claim.zeros, 63);
          const bool same = said >> zeros == other_said >> zeros;
          holds = holds && same == (held >> zeros == other >> zeros);
          // Words of four bytes, whose low bits are the claim's.
          if (claim.zeros >= 2 && said >> 2 != other_said >> 2)
            holds = holds && ((said >> 2) % 32 == (other_said >> 2) % 32) == ((held >> 2) % 32 == (other >> 2) % 32);
        }
        break;
      case LaneKind::unknown: break;
    }
    if (!holds)
      return say(step, fmt::format("operand: a lane holds {:#x}, said is {:#x}; the first {:#x} and {:#x}; kind {}, "
                                   "zeros {}, flips {:#x}, bits {} ({})",
                                   held, said, first, first_said, static_cast<int>(claim.kind), claim.zeros,
                                   claim.flips, claim.bits, claim_text(values_, id)));
  }
}

void LaneWatcher::count(const PtxStep& step, const SmemSite& site) {
  if (step.active == 0) return;
  ++executed[step.instruction];
  if (!site.worst) return;
  const PtxInstruction& one = values_.kernel().instructions[step.instruction];
  std::vector<int>& visits = counted[step.instruction];
  AccessPattern pattern{.instruction = site.worst->instruction, .active = step.active};
  for (const PtxOperand& operand : values_.module().operands_of(one)) {
    if (operand.kind != PtxOperandKind::address) continue;
    for (int lane = 0; lane < 32; ++lane) {
      if ((pattern.lanes() >> lane & 1) == 0) continue;
      const std::uint64_t address = interpreter_.value(operand, lane);
      const bool is_allowed = address < (std::uint64_t{1} << values_.shared_address_bits()) &&
                              address % static_cast<std::uint64_t>(pattern.instruction->bytes) == 0;
      if (!is_allowed || !interpreter_.is_defined(operand, lane)) {
        visits.push_back(0);
        return;
      }
      pattern.address[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(address);
    }
    break;
  }
  // One lane goes for all only if all go to one word.
  const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(pattern.lanes()));
  bool is_one_word = site.one_lane_goes;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    is_one_word =
        is_one_word && ((pattern.lanes() >> lane & 1) == 0 || pattern.address[lane] == pattern.address[first]);
  if (is_one_word) pattern.active = 1U << first;
  visits.push_back(count_wavefronts(pattern).wavefronts);
}

void LaneWatcher::say(const PtxStep& step, const std::string& what) {
  if (!contradiction.empty()) return;
  const PtxInstruction& one = values_.kernel().instructions[step.instruction];
  contradiction = fmt::format("line {}: {}: {}", one.line, one.opcode, what);
}

}  // namespace swz
