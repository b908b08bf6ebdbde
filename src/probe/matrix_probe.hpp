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
//
// The instructions are those of the arch tables, one by one: {ldmatrix, m8n8, b16, x2, .trans} is "ldmatrix.x2.trans"
//     #define WORDS 2
//     __device__ void matrix(unsigned (&r)[2], unsigned address) {
//       asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" …
//
// Invariants (tested): to_string names each instruction once, as find_fragment takes it; matrix_sync_instruction
// inverts it. Source: PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for the targets.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "probe/observation.hpp"
#include "probe/registers.hpp"

namespace swz {

struct MatrixSyncInstruction {
  InstructionFamily family = InstructionFamily::ldmatrix;
  std::string shape = "m8n8", type = "b16";
  int number = 1;  // of matrices
  bool transposed = false;
  bool operator==(const MatrixSyncInstruction&) const = default;
};

std::vector<MatrixSyncInstruction> matrix_sync_instructions();
std::vector<MatrixSyncInstruction> matrix_sync_instructions_on(const Target& target);
// By what to_string gives; throws Error with the nearest.
MatrixSyncInstruction matrix_sync_instruction(std::string_view name);

// pre, of these and the following: the instruction is one of matrix_sync_instructions().
const MatrixInstruction& row_of(const MatrixSyncInstruction& instruction);
bool runs_on(const MatrixSyncInstruction& instruction, const Target& target);
std::string to_string(const MatrixSyncInstruction& instruction);
// Of ldmatrix and stmatrix the operand is memory, of movmatrix a or d.
Fragment fragment_of(const MatrixSyncInstruction& instruction, Operand operand);

std::string matrix_statement(const MatrixSyncInstruction& instruction);

inline constexpr std::int64_t line_bytes = 16;

// Shared memory as ldmatrix and stmatrix see it: lines of 16 bytes, each with a number of elements of one width.
//
//   b16               8 elements of 16 bits
//   b8               16 elements of 8 bits
//   b8x16.b6x16_p32  16 elements of 6 bits, then 32 bits of padding
//   b8x16.b4x16_p64  16 elements of 4 bits, then 64 bits of padding
//
// Elements are numbered line by line from address 0: of b4x16_p64, element 3 of the line at byte 1024 has number
// 64 * 16 + 3 and lies at bit 8204.
class MatrixMemory {
 public:
  MatrixMemory(const MatrixInstruction& row, const Target& target);

  Bytes begin() const { return begin_; }
  Bytes size() const { return size_; }
  std::int64_t lines() const { return size_.count / line_bytes; }
  int element_bits() const { return element_bits_; }

  // The bit address of an element of the line at `address`.
  std::int64_t bit(std::int64_t address, int element) const { return address * 8 + element * element_bits_; }
  std::int64_t bit_of(std::int64_t number) const;
  // Passes that tell `count` numbers apart, and one digit of a number.
  int passes(std::int64_t count) const;
  std::uint64_t digit(std::int64_t number, int pass) const;
  // Inverts digit.
  std::int64_t number(std::span<const std::uint64_t> digits) const;

  int passes() const;  // of an image
  // Every element holds a digit of its own number, the padding ones.
  ByteBuffer image(int pass) const;

 private:
  Bytes begin_, size_;
  int element_bits_, row_elements_;
};

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

std::string subject(const MatrixPlan& plan);
std::string element_name(const MatrixPlan& plan, std::int64_t index);
std::string value_name(const MatrixPlan& plan, std::int64_t value);
Json to_json(const MatrixPlan& plan);
MatrixPlan matrix_plan(const Json& json);

}  // namespace swz
