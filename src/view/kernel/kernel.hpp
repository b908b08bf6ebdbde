// SPDX-License-Identifier: Apache-2.0
// View of compiled kernels: what `swz kernel` answers.
//
//   matmul  sm_90a, 128 threads
//   verdict  no contradiction found
//   copies   6 x TMA load of rank 2                            what the kernel does
//   shared   global_smem: as the launch says, on 16 B
//
//   4 MMAs
//   line     instruction               of  operand                        start
//   141-186  4 x wgmma m64n64k16 bf16  A   K-major 128B, LBO 16 SBO 1024  global_smem + 0, 32, 64, 96 B
//
//   accesses to shared memory: 0 with conflicts, 2 without, 0 not known
//
// Of a kernel that was compiled there are three lines more, by its cubin:
//
//   resources   168 registers, no stack, no static shared memory, 24576 B of dynamic, 1 barrier
//   occupancy   12 of 64 warps on an SM: 3 blocks, limited by registers; others allow shared memory 9, threads 16
//   parameters  11 with 448 B, at 0x210 of constant bank 0
//
// JSON has an entry for each site; text joins sites that are the same, and shows only the worst accesses.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "sass/assembled.hpp"
#include "view/document/document.hpp"
#include "view/kernel/kernel_list.hpp"

namespace swz {

// One PTX text with the reports of its kernels.
struct KernelText {
  std::string name;  // as the user wrote it
  PtxModule module = {};
  std::vector<KernelReport> kernels = {};
  std::optional<BuiltKernel> built = {};         // of its only kernel, if it was compiled
  std::optional<AssembledChanges> changes = {};  // what ptxas made of its PTX, if the machine code was read
  bool is_disassembled = false;                  // by swz: its lines are those of --annotate, not of the file
  // What the module's names of files point into, if the text has no .file.
  std::shared_ptr<const std::vector<std::string>> source_files = {};
};

struct ShownSites {
  bool mma = true, smem = true, tma = true, tmem = true, gmem = true, cluster = true;
};

Document view_kernels(std::vector<KernelText> texts, const ShownSites& shown);
// Whether any finding is a lint.
bool has_lints(std::span<const KernelText> texts);
// Whether there is no kernel, or an operand of an MMA or a count of wavefronts is not known, or not proven for every
// execution.
bool is_incomplete(std::span<const KernelText> texts);

// All that is known of the site in a line, with the picture of its words or of its banks. Throws Error, which names the
// nearest line with a site, if this line has none.
Document view_kernel_line(const KernelText& text, std::uint32_t line);

// The PTX with a comment after each line that has a site.
std::string annotated_ptx(const KernelText& text);

}  // namespace swz
