// SPDX-License-Identifier: Apache-2.0
#include "sass/beside.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "ptx/claims.hpp"
#include "sass/machine.hpp"

namespace swz {

namespace {

// Runs the machine beside the interpreter of the PTX.
class Beside : public PtxWatcher {
 public:
  Beside(const SassModule& sass, const PtxKernel& kernel, const PtxInterpreter& warp, const PtxValues& values)
      : sass_(sass), kernel_(kernel), warp_(warp), claims_(warp, values) {
    for (const SassFunction& function : sass.functions)
      for (const SassInstruction& instruction : function.instructions) at_line_[instruction.line] = &instruction;
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) last_[kernel.instructions[i].line] = i;
    for (std::uint32_t id = 0; id < kernel.registers.size(); ++id) {
      const std::string name(kernel.registers[id].name);
      if (name.starts_with('R') || name.starts_with("UR") || name.starts_with('P') || name.starts_with("UP"))
        ids_[name] = id;
    }
  }

  void begin(int lane) {
    claims_.begin(lane);
    for (SassMachine& machine : machines_) machine = {};
  }

  void before(const PtxStep& step) override { claims_.before(step); }

  void after(const PtxStep& step) override {
    claims_.after(step);
    if (contradiction.empty()) contradiction = claims_.contradiction;
    const std::uint32_t line = kernel_.instructions[step.instruction].line;
    const auto found = at_line_.find(line);
    if (found == at_line_.end() || last_[line] != step.instruction || !contradiction.empty()) return;
    for (int lane = 0; lane < 32; ++lane)
      if (step.here >> lane & 1) run(*found->second, step, lane);
  }

  std::string contradiction;
  long compared = 0, unknown = 0;

 private:
  SassMachine& machine(int lane) { return machines_[static_cast<std::size_t>(lane)]; }

  void run(const SassInstruction& instruction, const PtxStep& step, int lane) {
    SassMachine& here = machine(lane);
    const auto operands = sass_.operands_of(instruction);
    if (instruction.opcode.starts_with("BRA")) return compare_branch(instruction, step, lane);
    // What is not followed is not claimed either; of uniform registers, whatever the guard.
    const bool is_unknown = kernel_.instructions[step.instruction].opcode.starts_with("sass_");
    if (is_unknown) ++unknown;
    if (instruction.opcode.starts_with("CALL") && !is_unknown) return call(instruction, lane);
    if (!is_unknown && !here.holds(instruction.guard)) return;
    if (!is_unknown && here.execute(instruction.opcode, operands)) {
      for (const std::string& name : here.written()) compare(instruction, name, lane);
      return;
    }
    // Not a function of registers: the machine goes on with what the interpreter has.
    if (instruction.opcode.starts_with("STS")) return;
    for (const auto& [name, id] : ids_) here.set(name, static_cast<std::uint32_t>(warp_.reg(id, lane)));
  }

  // The function behind the kernel, up to its return; its branches go forward.
  void call(const SassInstruction& instruction, int lane) {
    SassMachine& here = machine(lane);
    const SassFunction& function = sass_.functions.at(1);
    std::vector<std::string> written;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const SassInstruction& each = function.instructions[i];
      if (!here.holds(each.guard)) continue;
      if (each.opcode.starts_with("RET")) break;
      if (each.opcode.starts_with("BRA")) {
        i = function.labels.at(0).instruction - 1;
        continue;
      }
      if (!here.execute(each.opcode, sass_.operands_of(each)))
        for (const auto& [name, id] : ids_) here.set(name, static_cast<std::uint32_t>(warp_.reg(id, lane)));
      written.insert(written.end(), here.written().begin(), here.written().end());
    }
    for (const std::string& name : written) compare(instruction, name, lane);
  }

  void compare(const SassInstruction& instruction, const std::string& name, int lane) {
    const auto id = ids_.find(name);
    if (id == ids_.end() || !warp_.is_defined(id->second, lane)) return;
    ++compared;
    const auto is = static_cast<std::uint32_t>(warp_.reg(id->second, lane)), should = machine(lane).get(name);
    if (is != should && contradiction.empty())
      contradiction = fmt::format("line {}: {}: {} of lane {} is {:#x}, the PTX has {:#x}", instruction.line,
                                  instruction.opcode, name, lane, should, is);
  }

  void compare_branch(const SassInstruction& instruction, const PtxStep& step, int lane) {
    bool goes = machine(lane).holds(instruction.guard);
    const auto operands = sass_.operands_of(instruction);
    for (const std::string_view condition : operands.first(operands.size() - 1))
      goes = goes && machine(lane).holds(condition);
    if (goes != ((step.active >> lane & 1) != 0) && contradiction.empty())
      contradiction = fmt::format("line {}: lane {} {}", instruction.line, lane, goes ? "jumps" : "does not jump");
  }

  const SassModule& sass_;
  const PtxKernel& kernel_;
  const PtxInterpreter& warp_;
  ClaimWatcher claims_;
  std::map<std::uint32_t, const SassInstruction*> at_line_;
  std::map<std::uint32_t, std::uint32_t> last_;  // instruction of the PTX in each line
  std::map<std::string, std::uint32_t> ids_;
  std::array<SassMachine, 32> machines_;
};

}  // namespace

BesideRun run_beside(const SassModule& sass, const PtxModule& ptx, std::uint64_t seed, int executions) {
  BesideRun out;
  for (const PtxKernel& kernel : ptx.kernels) {
    if (!kernel.is_entry) continue;
    const PtxValues values(ptx, kernel, {});
    PtxInterpreter warp(ptx, kernel);
    Beside both(sass, kernel, warp, values);
    for (int i = 0; i < executions && out.contradiction.empty(); ++i) {
      both.begin(static_cast<int>(seed + static_cast<std::uint64_t>(i)) % 32);
      out.ended += warp.run(seed * 100 + static_cast<std::uint64_t>(i), 3000, both);
      ++out.executions;
      out.contradiction = both.contradiction;
    }
    out.compared += both.compared;
    out.unknown += both.unknown;
  }
  return out;
}

}  // namespace swz
