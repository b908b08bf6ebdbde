// SPDX-License-Identifier: Apache-2.0
#include "ptx/value_builder.hpp"

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

// Lanes may read different values of it: of every special register but those that belong to a warp or more. A name that
// no declaration has may be anything.
bool differs_between_lanes(std::string_view special) {
  constexpr std::string_view shared[] = {
      "%ntid",   "%ctaid",         "%nctaid",     "%warpid",     "%nwarpid",      "%smid",
      "%nsmid",  "%gridid",        "%clusterid",  "%nclusterid", "%cluster_",     "%is_explicit_cluster",
      "%envreg", "%reserved_smem", "%total_smem", "%aggr_smem",  "%dynamic_smem", "%current_graph_exec"};
  return std::ranges::none_of(shared, [&](std::string_view name) { return special.starts_with(name); });
}

// Calls `visit` for each register that the instruction writes, with its place among the results. A sink has a place
// too.
template <class Visit>
void for_each_written(const PtxModule& module, const PtxInstruction& instruction, const Visit& visit) {
  const auto operands = module.operands_of(instruction);
  std::uint32_t place = 0;
  const auto write = [&](const PtxOperand& operand, const auto& self) -> void {
    if (operand.kind == PtxOperandKind::list) {
      for (const PtxOperand& part : module.parts_of(operand)) self(part, self);
      return;
    }
    if (operand.kind == PtxOperandKind::reg) visit(operand, place);
    ++place;
  };
  const OpcodeResults results = results_of(instruction.name());
  if (results == OpcodeResults::none) return;
  const std::size_t first = instruction.opcode.starts_with("tcgen05.ld.red") ? 2 : 1;
  const std::size_t count =
      results == OpcodeResults::first_operand ? std::min(first, operands.size()) : operands.size();
  for (const PtxOperand& operand : operands.first(count)) write(operand, write);
}

}  // namespace

PtxValueBuilder::PtxValueBuilder(PtxValues& values)
    : ValueMaker(values),
      module_(*values.module_),
      kernel_(*values.kernel_),
      current_(kernel_.registers.size(), no_value),
      writers_(kernel_.registers.size(), 0),
      phis_of_(values.flow_.blocks.size()) {
  const auto is_local = [&](const PtxOperand& operand) {
    return operand.kind == PtxOperandKind::symbol && module_.symbols[operand.id].space == PtxSpace::local;
  };
  const auto makes_local = [](const PtxInstruction& each) { return each.is("call") || each.is("alloca"); };
  has_own_memory_ = !kernel_.is_entry || std::ranges::any_of(module_.operands_of(kernel_), is_local) ||
                    std::ranges::any_of(kernel_.instructions, makes_local);
}

// Down the tree of dominators: what a block reads was written above it, and what a block wrote ends with its subtree.
void PtxValueBuilder::build() {
  place_phis();
  std::vector<std::vector<std::uint32_t>> below(v_.flow_.blocks.size());
  for (const std::uint32_t block : v_.flow_.order)
    if (block != 0) below[v_.flow_.dominator[block]].push_back(block);
  struct Visit {
    std::uint32_t block;
    std::size_t next = 0;
    std::vector<Undo> undo = {};
  };
  std::vector<Visit> stack;
  stack.push_back({0});
  enter_block(0, stack.back().undo);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next < below[top.block].size()) {
      const std::uint32_t block = below[top.block][top.next++];
      stack.push_back({block});
      enter_block(block, stack.back().undo);
      continue;
    }
    for (auto undo = top.undo.rbegin(); undo != top.undo.rend(); ++undo) current_[undo->reg] = undo->before;
    stack.pop_back();
  }
}

// ---- phis

void PtxValueBuilder::place_phis() {
  const BlocksOfRegisters writing = find_writers();
  const std::vector<bool> is_read_across = find_read_across_blocks(writing);
  const BlocksOfRegisters frontiers = dominance_frontiers(v_.flow_);
  std::vector<std::uint32_t> has_phi(v_.flow_.blocks.size(), no_register);
  for (std::uint32_t reg = 0; reg < kernel_.registers.size(); ++reg)
    if (writers_[reg] > 1 && is_read_across[reg]) place_phis_of(reg, writing[reg], frontiers, has_phi);
}

