// SPDX-License-Identifier: Apache-2.0
// SassMachine: what the integer instructions of SASS compute, in one lane: written from the sheet of what pairs of PTX and
// SASS and an H100 show, and not from src/sass, whose translation it judges.
//
//   SassMachine machine;
//   machine.set("R2", 5); machine.set("R3", 7);
//   machine.execute("LEA", {"R4", "R2", "R3", "0x2"})     true; machine.get("R4") == 27
//
// A register is named as the text names it; RZ, URZ, PT and UPT do not change. execute: false for an instruction that is no
// function of registers, or that the machine does not know.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

class SassMachine {
 public:
  std::uint32_t get(std::string_view name) const;
  void set(std::string_view name, std::uint32_t value);
  // "P0", "!UP1", "": it is executed.
  bool holds(std::string_view guard) const;
  bool execute(std::string_view opcode, std::span<const std::string_view> operands);
  // Those of the last execute.
  const std::vector<std::string>& written() const { return written_; }

 private:
  std::map<std::string, std::uint32_t, std::less<>> registers_;
  std::map<int, std::uint8_t> local_;  // bytes at [R1+n]
  std::vector<std::string> written_;
};

}  // namespace swz
