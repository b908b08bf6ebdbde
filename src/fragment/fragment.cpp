// SPDX-License-Identifier: Apache-2.0
#include "fragment/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/narrow.hpp"
#include "layout/algebra.hpp"

namespace swz {

namespace {

int count(const std::vector<Step>& steps) {
  int product = 1;
  for (const Step& step : steps) product *= step.count;
  return product;
}

Coordinate walk(const std::vector<Step>& steps, int index) {
  Coordinate at;
  for (const Step& step : steps) {
    const int times = index % step.count;
    index /= step.count;
    at.row += times * step.move.row;
    at.column += times * step.move.column;
  }
  return at;
}

Layout layout_of(const Fragment& f, const std::vector<Step>& steps) {
  std::vector<FlatMode> modes;
  for (const Step& step : steps) modes.push_back({step.count, f.tile_index(step.move)});
  return Layout(modes);
}

// The digit of the index that counts through a step: "thread / 4 % 8".
std::string digit(std::string_view index, int below, int count, int all) {
  std::string text(index);
  if (below > 1) text += fmt::format(" / {}", below);
  if (below * count < all) text += fmt::format(" % {}", count);
  return text;
}

void append_terms(std::string& sum, std::string_view index, const std::vector<Step>& steps,
                  int Coordinate::*direction) {
  const int all = count(steps);
  int below = 1;
  for (const Step& step : steps) {
    const int move = step.move.*direction;
    const std::string counted = digit(index, below, step.count, all);
    below *= step.count;
    if (move == 0) continue;
    if (!sum.empty()) sum += " + ";
    if (move == 1) sum += counted;
    else sum += counted == index ? fmt::format("{} * {}", move, counted) : fmt::format("{} * ({})", move, counted);
  }
}

std::string rule(const Fragment& f, int Coordinate::*direction) {
  std::string sum;
  append_terms(sum, "thread", f.thread_steps, direction);
  append_terms(sum, "value", f.value_steps, direction);
  return sum.empty() ? "0" : sum;
}

constexpr Coordinate down{1, 0}, right{0, 1}, stay{0, 0};

void append_step(std::vector<Step>& steps, int count, Coordinate move) {
  if (count > 1) steps.push_back({count, move});
}

// Appends a block of 8 lines with 4 lanes each; each lane has e elements of its line.
void append_quad_block(Fragment& f, int e, Coordinate along_line, Coordinate next_line) {
  append_step(f.thread_steps, 4, e * along_line);
  append_step(f.thread_steps, 8, next_line);
  append_step(f.value_steps, e, along_line);
}

void append_mma(Fragment& f, const MmaInstruction& row) {
  const int e = std::max(1, 32 / row.bits);
  if (f.operand == Operand::b) {
    append_quad_block(f, e, down, right);
    append_step(f.value_steps, row.k / (4 * e), 4 * e * down);
    return;
  }
  const int width = f.operand == Operand::a ? 4 * e : 8;
  const int warps = row.threads() / 32;
  append_quad_block(f, width / 4, right, down);
  append_step(f.thread_steps, warps, 16 * down);
  append_step(f.value_steps, row.m / warps / 8, 8 * down);
  append_step(f.value_steps, f.columns / width, width * right);
}

// Lanes 4q to 4q+3 and 16+4q to 16+4q+3 do the q-th of the four MMAs; the step `stay` counts them.
struct QuadPairRow {
  Operand operand;
  OperandOrder order;  // of A or B
  int bits;            // bits of a value of D
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

void append_quad_pair(Fragment& f, OperandOrder order) {
  const bool is_accumulator = f.operand == Operand::c || f.operand == Operand::d;
  const Operand operand = is_accumulator ? Operand::d : f.operand;
  for (const QuadPairRow& row : quad_pair) {
    if (row.operand != operand || row.bits != f.bits || (!is_accumulator && row.order != order)) continue;
    for (const Step& step : row.threads) append_step(f.thread_steps, step.count, step.move);
    for (const Step& step : row.values) append_step(f.value_steps, step.count, step.move);
  }
}

}  // namespace

int Fragment::threads() const { return count(thread_steps); }

int Fragment::values() const { return count(value_steps); }

Coordinate Fragment::at(int thread, int value) const {
  const Coordinate t = walk(thread_steps, thread), v = walk(value_steps, value);
  return {t.row + v.row, t.column + v.column};
}

RegisterSlot Fragment::slot(int value) const {
  const int bit = first_bit + value * bits;
  return {bit / register_bits(), bit % register_bits()};
}

Fragment::KRange Fragment::k_of(Coordinate at) const {
  const int along = operand == Operand::b ? at.row : at.column;
  if (kept == 0) return {along, 1};
  return {along / kept * kept_of, kept_of};
}

std::int64_t Fragment::tile_index(Coordinate at) const {
  if (is_k_by_n(operand)) return at.column + std::int64_t{at.row} * columns;
  return at.row + std::int64_t{at.column} * rows;
}

Layout tv_layout(const Fragment& f) {
  const Layout both[] = {layout_of(f, f.thread_steps), layout_of(f, f.value_steps)};
  return make_layout(both);
}

Layout inverse_layout(const Fragment& f) {
  const bool is_flipped = is_k_by_n(f.operand);
  return composition(right_inverse(tv_layout(f)),
                     Layout(std::vector<IntTuple>{is_flipped ? f.columns : f.rows, is_flipped ? f.rows : f.columns}));
}

Holder FragmentInverse::operator()(Coordinate at) const {
  const auto index = static_cast<int>(layout_(fragment_.tile_index(at)));
  const int part = fragment_.part * (4 / fragment_.parts);
  return {index % fragment_.threads() + part, index / fragment_.threads()};
}

bool has_gap(const Fragment& f) { return f.rows * f.columns * f.tiles * f.parts != f.threads() * f.values(); }

Fragment without_gap(Fragment f) {
  if (!has_gap(f)) return f;
  Coordinate& halves = f.thread_steps.back().move;
  const int run = f.columns - halves.column;
  halves.column = run;
  f.columns = 2 * run;
  return f;
}

std::vector<Holder> holders_of(const Fragment& f, Coordinate at) {
  if (!has_gap(f)) return {FragmentInverse(f)(at)};
  const Fragment whole = without_gap(f);
  const FragmentInverse holder_of(whole);
  const int run = whole.columns / 2, offset = f.columns - run;
  std::vector<Holder> holders;
  if (at.column < run) holders.push_back(holder_of(at));
  if (at.column >= offset) holders.push_back(holder_of({at.row, at.column - offset + run}));
  return holders;
}

std::string row_rule(const Fragment& f) { return rule(f, &Coordinate::row); }

std::string column_rule(const Fragment& f) { return rule(f, &Coordinate::column); }

std::string tile_index_rule(const Fragment& f) {
  const auto term = [](std::int64_t stride, std::string_view name) {
    return stride == 1 ? std::string(name) : fmt::format("{} * {}", stride, name);
  };
  const std::string row = term(f.tile_index({1, 0}), row_word(f.operand)),
                    column = term(f.tile_index({0, 1}), "column");
  return is_k_by_n(f.operand) ? column + " + " + row : row + " + " + column;
}

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
  const NarrowForm* narrow = find_narrow_form(dtype.name, f.bits == 8);
  if (narrow != nullptr && narrow->bits < f.bits) {
    f.value_first_bit = narrow->register_first_bit;
    f.value_bits = narrow->bits;
  }
  if (row.is_quad_pair()) append_quad_pair(f, operand == Operand::b ? orders.b : orders.a);
  else append_mma(f, row);
  return f;
}

std::string MatrixForm::name() const { return matrix_name(*row, number, transposed); }

std::vector<MatrixForm> matrix_forms() {
  std::vector<MatrixForm> forms;
  for (const MatrixInstruction& row : matrix_instructions())
    for (const int number : row.numbers) {
      if (number == 0) continue;
      if (row.transpose != Transpose::yes) forms.push_back({&row, number, false});
      if (row.transpose != Transpose::no) forms.push_back({&row, number, true});
    }
  return forms;
}

Fragment matrix_fragment(const MatrixInstruction& row, int number, bool transposed, Operand operand) {
  Fragment f;
  f.name = matrix_name(row, number, transposed);
  f.operand = operand;
  f.dtype = row.type;
  f.bits = row.bits;
  // tcgen05 forms put the value in the low bits of a byte, whatever mma.sync requires.
  for (const NarrowForm& narrow : narrow_forms())
    if (narrow.has_gaps && row.type.ends_with(narrow.ptx)) f.value_bits = narrow.bits;
  f.rows = number * row.memory_rows;
  f.columns = row.row_elements;
  f.availability = row.availability;
  f.source = row.source;
  const bool lines_are_columns = transposed && operand != Operand::a;
  const int length = lines_are_columns ? row.memory_rows : row.row_elements;
  const int lines = lines_are_columns ? row.row_elements : row.memory_rows;
  const Coordinate along_line = lines_are_columns ? down : right, next_line = lines_are_columns ? right : down;
  append_quad_block(f, length / 4, along_line, next_line);
  append_step(f.value_steps, lines / 8, 8 * next_line);
  append_step(f.value_steps, number, row.memory_rows * down);
  return f;
}

std::string shape_name(const MmaInstruction& row, int n) {
  return fmt::format("{}.{}", to_string(row.family), to_string(MmaExtents{row.m, n, row.k}));
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
