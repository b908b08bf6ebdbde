// SPDX-License-Identifier: Apache-2.0
#include "ptx/claims.hpp"

#include <fmt/format.h>

#include <bit>

namespace swz {

namespace {

// The operands that the instruction reads or writes, with those in brackets and lists.
template <class Visit>
void for_each_part(const PtxModule& module, std::uint32_t operand, const Visit& visit) {
  visit(operand);
  const PtxOperand& one = module.operands[operand];
  for (std::uint32_t i = 0; i < one.parts; ++i) for_each_part(module, one.part + i, visit);
}

constexpr std::array<const char*, 31> op_names = {
    "constant", "symbol",   "special", "param", "unknown", "phi",   "add",     "multiply", "and",    "or",    "xor",
    "shl",      "shr",      "shr.s",   "div",   "rem",     "div.s", "rem.s",   "sext",     "select", "equal", "less",
    "less.s",   "any_bits", "bytes",   "popc",  "clz",     "brev",  "lane_of", "generic",  "shared"};

}  // namespace

std::string claim_text(const PtxValues& values, ValueId id, int depth) {
  if (id == no_value) return "-";
  const PtxValue& value = values[id];
  std::string out = fmt::format("{}.{}", op_names.at(static_cast<std::size_t>(value.op)), value.bits);
  if (value.op == ValueOp::constant) return fmt::format("{:#x}", value.number);
  if (value.op == ValueOp::special || value.op == ValueOp::symbol) return std::string(values.name_of(value));
  if (value.op == ValueOp::unknown && value.number >> 60 == 0)
    out += fmt::format(" of line {}", values.kernel().instructions[value.number >> 8].line);
  if (value.op == ValueOp::phi) out += fmt::format(" of {}", values.register_of(id));
  if (value.a == no_value || depth > 6) return out;
  out += "(" + claim_text(values, value.a, depth + 1);
  for (const ValueId more : {value.b, value.c})
    if (more != no_value) out += ", " + claim_text(values, more, depth + 1);
  return out + ")";
}

ClaimWatcher::ClaimWatcher(const PtxInterpreter& warp, const PtxValues& values) : warp_(warp), values_(values) {
  const PtxModule& module = values.module();
  const PtxKernel& kernel = values.kernel();
  const std::size_t count = kernel.instructions.size();
  claims_.resize(count);
  given_.resize(count);
  phis_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const PtxInstruction& one = kernel.instructions[i];
    std::vector<std::uint32_t> left;
    for (const PtxOperand& result : warp.results(i))
      if (result.kind == PtxOperandKind::reg) left.push_back(result.id);
    for (std::uint32_t k = 0; k < one.operands; ++k)
      for_each_part(module, one.operand + k, [&](std::uint32_t operand) {
        const PtxOperand& part = module.operands[operand];
        // The results come first, in order.
        const bool is_result = !left.empty() && part.kind == PtxOperandKind::reg && part.id == left.front();
        if (is_result) left.erase(left.begin());
        const ValueId value = values.of_operand(operand);
        if (value != no_value) claims_[i].push_back({operand, value, is_result});
      });
  }
  for (ValueId id = 0; id < values.size(); ++id) {
    const PtxValue& value = values[id];
    if (value.op == ValueOp::phi) {
      const PtxPhi& phi = values.phi(value);
      const PtxBlock& block = values.flow().blocks[phi.block];
      if (block.first < block.end) phis_[block.first].push_back({id, phi.reg});
    } else if (value.op == ValueOp::unknown && value.number >> 60 == 0) {
      const auto instruction = static_cast<std::uint32_t>(value.number >> 8);
      const std::size_t place = value.number & 255;
      const std::vector<PtxOperand>& results = warp.results(instruction);
      if (place < results.size() && place < 254 && results[place].kind == PtxOperandKind::reg)
        given_[instruction].push_back({id, results[place].id});
    }
  }
  leaf_.resize(values.size() * 32);
  memo_.resize(values.size());
  memo_time_.resize(values.size());
}

void ClaimWatcher::begin(int lane) {
  lane_ = lane;
  has_leaf_.assign(values_.size(), 0);
}

void ClaimWatcher::before(const PtxStep& step) {
  if (!contradiction.empty()) return;
  for (const Given& phi : phis_[step.instruction])
    for (int lane = 0; lane < 32; ++lane)
      if (step.here >> lane & 1) {
        leaf_[phi.value * 32 + static_cast<std::uint32_t>(lane)] = warp_.reg(phi.reg, lane);
        has_leaf_[phi.value] |= std::uint32_t{1} << lane;
      }
  compare(step, false);
}

void ClaimWatcher::after(const PtxStep& step) {
  if (!contradiction.empty()) return;
  for (const Given& one : given_[step.instruction])
    for (int lane = 0; lane < 32; ++lane)
      if (step.active >> lane & 1) {
        leaf_[one.value * 32 + static_cast<std::uint32_t>(lane)] =
            warp_.reg(one.reg, lane) & bits_below(values_[one.value].bits);
        has_leaf_[one.value] |= std::uint32_t{1} << lane;
      }
  compare(step, true);
}

