// The law behind the fragments: from the row of an instruction to the steps of its maps.
//
// A warp holds an 8 x 4e block as 8 groups of 4 lanes: group g holds line g, lane t of it the elements e*t .. e*t +
// e-1, which fill one register (e = 32 / bits; f64: e = 1). Every larger fragment repeats that block:
//
//   A   lines are rows:     8 x 4e, again 8 rows further, then 4e columns further
//   B   lines are columns:  4e x 8, again 4e rows further
//   D   lines are rows:     8 x 8 (e = 2 for every type), again 8 rows further, then 8 columns further
//   wgmma: the same in each warp, 16 rows further from warp to warp
//
//   mma.m16n8k32 of s8, A: e = 4. Lane 6 is t 2 of g 1, value 13 = 1 + 4*(1 + 2*1): row 1 + 8, column 8 + 1 + 16.
//
// m8n8k4 of f16 (Volta) follows no law; its six maps are rows of steps.
// Source: PTX ISA 9.1, 9.7.14.5 and 9.7.15.5.1.1; the tests compare every formula of the documents.
#pragma once

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "fragment/fragment.hpp"

namespace swz {

// How A and B of m8n8k4 of f16 are passed; all other shapes take A as .row and B as .col.
enum class OperandOrder { row, col };
struct OperandOrders {
  OperandOrder a = OperandOrder::row, b = OperandOrder::col;
  bool operator==(const OperandOrders&) const = default;
};
constexpr std::string_view to_string(OperandOrder order) { return order == OperandOrder::row ? "row" : "col"; }

// `n` must be one that the row takes; `dtype` the element type of the operand itself. Not defined for B of wgmma.
Fragment mma_fragment(const MmaInstruction& row, int n, Operand operand, const DType& dtype, OperandOrders orders);

// `number` matrices. Of movmatrix operand a or d, else memory.
Fragment matrix_fragment(const MatrixInstruction& row, int number, bool transposed, Operand operand);

// "mma.m16n8k16", "ldmatrix.x4.trans", "stmatrix.m16n8.x2.trans.b8"
std::string shape_name(const MmaInstruction& row, int n);
std::string matrix_name(const MatrixInstruction& row, int number, bool transposed);

}  // namespace swz
