// SPDX-License-Identifier: Apache-2.0
// SassModule: the instructions of a disassembly, as nvdisasm -c or cuobjdump -sass prints it.
//
//   .text.f:
//           /*0000*/                   S2R R0, SR_TID.X ;
//   .L_x_1:
//           /*0010*/              @!P0 LDS.128 R4, [R0.X16+0x20] ;
//
//   f has two instructions: S2R at 0 and LDS.128 at 0x10, under !P0, with the operands R4 and [R0.X16+0x20]; the label
//   .L_x_1 is before the second.
//
// A function that ptxas placed after the code of its kernel ($__internal_0_…) is a function of its own. With the options
// -g and -gp nvdisasm names the lines of the source and of the PTX; a comment of these holds until the next of its kind.
// Views point into `text`.
//
// Source: the output of nvdisasm and cuobjdump 12.4 to 13.5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

struct SassInstruction {
  std::uint32_t line = 0;                   // of the text, from 1
  std::uint64_t offset = 0;                 // in the code of the section, in bytes
  std::string_view guard = {};              // "P0", "!UP1"; empty: always executed
  std::string_view opcode = {};             // "LDS.128"
  std::uint32_t operand = 0, operands = 0;  // in the operands of the module
  SourcePlace source = {};
  std::uint32_t ptx_line = 0;  // 0: not given
};

struct SassLabel {
  std::string_view name;
  std::uint32_t instruction = 0;  // of the function; one past the last: its end
};

struct SassFunction {
  std::string_view name = {};
  bool is_entry = true;    // false: a function that ptxas placed after its kernel
  std::uint32_t line = 0;  // of its name
  std::vector<SassInstruction> instructions = {};
  std::vector<SassLabel> labels = {};
};

struct SassModule {
  std::shared_ptr<const std::string> text;
  std::string_view target = {};  // "sm_90a"; empty: the text does not say it
  std::vector<SassFunction> functions;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> files;  // by the number of SourcePlace; the first has the number 1

  std::span<const std::string_view> operands_of(const SassInstruction& instruction) const {
    return std::span(operands).subspan(instruction.operand, instruction.operands);
  }
};

// The text has instructions as nvdisasm prints them.
bool is_sass(std::string_view text);

// Throws Error for a text without instructions.
SassModule read_sass(std::string text);

}  // namespace swz
