// SPDX-License-Identifier: Apache-2.0
#include "ptx/value_builder.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/limits.hpp"

namespace swz {

namespace {

// Those whose results are the registers of the first operand, if that is not in brackets. Of others nobody knows what they
// write: all registers that they name.
constexpr std::string_view known_opcodes[] = {"abs",
                                              "activemask",
                                              "add",
                                              "addc",
                                              "alloca",
                                              "and",
                                              "applypriority",
                                              "atom",
                                              "bar",
                                              "barrier",
                                              "bfe",
                                              "bfi",
                                              "bfind",
                                              "bmsk",
                                              "bra",
                                              "brev",
                                              "brkpt",
                                              "brx",
                                              "call",
                                              "clusterlaunchcontrol",
                                              "clz",
                                              "cnot",
                                              "copysign",
                                              "cos",
                                              "cp",
                                              "createpolicy",
                                              "cvt",
                                              "cvta",
                                              "discard",
                                              "div",
                                              "dp2a",
                                              "dp4a",
                                              "elect",
                                              "ex2",
                                              "exit",
                                              "fence",
                                              "fma",
                                              "fns",
                                              "getctarank",
                                              "griddepcontrol",
                                              "isspacep",
                                              "istypep",
                                              "ld",
                                              "ldmatrix",
                                              "ldu",
                                              "lg2",
                                              "lop3",
                                              "mad",
                                              "mad24",
                                              "madc",
                                              "mapa",
                                              "match",
                                              "max",
                                              "mbarrier",
                                              "membar",
                                              "min",
                                              "mma",
                                              "mov",
                                              "movmatrix",
                                              "mul",
                                              "mul24",
                                              "multimem",
                                              "nanosleep",
                                              "neg",
                                              "not",
                                              "or",
                                              "pmevent",
                                              "popc",
                                              "prefetch",
                                              "prefetchu",
                                              "prmt",
                                              "rcp",
                                              "red",
                                              "redux",
                                              "rem",
                                              "ret",
                                              "rsqrt",
                                              "sad",
                                              "selp",
                                              "set",
                                              "setmaxnreg",
                                              "setp",
                                              "shf",
                                              "shfl",
                                              "shl",
                                              "shr",
                                              "sin",
                                              "slct",
                                              "sqrt",
                                              "st",
                                              "stackrestore",
                                              "stacksave",
                                              "stmatrix",
                                              "sub",
                                              "subc",
                                              "suld",
                                              "suq",
                                              "sured",
                                              "sust",
                                              "szext",
                                              "tanh",
                                              "tcgen05",
                                              "tensormap",
                                              "testp",
                                              "tex",
                                              "tld4",
                                              "trap",
                                              "txq",
                                              "vote",
                                              "wgmma",
                                              "wmma",
                                              "xor"};
static_assert(std::ranges::is_sorted(known_opcodes));

// Those that read a register that stands first.
constexpr std::string_view opcodes_without_results[] = {"bra", "brx", "nanosleep"};

// Whose results depend on nothing but their operands.
constexpr std::string_view pure_opcodes[] = {
    "abs", "add",  "and",      "bfe",   "bfi",  "bfind", "bmsk",  "brev",  "clusterlaunchcontrol",
    "clz", "cnot", "copysign", "cos",   "cvt",  "cvta",  "div",   "dp2a",  "dp4a",
    "ex2", "fma",  "fns",      "lg2",   "lop3", "mad",   "mad24", "mapa",  "max",
    "min", "mov",  "mul",      "mul24", "neg",  "not",   "or",    "popc",  "prmt",
    "rcp", "rem",  "rsqrt",    "sad",   "selp", "set",   "setp",  "shf",   "shl",
    "shr", "sin",  "slct",     "sqrt",  "sub",  "szext", "tanh",  "testp", "xor"};
static_assert(std::ranges::is_sorted(pure_opcodes));

bool is_of_lanes(std::string_view special) {
  return special.starts_with("%tid") || special == "%laneid" || special.starts_with("%lanemask") ||
         special.starts_with("%clock") || special == "%globaltimer";
}

}  // namespace

PtxValues::PtxValues(const PtxModule& module, const PtxKernel& kernel, PtxLaunch launch)
    : module_(&module),
      kernel_(&kernel),
      launch_(std::move(launch)),
      flow_(ptx_flow(module, kernel)),
      reads_rows_(reads_rows(module, kernel)),
      shared_(shared_arrays(module, kernel)) {
  of_operand_.assign(kernel.end_operand - kernel.first_operand, no_value);
  of_guard_.assign(kernel.instructions.size(), no_value);
  branch_.assign(flow_.blocks.size(), no_value);
  std::unordered_map<std::string_view, std::uint32_t> names;
  for (const PtxRegister& one : kernel.registers) ordinal_.push_back(++names[one.name]);
  PtxValueBuilder(*this).build();
  find_known();
  find_of_array();
  find_uniform();
}

PtxValueBuilder::PtxValueBuilder(PtxValues& values) : v_(values), module_(*values.module_), kernel_(*values.kernel_) {}

void PtxValueBuilder::build() {
  current_.assign(kernel_.registers.size(), no_value);
  writers_.assign(kernel_.registers.size(), 0);
  phis_of_.resize(v_.flow_.blocks.size());
  place_phis();
  const auto is_local = [&](const PtxOperand& one) {
    return one.kind == PtxOperandKind::symbol && module_.symbols[one.id].space == PtxSpace::local;
  };
  const auto operands =
      std::span(module_.operands).subspan(kernel_.first_operand, kernel_.end_operand - kernel_.first_operand);
  has_own_memory_ = !kernel_.is_entry || std::ranges::any_of(operands, is_local) ||
                    std::ranges::any_of(kernel_.instructions,
                                        [](const PtxInstruction& one) { return one.is("call") || one.is("alloca"); });

  // Down the tree of dominators, so that what a block reads was written above it; what a block wrote ends with its subtree.
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
    for (auto one = top.undo.rbegin(); one != top.undo.rend(); ++one) current_[one->reg] = one->before;
    stack.pop_back();
  }
}

