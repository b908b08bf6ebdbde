// SPDX-License-Identifier: Apache-2.0
// What the files of the kernel's view have in common.
#pragma once

#include <string>

#include "view/kernel/kernel.hpp"

namespace swz {

Json findings_json(const std::vector<Finding>& findings);  // with their severity
Json kernel_findings_json(const KernelReport& kernel);     // for a conflict, its line and numbers too
Json mma_json(const PtxModule& module, const MmaSite& site);
Json smem_json(const PtxModule& module, const SmemSite& site);
Json tma_json(const PtxModule& module, const KernelReport& kernel, const TmaSite& site);
Json tmem_json(const PtxModule& module, const TmemSite& site);

// Names of templates can have thousands of letters: both ends are kept, as instances differ in the middle or at the
// end.
std::string shortened(std::string_view name);
// "4", "10.50"
std::string number_text(double value);
// "gemm.cu:120"; "-" if it is not known.
std::string source_text(const PtxModule& module, const PtxSite& site);
// "line 88", "gemm.cu:120 (line 88)"
std::string place_text(const PtxModule& module, const PtxSite& site);
// "K-major 128B, LBO 16 SBO 1024", "registers K-major"
std::string operand_text(const MmaOperandSite& operand);

// "f16 box 64x128, swizzle 128B, written from line 70 on"
std::string built_text(const BuiltTensorMap& built);

// Adds what the kernel does.
void add_summary(Document& d, const KernelReport& kernel);
// The report with names as C++ has them, for text; their views still point into the PTX.
KernelReport with_readable_names(KernelReport kernel);

// Adds which lanes collide in the access, and the swizzle that would fix it and all other accesses of its array.
// Nothing is added without a conflict.
void add_remedy(Document& d, const KernelReport& kernel, const SmemSite& site);

}  // namespace swz
