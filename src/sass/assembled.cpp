// SPDX-License-Identifier: Apache-2.0
#include "sass/assembled.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace swz {

namespace {

// The bytes of a lane that a part of an opcode says: 16 of "128" and of "b128"; 0: none.
int bytes_said(std::string_view part) {
  struct Row {
    std::string_view text;
    int bytes;
  };
  constexpr Row rows[] = {{"b8", 1},  {"u8", 1},   {"s8", 1},  {"b16", 2}, {"u16", 2},   {"s16", 2},
                          {"f16", 2}, {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4},   {"f32", 4},
                          {"b64", 8}, {"u64", 8},  {"s64", 8}, {"f64", 8}, {"b128", 16}, {"f16x2", 4},
                          {"U8", 1},  {"S8", 1},   {"U16", 2}, {"S16", 2}, {"64", 8},    {"128", 16}};
  for (const Row& row : rows)
    if (row.text == part) return row.bytes;
  return 0;
}

template <class Visit>
void for_each_part(std::string_view opcode, const Visit& visit) {
  while (true) {
    const std::size_t dot = opcode.find('.');
    visit(opcode.substr(0, dot));
    if (dot == opcode.npos) return;
    opcode.remove_prefix(dot + 1);
  }
}

int ptx_bytes_of(std::string_view opcode) {
  int bytes = 4, count = 1;
  for_each_part(opcode, [&](std::string_view part) {
    if (const int said = bytes_said(part)) bytes = said;
    if (part.size() == 2 && part[0] == 'v') count = part[1] - '0';
  });
  return bytes * count;
}

int sass_bytes_of(std::string_view opcode) {
  int bytes = 4;
  for_each_part(opcode, [&](std::string_view part) {
    if (const int said = bytes_said(part)) bytes = said;
  });
  return bytes;
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
    const int bytes = ptx_bytes_of(access.opcode);
    changes.wider += std::ranges::count_if(made->second, [&](int width) { return width > bytes; });
    if (made->second.size() > 1) ++changes.several;
  }
  return changes;
}

}  // namespace swz
