// SPDX-License-Identifier: Apache-2.0
// Cubin: what the ELF file of one architecture says of its kernels without their code being read.
//
//   ptxas -arch sm_90a f.ptx
//     arch sm_90a, toolkit 135 (13.5)
//     f: 18 registers, 2 barriers, stack 0 B, parameters at 0x210 of bank 0: 0 at +0, 8 B; 1 at +0x30, 128 B
//        .nv.shared.f has 0x1400 B: 4096 B of arrays behind the 1024 B that are reserved since sm_90
//
// Every number is as cuobjdump --dump-resource-usage prints it: REG registers, STACK stack, SHARED shared_section,
// CONSTANT[0] constant_bank. What the file does not say is absent.
//
// Views point into the bytes that were read. Invariants (tested against cuobjdump, fuzzed): a kernel's code lies in its
// section.
// Source: read byte by byte in cubins of ptxas 12.4, 12.9, 13.0 and 13.5, compared with cuobjdump 13.5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.hpp"
#include "binary/sm_arch.hpp"

namespace swz {

struct CubinParameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0, bytes = 0;  // behind the base of the parameters

  bool operator==(const CubinParameter&) const = default;
};

// A named array in shared memory: only with -G, or in a relocatable cubin, where its place is not known.
struct CubinArray {
  std::string_view name = {};
  std::optional<std::uint64_t> address = {};  // in the block's window, what is reserved included
  std::uint64_t bytes = 0;
};

using BlockShape = std::array<std::uint32_t, 3>;

// What a launch of a kernel needs and gets.
struct KernelResources {
  std::optional<std::uint32_t> registers = {};           // of a thread
  std::optional<std::uint32_t> frame = {}, stack = {};   // bytes of a thread: its own, with all that it calls
  std::optional<BlockShape> max_threads = {};            // .maxntid
  std::optional<BlockShape> required_threads = {};       // .reqntid
  std::optional<BlockShape> cluster = {};                // .reqnctapercluster
  std::optional<std::uint32_t> max_cluster_blocks = {};  // .maxclusterrank
  std::optional<std::uint32_t> barriers = {};            // the highest named barrier + 1
  std::optional<std::uint32_t> max_registers = {};       // what its bounds allow
  bool reconfigures_registers = false;                   // setmaxnreg
  std::vector<CubinParameter> parameters = {};           // in order
  std::optional<std::uint32_t> parameter_base = {};      // in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::uint64_t constant_bank = 0;   // bytes of constant bank 0
  std::uint64_t shared_section = 0;  // bytes of .nv.shared.NAME: what is reserved included
  std::uint64_t static_shared = 0;   // without it
  std::uint64_t shared_alignment = 1;

  std::optional<BlockShape> block() const { return required_threads ? required_threads : max_threads; }
};

struct CubinKernel : KernelResources {
  std::string_view name = {};
  std::uint32_t symbol = 0;       // its number
  std::uint16_t section = 0;      // of its code
  std::uint64_t code_offset = 0;  // in that section
  std::string_view code = {};     // 16 bytes an instruction
  std::vector<CubinArray> arrays = {};
};

struct Cubin {
  Elf elf;
  std::vector<ElfSymbol> symbols = {};
  SmArch arch = {};
  bool is_relocatable = false;
  std::optional<std::uint32_t> toolkit = {};  // 10 * major + minor: 135 is 13.5
  std::vector<CubinKernel> kernels = {};      // in the order of their symbols

  // The PTX of which it was made, as -lineinfo and -G keep it: without comments, leading blanks, .loc and .file, its
  // lines where they were. Empty: it holds none.
  std::string ptx() const;
  bool has_ptx() const;
  // Null: no kernel of this name.
  const CubinKernel* find(std::string_view kernel) const;
};

// Throws Error for a file that is no cubin, is cut off or contradicts itself.
Cubin read_cubin(std::string_view bytes, std::string name);

// "13.5"
std::string toolkit_text(std::uint32_t toolkit);

}  // namespace swz
