#include "fragment/law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swz {

namespace {

constexpr Coordinate down{1, 0}, right{0, 1}, stay{0, 0};

constexpr Coordinate operator*(int times, Coordinate by) { return {times * by.row, times * by.column}; }

struct Steps {
  std::vector<Step> threads, values;

  void repeat_in_threads(int count, Coordinate move) { add(threads, count, move); }
  void repeat_in_values(int count, Coordinate move) { add(values, count, move); }

 private:
  static void add(std::vector<Step>& steps, int count, Coordinate move) {
    if (count > 1) steps.push_back({count, move});
  }
};

// 8 lines of 4 lanes, each lane with e elements of its line.
Steps quad_block(int e, Coordinate along_line, Coordinate next_line) {
  Steps steps;
  steps.repeat_in_threads(4, e * along_line);
  steps.repeat_in_threads(8, next_line);
  steps.repeat_in_values(e, along_line);
  return steps;
}

Steps mma_steps(const MmaInstruction& row, int n, Operand operand) {
  const int e = std::max(1, 32 / row.bits);
  if (operand == Operand::b) {
    Steps steps = quad_block(e, down, right);
    steps.repeat_in_values(row.k / (4 * e), 4 * e * down);
    return steps;
  }
  const bool is_a = operand == Operand::a;
  const int width = is_a ? 4 * e : 8;
  const int warps = row.threads() / 32;
  Steps steps = quad_block(width / 4, right, down);
  steps.repeat_in_threads(warps, 16 * down);
  steps.repeat_in_values(row.m / warps / 8, 8 * down);
  steps.repeat_in_values((is_a ? row.k : n) / width, width * right);
  return steps;
}

// Lanes 4q to 4q+3 and 16+4q to 16+4q+3 do the q-th of the four MMAs: the step that stays counts them.
struct QuadPairRow {
  Operand operand;
  OperandOrder order;  // of A and B
  int bits;            // of D
  std::array<Step, 4> threads;
  std::array<Step, 3> values;
};

// clang-format off
constexpr QuadPairRow quad_pair[] = {
    {Operand::a, OperandOrder::row, 16, {{{4, down},  {4, stay}, {2, 4 * down}}},  {{{4, right}}}},
    {Operand::a, OperandOrder::col, 16, {{{4, right}, {4, stay}, {2, 4 * down}}},  {{{4, down}}}},
    {Operand::b, OperandOrder::row, 16, {{{4, down},  {4, stay}, {2, 4 * right}}}, {{{4, right}}}},
    {Operand::b, OperandOrder::col, 16, {{{4, right}, {4, stay}, {2, 4 * right}}}, {{{4, down}}}},
    {Operand::d, OperandOrder::row, 16, {{{4, down},  {4, stay}, {2, 4 * down}}},  {{{8, right}}}},
    {Operand::d, OperandOrder::row, 32, {{{2, down},  {2, 2 * right}, {4, stay}, {2, 4 * down}}},
                                        {{{2, right}, {2, 2 * down}, {2, 4 * right}}}},
};
// clang-format on

Steps quad_pair_steps(Operand operand, OperandOrder order, int bits) {
  const bool is_accumulator = operand == Operand::c || operand == Operand::d;
  if (is_accumulator) operand = Operand::d;
  Steps steps;
  for (const QuadPairRow& row : quad_pair) {
    if (row.operand != operand || row.bits != bits || (!is_accumulator && row.order != order)) continue;
    for (const Step& step : row.threads) steps.repeat_in_threads(step.count, step.move);
    for (const Step& step : row.values) steps.repeat_in_values(step.count, step.move);
  }
  return steps;
}

}  // namespace

Fragment mma_fragment(const MmaInstruction& row, int n, Operand operand, const DType& dtype, OperandOrders orders) {
  Fragment f;
  f.name = shape_name(row, n);
  if (orders != OperandOrders()) f.name += fmt::format(".{}.{}", to_string(orders.a), to_string(orders.b));
  f.operand = operand;
  f.dtype = dtype.name;
  f.bits = operand == Operand::a || operand == Operand::b ? row.bits : dtype.memory_bits;
  f.rows = operand == Operand::b ? row.k : row.m;
  f.columns = operand == Operand::a ? row.k : n;
  f.tiles = row.is_quad_pair() ? 4 : 1;
  f.availability = row.availability;
  f.source = row.source;
  const Steps steps = row.is_quad_pair()
                          ? quad_pair_steps(operand, operand == Operand::b ? orders.b : orders.a, f.bits)
                          : mma_steps(row, n, operand);
  f.thread_steps = steps.threads;
  f.value_steps = steps.values;
  return f;
}

Fragment matrix_fragment(const MatrixInstruction& row, int number, bool transposed, Operand operand) {
  Fragment f;
  f.name = matrix_name(row, number, transposed);
  f.operand = operand;
  f.dtype = row.type;
  f.bits = row.bits;
  f.rows = number * row.memory_rows;
  f.columns = row.row_elements;
  f.availability = row.availability;
  f.source = row.source;
  const bool lines_are_columns = transposed && operand != Operand::a;
  const int length = lines_are_columns ? row.memory_rows : row.row_elements;
  const int lines = lines_are_columns ? row.row_elements : row.memory_rows;
  const Coordinate along_line = lines_are_columns ? down : right, next_line = lines_are_columns ? right : down;
  Steps steps = quad_block(length / 4, along_line, next_line);
  steps.repeat_in_values(lines / 8, 8 * next_line);
  steps.repeat_in_values(number, row.memory_rows * down);
  f.thread_steps = steps.threads;
  f.value_steps = steps.values;
  return f;
}

std::string shape_name(const MmaInstruction& row, int n) {
  return fmt::format("{}.m{}n{}k{}", to_string(row.family), row.m, n, row.k);
}

std::string matrix_name(const MatrixInstruction& row, int number, bool transposed) {
  const bool is_plain = row.shape == "m8n8";
  std::string name(to_string(row.family));
  if (!is_plain) name += fmt::format(".{}", row.shape);
  if (row.family != InstructionFamily::movmatrix) name += fmt::format(".x{}", number);
  if (transposed) name += ".trans";
  if (!is_plain) name += fmt::format(".{}", row.type);
  return name;
}

}  // namespace swz
