// SPDX-License-Identifier: Apache-2.0
// Elf: the sections and symbols of a 64-bit little-endian ELF file: a cubin, an object file, a shared library.
//
//   const Elf elf = read_elf(bytes, "f.cubin");
//   elf.machine == elf_machine_cuda                  190
//   elf.find(".nv.info.f")->bytes                    what the file has of the section; empty for NOBITS
//   elf_symbols(elf)[5].name == "f"
//
// Names and bytes are views of `bytes`. Symbols are read only when they are asked for: a library has a million of them.
//
// Invariants (tested with every truncation, fuzzed): a section's bytes lie in the file; a symbol's section exists.
// Source: System V ABI, gABI 4.1, chapters 4 and 5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

inline constexpr std::uint16_t elf_machine_cuda = 190;
inline constexpr std::uint16_t elf_relocatable = 1, elf_executable = 2;

struct ElfSection {
  std::string_view name = {};
  std::uint32_t type = 0, info = 0, link = 0;
  std::uint64_t flags = 0, offset = 0, size = 0, alignment = 0;
  std::string_view bytes = {};  // empty if the file has none of it
};

enum class ElfSymbolType : std::uint8_t { none = 0, object = 1, function = 2, section = 3, file = 4, cuda_object = 13 };

struct ElfSymbol {
  std::string_view name = {};
  ElfSymbolType type = ElfSymbolType::none;
  std::uint8_t binding = 0, other = 0;  // other: st_other
  std::uint16_t section = 0;            // 0: undefined
  std::uint64_t value = 0, size = 0;
};

struct Elf {
  std::string name = {};  // of the file, for messages
  std::string_view bytes = {};
  std::uint8_t abi_version = 0;
  std::uint16_t type = 0, machine = 0;
  std::uint32_t version = 0, flags = 0;
  std::vector<ElfSection> sections = {};

  // The first section of this name; null: none.
  const ElfSection* find(std::string_view section) const;
};

// Whether they begin as a 64-bit little-endian ELF file does; cubin: of CUDA.
bool is_elf(std::string_view bytes);
bool is_cuda_elf(std::string_view bytes);

// Where the file ends, by its headers: more bytes may follow it.
std::uint64_t elf_size(std::string_view bytes, const std::string& name);

// Throw Error for a file that is cut off or contradicts itself.
Elf read_elf(std::string_view bytes, std::string name);
std::vector<ElfSymbol> elf_symbols(const Elf& elf);

}  // namespace swz
