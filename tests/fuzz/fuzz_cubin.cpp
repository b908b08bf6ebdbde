// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ELF file and as a cubin, with its line tables: an Error with a message, or parts that lie in the bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "binary/cubin.hpp"
#include "binary/line_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto is_inside = [&](std::string_view part) {
    return part.empty() || (part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size());
  };
  try {
    const swz::Cubin cubin = swz::read_cubin(bytes, "fuzz");
    for (const swz::ElfSection& section : cubin.elf.sections)
      if (!is_inside(section.bytes) || !is_inside(section.name)) std::abort();
    for (const swz::CubinKernel& kernel : cubin.kernels)
      if (!is_inside(kernel.code) || kernel.section >= cubin.elf.sections.size()) std::abort();
    if (cubin.ptx().size() > size) std::abort();
    for (const swz::LineTable& table : {swz::source_lines(cubin), swz::ptx_lines(cubin)}) {
      for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (table.rows[i].call && *table.rows[i].call >= i) std::abort();
      for (const swz::LineSequence& one : table.sequences)
        if (one.row + one.row_count > table.rows.size()) std::abort();
    }
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
