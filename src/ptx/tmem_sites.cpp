// SPDX-License-Identifier: Apache-2.0
// Tensor memory: what allocates it, and what moves through it.
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

std::vector<TmemSite> tmem_sites(const PtxValues& values) {
  constexpr std::string_view actions[] = {"alloc", "dealloc", "ld", "st", "cp", "shift"};
  const PtxKernel& kernel = values.kernel();
  std::vector<TmemSite> sites;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& instruction = kernel.instructions[i];
    if (!instruction.is("tcgen05")) continue;
    const OpcodeParts parts(instruction.opcode);
    if (std::ranges::find(actions, parts.all[1]) == std::end(actions)) continue;
    TmemSite& site = sites.emplace_back();
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.action = parts.all[1];
    for (std::size_t p = 2; p < parts.count; ++p) {
      const std::string_view part = parts.all[p];
      const bool is_shape = part.size() > 1 && part[0] >= '1' && part[0] <= '9' && part.find('x') != part.npos;
      const bool is_count = part.size() > 1 && part[0] == 'x' && part[1] >= '1' && part[1] <= '9';
      if (is_shape || is_count) site.shape += (site.shape.empty() ? "" : ".") + std::string(part);
    }
    const auto operands = values.module().operands_of(instruction);
    const auto value = [&](std::size_t operand) { return values.of_operand(instruction, operand); };
    if (site.action == "alloc" || site.action == "dealloc") site.columns = values.number_of(value(1));
    // For alloc it is where the address is written, in shared memory.
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool is_address = operands[k].kind == PtxOperandKind::address || (site.action == "dealloc" && k == 0);
      if (!is_address || value(k) == no_value) continue;
      site.address = to_string(linear_form(values, value(k), 32), values);
      break;
    }
  }
  return sites;
}

}  // namespace swz