namespace {

// Calls `found` for each register that the instruction writes, with its place among the results: a sink has one too.
template <class Found>
void for_each_written(const PtxModule& module, const PtxInstruction& one, const Found& found) {
  const auto operands = module.operands_of(one);
  std::uint32_t place = 0;
  const auto written = [&](const PtxOperand& operand, const auto& self) -> void {
    if (operand.kind == PtxOperandKind::list) {
      for (const PtxOperand& part : module.parts_of(operand)) self(part, self);
      return;
    }
    if (operand.kind == PtxOperandKind::reg) found(operand, place);
    ++place;
  };
  const std::string_view name = one.opcode.substr(0, one.opcode.find('.'));
  const bool is_known = std::ranges::binary_search(known_opcodes, name);
  if (std::ranges::binary_search(opcodes_without_results, name)) return;
  const bool has_two = one.opcode.starts_with("tcgen05.ld.red");
  const std::size_t count = is_known ? std::min<std::size_t>(has_two ? 2 : 1, operands.size()) : operands.size();
  for (std::size_t i = 0; i < count; ++i) written(operands[i], written);
}

}  // namespace

void PtxValueBuilder::place_phis() {
  const PtxFlow& flow = v_.flow_;
  const std::size_t count = kernel_.registers.size();
  std::vector<std::vector<std::uint32_t>> blocks_writing(count);
  std::vector<std::uint32_t> written_in(count, no_block);
  std::vector<bool> crosses(count);
  for (const std::uint32_t block : flow.order)
    for (std::uint32_t i = flow.blocks[block].first; i < flow.blocks[block].end; ++i)
      for_each_written(module_, at(i), [&](const PtxOperand& operand, std::uint32_t) {
        if (writers_[operand.id] < 2) ++writers_[operand.id];
        if (written_in[operand.id] != block) blocks_writing[operand.id].push_back(block);
        written_in[operand.id] = block;
      });
  // What a block reads before it writes. One writer is enough for a phi where it is not behind it on every way: a loop may
  // bring the value of an earlier pass.
  std::ranges::fill(written_in, no_block);
  const auto reads = [&](const PtxOperand& operand, std::uint32_t block, const auto& self) -> void {
    if (operand.kind == PtxOperandKind::reg && written_in[operand.id] != block) {
      crosses[operand.id] = true;
      if (writers_[operand.id] == 1 &&
          (blocks_writing[operand.id][0] == block || !flow.dominates(blocks_writing[operand.id][0], block)))
        writers_[operand.id] = 2;
    }
    for (const PtxOperand& part : module_.parts_of(operand)) self(part, block, self);
  };
  for (const std::uint32_t block : flow.order)
    for (std::uint32_t i = flow.blocks[block].first; i < flow.blocks[block].end; ++i) {
      const PtxInstruction& one = at(i);
      if (one.guard != no_register) reads({.kind = PtxOperandKind::reg, .id = one.guard}, block, reads);
      // A result is read too where a guard may leave the old value.
      const auto operands = module_.operands_of(one);
      for (std::size_t k = one.guard == no_register ? 1 : 0; k < operands.size(); ++k) reads(operands[k], block, reads);
      if (!operands.empty() && operands[0].kind == PtxOperandKind::address) reads(operands[0], block, reads);
      for_each_written(module_, one, [&](const PtxOperand& operand, std::uint32_t) { written_in[operand.id] = block; });
    }

  // A nest of n loops has n * n / 2 entries, and as many phis.
  std::vector<std::vector<std::uint32_t>> frontier(flow.blocks.size());
  std::int64_t entries = 0;
  for (const std::uint32_t block : flow.order) {
    const bool is_join = flow.blocks[block].previous.size() > 1 || block == 0;
    if (!is_join) continue;
    for (std::uint32_t from : flow.blocks[block].previous) {
      while (flow.position[from] != no_block && (block == 0 || from != flow.dominator[block])) {
        if (frontier[from].empty() || frontier[from].back() != block) {
          frontier[from].push_back(block);
          require_within(limits::ptx_joins, ++entries);
        }
        if (from == 0) break;
        from = flow.dominator[from];
      }
    }
  }
  std::vector<std::uint32_t> has_phi(flow.blocks.size(), 0xffffffff);
  for (std::uint32_t reg = 0; reg < count; ++reg) {
    if (writers_[reg] < 2 || !crosses[reg]) continue;
    std::vector<std::uint32_t> work = blocks_writing[reg];
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      for (const std::uint32_t join : frontier[block]) {
        if (has_phi[join] == reg) continue;
        has_phi[join] = reg;
        const ValueId phi = v_.make({.op = ValueOp::phi,
                                     .bits = static_cast<std::uint8_t>(std::min(kernel_.registers[reg].bits, 64)),
                                     .number = v_.phis_.size()});
        v_.phis_.push_back({join, reg, {}});
        require_within(limits::ptx_joins, std::ssize(v_.phis_));
        phis_of_[join].emplace_back(reg, phi);
        work.push_back(join);
      }
    }
  }
}

