// SPDX-License-Identifier: Apache-2.0
// Any text as PTX, as a disassembly, or as pages of Nsight Compute: an Error, or a module whose operands and labels lie within it,
// and values of its kernels; never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "ptx/kernel_report.hpp"
#include "sass/counted_sites.hpp"
#include "sass/lift.hpp"

namespace {

swz::PtxModule module_of(std::string text, std::vector<swz::CountedKernel>& counted) {
  if (swz::is_ncu_pages(text)) {
    swz::NcuPages pages = swz::read_ncu_pages(text);
    counted = std::move(pages.kernels);
    text = std::move(pages.sass);
  }
  return swz::is_sass(text) ? swz::lift_sass(swz::read_sass(std::move(text))) : swz::read_ptx(std::move(text));
}

void check_operands(const swz::PtxModule& module) {
  for (const swz::PtxKernel& kernel : module.kernels)
    for (const swz::PtxInstruction& one : kernel.instructions)
      for (const swz::PtxOperand& operand : module.operands_of(one)) {
        if (operand.kind == swz::PtxOperandKind::label && operand.id > kernel.instructions.size()) std::abort();
        if (operand.kind == swz::PtxOperandKind::reg && operand.id >= kernel.registers.size()) std::abort();
        if (operand.kind == swz::PtxOperandKind::symbol && operand.id >= module.symbols.size()) std::abort();
      }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::vector<swz::CountedKernel> counted;
    const swz::PtxModule module = module_of(std::string(reinterpret_cast<const char*>(data), size), counted);
    check_operands(module);
    for (swz::KernelReport& report : swz::kernel_reports(module, {})) {
      for (const swz::CountedKernel& kernel : counted) swz::add_counts(report, kernel);
      for (const swz::SmemSite& site : report.smem)
        if (site.wavefronts && *site.wavefronts < *site.ideal) std::abort();
    }
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
