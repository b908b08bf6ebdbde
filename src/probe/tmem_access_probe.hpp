// SPDX-License-Identifier: Apache-2.0
// Probe of tcgen05.ld and tcgen05.st: which cell of tensor memory is in each register of each thread?
//
//   plan: tcgen05.ld.16x256b.x4 at lane 16 of each warp's quarter, column 40
//   Warp 1, thread 13, register 11 has lane 32 + 16 + 11 = 59, column 40 + 19 = 59.
//
// Before the access, every half (16 bits) of a cell has a digit of its own number, in two passes; .pack::16b moves
// halves. For st the registers have numbers too, and all of tensor memory is read back.
//
//   half of cell (lane, column)   0x40000 + (lane * 512 + column) * 2 + half
//   half of a register            0x80000 + (thread * registers + register) * 2 + half
//
// The numbers increase with the column of a lane, so redval of ld.red, which is one more register, names the cell that
// won.
//
// Values of the observation: for each half of each register of the 128 threads the half of the cell from which it
// came, or, for st, the only place at which it was found afterwards. For st two more: how many halves of tensor memory
// were cleared, and how many have neither their previous contents nor a register.
//
// Open questions (arch/open_question.hpp):
//
//   warp-lane-bits   `only_warp` executes by itself, with the lane bits of warp 0: do its own 32 lanes answer (the
//                    model), or those of the address (lane-bits-obeyed)?
//   ld-red-runs      every ld.red.16x32bx2: does a thread get the smallest or largest of its own registers (the model),
//                    or of both halves of its lane (reduced-over-both-halves)?
//   unpack-upper     every st.unpack::16b: are upper halves of the cells kept (the model) or cleared (upper-cleared)?
//
// Invariant (tested): under every hypothesis a plan names only cells that exist.
// Source: fragment/tmem_access.hpp. Compiled and simulated; no Blackwell GPU was available.
#pragma once

#include "fragment/tmem_access.hpp"
#include "probe/registers.hpp"

namespace swz {

struct TmemAccessPlan {
  TmemForm form;  // with split_offset if it is not CuTe's
  int lane = 0;   // in the quarter of the warp: 0, or 16 for a shape of 16 lanes
  int column = 0;
  std::optional<int> only_warp = {};  // 1 to 3

  // Columns from the address to the run of threads 16 to 31.
  int split() const { return form.split_offset.value_or(form.columns() / 2); }
  // The registers of a thread, including redval.
  int words() const { return form.registers() + (form.reduction ? 1 : 0); }
  // Halves of registers of the 128 threads.
  std::int64_t halves() const { return std::int64_t{128} * words() * 2; }
};

// All forms of ld and st, and ld.red with .min.u32 and .max.u32 of every shape and number, as far as the target has
// them.
std::vector<TmemForm> tmem_forms_to_probe(const Target& target);
TmemAccessPlan draw_tmem_access(const TmemForm& form, Random& random);
// Throws Error if a cell is beyond tensor memory, for a lane that the shape cannot have, and for a reduction of
// numbers other than .u32.
void require_fine(const TmemAccessPlan& plan);

std::string tmem_access_statement(const TmemAccessPlan& plan);

Kernel kernel_of(const TmemAccessPlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const TmemAccessPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TmemAccessPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TmemAccessPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TmemAccessPlan& plan);
std::string element_name(const TmemAccessPlan& plan, std::int64_t index);
std::string value_name(const TmemAccessPlan& plan, std::int64_t value);
Json to_json(const TmemAccessPlan& plan);
TmemAccessPlan tmem_access_plan(const Json& json);

}  // namespace swz
