// SPDX-License-Identifier: Apache-2.0
#include "binary/elf.hpp"

#include <algorithm>

#include "binary/byte_reader.hpp"

namespace swz {

namespace {

constexpr std::uint64_t header_bytes = 64, section_header_bytes = 64, program_header_bytes = 56, symbol_bytes = 24;
constexpr std::uint32_t symbol_table = 2;

// Sections without bytes in the file: none and NOBITS, and in relocatable cubins global, local, shared and reserved
// shared memory.
constexpr std::uint32_t types_without_bytes[] = {0, 8, 0x70000007, 0x70000009, 0x7000000a, 0x70000015};

bool has_bytes(std::uint32_t type) {
  return std::ranges::find(types_without_bytes, type) == std::end(types_without_bytes);
}

struct SectionTable {
  std::uint64_t at = 0, count = 0, names = 0;
};

// e_shnum and e_shstrndx are in the first section header if they do not fit.
SectionTable section_table(const ByteReader& file) {
  SectionTable table{file.u64(40), file.u16(60), file.u16(62)};
  if (table.at == 0) return {};
  if (file.u16(58) != section_header_bytes) file.refuse("the size of a section header is not 64", 58);
  if (table.count == 0) table.count = file.u64(table.at + 32);
  if (table.names == 0xffff) table.names = file.u32(table.at + 40);
  if (!file.holds(table.at, 0) || table.count > (file.size() - table.at) / section_header_bytes)
    file.refuse("the section headers reach beyond the end of the file", table.at,
                "the file is cut off or damaged: copy it or build it again");
  return table;
}

// An offset in a table of strings that lies may point beyond it: then the name is empty.
std::string_view name_in(std::string_view strings, std::uint64_t at) {
  if (at >= strings.size()) return {};
  const std::string_view rest = strings.substr(at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

bool is_elf(std::string_view bytes) {
  return bytes.size() >= header_bytes && bytes.starts_with(std::string_view("\x7f"
                                                                            "ELF\x02\x01",
                                                                            6));
}

bool is_cuda_elf(std::string_view bytes) { return is_elf(bytes) && ByteReader(bytes).u16(18) == elf_machine_cuda; }

std::uint64_t elf_size(std::string_view bytes, const std::string& name) {
  const ByteReader file(bytes, name);
  const SectionTable table = section_table(file);
  const std::uint64_t programs = file.u64(32);
  const std::uint64_t programs_end = programs == 0 ? 0 : programs + program_header_bytes * file.u16(56);
  std::uint64_t end = std::max({header_bytes, table.at + section_header_bytes * table.count, programs_end});
  if (programs > bytes.size() || end > bytes.size()) file.refuse("the program headers reach beyond the end", 32);
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const ByteReader header = file.inside(table.at + section_header_bytes * i, section_header_bytes);
    if (!has_bytes(header.u32(4))) continue;
    const std::uint64_t offset = header.u64(24), size = header.u64(32);
    if (file.holds(offset, size)) end = std::max(end, offset + size);
  }
  return end;
}

Elf read_elf(std::string_view bytes, std::string name) {
  const ByteReader file(bytes, name);
  if (!is_elf(bytes)) file.refuse("no 64-bit little-endian ELF header", 0);
  Elf elf{.name = std::move(name), .bytes = bytes};
  elf.abi_version = file.u8(8);
  elf.type = file.u16(16);
  elf.machine = file.u16(18);
  elf.version = file.u32(20);
  elf.flags = file.u32(48);
  const SectionTable table = section_table(file);
  elf.sections.reserve(table.count);
  std::vector<std::uint32_t> names;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const std::uint64_t at = table.at + section_header_bytes * i;
    ElfSection section{.type = file.u32(at + 4), .info = file.u32(at + 44), .link = file.u32(at + 40)};
    section.flags = file.u64(at + 8);
    section.offset = file.u64(at + 24);
    section.size = file.u64(at + 32);
    section.alignment = file.u64(at + 48);
    if (has_bytes(section.type)) section.bytes = file.part(section.offset, section.size);
    elf.sections.push_back(section);
    names.push_back(file.u32(at));
  }
  const std::string_view strings = table.names < elf.sections.size() ? elf.sections[table.names].bytes : "";
  for (std::size_t i = 0; i < names.size(); ++i) elf.sections[i].name = name_in(strings, names[i]);
  return elf;
}

const ElfSection* Elf::find(std::string_view section) const {
  const auto found = std::ranges::find(sections, section, &ElfSection::name);
  return found == sections.end() ? nullptr : &*found;
}

std::vector<ElfSymbol> elf_symbols(const Elf& elf) {
  std::vector<ElfSymbol> symbols;
  const auto table = std::ranges::find(elf.sections, symbol_table, &ElfSection::type);
  if (table == elf.sections.end()) return symbols;
  const std::string_view strings = table->link < elf.sections.size() ? elf.sections[table->link].bytes : "";
  const ByteReader file(table->bytes, elf.name, table->offset);
  symbols.reserve(table->bytes.size() / symbol_bytes);
  for (std::uint64_t at = 0; at + symbol_bytes <= file.size(); at += symbol_bytes) {
    const std::uint8_t info = file.u8(at + 4);
    ElfSymbol symbol{.name = name_in(strings, file.u32(at)),
                     .type = static_cast<ElfSymbolType>(info & 15),
                     .binding = static_cast<std::uint8_t>(info >> 4)};
    symbol.other = file.u8(at + 5);
    symbol.section = file.u16(at + 6);
    // Above them are 0xfff1 for an absolute symbol, and others of no section.
    if (symbol.section >= elf.sections.size()) symbol.section = 0;
    symbol.value = file.u64(at + 8);
    symbol.size = file.u64(at + 16);
    symbols.push_back(symbol);
  }
  return symbols;
}

}  // namespace swz
