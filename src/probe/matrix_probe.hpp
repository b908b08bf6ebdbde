// SPDX-License-Identifier: Apache-2.0
// Probe of ldmatrix, stmatrix and movmatrix: which register of which thread gets each byte?
//
//   plan: ldmatrix.x2.trans, lane r supplies the address of row r: 0x400, 0x12340, …
//   All of shared memory has position codes, so each register shows from which bits of memory it came.
//
//   ldmatrix   values: for each (thread, value) the bit address from which it came
//   stmatrix   the registers have codes, 1 + thread * values + value. Values: for each element of the written rows the
//              thread * values + value that it has; then one more: that no line of 16 bytes elsewhere changed
//   movmatrix  values: for each (thread, value) the thread * 2 + value from which it came
//
// Lanes whose address the instruction does not read also have an address, which must not matter.
//
// A code is a number in digits of the width of an element in memory, one pass per digit, so that the packed fp6 and
// fp4 rows (16 elements, then padding of ones) are read like the others: 4-bit elements need 5 passes.
//
// The instructions are those of the arch tables, one by one: {ldmatrix, m8n8, b16, x2, .trans} is "ldmatrix.x2.trans"
//     #define WORDS 2
//     __device__ void matrix(unsigned (&r)[2], unsigned address) {
//       asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" …
//
// Invariants (tested): each form has its own name, as find_fragment accepts it; require_matrix_form inverts it.
// Source: PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for the targets.
#pragma once

#include "probe/registers.hpp"

namespace swz {

// The form with this name. Throws Error with the nearest.
MatrixForm require_matrix_form(std::string_view name);
// For ldmatrix and stmatrix the operand is memory, for movmatrix a or d.
Fragment fragment_of(const MatrixForm& form, Operand operand);

std::string matrix_statement(const MatrixForm& form);

inline constexpr std::int64_t line_bytes = 16;

// Shared memory for ldmatrix and stmatrix: lines of 16 bytes, each with a number of elements of one width.
//
//   b16               8 elements of 16 bits
//   b8               16 elements of 8 bits
//   b8x16.b6x16_p32  16 elements of 6 bits, then 32 bits of padding
//   b8x16.b4x16_p64  16 elements of 4 bits, then 64 bits of padding
//
// Elements are numbered line by line from address 0: for b4x16_p64, element 3 of the line at byte 1024 has number
// 64 * 16 + 3 and is at bit 8204.
struct MatrixMemory {
  MatrixMemory(const MatrixInstruction& row, const Target& target);

  Bytes begin, size;
  ElementFormat element;  // an integer as wide as an element
  PositionCode code;
  int row_elements;

  std::int64_t lines() const { return size.count / line_bytes; }
  // The bit address of an element of the line at `address`.
  std::int64_t bit(std::int64_t address, int index) const { return address * 8 + index * element.width; }
  std::int64_t bit_of(std::int64_t number) const {
    return bit(number / row_elements * line_bytes, static_cast<int>(number % row_elements));
  }
  int passes() const { return code.passes((begin.count + size.count) / line_bytes * row_elements); }
  // Every element is a digit of its own number; the padding is ones.
  ByteBuffer image(int pass) const;
};

struct MatrixPlan {
  MatrixForm instruction;
  std::string target = "sm_90a";                 // the target with this shared memory
  std::array<std::uint32_t, 32> addresses = {};  // of 16 bytes, by lane; zeros for movmatrix

  bool is(InstructionFamily family) const { return instruction.row->family == family; }
  // ldmatrix and stmatrix have one, of memory; movmatrix takes a and gives d.
  Fragment fragment(Operand operand) const;
  MatrixMemory memory() const;
  // The value of a stmatrix that means that the line at this address changed. The function is its own inverse.
  static std::int64_t written_at(std::int64_t address);
};

// Draws addresses anywhere in the shared memory of the target, near each other or far apart; for stmatrix all
// different.
MatrixPlan draw_matrix(const MatrixForm& instruction, const Target& target, Random& random);

Kernel kernel_of(const MatrixPlan& plan);
// Requires that all plans have one kernel and one target.
Launch launch_of(std::span<const MatrixPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const MatrixPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const MatrixPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const MatrixPlan& plan);
std::string element_name(const MatrixPlan& plan, std::int64_t index);
std::string value_name(const MatrixPlan& plan, std::int64_t value);
Json to_json(const MatrixPlan& plan);
MatrixPlan matrix_plan(const Json& json);

}  // namespace swz
