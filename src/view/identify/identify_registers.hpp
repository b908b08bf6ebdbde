// SPDX-License-Identifier: Apache-2.0
// View of registers: what `swz identify --of fragment` answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/content_search.hpp"
#include "view/document/document.hpp"

namespace swz {

struct RegisterReport {
  LogicalTile expected;
  std::string dtype;  // as it was asked for: an element of e2m3 is a byte of its register
  std::string dump;   // "lines of dump.txt, 32 threads x 4 registers"
  int first_thread = 0;
  RegisterIdentification found;
  std::optional<TileContent> content;  // none if it was given by --expect
  std::vector<RegisterAnswer> also;    // other contents that explain the registers as well
  RegisterDump registers = {};         // what was dumped, for the picture
};

// JSON: the keys of view_identify, null for those of shared memory; then fragment (the name), operand, commands (which
// show each name), first_register. Candidates are {fragment, operand, commands, layout}; also is [{contents, fragment,
// operand, commands, layout}].
Document view_registers(const RegisterReport& report);

}  // namespace swz
