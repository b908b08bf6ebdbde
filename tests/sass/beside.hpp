// SPDX-License-Identifier: Apache-2.0
// run_beside: the machine of machine.hpp beside the interpreter of the PTX that a disassembly is read as, register by register
// and lane by lane, with swz's claims about the PTX watched.
//
//   const SassModule sass = read_sass(random_sass(7));
//   run_beside(sass, lift_sass(sass), 7, 3)      3 executions; contradiction == "" if both hold the same after each instruction
//
// The PTX may be another than lift_sass makes: a test plants faults in it.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/module.hpp"
#include "sass/sass_text.hpp"

namespace swz {

struct BesideRun {
  std::string contradiction;
  long executions = 0, ended = 0, compared = 0, unknown = 0;
};

BesideRun run_beside(const SassModule& sass, const PtxModule& ptx, std::uint64_t seed, int executions);

}  // namespace swz
