// SPDX-License-Identifier: Apache-2.0
// Any text as PTX: an Error, or a module whose operands and labels lie within it, and values of its kernels; never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "ptx/kernel_report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const swz::PtxModule module = swz::read_ptx(std::string(reinterpret_cast<const char*>(data), size));
    for (const swz::PtxKernel& kernel : module.kernels)
      for (const swz::PtxInstruction& one : kernel.instructions)
        for (const swz::PtxOperand& operand : module.operands_of(one)) {
          if (operand.kind == swz::PtxOperandKind::label && operand.id > kernel.instructions.size()) std::abort();
          if (operand.kind == swz::PtxOperandKind::reg && operand.id >= kernel.registers.size()) std::abort();
          if (operand.kind == swz::PtxOperandKind::symbol && operand.id >= module.symbols.size()) std::abort();
        }
    for (const swz::KernelReport& report : swz::kernel_reports(module, {}))
      for (const swz::SmemSite& site : report.smem)
        if (site.wavefronts && *site.wavefronts < *site.ideal) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
