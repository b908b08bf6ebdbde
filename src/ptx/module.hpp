// SPDX-License-Identifier: Apache-2.0
// PtxModule: the statements of a PTX text, each in its line, with the names resolved.
//
//   .entry f(.param .u64 p) { .reg .b32 %r<3>; .shared .align 16 .b8 s[64];
//     mov.u32 %r1, s;
//     @%p1 st.shared.u32 [%r1+4], %r2; }
//
//   f has the shared variable s of 64 bytes and two instructions:
//     mov.u32        operands: register %r1 · symbol s
//     st.shared.u32  under %p1; operands: address of {register %r1} plus 4 · register %r2
//
// A name has the meaning of its place: inline assembly in braces has registers and labels of its own. An instruction
// that swz does not know is kept with its operands like any other. Views point into `text`.
//
// Invariants (tested): every operand of an instruction is in the module's list; a branch's label is an instruction of
// its kernel, or one past the last; instructions are in the order of their lines.
// Source: PTX ISA 9.1, chapters 4, 5 and 11.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/units.hpp"
#include "cluster/shape.hpp"

namespace swz {

enum class PtxOperandKind : std::uint8_t {
  reg,      // id: the register of the kernel
  number,   // value: its bits; a floating-point literal too
  symbol,   // id: the symbol of the module; value: the bytes added, "s+16"
  label,    // id: the instruction of the kernel
  address,  // parts: what is added first, then what follows a comma; value: the bytes added
  list,     // parts: {a, b}, (a, b) and a|b
  sink,     // _
  unknown,  // not understood: "v.x", "1 << 4"
};

struct PtxOperand {
  PtxOperandKind kind = PtxOperandKind::unknown;
  bool negated = false;  // !%p1, -%r1
  std::uint32_t id = 0;
  std::uint32_t part = 0, parts = 0;  // in the operands of the module
  std::int64_t value = 0;
};

// The place in the author's source: file is a number of the .file directives. line 0: not given.
struct SourcePlace {
  std::uint32_t file = 0, line = 0;
  bool operator==(const SourcePlace&) const = default;
};

inline constexpr std::uint32_t no_register = 0xffffffff;

struct PtxInstruction {
  std::string_view opcode = {};   // "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
  std::string_view written = {};  // as the author's text has it: of SASS "HGMMA.64x128x16.F32.BF16"
  std::uint32_t line = 0;         // of the text, from 1
  std::uint32_t operand = 0, operands = 0;
  std::uint32_t guard = no_register;
  bool guard_negated = false;
  SourcePlace source = {};
  std::uint32_t offset = 0;  // of machine code: in its section, in bytes

  std::string_view name() const { return opcode.substr(0, opcode.find('.')); }  // "wgmma"
  bool is(std::string_view name) const {                                        // "bra" is the first part of "bra.uni"
    return opcode.starts_with(name) && (opcode.size() == name.size() || opcode[name.size()] == '.');
  }
  bool has(std::string_view part) const;  // ".trans"
};

struct PtxRegister {
  std::string_view name;
  int bits = 32;  // 1: a predicate
};

// param: of a kernel; other: the arguments of a call.
enum class PtxSpace : std::uint8_t { shared, global, constant, local, param, special, other };

// A variable, a parameter or a special register.
struct PtxSymbol {
  std::string_view name = {};
  PtxSpace space = PtxSpace::other;
  std::optional<Bytes> bytes = {};  // none: the launch decides (extern .shared s[])
  std::int64_t alignment = 1;
  bool is_extern = false;
  std::uint32_t line = 0;
};

// The clusters that a kernel runs in, as its PTX or its cubin says.
struct PtxCluster {
  std::optional<ClusterShape> shape = {};  // .reqnctapercluster
  std::optional<int> most = {};            // .maxclusterrank; if the shape is known, its size
};

struct PtxKernel {
  std::string_view name = {};
  std::string_view target = {};  // "sm_90a"
  bool is_entry = true;          // false: .func
  std::uint32_t line = 0;
  std::optional<std::array<std::int64_t, 3>> threads = {};  // of .reqntid, otherwise of .maxntid
  bool threads_are_most = false;                            // .maxntid: the launch may have fewer
  PtxCluster cluster = {};
  std::vector<PtxRegister> registers = {};
  std::vector<PtxInstruction> instructions = {};
  std::uint32_t first_operand = 0, end_operand = 0;  // in the operands of the module
  std::vector<std::uint32_t> labels = {};            // the instructions that follow a label
  struct BranchTargets {
    std::uint32_t label = 0;  // of the directive, as an instruction
    PtxOperand targets;
  };
  std::vector<BranchTargets> branch_targets = {};
  std::vector<std::uint32_t> shared = {};  // symbols of the module and its own, in the order of their declaration
};

// What no PTX has in this place: "',' or ';' is missing before 'add.s32'".
struct PtxSyntaxError {
  std::uint32_t line = 0;
  std::string message;
};

struct PtxModule {
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const std::string> lifted_from;  // the disassembly that was made PTX (sass/lift.hpp); null: none
  std::vector<PtxKernel> kernels;                  // functions too
  std::vector<PtxSymbol> symbols;
  std::vector<PtxOperand> operands;
  std::unordered_map<std::string_view, std::string_view> aliases;  // of functions: .alias NAME, FUNCTION
  std::vector<std::string_view> files;                             // by the number of .file
  std::vector<PtxSyntaxError> syntax_errors;                       // the first ones, in the order of their lines

  // What runs is exactly these instructions: ptxas does not join, leave out or split any more.
  bool is_machine_code() const { return lifted_from != nullptr; }

  std::span<const PtxOperand> operands_of(const PtxInstruction& instruction) const {
    return std::span(operands).subspan(instruction.operand, instruction.operands);
  }
  std::span<const PtxOperand> operands_of(const PtxKernel& kernel) const {
    return std::span(operands).subspan(kernel.first_operand, kernel.end_operand - kernel.first_operand);
  }
  std::span<const PtxOperand> parts_of(const PtxOperand& operand) const {
    return std::span(operands).subspan(operand.part, operand.parts);
  }
};

// Throws Error for a text that is not PTX (a cubin, SASS, LLVM IR), that ends inside a kernel, or is too long. A text
// with a character too few or too many is read as far as it is understood, and has syntax errors.
PtxModule read_ptx(std::string text);

}  // namespace swz
