// SPDX-License-Identifier: Apache-2.0
// LineTable: which line of a text each instruction of a cubin was made from.
//
//   ptx_lines(cubin)       of its PTX, .nv_debug_line_sass:  f + 0x00 line 91 · f + 0x10 line 101
//   source_lines(cubin)    of the author's source, .debug_line: f + 0x10 gemm.cu:12, called from gemm.cu:40
//
//   00 09 02 <8 bytes 0, relocated to f> 04 00 03 da 00 01     file 0, line 1 + 90 = 91, a row at 0
//   03 0a 02 10 01                                             line 101, a row at 0x10
//   f5                                                         0xf5 - 13 = 232 = 16*14 + 8: address + 16, line - 5 + 8
//
// A cubin keeps them if it was compiled with -lineinfo or -G, as Triton does. A row holds until the next one of its
// sequence. Of several rows at one address the last holds; the earlier ones are the call sites of inlined functions.
//
// Invariants (tested against nvdisasm, fuzzed): a row's call site is an earlier row; a sequence's rows exist.
// Source: DWARF 3, 6.2; the vendor's opcode 0x90 and the relocations as ptxas writes them, compared with nvdisasm 13.5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/cubin.hpp"

namespace swz {

struct LineRow {
  std::uint64_t address = 0;               // in the function of its sequence
  std::uint32_t file = 0, line = 0;        // file: of the table, from 1; 0: the PTX
  std::optional<std::uint32_t> call = {};  // the row of the call by which the code came here
  std::string_view function = {};          // mangled; of code that was inlined
  bool is_end = false;                     // one past the last instruction of the sequence
};

struct LineSequence {
  std::string_view function = {};        // whose code it is: a kernel or a device function
  std::uint32_t row = 0, row_count = 0;  // of the table
};

struct LineTable {
  std::vector<std::string> files = {};  // with their folder; that of number 1 is the first
  std::vector<LineRow> rows = {};
  std::vector<LineSequence> sequences = {};

  // The row that holds at an address of a function; null: none.
  const LineRow* find(std::string_view function, std::uint64_t address) const;
  std::string_view file_name(std::uint32_t file) const {
    return file == 0 || file > files.size() ? std::string_view() : files[file - 1];
  }
};

// Empty if the cubin has none. Throws Error for a table that is damaged.
LineTable source_lines(const Cubin& cubin);
LineTable ptx_lines(const Cubin& cubin);

// The row of the source's table for each line of the PTX that became code of the function: a cubin's PTX has no .loc, but
// both tables have a row for the same instruction. The first instruction of a line decides.
std::map<std::uint32_t, LineRow> sources_of_ptx(const LineTable& source, const LineTable& ptx,
                                                std::string_view function);

}  // namespace swz
