// SPDX-License-Identifier: Apache-2.0 The parts that make a KernelReport: what finds the sites of each kind, what they
// all need, and what looks for mistakes.
//
// Used only inside src/ptx: others ask kernel_reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fragment/instruction_text.hpp"
#include "ptx/kernel_report.hpp"

namespace swz {

// ---- sites

PtxSite site_at(const PtxKernel& kernel, std::uint32_t instruction);
std::vector<MmaSite> mma_sites(const PtxValues& values, const Target* target);
std::vector<SmemSite> smem_sites(const PtxValues& values);
// The threads of a block: given, or of the kernel, or one row of 1024.
std::array<std::int64_t, 3> counted_threads(const PtxValues& values);
std::vector<GmemSite> gmem_sites(const PtxValues& values);
std::vector<BuiltTensorMap> built_tensor_maps(const PtxValues& values);
std::vector<TmaSite> tma_sites(const PtxValues& values, const std::vector<BuiltTensorMap>& maps);
std::vector<ClusterSite> cluster_sites(const PtxValues& values);
std::vector<TmemSite> tmem_sites(const PtxValues& values);

// ---- addresses and reasons

// ld, st, atom, red, wmma.load or wmma.store without a state space.
bool has_generic_address(const PtxInstruction& instruction);
// Of (address << shift) + added, whose low bits count: those of an address of shared memory.
SiteAddress site_address(const PtxValues& values, ValueId address, int shift = 0, std::int64_t added = 0);
// The same place in the memory of whatever CTA it was mapped to.
SiteAddress mapped_address(const PtxValues& values, ValueId address);
// nullopt: it is not proven that the address is of another CTA, as mapa or a cleared rank bit shows.
std::optional<SiteOwner> owner_of(const PtxValues& values, ValueId address);
// A number of so many bits.
SiteNumber site_number(const PtxValues& values, ValueId value, int bits, bool is_signed);
SiteMask site_mask(const PtxValues& values, ValueId value, int bits);
// Two addresses are the same, in one pass of their loops, if their keys are.
std::string address_key(const PtxValues& values, ValueId address);
// "it depends on what ld.global.u32 in line 88 gives": why something is not known, if `why` is not.
std::string because(const PtxValues& values, ValueId why);

// ---- mistakes

std::vector<Finding> kernel_findings(const KernelReport& report, const PtxValues& values);
// The access with the most wavefronts too many. One that ptxas can remove by joining it with its neighbours counts last.
std::optional<std::size_t> worst_conflict(const KernelReport& report);
std::vector<Finding> tensor_map_findings(const std::vector<BuiltTensorMap>& maps, const Target* target);
// Whether MMAs that follow each other read K as a loop does (descriptor/k_loop.hpp), A and B along the same k.
// `said` is the opcode of the instruction, an mma.
std::vector<Finding> scale_findings(const PtxValues& values, const PtxInstruction& instruction, const NameParts& said);
void add_k_loop_findings(const PtxValues& values, const Target* target, std::vector<MmaSite>& sites);
// Forms that the target does not have, and masks and ranks beyond the cluster.
void add_cluster_findings(const KernelReport& report, const PtxValues& values, std::vector<Finding>& findings);
void add_transaction_findings(const KernelReport& report, const PtxValues& values, std::vector<Finding>& findings);
// Findings about MMAs are kept in their sites.
void add_column_findings(KernelReport& report, const PtxValues& values);

}  // namespace swz
