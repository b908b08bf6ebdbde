// SPDX-License-Identifier: Apache-2.0
// The parts of an opcode, and the types among them.
#include <algorithm>

#include "ptx/value_builder.hpp"

namespace swz {

OpcodeParts::OpcodeParts(std::string_view opcode) {
  while (count < all.size()) {
    const std::size_t dot = opcode.find('.');
    all[count++] = opcode.substr(0, dot);
    if (dot == opcode.npos) break;
    opcode.remove_prefix(dot + 1);
  }
}

bool OpcodeParts::has(std::string_view part) const {
  return std::find(all.begin(), all.begin() + count, part) != all.begin() + count;
}

OperandType operand_type(std::string_view part) {
  if (part == "pred") return {'p', 1};
  if (part.size() < 2 || part.size() > 4) return {};
  const char kind = part[0];
  if (kind != 'b' && kind != 'u' && kind != 's' && kind != 'f') return {};
  const std::string_view digits = part.substr(1);
  for (const int bits : {8, 16, 32, 64, 128})
    if (digits == std::to_string(bits)) return {kind, bits};
  return {};
}

}  // namespace swz
