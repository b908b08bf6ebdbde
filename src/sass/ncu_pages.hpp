// SPDX-License-Identifier: Apache-2.0
// NcuPages: the source pages of a report of Nsight Compute, as CSV: the machine code of each kernel that was launched, and
// what was counted of each instruction.
//
//   ncu --import R.ncu-rep --page source --csv --print-source sass --print-kernel-base mangled
//
//   "Kernel Name","transpose"
//   "Address","Source",…,"Instructions Executed",…,"L1 Wavefronts Shared",…
//   "0x7f92477afe00","      LDC R1, c[0x0][0x28]","64",…,"0",…
//   "0x7f92477afe10","@!P0  BRA 0x7f92477b1950","64",…
//
//   sass: Function : transpose            a disassembly, for read_sass; jumps have offsets
//           /*0000*/ LDC R1, c[0x0][0x28] ;
//           /*0010*/ @!P0 BRA 0x1b50 ;
//
// Launches of one kernel are one, their counts added; a page that repeats the one before is left out, as ncu prints many
// twice. Lines before the first page are passed over.
//
// Source: pages of ncu 2025.3 and 2026.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

struct CountedInstruction {
  std::uint64_t offset = 0;  // from the kernel's first instruction, in bytes
  std::string opcode;
  std::uint64_t warps = 0;    // that executed it
  std::uint64_t threads = 0;  // for which its predicate held
  // Of shared memory, of global memory; absent: not counted.
  std::optional<std::uint64_t> wavefronts = {}, sectors = {};

  bool operator==(const CountedInstruction&) const = default;
};

struct CountedKernel {
  std::string name;  // of its function in the disassembly
  std::int64_t launches = 1;
  std::vector<CountedInstruction> instructions;
};

struct NcuPages {
  std::string sass;
  std::vector<CountedKernel> kernels;
};

// Prints them.
inline constexpr std::string_view ncu_pages_command =
    "ncu --import FILE.ncu-rep --page source --csv --print-source sass --print-kernel-base mangled";

bool is_ncu_pages(std::string_view text);
// A report itself, which only Nsight Compute reads.
bool is_ncu_report(std::string_view bytes);

// target: of the kernels, "sm_90a"; empty: as their first instruction, which reads the stack pointer, shows. Throws Error
// for pages without the columns that are needed.
NcuPages read_ncu_pages(std::string_view text, std::string_view target = {});

}  // namespace swz
