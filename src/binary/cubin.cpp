// SPDX-License-Identifier: Apache-2.0
#include "binary/cubin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "binary/byte_reader.hpp"

namespace swz {

namespace {

constexpr std::uint8_t is_kernel = 0x10;  // of st_other

// The attributes of .nv.info and .nv.info.NAME that are read.
enum class Attribute : std::uint8_t {
  max_threads = 0x05,
  parameter_bank = 0x0a,
  required_threads = 0x10,
  frame_size = 0x11,
  min_stack_size = 0x12,
  parameter = 0x17,
  parameter_bytes = 0x19,
  max_registers = 0x1b,
  registers = 0x2f,
  cluster = 0x3d,
  max_cluster_rank = 0x3f,
  barriers = 0x4c,
  register_reconfiguration = 0x54,
};

struct AttributeEntry {
  std::uint8_t code = 0;
  std::uint32_t value = 0;  // of one that has a byte or a word
  ByteReader payload{{}};
};

template <class Visit>
void each_attribute(const ByteReader& section, const Visit& visit) {
  for (std::uint64_t at = 0; section.holds(at, 4);) {
    const std::uint8_t format = section.u8(at);
    // Of another format than 4 it has no bytes, which the messages of its reader tell.
    AttributeEntry entry{
        .code = section.u8(at + 1), .value = section.u16(at + 2), .payload = section.inside(at + 4, 0)};
    std::uint64_t bytes = 4;
    switch (format) {
      case 1:
      case 3: break;
      case 2: entry.value &= 0xff; break;
      case 4:
        entry.payload = section.inside(at + 4, entry.value);
        bytes += entry.value;
        break;
      // 0 fills up the end of a section.
      case 0: return;
      default: section.refuse(fmt::format("an attribute has the format {}, not 1 to 4", format), at);
    }
    visit(entry);
    at += bytes;
  }
}

BlockShape shape_in(const ByteReader& payload) { return {payload.u32(0), payload.u32(4), payload.u32(8)}; }

void read_kernel_attribute(const AttributeEntry& entry, CubinKernel& kernel) {
  const ByteReader& payload = entry.payload;
  switch (static_cast<Attribute>(entry.code)) {
    case Attribute::max_threads: kernel.max_threads = shape_in(payload); break;
    case Attribute::required_threads: kernel.required_threads = shape_in(payload); break;
    case Attribute::cluster: kernel.cluster = shape_in(payload); break;
    case Attribute::max_cluster_rank: kernel.max_cluster_blocks = payload.u32(0); break;
    case Attribute::barriers: kernel.barriers = entry.value; break;
    case Attribute::max_registers: kernel.max_registers = entry.value; break;
    case Attribute::parameter_bytes: kernel.parameter_bytes = entry.value; break;
    case Attribute::parameter_bank:
      kernel.parameter_base = payload.u16(4);
      kernel.parameter_bytes = payload.u16(6);
      break;
    case Attribute::parameter:
      kernel.parameters.push_back({payload.u16(4), payload.u16(6), payload.u32(8) >> 18});
      break;
    case Attribute::register_reconfiguration: kernel.reconfigures_registers = true; break;
    default: break;
  }
}

class CubinReader {
 public:
  explicit CubinReader(Cubin& cubin) : cubin_(cubin) {
    for (const ElfSection& section : cubin.elf.sections) sections_.try_emplace(section.name, &section);
  }

  void read() {
    read_arch();
    for (std::uint32_t i = 0; i < cubin_.symbols.size(); ++i) {
      const ElfSymbol& symbol = cubin_.symbols[i];
      if (symbol.type == ElfSymbolType::function && (symbol.other & is_kernel) != 0 && symbol.section != 0)
        read_kernel(i, symbol);
    }
    read_module_attributes();
    read_arrays();
  }

 private:
  const ElfSection* find(const std::string& name) const {
    const auto found = sections_.find(name);
    return found == sections_.end() ? nullptr : found->second;
  }
  ByteReader reader_of(const ElfSection& section) const {
    return ByteReader(section.bytes, cubin_.elf.name, section.offset);
  }

  void read_arch() {
    const std::uint32_t flags = cubin_.elf.flags;
    bool is_specific = false;
    if (cubin_.elf.abi_version <= 7) {
      cubin_.arch.number = flags & 0xff;
      is_specific = (flags >> 11 & 1) != 0;
      cubin_.toolkit = cubin_.elf.version;
    } else {
      cubin_.arch.number = flags >> 8 & 0xff;
      is_specific = (flags >> 3 & 1) != 0;
      constexpr std::uint8_t accelerator_target = 0x09;
      if (const ElfSection* compat = find(".nv.compat"))
        each_attribute(reader_of(*compat), [&](const AttributeEntry& entry) {
          if (entry.code == accelerator_target && entry.value == 1) is_specific = true;
        });
      read_toolkit();
    }
    if (is_specific) cubin_.arch.variant = 'a';
    cubin_.is_relocatable = cubin_.elf.type == elf_relocatable;
  }

