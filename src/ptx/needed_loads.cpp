// SPDX-License-Identifier: Apache-2.0
#include "ptx/needed_loads.hpp"

#include <algorithm>
#include <unordered_set>

namespace swz {

namespace {

// Opcodes that do nothing but give results.
constexpr std::string_view arithmetic[] = {"abs", "add", "and",  "bfe",  "bfi",  "clz",   "cvt",  "div",  "ex2",
                                           "fma", "lg2", "lop3", "mad",  "max",  "min",   "mov",  "mul",  "neg",
                                           "not", "or",  "popc", "prmt", "rcp",  "rsqrt", "selp", "setp", "shf",
                                           "shl", "shr", "sqrt", "sub",  "tanh", "xor"};
static_assert(std::ranges::is_sorted(arithmetic));

bool is_arithmetic(const PtxInstruction& instruction) {
  return std::ranges::binary_search(arithmetic, instruction.name());
}

template <class Visit>
void for_each_value(const PtxValues& values, std::uint32_t operand, const Visit& visit) {
  visit(values.of_operand(operand));
  const PtxOperand& whole = values.module().operands[operand];
  for (std::uint32_t i = 0; i < whole.parts; ++i) for_each_value(values, whole.part + i, visit);
}

}  // namespace

NeededLoads::NeededLoads(const PtxValues& values) : v_(values), readers_(values.size()), is_joined_(values.size()) {
  const auto& all = values.kernel().instructions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto add = [&](ValueId id) {
      if (id != no_value && (readers_[id].empty() || readers_[id].back() != i)) readers_[id].push_back(i);
    };
    // The first operand of any other instruction may be read, as an address is.
    const bool has_result = is_arithmetic(all[i]) || all[i].is("ld");
    for (std::uint32_t k = has_result ? 1 : 0; k < all[i].operands; ++k)
      for_each_value(values, all[i].operand + k, add);
    add(values.of_guard(i));
  }
  for (ValueId id = 0; id < values.size(); ++id)
    if (values[id].op == ValueOp::phi)
      for (const PtxPhi::From& from : values.phi(values[id]).from)
        if (from.value != no_value) is_joined_[from.value] = true;
  find_used();
}

// From the instructions that have an effect back to what they read.
void NeededLoads::find_used() {
  const auto& all = v_.kernel().instructions;
  std::vector<std::vector<std::uint32_t>> givers(v_.size());  // instructions with nothing but their results
  std::vector<ValueId> open;
  is_used_.assign(v_.size(), false);
  const auto use = [&](ValueId id) {
    if (id == no_value || is_used_[id]) return;
    is_used_[id] = true;
    open.push_back(id);
  };
  const auto use_reads = [&](std::uint32_t i) {
    for (std::uint32_t k = 1; k < all[i].operands; ++k) for_each_value(v_, all[i].operand + k, use);
    use(v_.of_guard(i));
  };
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const bool only_gives = all[i].operands > 0 && !all[i].has(".volatile") &&
                            (is_arithmetic(all[i]) || all[i].is("ld") || all[i].is("shfl"));
    if (only_gives) {
      for_each_value(v_, all[i].operand, [&](ValueId id) {
        if (id != no_value) givers[id].push_back(i);
      });
      continue;
    }
    if (all[i].operands > 0) for_each_value(v_, all[i].operand, use);
    use_reads(i);
  }
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    for (const std::uint32_t i : givers[id]) use_reads(i);
    const PtxValue& value = v_[id];
    if (value.op == ValueOp::select)  // a guard may leave the old value
      for (const ValueId part : {value.b, value.c}) use(part);
    if (value.op == ValueOp::phi)
      for (const PtxPhi::From& from : v_.phi(value).from) use(from.value);
  }
}

bool NeededLoads::collect(ValueId value, std::uint32_t load, std::vector<std::uint32_t>& uses) const {
  constexpr std::size_t most_values = 64, most_uses = 256;
  const PtxFlow& flow = v_.flow();
  const auto is_passed = [&](std::uint32_t block) {
    std::uint32_t at = flow.block_of[load];
    while (at != no_block && at != block && flow.post_dominator[at] != at) at = flow.post_dominator[at];
    return at == block;
  };
  std::vector<ValueId> open = {value};
  std::unordered_set<ValueId> seen = {value};
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (is_joined_[open[i]] || open.size() > most_values) return false;
    for (const std::uint32_t reader : readers_[open[i]]) {
      const PtxInstruction& instruction = v_.kernel().instructions[reader];
      if (uses.size() > most_uses) return false;
      if (instruction.guard != no_register || !is_passed(flow.block_of[reader])) {
        uses.push_back(reader);
        continue;
      }
      if (!is_arithmetic(instruction)) return false;
      for_each_value(v_, instruction.operand, [&](ValueId result) {
        if (result != no_value && seen.insert(result).second) open.push_back(result);
      });
    }
  }
  return true;
}

LoadNeed NeededLoads::of(std::uint32_t load) const {
  LoadNeed need;
  const PtxInstruction& instruction = v_.kernel().instructions[load];
  const PtxOperand& result = v_.module().operands_of(instruction)[0];
  bool is_guarded = instruction.guard == no_register;
  for_each_value(v_, instruction.operand, [&](ValueId element) {
    if (element == no_value) return;
    if (!is_used_[element]) {
      need.is_whole = false;
      return;
    }
    std::vector<std::uint32_t> uses;
    const bool is_left_out = collect(element, load, uses);
    if (is_left_out && uses.empty()) need.is_whole = false;
    is_guarded = is_guarded && is_left_out;
    need.guarded_uses.insert(need.guarded_uses.end(), uses.begin(), uses.end());
  });
  for (const PtxOperand& part : v_.module().parts_of(result))
    need.is_whole = need.is_whole && part.kind != PtxOperandKind::sink;
  need.is_whole = need.is_whole || result.kind != PtxOperandKind::list;
  if (!is_guarded) need.guarded_uses.clear();
  return need;
}

}  // namespace swz