void PtxValueBuilder::enter_block(std::uint32_t block, std::vector<Undo>& undo) {
  for (const auto& [reg, phi] : phis_of_[block]) {
    undo.push_back({reg, current_[reg]});
    current_[reg] = phi;
    // Control comes to the first block from outside too.
    if (block == 0) v_.phis_[v_.values_[phi].number].from.push_back({});
  }
  for (std::uint32_t i = v_.flow_.blocks[block].first; i < v_.flow_.blocks[block].end; ++i) execute(i, undo);
  leave_block(block);
}

void PtxValueBuilder::leave_block(std::uint32_t block) {
  const PtxBlock& here = v_.flow_.blocks[block];
  ValueId condition = no_value;
  std::uint32_t taken = no_block;
  if (here.end > here.first) {
    const PtxInstruction& last = at(here.end - 1);
    const auto operands = module_.operands_of(last);
    if (last.guard != no_register) v_.branch_[block] = v_.of_guard_[here.end - 1];
    if (last.is("bra") && last.guard != no_register && !operands.empty() && operands[0].kind == PtxOperandKind::label &&
        here.next.size() == 2 && operands[0].id < kernel_.instructions.size()) {
      condition = v_.branch_[block];
      taken = v_.flow_.block_of[operands[0].id];
    } else if (std::ranges::binary_search(v_.flow_.ending_calls, here.end - 1)) {
      v_.branch_[block] = unknown(here.end - 1, 255, 1, true);  // who comes back
    } else if (last.is("brx")) {
      const ValueId index = operands.empty() ? no_value : v_.of_operand_[last.operand - kernel_.first_operand];
      v_.branch_[block] = unknown(here.end - 1, 255, 1, index == no_value, index);
    }
  }
  for (const std::uint32_t next : here.next)
    for (const auto& [reg, phi] : phis_of_[next])
      v_.phis_[v_.values_[phi].number].from.push_back({block, current_[reg], condition, next != taken});
}

ValueId PtxValueBuilder::op(ValueOp what, ValueId a, ValueId b, int bits, std::uint64_t number) {
  return v_.make({.op = what, .bits = static_cast<std::uint8_t>(std::min(bits, 64)), .a = a, .b = b, .number = number});
}

