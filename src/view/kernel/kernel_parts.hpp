// SPDX-License-Identifier: Apache-2.0
// What the files of the kernel's view have in common.
//
// What is known of a site is listed once, as the fields of a Document:
//
//   key      label      value                           text
//            access                                     ld 32x32b.x32
//   action              "ld"
//   shape               "32x32b.x32"
//            address                                    tmem + 64
//   address             "tmem + 64"                     tmem + 64
//   columns  columns    null
//
// The report's JSON is the object of these fields, a table of the report shows some of them as columns, and --line
// shows the object and the lines with a label; a line with a null value is left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/occupancy.hpp"
#include "view/kernel/kernel.hpp"

namespace swz {

Document facts_of(const PtxModule& module, const KernelReport& kernel, const MmaSite& site);
Document facts_of(const PtxModule& module, const KernelReport& kernel, const SmemSite& site);
Document facts_of(const PtxModule& module, const KernelReport& kernel, const GmemSite& site);
Document facts_of(const PtxModule& module, const KernelReport& kernel, const TmaSite& site);
Document facts_of(const PtxModule& module, const KernelReport& kernel, const ClusterSite& site);
Document facts_of(const PtxModule& module, const KernelReport& kernel, const TmemSite& site);

// Adds what a page shows of the operands of an MMA: what they read, or the bits of a wrong word.
void add_operand_drawings(Document& d, const MmaSite& site, const Target* target);

// The facts of every site; an address, null if it is not known.
Document facts_of_every_kind(const PtxModule& module, const PtxSite& site);
void add_address(Document& d, const std::string& key, const std::optional<SiteAddress>& address);
Json bytes_json(const std::optional<Bytes>& bytes);
// Whom a site reaches: "0x3: ranks 0, 1", "rank 1".
std::string cluster_cell(const ClusterSite& site, const PtxCluster& cluster);

// What an MMA reads of one operand, "A"; none if its word is not known well enough.
std::optional<Figure> operand_site_figure(const std::string& label, const MmaOperandSite& operand,
                                          const std::string& type, const Target& target);

// What the MMAs of its k loop read, where the loop is wrong; none if their words are not known well enough.
std::optional<Figure> wrong_loop_figure(const KernelReport& kernel, const MmaSite& site);

// Of the steps of a loop that is wrong, those that do not take their k, by where they start; all but the first if that is
// not known. The operand has a mode.
std::vector<bool> wrong_steps(const MmaOperandSite& operand, const std::vector<std::int64_t>& starts);

// The findings of the kernel as a whole; one about a conflict has its line and numbers too.
Json kernel_findings_json(const KernelReport& kernel);

// Calls `each` with every site: MMAs, accesses to shared and to global memory, bulk copies, what reaches other CTAs,
// accesses to tensor memory.
template <class Each>
void for_each_site(const KernelReport& kernel, const Each& each) {
  for (const auto& site : kernel.mma) each(site);
  for (const auto& site : kernel.smem) each(site);
  for (const auto& site : kernel.gmem) each(site);
  for (const auto& site : kernel.tma) each(site);
  for (const auto& site : kernel.cluster) each(site);
  for (const auto& site : kernel.tmem) each(site);
}

// ---- what is wrong with MMAs, in kernel_faults.cpp

// A finding that is not a note, once for both operands, and without what it is of.
struct MmaFault {
  std::string rule;
  std::string operands;  // "A and B"; empty: of the MMA
  std::string message, hint;
  std::string loop = {};  // "lines 272 to 329", if it is of all MMAs in them; such a fault explains the others
};
// Those of loops first.
std::vector<MmaFault> faults_of(const MmaSite& site);
// "line 291, A and B: +32 B a step leaves the 32 B line of the atom"
std::string headline_of(const MmaFault& fault, const std::string& place = {});
// What a picture says below its title: the fault, or the way out where that is known.
//   "A and B: the right advance, K-major: …"
std::string told_fault(const MmaFault& fault, bool says_way_out);
// The MMAs that follow each other and whose operands differ only in the constants of their starts.
std::vector<std::vector<const MmaSite*>> runs_of(const KernelReport& kernel);

inline bool has_unknown_operand(const MmaSite& site) { return !site.a.why.empty() || !site.b.why.empty(); }

// ---- words for text

// Mangled names as C++ has them, the long ones shortened: "gemm::s + 16*%r1".
std::string readable(const std::string& text);
// Names of templates can have thousands of letters: both ends are kept, as instances differ in the middle or at the
// end.
std::string shortened(std::string_view name);
// "4", "10.50"
std::string number_text(double value);
// "gemm.cu:120"; "-" if it is not known.
std::string source_text(const PtxModule& module, const PtxSite& site);
// "line 88", "gemm.cu:120 (line 88)"
std::string place_text(const PtxModule& module, const PtxSite& site);
// "wgmma m64n128k16"
std::string mma_text(const MmaSite& site);
// "bf16", "e4m3 x e5m2"
std::string types_text(const MmaSite& site);
// "K-major 128B, LBO 16 SBO 1024", "registers K-major"
std::string operand_text(const MmaOperandSite& operand);
// "K-major in mode 64B", for titles and pictures; otherwise its operand_text.
std::string reading_text(const MmaOperandSite& operand);
// What a picture says of the operands of a fault, which are read alike: "A and B: K-major in mode 32B; groups of 8 rows are
// 1024 B apart, as in mode 128B; in mode 32B they take 256 B".
std::string operands_text(const MmaFault& fault, const MmaOperandSite& operand);
// "smem + 16384*%r7, a multiple of 1024 B"
std::string aligned_text(const SiteAddress& address);

// "as predicted"
std::string_view verdict_text(CountVerdict verdict);

// ---- occupancy

// nullopt: the cubin is not linked yet, or the threads or the limits of the target are not known.
std::optional<Occupancy> occupancy_of(const BuiltKernel& built, const KernelReport& kernel);
Json occupancy_json(const std::optional<Occupancy>& occupancy);
std::string occupancy_text(const BuiltKernel& built, const KernelReport& kernel);

// ---- pictures

// The steps of the first wrong k loop and what would be right; none if no loop is known to be wrong. It points into the
// report.
std::optional<Sketch> wrong_loop_sketch(const KernelReport& kernel, const std::string& title);

// ---- lines of a report

// Adds what the kernel does.
void add_summary(Document& d, const KernelReport& kernel);
// The lanes of the worst access in their banks, as they are and under the swizzle that ends its conflicts; none without
// a conflict.
std::optional<Figure> conflict_figure(const KernelReport& kernel);
// Adds which lanes collide in the access, and the swizzle that would fix it and all other accesses of its array.
// Nothing is added without a conflict.
void add_remedy(Document& d, const KernelReport& kernel, const SmemSite& site);

}  // namespace swz