  // A note of name "NVIDIA Corp": u16 version, u16 virtual architecture, u16 toolkit. 12.9 has no such number, but the
  // text "release 12.9" of its compiler.
  void read_toolkit() {
    constexpr std::uint64_t toolkit_at = 12 + 12 + 4;
    if (const ElfSection* note = find(".note.nv.cuinfo")) {
      if (reader_of(*note).holds(toolkit_at, 2)) cubin_.toolkit = reader_of(*note).u16(toolkit_at);
    } else if (const ElfSection* tool = find(".note.nv.tkinfo")) {
      constexpr std::string_view release = "release ";
      const std::size_t at = tool->bytes.find(release);
      if (at == std::string_view::npos) return;
      const std::string_view digits = tool->bytes.substr(at + release.size(), 4);  // "12.9"
      if (digits.size() == 4 && is_digit(digits[0]) && is_digit(digits[1]) && digits[2] == '.' && is_digit(digits[3]))
        cubin_.toolkit = static_cast<std::uint32_t>(100 * (digits[0] - '0') + 10 * (digits[1] - '0') + digits[3] - '0');
    }
  }

  void read_kernel(std::uint32_t number, const ElfSymbol& symbol) {
    const ElfSection& text = cubin_.elf.sections[symbol.section];
    CubinKernel kernel;
    kernel.name = symbol.name;
    kernel.symbol = number;
    kernel.section = symbol.section;
    kernel.code_offset = symbol.value;
    kernel.code = reader_of(text).part(symbol.value, symbol.size);
    const std::string name(symbol.name);
    // Before sm_90 and ABI 8 the section's header has the registers and the barriers.
    if (const std::uint32_t registers = text.info >> 24; registers != 0) kernel.registers = registers;
    if (cubin_.elf.abi_version <= 7) kernel.barriers = static_cast<std::uint32_t>(text.flags >> 20 & 0x7f);
    if (const ElfSection* info = find(".nv.info." + name))
      each_attribute(reader_of(*info), [&](const AttributeEntry& entry) { read_kernel_attribute(entry, kernel); });
    std::ranges::sort(kernel.parameters, {}, &CubinParameter::ordinal);
    if (const ElfSection* shared = find(".nv.shared." + name)) {
      kernel.shared_section = shared->size;
      kernel.shared_alignment = std::max<std::uint64_t>(shared->alignment, 1);
      // What is reserved is counted in executable cubins only: the linker adds it to a relocatable one.
      const std::uint64_t reserved = cubin_.is_relocatable ? 0 : cubin_.arch.reserved_shared();
      kernel.static_shared = shared->size > reserved ? shared->size - reserved : 0;
    }
    if (const ElfSection* constants = find(".nv.constant0." + name)) kernel.constant_bank = constants->size;
    places_[number] = cubin_.kernels.size();
    cubin_.kernels.push_back(std::move(kernel));
  }

  void read_module_attributes() {
    const ElfSection* info = find(".nv.info");
    if (info == nullptr) return;
    each_attribute(reader_of(*info), [&](const AttributeEntry& entry) {
      if (!entry.payload.holds(0, 8)) return;
      const auto kernel = places_.find(entry.payload.u32(0));
      if (kernel == places_.end()) return;
      const std::uint32_t value = entry.payload.u32(4);
      CubinKernel& to = cubin_.kernels[kernel->second];
      switch (static_cast<Attribute>(entry.code)) {
        case Attribute::registers: to.registers = value; break;
        case Attribute::frame_size: to.frame = value; break;
        case Attribute::min_stack_size: to.stack = value; break;
        default: break;
      }
    });
  }

  void read_arrays() {
    std::unordered_map<std::string_view, CubinKernel*> kernels;
    for (CubinKernel& kernel : cubin_.kernels) kernels[kernel.name] = &kernel;
    constexpr std::string_view shared = ".nv.shared.";
    for (const ElfSymbol& symbol : cubin_.symbols) {
      if (symbol.type != ElfSymbolType::object && symbol.type != ElfSymbolType::cuda_object) continue;
      const std::string_view section = cubin_.elf.sections[symbol.section].name;
      if (!section.starts_with(shared)) continue;
      const auto kernel = kernels.find(section.substr(shared.size()));
      if (kernel == kernels.end()) continue;
      CubinArray array{.name = symbol.name, .bytes = symbol.size};
      if (!cubin_.is_relocatable) array.address = symbol.value;
      kernel->second->arrays.push_back(array);
    }
  }

  Cubin& cubin_;
  std::unordered_map<std::string_view, const ElfSection*> sections_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // of the kernels, by the number of their symbol
};

}  // namespace

Cubin read_cubin(std::string_view bytes, std::string name) {
  if (!is_cuda_elf(bytes))
    throw Error(name + ": not a cubin: no 64-bit ELF header of machine 190 (CUDA) at 0x0", "give a cubin");
  Cubin cubin{.elf = read_elf(bytes, std::move(name))};
  cubin.symbols = elf_symbols(cubin.elf);
  CubinReader(cubin).read();
  return cubin;
}

bool Cubin::has_ptx() const {
  const ElfSection* text = elf.find(".nv_debug_ptx_txt");
  return text != nullptr && !text->bytes.empty();
}

std::string Cubin::ptx() const {
  const ElfSection* section = elf.find(".nv_debug_ptx_txt");
  if (section == nullptr) return {};
  std::string text(section->bytes);
  std::ranges::replace(text, '\0', '\n');
  return text;
}

const CubinKernel* Cubin::find(std::string_view kernel) const {
  const auto found = std::ranges::find(kernels, kernel, &CubinKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

std::string toolkit_text(std::uint32_t toolkit) { return fmt::format("{}.{}", toolkit / 10, toolkit % 10); }

}  // namespace swz