void ClaimWatcher::compare(const PtxStep& step, bool results) {
  ++time_;
  for (const Claim& claim : claims_[step.instruction])
    if (claim.is_result == results) compare_lanes(step, claim);
  const ValueId guard = values_.of_guard(step.instruction);
  if (results || guard == no_value) return;
  const KnownValue& known = values_.known(guard);
  std::uint32_t there = step.here;
  for (int lane = 0; lane < 32; ++lane)
    if (!warp_.is_defined(values_.kernel().instructions[step.instruction].guard, lane))
      there &= ~(std::uint32_t{1} << lane);
  const std::uint32_t active = step.active & there;
  if ((known.low == 1 && active != there) || (known.high == 0 && active != 0))
    say(step, {0, guard, false}, 0, fmt::format("the guard is executed by lanes {:#x} of {:#x}", active, there));
}

void ClaimWatcher::compare_lanes(const PtxStep& step, const Claim& claim) {
  const PtxOperand& operand = values_.module().operands[claim.operand];
  const KnownValue& known = values_.known(claim.value);
  const std::uint64_t mask = bits_below(values_[claim.value].bits);
  const bool is_uniform = values_.is_uniform(claim.value);
  const std::uint32_t there = claim.is_result ? step.here : step.active;
  std::array<std::uint64_t, 32> first = {};  // of the lanes in a pass
  std::array<std::uint64_t, 32> passes = {};
  int seen = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((there >> lane & 1) == 0 || !warp_.is_defined(operand, lane)) continue;
    const std::uint64_t value = warp_.value(operand, lane) & mask;
    ++compared;
    if ((value & known.zeros & mask) != 0 || (~value & known.ones) != 0)
      return say(
          step, claim, lane,
          fmt::format("it holds {:#x}, known are zeros {:#x} and ones {:#x}", value, known.zeros & mask, known.ones));
    if (value < known.low || value > known.high)
      return say(step, claim, lane,
                 fmt::format("it holds {:#x}, the bounds are {:#x} and {:#x}", value, known.low, known.high));
    if (!is_uniform) continue;
    int i = 0;
    while (i < seen && passes[static_cast<std::size_t>(i)] != warp_.pass(lane)) ++i;
    if (i == seen) {
      passes[static_cast<std::size_t>(i)] = warp_.pass(lane);
      first[static_cast<std::size_t>(seen++)] = value;
    } else if (first[static_cast<std::size_t>(i)] != value) {
      return say(step, claim, lane,
                 fmt::format("it holds {:#x}, another lane {:#x}, and is said to be uniform", value,
                             first[static_cast<std::size_t>(i)]));
    }
  }
  if ((there >> lane_ & 1) == 0 || !warp_.is_defined(operand, lane_)) return;
  const auto expected = form(claim.value, lane_);
  const std::uint64_t value = warp_.value(operand, lane_) & mask;
  if (expected && *expected != value)
    say(step, claim, lane_, fmt::format("it holds {:#x}, its form gives {:#x}", value, *expected));
}

std::optional<std::uint64_t> ClaimWatcher::form(ValueId id, int lane) {
  if (lane != lane_) return evaluated(id, lane);  // of lane_of: seldom
  if (memo_time_[id] != time_) {
    memo_time_[id] = time_;
    memo_[id] = evaluated(id, lane);
  }
  return memo_[id];
}

std::optional<std::uint64_t> ClaimWatcher::evaluated(ValueId id, int lane) {
  const PtxValue& value = values_[id];
  const std::uint64_t mask = bits_below(value.bits);
  const auto of = [&](ValueId part) { return part == no_value ? std::optional<std::uint64_t>(0) : form(part, lane); };
  switch (value.op) {
    case ValueOp::constant: return value.number;
    case ValueOp::symbol:
    case ValueOp::special:
      return warp_.value({.kind = PtxOperandKind::symbol, .id = static_cast<std::uint32_t>(value.number)}, lane) & mask;
    case ValueOp::param:
      return warp_.param(static_cast<std::uint32_t>(value.number >> 32),
                         static_cast<std::int64_t>(value.number & 0xffffffff), value.bits / 8);
    case ValueOp::unknown:
    case ValueOp::phi:
      if ((has_leaf_[id] >> lane & 1) == 0) return std::nullopt;
      return leaf_[id * 32 + static_cast<std::uint32_t>(lane)];
    case ValueOp::lane_of: {
      const auto from = of(value.b);
      return from ? form(value.a, static_cast<int>(*from & 31)) : std::nullopt;
    }
    case ValueOp::generic_of_shared:
    case ValueOp::shared_of_generic: {
      const auto a = of(value.a);
      if (!a) return std::nullopt;
      return (value.op == ValueOp::generic_of_shared ? *a + warp_.shared_window() : *a - warp_.shared_window()) & mask;
    }
    case ValueOp::select: {
      const auto a = of(value.a);
      if (!a) return std::nullopt;
      const auto out = of((*a & 1) != 0 ? value.b : value.c);
      return out ? std::optional(*out & mask) : std::nullopt;
    }
    default: {
      const auto a = of(value.a), b = of(value.b), c = of(value.c);
      if (!a || !b || !c) return std::nullopt;
      return evaluate(value, *a, *b, *c);
    }
  }
}

void ClaimWatcher::say(const PtxStep& step, const Claim& claim, int lane, const std::string& what) {
  if (!contradiction.empty()) return;
  const PtxInstruction& one = values_.kernel().instructions[step.instruction];
  contradiction = fmt::format("line {}: {}: {} in lane {}: {} ({})", one.line, one.opcode,
                              claim.is_result ? "result" : "operand", lane, what, claim_text(values_, claim.value));
}

}  // namespace swz
