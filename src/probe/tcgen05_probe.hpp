// SPDX-License-Identifier: Apache-2.0
// Probe of tcgen05.mma: from which byte of shared memory does each element of an operand come, for a given descriptor?
//
//   plan: tcgen05.mma kind::f16 m64n64k16.f32.f16.f16, operand A, MN-major, word 0x4000404000010042
//   All of shared memory has position codes; B is the identity. So D[m][n] is element (m, n) of A, and its code is the
//   address from which it was read. D is in TMEM; four warps read their 32 lanes each (tcgen05.ld.32x32b).
//
// Before the instruction all of its TMEM has a pattern that is not a code, so that nothing is read that D did not
// write. For M 64 the lanes 16 ... 31 of each warp keep the pattern.
//
// Values of the observation: for each element of the operand, row by row, the bit address from which it came; for 6-
// and 4-bit types that of its 8-bit slot.
//
// The statement of a kind, tcgen05_statement(MmaKind::f16), is
//   __device__ void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc) {
//     … "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;" …          p is false: D = A * B
// Shapes, types and majors are in the 32-bit instruction descriptor, which is a register.
//
// Not run here: there was no such GPU. It is compiled for its targets and confirmed by simulation.
// Source: PTX ISA 9.1, 9.7.16.10.9 (tcgen05.mma) and table 42; types of kind::f16 are used in equal pairs, as in every
// example; kinds f8f6f4 and i8 mix theirs. For the lanes, see tmem_lane.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "probe/operand_probe.hpp"

namespace swz {

// One dense tcgen05.mma of cta_group::1 without block scaling.
struct Tcgen05Instruction {
  MmaKind kind = MmaKind::f16;
  int m = 128, n = 128;
  std::string a_type = "f16", b_type = "f16", d_type = "f32";
  bool operator==(const Tcgen05Instruction&) const = default;

  TileExtents extents(OperandRole operand) const { return {operand == OperandRole::a ? m : n, row_of(kind).k_dense}; }
  const std::string& type(OperandRole operand) const { return operand == OperandRole::a ? a_type : b_type; }
};

// The kinds that are not block-scaled.
std::vector<MmaKind> tcgen05_kinds();
// Every shape of a kind with every pair of types.
std::vector<Tcgen05Instruction> tcgen05_instructions(MmaKind kind);
// Throws Error if there is no such instruction.
void require_instruction(const Tcgen05Instruction& instruction);

// How the kind stores a type: 6- and 4-bit types in 8-bit slots.
Packing packing_of(std::string_view dtype);
// An N-major B of 8 bits has fewer N.
bool may_be_n_major(const Tcgen05Instruction& instruction);

// The instruction descriptor, with A or B MN-major.
std::uint32_t idesc_of(const Tcgen05Instruction& instruction, bool transpose_a, bool transpose_b);

// "tcgen05.mma kind::f16 m128n64k16.f32.f16.f16"
std::string to_string(const Tcgen05Instruction& instruction);

std::string tcgen05_statement(MmaKind kind);

struct Tcgen05Plan {
  Tcgen05Instruction instruction;
  OperandRole operand = OperandRole::a;
  Major major = Major::K;
  std::uint64_t word = 0;  // of the operand

  TileExtents extents() const { return instruction.extents(operand); }
  const std::string& dtype() const { return instruction.type(operand); }
};

// The lane of TMEM for a row of D. The columns are those of D, with 16-bit values in their low half.
//   M 128, layout D: row 77 in lane 77          M 64, layout F: row 20 = 16 + 4 in lane 32 + 4 = 36
// Under wrong_fragment two steps of the rows are exchanged: M 64 is placed like M 128, and M 128 like two M 64.
// Source: PTX ISA 9.1, 9.7.16.10.5 (layout F: 4x1, half of the data path, lane alignment 0 or 16); CuTe
// mma_traits_sm100.hpp, tmem_frg of one CTA: ((16,4),N):((1,32),128).
int tmem_lane(int m, int row, Hypothesis hypothesis = Hypothesis::none);

// Codes from the end of the reserved bytes on, then the identity, then the barrier and the TMEM address.
OperandMemory tcgen05_memory();

// A plan whose operand is between begin and identity, with random major, mode, LBO, SBO, base offset and start, as far
// as they are legal for the type.
Tcgen05Plan draw_tcgen05(const Tcgen05Instruction& instruction, OperandRole operand, Random& random);

Kernel kernel_of(const Tcgen05Plan& plan);
// Requires that all plans have one kernel, which is one kind.
Launch launch_of(std::span<const Tcgen05Plan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const Tcgen05Plan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const Tcgen05Plan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const Tcgen05Plan& plan);
std::string element_name(const Tcgen05Plan& plan, std::int64_t index);
std::string value_name(const Tcgen05Plan& plan, std::int64_t value);
Json to_json(const Tcgen05Plan& plan);
Tcgen05Plan tcgen05_plan(const Json& json);

}  // namespace swz