std::optional<std::uint64_t> PtxValueBuilder::number_of(ValueId value) const {
  if (value == no_value || v_.values_[value].op != ValueOp::constant) return std::nullopt;
  return v_.values_[value].number;
}

ValueId PtxValueBuilder::unknown(std::uint32_t instruction, std::uint32_t result, int bits, bool varies,
                                 ValueId depends) {
  return v_.make({.op = ValueOp::unknown,
                  .bits = static_cast<std::uint8_t>(std::min(bits, 64)),
                  .varies = varies,
                  .a = depends,
                  .number = std::uint64_t{instruction} << 8 | result});
}

ValueId PtxValueBuilder::cut(ValueId value, int bits) {
  if (value == no_value || v_.values_[value].bits <= bits) return value;
  // What a shift leaves may fit without being cut.
  const PtxValue& wide = v_.values_[value];
  if (wide.op == ValueOp::shift_right && number_of(wide.b) &&
      wide.bits - static_cast<int>(std::min<std::uint64_t>(*number_of(wide.b), 64)) <= bits)
    return value;
  return op(ValueOp::bit_and, value, v_.constant(low_mask(bits), bits), bits);
}

ValueId PtxValueBuilder::as_signed(ValueId value, int from, int bits) {
  return v_.make({.op = ValueOp::sign_extend,
                  .bits = static_cast<std::uint8_t>(std::min(bits, 64)),
                  .a = cut(value, from),
                  .number = static_cast<std::uint64_t>(from)});
}

bool PtxValueBuilder::is_one_in_block(ValueId id, int depth) const {
  const PtxValue& value = v_.values_[id];
  if (value.op == ValueOp::special) return v_.name_of(value).starts_with("%ctaid");
  if (value.op == ValueOp::unknown || value.op == ValueOp::phi || value.op == ValueOp::lane_of || depth == 5)
    return false;
  const auto holds = [&](ValueId part) { return part == no_value || is_one_in_block(part, depth + 1); };
  return holds(value.a) && holds(value.b) && holds(value.c);
}

ValueId PtxValueBuilder::negate(ValueId value, int bits) {
  return op(ValueOp::multiply, value, v_.constant(low_mask(bits), bits), bits);
}

ValueId PtxValueBuilder::read(const PtxOperand& operand, int bits) {
  ValueId out = no_value;
  switch (operand.kind) {
    case PtxOperandKind::reg: {
      if (const auto given = v_.launch_.registers.find(kernel_.registers[operand.id].name);
          given != v_.launch_.registers.end())
        out = v_.constant(given->second, kernel_.registers[operand.id].bits);
      else out = current_[operand.id];
      if (out == no_value)  // read before it is written
        out = v_.make({.op = ValueOp::unknown,
                       .bits = static_cast<std::uint8_t>(std::min(kernel_.registers[operand.id].bits, 64)),
                       .varies = true,
                       .number = ~std::uint64_t{operand.id}});
      break;
    }
    case PtxOperandKind::number: out = v_.constant(static_cast<std::uint64_t>(operand.value), bits); break;
    case PtxOperandKind::symbol: {
      const PtxSymbol& symbol = module_.symbols[operand.id];
      if (symbol.space == PtxSpace::special) {
        const auto& threads = v_.launch_.threads;
        const auto axis = axis_of(symbol.name);
        if (threads && axis && symbol.name.starts_with("%ntid"))
          return v_.constant(static_cast<std::uint64_t>((*threads)[*axis]), 32);
        // What changes from one read to the next is another value each time.
        if (symbol.name.starts_with("%clock") || symbol.name == "%globaltimer") return no_value;
        const int width = symbol.name.find("64") != symbol.name.npos ? 64 : 32;
        out = v_.make({.op = ValueOp::special,
                       .bits = static_cast<std::uint8_t>(width),
                       .varies = is_of_lanes(symbol.name),
                       .number = operand.id});
      } else {
        out = v_.make({.op = ValueOp::symbol,
                       .bits = static_cast<std::uint8_t>(symbol.space == PtxSpace::shared ? 32 : 64),
                       .number = operand.id});
      }
      break;
    }
    default: return no_value;
  }
  out = cut(out, bits);
  if (operand.negated && out != no_value)
    out = bits == 1 ? op(ValueOp::bit_xor, out, v_.constant(1, 1), 1) : negate(out, bits);
  return out;
}

ValueId PtxValueBuilder::use(std::uint32_t instruction, std::uint32_t operand, int bits) {
  const PtxInstruction& one = at(instruction);
  if (operand >= one.operands) return no_value;
  return read(module_.operands[one.operand + operand], bits);
}