// Counts the writers of each register, and gives the blocks that write it.
PtxValueBuilder::BlocksOfRegisters PtxValueBuilder::find_writers() {
  BlocksOfRegisters writing(kernel_.registers.size());
  for (const std::uint32_t block : v_.flow_.order)
    for (std::uint32_t i = v_.flow_.blocks[block].first; i < v_.flow_.blocks[block].end; ++i)
      for_each_written(module_, instruction(i), [&](const PtxOperand& operand, std::uint32_t) {
        if (writers_[operand.id] < 2) ++writers_[operand.id];
        auto& blocks = writing[operand.id];
        if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
      });
  return writing;
}

// The registers that some block reads before it writes them. One writer is enough for a phi if some way to the read
// does not pass it first: a loop may bring the value of an earlier pass.
std::vector<bool> PtxValueBuilder::find_read_across_blocks(const BlocksOfRegisters& writing) {
  const PtxFlow& flow = v_.flow_;
  std::vector<bool> is_read_across(kernel_.registers.size());
  std::vector<std::uint32_t> written_in(kernel_.registers.size(), no_block);
  const auto read = [&](const PtxOperand& operand, std::uint32_t block, const auto& self) -> void {
    if (operand.kind == PtxOperandKind::reg && written_in[operand.id] != block) {
      is_read_across[operand.id] = true;
      if (writers_[operand.id] == 1) {
        const std::uint32_t writer = writing[operand.id][0];
        if (writer == block || !flow.dominates(writer, block)) writers_[operand.id] = 2;
      }
    }
    for (const PtxOperand& part : module_.parts_of(operand)) self(part, block, self);
  };
  for (const std::uint32_t block : flow.order)
    for (std::uint32_t i = flow.blocks[block].first; i < flow.blocks[block].end; ++i) {
      const std::uint32_t guard = instruction(i).guard;
      const auto operands = module_.operands_of(instruction(i));
      if (guard != no_register) read({.kind = PtxOperandKind::reg, .id = guard}, block, read);
      // A result is read too if a guard may leave the old value.
      for (std::size_t k = guard == no_register ? 1 : 0; k < operands.size(); ++k) read(operands[k], block, read);
      if (!operands.empty() && operands[0].kind == PtxOperandKind::address) read(operands[0], block, read);
      for_each_written(module_, instruction(i),
                       [&](const PtxOperand& operand, std::uint32_t) { written_in[operand.id] = block; });
    }
  return is_read_across;
}

void PtxValueBuilder::place_phis_of(std::uint32_t reg, std::vector<std::uint32_t> writing,
                                    const BlocksOfRegisters& frontiers, std::vector<std::uint32_t>& has_phi) {
  while (!writing.empty()) {
    const std::uint32_t block = writing.back();
    writing.pop_back();
    for (const std::uint32_t join : frontiers[block]) {
      if (has_phi[join] == reg) continue;
      has_phi[join] = reg;
      phis_of_[join].emplace_back(reg, op(ValueOp::phi, no_value, no_value, bits_of_register(reg), v_.phis_.size()));
      v_.phis_.push_back({join, reg, {}});
      require_within(limits::ptx_joins, std::ssize(v_.phis_));
      writing.push_back(join);
    }
  }
}

// ---- blocks and instructions

void PtxValueBuilder::enter_block(std::uint32_t block, std::vector<Undo>& undo) {
  for (const auto& [reg, phi] : phis_of_[block]) {
    undo.push_back({reg, current_[reg]});
    current_[reg] = phi;
    // Control comes to the first block from outside too.
    if (block == 0) v_.phis_[v_[phi].number].from.push_back({});
  }
  for (std::uint32_t i = v_.flow_.blocks[block].first; i < v_.flow_.blocks[block].end; ++i) execute(i, undo);
  leave_block(block);
}

