// SPDX-License-Identifier: Apache-2.0
// Probe of tcgen05.shift.down: which cell of tensor memory is in each cell afterwards?
//
//   plan: at lane 64, column 24
//   The model: in columns 24 to 31 lane i has what lane i + 1 had; lanes 31, 63, 95 and 127 keep theirs.
//
// Every cell has its own number, lane * 512 + column. Values of the observation: those numbers for 24 columns, the 8
// before the address rounded down to a multiple of 8 and those after it, column by column, lane by lane; unreadable
// for anything else.
//
// Open question shift-scope (arch/open_question.hpp): every quarter shifts (the model), or only the quarter of the
// address (shift-of-one-quarter). No source defines an address that is not a multiple of 8 columns: the model shifts
// the 8 columns from there on, shift-of-aligned-columns those of the multiple below.
//
// It runs in the kernel of tcgen05.cp, tmem_copy.cu, whose thread issues the shift instead.
// Source: PTX ISA 9.1, 9.7.16.9.3; CuTe-DSL's example of ashift for the direction. Compiled and simulated; no
// Blackwell GPU was available.
#pragma once

#include "arch/tensor_memory.hpp"
#include "probe/launch.hpp"

namespace swz {

struct TmemShiftPlan {
  int lane = 0;    // 0, 32, 64 or 96
  int column = 8;  // 8 to 488
};

TmemShiftPlan draw_tmem_shift(Random& random);

std::string tmem_shift_statement();

Kernel kernel_of(const TmemShiftPlan& plan);
Launch launch_of(std::span<const TmemShiftPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TmemShiftPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TmemShiftPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TmemShiftPlan& plan);
std::string element_name(const TmemShiftPlan& plan, std::int64_t index);
std::string value_name(const TmemShiftPlan& plan, std::int64_t value);
Json to_json(const TmemShiftPlan& plan);
// Throws Error for a lane or column that is not probed.
TmemShiftPlan tmem_shift_plan(const Json& json);

}  // namespace swz
