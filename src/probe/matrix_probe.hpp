// Probe of ldmatrix, stmatrix and movmatrix: which byte goes to which register of which thread?
//
//   plan: ldmatrix.x2.trans, lane r supplies the address of row r: 0x400, 0x12340, …
//   All of shared memory holds position codes, so each register says which bits of memory it came from.
//
//   ldmatrix   values: for each (thread, value) the bit address it came from
//   stmatrix   the registers hold codes, 1 + thread * values + value. Values: for each element of the written rows
//              the thread * values + value it holds; then one more: that no line of 16 bytes elsewhere changed
//   movmatrix  values: for each (thread, value) the thread * 2 + value it came from
//
// Lanes whose address the instruction does not read have one too, and it must not matter.
//
// A code is a number in digits of the width of an element in memory, one pass a digit, so that the packed fp6 and
// fp4 rows (16 elements, then padding of ones) are read like the others: 4-bit elements take 5 passes.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "probe/launch.hpp"
#include "probe/matrix_memory.hpp"
#include "probe/matrix_statement.hpp"
#include "probe/observation.hpp"
#include "probe/operand_model.hpp"

namespace swz {

struct MatrixPlan {
  MatrixSyncInstruction instruction;
  std::string target = "sm_90a";                 // whose shared memory it is
  std::array<std::uint32_t, 32> addresses = {};  // of 16 bytes, by lane; of movmatrix zeros

  bool is(InstructionFamily family) const { return instruction.family == family; }
  // ldmatrix and stmatrix have one, of memory; movmatrix takes a and gives d.
  Fragment fragment(Operand operand) const;
  MatrixMemory memory() const;
  // The value of a stmatrix that says: the line at this address changed. Its own inverse.
  static std::int64_t written_at(std::int64_t address);
};

// Addresses anywhere in the shared memory of the target, near each other or far; of stmatrix no two alike.
MatrixPlan draw_matrix(const MatrixSyncInstruction& instruction, const Target& target, Random& random);

Kernel kernel_of(const MatrixPlan& plan);
// pre: all plans have one kernel and one target
Launch launch_of(std::span<const MatrixPlan> plans, Hypothesis hypothesis = Hypothesis::none);
std::vector<Observation> decode(std::span<const MatrixPlan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis = Hypothesis::none);
Observation expected(const MatrixPlan& plan, Hypothesis hypothesis = Hypothesis::none);
// The output of hardware that does what swz says.
ByteBuffer simulate(std::span<const MatrixPlan> plans, const Launch& launch);

std::string subject(const MatrixPlan& plan);
std::string element_name(const MatrixPlan& plan, std::int64_t index);
std::string value_name(const MatrixPlan& plan, std::int64_t value);
Json to_json(const MatrixPlan& plan);
MatrixPlan matrix_plan(const Json& json);

}  // namespace swz