void PtxValueBuilder::leave_block(std::uint32_t block) {
  constexpr std::uint32_t branch_result = 255;
  const PtxBlock& here = v_.flow_.blocks[block];
  ValueId condition = no_value;
  std::uint32_t taken = no_block;
  if (here.end > here.first) {
    const std::uint32_t index = here.end - 1;
    const PtxInstruction& last = instruction(index);
    const auto operands = module_.operands_of(last);
    if (last.guard != no_register) v_.branch_[block] = v_.of_guard_[index];
    if (last.is("bra") && last.guard != no_register && !operands.empty() && operands[0].kind == PtxOperandKind::label &&
        here.next.size() == 2 && operands[0].id < kernel_.instructions.size()) {
      condition = v_.branch_[block];
      taken = v_.flow_.block_of[operands[0].id];
    } else if (std::ranges::binary_search(v_.flow_.ending_calls, index)) {
      v_.branch_[block] = unknown(index, branch_result, 1, true);  // which lanes come back
    } else if (last.is("brx")) {
      const ValueId target = v_.of_operand(last, 0);
      const bool varies = target == no_value || last.guard != no_register;
      v_.branch_[block] = unknown(index, branch_result, 1, varies, target);
    }
  }
  for (const std::uint32_t next : here.next)
    for (const auto& [reg, phi] : phis_of_[next])
      v_.phis_[v_[phi].number].from.push_back({block, current_[reg], condition, next != taken});
}

void PtxValueBuilder::execute(std::uint32_t index, std::vector<Undo>& undo) {
  const PtxInstruction& executed = instruction(index);
  v_.building_ = index;
  if (executed.guard != no_register)
    v_.of_guard_[index] =
        read({.kind = PtxOperandKind::reg, .negated = executed.guard_negated, .id = executed.guard}, 1);
  guard_ = v_.of_guard_[index];
  not_guard_ = guard_ == no_value ? no_value : inverted(guard_, 1);
  for (std::uint32_t i = 0; i < executed.operands; ++i) record(executed.operand + i);
  std::array<ValueId, most_results> results;
  results.fill(no_value);
  read_results(index, results);
  // All results are of the operands as they were before any result is written.
  for_each_written(module_, executed, [&](const PtxOperand& operand, std::uint32_t place) {
    const int bits = bits_of_register(operand.id);
    ValueId value = place < results.size() ? results[place] : no_value;
    if (value == no_value || (bits < 8 && v_[value].bits > bits))
      value = unmodelled(index, std::min<std::uint32_t>(place, 254), bits);
    define(index, operand, cut(value, bits), undo);
    value_of_operand(static_cast<std::uint32_t>(&operand - module_.operands.data())) = current_[operand.id];
  });
  guard_ = not_guard_ = no_value;
}

// @p shl r, r, 4; @p st [r]: the second instruction, where it is executed, reads what the first one wrote.
ValueId PtxValueBuilder::where_executed(ValueId value) const {
  while (guard_ != no_value && v_[value].op == ValueOp::select) {
    const PtxValue& choice = v_[value];
    if (choice.a != guard_ && choice.a != not_guard_) break;
    value = choice.a == guard_ ? choice.b : choice.c;
  }
  return value;
}

void PtxValueBuilder::define(std::uint32_t index, const PtxOperand& operand, ValueId value, std::vector<Undo>& undo) {
  ValueId& current = current_[operand.id];
  const ValueId guard = v_.of_guard_[index];
  if (writers_[operand.id] > 1) undo.push_back({operand.id, current});
  if (guard != no_value && current != no_value)
    value = selected(guard, value, current, std::max(v_[value].bits, v_[current].bits));
  current = value;
}

ValueId PtxValueBuilder::unknown(std::uint32_t instruction, std::uint32_t result, int bits, bool varies,
                                 ValueId depends) const {
  return v_.make({.op = ValueOp::unknown,
                  .bits = width(bits),
                  .varies = varies,
                  .a = depends,
                  .number = std::uint64_t{instruction} << 8 | result});
}

