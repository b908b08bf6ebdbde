// Probe of mma.sync: which element of a matrix does each register of each thread hold?
//
//   plan: mma.m16n8k16.row.col.f32.f16.f16.f32, A
//   The registers of A hold position codes, 1 + thread * values + value; B is the identity. D[m][n] is element
//   (m, n) of A, and its code says who held it. N 8 < K 16: a second selection shows columns 8 ... 15.
//
//   A, B   codes in A (B), the identity in the other; read through D's fragment
//   C      codes in C, zeros in A and B; read through D's fragment
//   D      codes of the rows in one column of A, ones in one row of B; then codes of the columns in B: each
//          register of D says by itself which row and column it is
//
// .xor.popc counts what differs, not what agrees: |a ^ b| = |a| + |b| - 2 |a & b|. A further partner of zeros
// shows |a|, and the identity has |b| = 1, so that |a & b| can be had from what was observed.
//
// What no product can show is the names of the rows, columns and k themselves: exchanged in every operand alike,
// nothing changes.
//
// Values of the observation: for each element of the operand, row by row (of m8n8k4 of f16 the four MMAs one after
// the other), thread * values + value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "probe/launch.hpp"
#include "probe/mma_statement.hpp"
#include "probe/observation.hpp"
#include "probe/operand_model.hpp"

namespace swz {

struct MmaPlan {
  MmaSyncInstruction instruction;
  Operand operand = Operand::a;  // a, b, c or d
};

// A, B, C and D of an instruction: nothing is left to chance.
std::vector<MmaPlan> mma_plans(const MmaSyncInstruction& instruction);

Kernel kernel_of(const MmaPlan& plan);
// pre: all plans have one kernel
Launch launch_of(std::span<const MmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
// D is read as its fragment is, whatever the hypothesis: were A and D wrong in the same way, they would agree.
std::vector<Observation> decode(std::span<const MmaPlan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis = Hypothesis::none);
Observation expected(const MmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);
// The output of hardware that does what swz says: the products are computed from the registers of the launch.
ByteBuffer simulate(std::span<const MmaPlan> plans, const Launch& launch);

std::string subject(const MmaPlan& plan);
std::string element_name(const MmaPlan& plan, std::int64_t index);
std::string value_name(const MmaPlan& plan, std::int64_t value);
Json to_json(const MmaPlan& plan);
MmaPlan mma_plan(const Json& json);

}  // namespace swz
