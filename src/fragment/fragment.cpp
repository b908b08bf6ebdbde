#include "fragment/fragment.hpp"

#include <fmt/format.h>

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

// digit: what of the index counts through this step, "thread / 4 % 8".
std::string digit(std::string_view index, int below, int count, int all) {
  std::string text(index);
  if (below > 1) text += fmt::format(" / {}", below);
  if (below * count < all) text += fmt::format(" % {}", count);
  return text;
}

void append_terms(std::string& sum, std::string_view index, const std::vector<Step>& steps,
                  int Coordinate::*direction) {
  int all = 1;
  for (const Step& step : steps) all *= step.count;
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

}  // namespace

int Fragment::threads() const { return count(thread_steps); }

int Fragment::values() const { return count(value_steps); }

Coordinate Fragment::at(int thread, int value) const {
  const Coordinate t = walk(thread_steps, thread), v = walk(value_steps, value);
  return {t.row + v.row, t.column + v.column};
}

RegisterSlot Fragment::slot(int value) const {
  const int in_register = register_bits() / bits;
  return {value / in_register, value % in_register * bits};
}

std::int64_t Fragment::tile_index(Coordinate at) const {
  if (operand == Operand::b) return at.column + std::int64_t{at.row} * columns;
  return at.row + std::int64_t{at.column} * rows;
}

Layout tv_layout(const Fragment& f) {
  const Layout both[] = {layout_of(f, f.thread_steps), layout_of(f, f.value_steps)};
  return make_layout(both);
}

Layout inverse_layout(const Fragment& f) {
  const bool is_b = f.operand == Operand::b;
  return composition(right_inverse(tv_layout(f)),
                     Layout(std::vector<IntTuple>{is_b ? f.columns : f.rows, is_b ? f.rows : f.columns}));
}

FragmentInverse::FragmentInverse(const Fragment& f)
    : layout_(inverse_layout(f)),
      row_stride_(f.tile_index({1, 0})),
      column_stride_(f.tile_index({0, 1})),
      threads_(f.threads()) {}

Holder FragmentInverse::operator()(Coordinate at) const {
  const std::int64_t index = layout_(at.row * row_stride_ + at.column * column_stride_);
  return {static_cast<int>(index % threads_), static_cast<int>(index / threads_)};
}

std::string row_rule(const Fragment& f) { return rule(f, &Coordinate::row); }

std::string column_rule(const Fragment& f) { return rule(f, &Coordinate::column); }

std::string tile_index_rule(const Fragment& f) {
  const auto term = [](std::int64_t stride, std::string_view name) {
    return stride == 1 ? std::string(name) : fmt::format("{} * {}", stride, name);
  };
  const std::string row = term(f.tile_index({1, 0}), "row"), column = term(f.tile_index({0, 1}), "column");
  return f.operand == Operand::b ? column + " + " + row : row + " + " + column;
}

}  // namespace swz
