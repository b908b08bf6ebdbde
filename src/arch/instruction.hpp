// Instructions whose registers hold a fragment: which shapes exist, for which element types, on which targets.
//
//   mma.m16n8k16    A of 16 x 16 and B of 16 x 8, of f16 or bf16 into f32 (f16 also into f16); sm_80 and later
//   mma.m16n8k16    the same shape of s8 or u8 into s32; another row, for the registers hold 8-bit elements
//   ldmatrix.m8n8   .x1, .x2 or .x4 matrices of 8 rows of 16 bytes, .trans as one likes; sm_75 and later
//
// A row is everything that src/fragment needs to know where each element lies. `bits` counts an element in its
// register: 8 for the fp6 and fp4 containers of kind::f8f6f4, 4 for the packed fp4 of kind::mxf4.
//
// Invariants (checked at compile time): bits is a power of two, a fragment fills whole registers of 32 threads.
// Invariants (tested): no shape and type twice, every type is an element type.
// Source: each row; PTX ISA 9.1, 9.7.14.5 (mma, ldmatrix, stmatrix, movmatrix) and 9.7.15 (wgmma).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "arch/mma_kind.hpp"
#include "arch/target.hpp"
#include "base/evidence.hpp"

namespace swz {

enum class InstructionFamily { ldmatrix, stmatrix, movmatrix, mma, wgmma };

constexpr std::string_view to_string(InstructionFamily family) {
  switch (family) {
    case InstructionFamily::ldmatrix: return "ldmatrix";
    case InstructionFamily::stmatrix: return "stmatrix";
    case InstructionFamily::movmatrix: return "movmatrix";
    case InstructionFamily::mma: return "mma";
    case InstructionFamily::wgmma: return "wgmma";
  }
  return "";
}

// Where an instruction exists: from a compute capability on, or on the targets that are named.
struct Availability {
  int from = 0;  // 80: sm_80 and later; 0: only_on counts
  std::array<std::string_view, 8> only_on;
};

bool runs_on(const Availability& availability, const Target& target);
std::string to_string(const Availability& availability);  // "sm_80 and later", "sm_120a and sm_121a"

// mma.sync (one warp) or wgmma (one warpgroup of 4 warps; A may lie in registers, B lies in shared memory).
struct MmaInstruction {
  InstructionFamily family = InstructionFamily::mma;
  int m = 0;
  std::array<Range, 2> n;  // mma: one value
  int k = 0;
  std::array<std::string_view, 7> types;         // of A and B
  int bits = 0;                                  // of an element of A or B in its register
  std::array<std::string_view, 2> accumulators;  // of C and D; the first is the default
  Availability availability;
  Source source;

  constexpr int threads() const { return family == InstructionFamily::wgmma ? 128 : 32; }
  // m8n8k4 of f16: four MMAs of 8 threads side by side, and .row or .col for A and B as one likes.
  constexpr bool is_quad_pair() const { return m == 8 && bits == 16; }
  constexpr bool takes(int columns) const {
    return columns > 0 && (n[0].contains(columns) || n[1].contains(columns));
  }
};

std::span<const MmaInstruction> mma_instructions();
bool takes_type(const MmaInstruction& row, std::string_view dtype);
bool accumulates_in(const MmaInstruction& row, std::string_view dtype);

enum class Transpose { no, optional, yes };

// ldmatrix, stmatrix and movmatrix: `numbers` of 8 x 8, 16 x 16 or 8 x 16 matrices.
struct MatrixInstruction {
  InstructionFamily family = InstructionFamily::ldmatrix;
  std::string_view shape;      // "m8n8"
  std::string_view type;       // "b16"; "b8x16.b4x16_p64": 4-bit elements that get a byte each
  std::array<int, 3> numbers;  // of matrices, .x1 .x2 .x4; 0: unused
  Transpose transpose = Transpose::optional;
  int memory_rows = 0;   // of one matrix, 16 bytes each; lane r of the matrix supplies the address of row r
  int row_elements = 0;  // elements in one memory row
  int bits = 0;          // of an element in its register
  Availability availability;
  Source source;
};

std::span<const MatrixInstruction> matrix_instructions();

}  // namespace swz
