// SPDX-License-Identifier: Apache-2.0
// Tensor memory: who allocates it, and what moves through it.
#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"

namespace swz {

std::vector<TmemSite> tmem_sites(const PtxValues& values) {
  constexpr std::string_view actions[] = {"alloc", "dealloc", "ld", "st", "cp", "shift"};
  const PtxKernel& kernel = values.kernel();
  std::vector<TmemSite> sites;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& one = kernel.instructions[i];
    const OpcodeParts parts(one.opcode);
    if (parts.first() != "tcgen05" || std::ranges::find(actions, parts.all[1]) == std::end(actions)) continue;
    TmemSite site;
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.action = parts.all[1];
    for (std::size_t p = 2; p < parts.count; ++p) {
      const std::string_view part = parts.all[p];
      const bool is_shape = part.size() > 1 && part[0] >= '1' && part[0] <= '9' && part.find('x') != part.npos;
      const bool is_count = part.size() > 1 && part[0] == 'x' && part[1] >= '1' && part[1] <= '9';
      if (is_shape || is_count) site.shape += (site.shape.empty() ? "" : ".") + std::string(part);
    }
    const auto operands = values.module().operands_of(one);
    const auto value = [&](std::size_t k) { return values.of_operand(one, k); };
    if (site.action == "alloc" || site.action == "dealloc") site.columns = values.number_of(value(1));
    // Of alloc it is where the address is written, in shared memory.
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool is_address = operands[k].kind == PtxOperandKind::address || (site.action == "dealloc" && k == 0);
      if (!is_address || value(k) == no_value) continue;
      site.address = to_string(linear_form(values, value(k), 32), values);
      break;
    }
    sites.push_back(std::move(site));
  }
  return sites;
}

}  // namespace swz