void PtxValueBuilder::record(std::uint32_t index) {
  const PtxOperand operand = module_.operands[index];
  ValueId& slot = v_.of_operand_[index - kernel_.first_operand];
  switch (operand.kind) {
    case PtxOperandKind::reg: slot = read(operand, kernel_.registers[operand.id].bits); break;
    case PtxOperandKind::number:
    case PtxOperandKind::symbol: slot = read(operand, 64); break;
    case PtxOperandKind::address:
    case PtxOperandKind::list:
      for (std::uint32_t i = 0; i < operand.parts; ++i) record(operand.part + i);
      if (operand.kind == PtxOperandKind::address && operand.parts > 0) {
        const ValueId base = v_.of_operand_[operand.part - kernel_.first_operand];
        if (base == no_value) break;
        // What it wraps at is the register's size, whatever its value needs.
        const PtxOperand& from = module_.operands[operand.part];
        const int bits = std::max<int>(
            from.kind == PtxOperandKind::reg ? std::min(kernel_.registers[from.id].bits, 64) : v_.values_[base].bits,
            32);
        slot = op(ValueOp::add, base, v_.constant(static_cast<std::uint64_t>(operand.value), bits), bits);
      }
      break;
    default: break;
  }
}

void PtxValueBuilder::define(std::uint32_t instruction, const PtxOperand& operand, ValueId value,
                             std::vector<Undo>& undo) {
  const ValueId guard = v_.of_guard_[instruction];
  if (writers_[operand.id] > 1) undo.push_back({operand.id, current_[operand.id]});
  if (guard != no_value && current_[operand.id] != no_value)
    value = v_.make({.op = ValueOp::select,
                     .bits = std::max(v_.values_[value].bits, v_.values_[current_[operand.id]].bits),
                     .a = guard,
                     .b = value,
                     .c = current_[operand.id]});
  current_[operand.id] = value;
}

// A result of which nothing is known, but perhaps that lanes with the same operands have the same one.
ValueId PtxValueBuilder::unmodelled(std::uint32_t instruction, std::uint32_t place, int bits) {
  const PtxInstruction& one = at(instruction);
  PtxValue out{.op = ValueOp::unknown,
               .bits = static_cast<std::uint8_t>(std::min(bits, 64)),
               .varies = true,
               .number = std::uint64_t{instruction} << 8 | place};
  if (!std::ranges::binary_search(pure_opcodes, one.opcode.substr(0, one.opcode.find('.'))) ||
      one.opcode.ends_with(".cc"))
    return v_.make(out);
  std::array<ValueId*, 3> slots = {&out.a, &out.b, &out.c};
  std::size_t used = 0;
  for (std::uint32_t i = 1; i < one.operands; ++i) {
    const PtxOperand& operand = module_.operands[one.operand + i];
    if (operand.kind == PtxOperandKind::number || operand.kind == PtxOperandKind::unknown) continue;
    const ValueId value = v_.of_operand_[one.operand + i - kernel_.first_operand];
    if (value == no_value || used == slots.size())
      return v_.make({.op = out.op, .bits = out.bits, .varies = true, .number = out.number});
    *slots[used++] = value;
  }
  out.varies = false;
  return v_.make(out);
}

void PtxValueBuilder::execute(std::uint32_t instruction, std::vector<Undo>& undo) {
  const PtxInstruction& one = at(instruction);
  v_.building_ = instruction;
  if (one.guard != no_register)
    v_.of_guard_[instruction] = read({.kind = PtxOperandKind::reg, .negated = one.guard_negated, .id = one.guard}, 1);
  for (std::uint32_t i = 0; i < one.operands; ++i) record(one.operand + i);
  std::array<ValueId, most_results> known;
  known.fill(no_value);
  results(instruction, known);
  // All results are those of the operands before any of them is written.
  for_each_written(module_, one, [&](const PtxOperand& operand, std::uint32_t place) {
    const int bits = kernel_.registers[operand.id].bits;
    ValueId value = place < known.size() ? known[place] : no_value;
    const std::size_t index = static_cast<std::size_t>(&operand - module_.operands.data());
    if (value == no_value || (bits < 8 && v_.values_[value].bits > bits))
      value = unmodelled(instruction, std::min<std::uint32_t>(place, 254), bits);
    value = cut(value, bits);
    define(instruction, operand, value, undo);
    v_.of_operand_[index - kernel_.first_operand] = current_[operand.id];
  });
}

}  // namespace swz
