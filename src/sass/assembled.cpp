// SPDX-License-Identifier: Apache-2.0
#include "sass/assembled.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "ptx/opcode.hpp"
#include "ptx/shared_access.hpp"

namespace swz {

namespace {

// The bytes of a lane: 16 of "LDS.128".
int sass_bytes_of(std::string_view opcode) {
  struct Row {
    std::string_view part;
    int bytes;
  };
  constexpr Row rows[] = {{".U8", 1}, {".S8", 1}, {".U16", 2}, {".S16", 2}, {".64", 8}, {".128", 16}};
  for (const Row& row : rows)
    if (opcode.find(row.part) != opcode.npos) return row.bytes;
  return 4;
}

}  // namespace

AssembledChanges assembled_changes(const PtxKernel& kernel, const SassFunction& code) {
  AssembledChanges changes;
  std::map<std::uint32_t, std::vector<int>> widths;  // of the loads and stores of each line of the PTX
  for (const SassInstruction& instruction : code.instructions) {
    if (instruction.guard == "!PT") continue;
    const std::string_view name = instruction.opcode.substr(0, instruction.opcode.find('.'));
    if (name == "LDL" || name == "STL") ++changes.spills;
    changes.has_lines = changes.has_lines || instruction.ptx_line != 0;
    if (name == "LDS" || name == "STS") widths[instruction.ptx_line].push_back(sass_bytes_of(instruction.opcode));
  }
  if (!changes.has_lines) return changes;
  for (const PtxInstruction& access : kernel.instructions) {
    if (!(access.is("ld") || access.is("st")) || !access.has(".shared")) continue;
    ++changes.accesses;
    const auto made = widths.find(access.line);
    if (made == widths.end()) {
      ++changes.without;
      continue;
    }
    const int bytes = plain_bytes(OpcodeParts(access.opcode));
    changes.wider += std::ranges::count_if(made->second, [&](int width) { return width > bytes; });
    if (made->second.size() > 1) ++changes.several;
  }
  return changes;
}

}  // namespace swz
