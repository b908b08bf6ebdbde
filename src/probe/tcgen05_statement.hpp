// Statements of tcgen05.mma: D in TMEM, A and B by descriptors of shared memory, one CTA.
//
//   tcgen05_statement(MmaKind::f16):
//     __device__ void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc) {
//       … "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;" …          p is false: D = A * B
//
// Shapes, types and majors are in the 32-bit instruction descriptor, which is a register: one statement a kind.
//
// Source: PTX ISA 9.1, 9.7.16.10.9 (tcgen05.mma) and table 42; types of kind::f16 are taken in equal pairs, as
// every example does; kinds f8f6f4 and i8 mix theirs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/mma_kind.hpp"
#include "smem/tile.hpp"

namespace swz {

// One dense tcgen05.mma of cta_group::1 without block scaling.
struct Tcgen05Instruction {
  MmaKind kind = MmaKind::f16;
  int m = 128, n = 128;
  std::string a_type = "f16", b_type = "f16", d_type = "f32";
  bool operator==(const Tcgen05Instruction&) const = default;
};

// The kinds that are not block-scaled.
std::vector<MmaKind> tcgen05_kinds();
// Every shape of a kind with every pair of types.
std::vector<Tcgen05Instruction> tcgen05_instructions(MmaKind kind);
// Throws Error when there is no such instruction.
void require_instruction(const Tcgen05Instruction& instruction);

// How the kind takes a type: 6- and 4-bit types in 8-bit slots.
Packing packing_of(std::string_view dtype);
// An N-major B of 8 bits has fewer N.
bool may_be_n_major(const Tcgen05Instruction& instruction);

// The instruction descriptor, with A or B MN-major.
std::uint32_t idesc_of(const Tcgen05Instruction& instruction, bool transpose_a, bool transpose_b);

// "tcgen05.mma kind::f16 m128n64k16.f32.f16.f16"
std::string to_string(const Tcgen05Instruction& instruction);

std::string tcgen05_statement(MmaKind kind);

}  // namespace swz