// Nothing is known of the result, except perhaps that lanes with the same operands have the same one.
ValueId PtxValueBuilder::unmodelled(std::uint32_t index, std::uint32_t result, int bits) const {
  const PtxInstruction& executed = instruction(index);
  if (!is_pure(executed.name()) || executed.opcode.ends_with(".cc")) return unknown(index, result, bits, true);
  std::array<ValueId, 3> depends = {no_value, no_value, no_value};
  std::size_t count = 0;
  for (std::uint32_t i = 1; i < executed.operands; ++i) {
    const PtxOperandKind kind = module_.operands_of(executed)[i].kind;
    if (kind == PtxOperandKind::number) continue;
    const ValueId value = v_.of_operand(executed, i);
    if (value == no_value || count == depends.size()) return unknown(index, result, bits, true);
    depends[count++] = value;
  }
  return v_.make({.op = ValueOp::unknown,
                  .bits = width(bits),
                  .a = depends[0],
                  .b = depends[1],
                  .c = depends[2],
                  .number = std::uint64_t{index} << 8 | result});
}

// ---- operands

ValueId PtxValueBuilder::read_register(std::uint32_t reg) const {
  const int bits = bits_of_register(reg);
  const auto& given = v_.launch_.registers;
  if (const auto number = given.find(kernel_.registers[reg].name); number != given.end())
    return constant(number->second, bits);
  if (current_[reg] != no_value) return where_executed(current_[reg]);
  // It is read before it is written.
  return v_.make({.op = ValueOp::unknown, .bits = width(bits), .varies = true, .number = ~std::uint64_t{reg}});
}

ValueId PtxValueBuilder::read_symbol(std::uint32_t id, std::int64_t added) const {
  const PtxSymbol& symbol = module_.symbols[id];
  if (symbol.space != PtxSpace::special) {
    const int bits = symbol.space == PtxSpace::shared ? 32 : 64;
    const ValueId address = op(ValueOp::symbol, no_value, no_value, bits, id);
    return added == 0 ? address : op(ValueOp::add, address, constant(static_cast<std::uint64_t>(added), bits), bits);
  }
  if (added != 0) return no_value;
  const auto& threads = v_.launch_.threads;
  const auto axis = axis_of(symbol.name);
  if (threads && axis && symbol.name.starts_with("%ntid"))
    return constant(static_cast<std::uint64_t>((*threads)[*axis]), 32);
  // Each read of a clock gives another value.
  if (symbol.name.starts_with("%clock") || symbol.name == "%globaltimer") return no_value;
  const int bits = symbol.name.find("64") != symbol.name.npos ? 64 : 32;
  return v_.make(
      {.op = ValueOp::special, .bits = width(bits), .varies = differs_between_lanes(symbol.name), .number = id});
}

ValueId PtxValueBuilder::read(const PtxOperand& operand, int bits) const {
  ValueId value = no_value;
  if (operand.kind == PtxOperandKind::reg) value = read_register(operand.id);
  else if (operand.kind == PtxOperandKind::number) value = constant(static_cast<std::uint64_t>(operand.value), bits);
  else if (operand.kind == PtxOperandKind::symbol) value = read_symbol(operand.id, operand.value);
  value = cut(value, bits);
  if (!operand.negated || value == no_value) return value;
  return bits == 1 ? inverted(value, 1) : negated(value, bits);
}

// Keeps the value of an operand for those who ask later.
void PtxValueBuilder::record(std::uint32_t index) {
  const PtxOperand& operand = module_.operands[index];
  for (std::uint32_t i = 0; i < operand.parts; ++i) record(operand.part + i);
  if (operand.kind == PtxOperandKind::address) value_of_operand(index) = address_of(operand);
  else if (operand.kind == PtxOperandKind::reg) value_of_operand(index) = read(operand, bits_of_register(operand.id));
  else value_of_operand(index) = read(operand, 64);
}

ValueId PtxValueBuilder::address_of(const PtxOperand& operand) const {
  const ValueId base = operand.parts == 0 ? no_value : value_of_operand(operand.part);
  if (base == no_value) return no_value;
  // It wraps at the size of the register, however few bits its value has.
  const PtxOperand& from = module_.operands[operand.part];
  const int held = from.kind == PtxOperandKind::reg ? std::min(bits_of_register(from.id), 64) : v_[base].bits;
  const int bits = std::max(held, 32);
  return op(ValueOp::add, base, constant(static_cast<std::uint64_t>(operand.value), bits), bits);
}

}  // namespace swz
