// SPDX-License-Identifier: Apache-2.0
// lift_sass: a disassembly as a module of PTX that does the same, for everything that reads PTX.
//
//   /*0010*/  IMAD.SHL.U32 R2, R0, 0x10, RZ ;     shl.b32 t0, R0, 4; mov.b32 R2, t0;
//   /*0020*/  @!P0 LDS.128 R4, [R2+0x400] ;       @!P0 ld.shared.v4.b32 {R4, R5, R6, R7}, [R2+1024];
//
// Each instruction is in the line of the PTX that it has in the disassembly, so line numbers are those of the
// disassembly; `written` of an instruction is the opcode of SASS. What swz does not model gives unknown results:
// sass_unknown of each lane, sass_uniform of a warp, sass_pure if they are a function of the operands. An opcode that is
// not in the table may write every register of its kernel. A function behind the kernel that uses registers only (a
// division, a shuffle of parted lanes) is read in the place of each call, in the line of the call.
//
// Invariants (tested by running both): after each instruction every register holds in every lane what the machine of
// the test, written from the documentation, computes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.hpp"
#include "sass/constant_bank.hpp"
#include "sass/sass_text.hpp"

namespace swz {

// What the cubin says of a kernel, beside its code.
struct SassKernelFacts {
  std::string_view name;
  std::optional<std::array<std::int64_t, 3>> threads = {};
  bool threads_are_most = false;
  std::vector<SassParameter> parameters = {};
  std::optional<std::int64_t> parameter_base = {};  // in constant bank 0, in bytes
};

// The text of the PTX. facts: of the kernels that are known; others have what their target says.
std::string ptx_of_sass(const SassModule& sass, const std::vector<SassKernelFacts>& facts = {});

PtxModule lift_sass(const SassModule& sass, const std::vector<SassKernelFacts>& facts = {});

}  // namespace swz
