#include "fragment/index_rule.hpp"

#include <fmt/format.h>

namespace swz {

namespace {

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
