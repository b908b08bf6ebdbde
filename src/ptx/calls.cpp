// SPDX-License-Identifier: Apache-2.0
#include "ptx/calls.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"

namespace swz {

std::string_view called_function(const PtxModule& module, const PtxInstruction& call) {
  const auto is_register = [](const PtxOperand& operand) { return operand.kind == PtxOperandKind::reg; };
  if (std::ranges::any_of(module.operands_of(call), is_register)) return {};
  const std::string_view text = *module.text;
  const auto at = static_cast<std::size_t>(call.opcode.data() - text.data()) + call.opcode.size();
  const std::string_view words = text.substr(at, text.find(';', at) - at);
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    depth += words[i] == '(' ? 1 : words[i] == ')' ? -1 : 0;
    if (depth != 0 || words[i] == ')' || words[i] == ',' || words[i] == ' ' || words[i] == '\t' || words[i] == '\n' ||
        words[i] == '\r')
      continue;
    std::size_t end = i;
    while (end < words.size() && (is_word(words[end]) || words[end] == '$')) ++end;
    const std::string_view name = words.substr(i, end - i);
    const auto alias = module.aliases.find(name);
    return alias == module.aliases.end() ? name : alias->second;
  }
  return {};
}

std::vector<std::uint32_t> ending_calls(const PtxModule& module, const PtxKernel& kernel) {
  const auto is_call = [](const PtxInstruction& instruction) { return instruction.is("call"); };
  if (std::ranges::none_of(kernel.instructions, is_call)) return {};
  // From those that execute exit to their callers. An empty name: a call of what a register holds.
  std::unordered_map<std::string_view, std::vector<std::string_view>> callers;
  std::unordered_set<std::string_view> ending;
  std::vector<std::string_view> open;
  for (const PtxKernel& function : module.kernels) {
    if (function.is_entry) continue;
    for (const PtxInstruction& instruction : function.instructions) {
      if (is_call(instruction)) callers[called_function(module, instruction)].push_back(function.name);
      if (instruction.is("exit") && ending.insert(function.name).second) open.push_back(function.name);
    }
  }
  if (open.empty()) return {};
  ending.insert(std::string_view{});
  for (open.emplace_back(); !open.empty();) {
    const std::string_view name = open.back();
    open.pop_back();
    for (const std::string_view caller : callers[name])
      if (ending.insert(caller).second) open.push_back(caller);
  }
  std::vector<std::uint32_t> calls;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i)
    if (is_call(kernel.instructions[i]) && ending.contains(called_function(module, kernel.instructions[i])))
      calls.push_back(i);
  return calls;
}

}  // namespace swz
