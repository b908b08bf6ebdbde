#include "descriptor/mma_operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/mma_kind.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

struct Shape {
  MmaExtents extents;
  bool is_pair = false;  // cta_group::2
  bool is_ws = false;    // .ws
};

constexpr int n_step = 8, largest_n = 256;

std::vector<Shape> wgmma_shapes(const OperandChoice& choice) {
  std::vector<Shape> shapes;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != InstructionFamily::wgmma || !takes_type(row, choice.dtype->name)) continue;
    for (int n = n_step; n <= largest_n; n += n_step)
      if (row.takes(n)) shapes.push_back({{row.m, n, row.k}});
  }
  return shapes;
}

// Shapes that one CTA runs alone come before those of a pair.
std::vector<Shape> tcgen05_shapes(const OperandChoice& choice, OperandRole role) {
  const bool is_transposed_8bit =
      role == OperandRole::b && choice.major == Major::MN && element_bits(*choice.dtype, choice.packing) == 8;
  std::vector<Shape> alone, paired;
  for (const MmaKindRow* kind : kinds_reading(choice))
    for (const MmaShape& row : mma_shapes()) {
      const bool is_pair = row.group == "cta_group::2";
      for (const int m : row.m)
        for (int n = n_step; n <= largest_n; n += n_step)
          if (fits(row, {.kind = kind->kind, .m = m, .n = n, .transposed_8bit_b = is_transposed_8bit}))
            (is_pair ? paired : alone).push_back({{m, n, kind->k_dense}, is_pair, row.is_ws()});
    }
  alone.insert(alone.end(), paired.begin(), paired.end());
  return alone;
}

bool is_wgmma(const OperandChoice& choice) { return choice.target->descriptor == SmemDescriptorKind::wgmma; }

std::vector<Shape> shapes_of(const OperandChoice& choice, OperandRole role) {
  return is_wgmma(choice) ? wgmma_shapes(choice) : tcgen05_shapes(choice, role);
}

// Of equals the first.
const Shape& nearest(const std::vector<Shape>& shapes, const MmaExtents& wanted) {
  return *std::ranges::min_element(shapes, {}, [&](const Shape& s) { return distance(s.extents, wanted); });
}

}  // namespace

MmaOperand mma_operand(const MmaExtents& extents, OperandRole role, const OperandChoice& choice) {
  require_legal(choice);
  const std::vector<Shape> shapes = shapes_of(choice, role);
  for (const Shape& shape : shapes) {
    if (shape.extents != extents) continue;
    const std::int64_t rows = role == OperandRole::a ? extents.m : extents.n;
    return {{shape.is_pair ? rows / 2 : rows, extents.k}, shape.is_pair};
  }
  throw Error(fmt::format("{} has no dense shape {} for {}", is_wgmma(choice) ? "wgmma" : "tcgen05.mma",
                          to_string(extents), choice.dtype->name),
              fmt::format("nearest: {}", to_string(nearest(shapes, extents).extents)));
}

std::vector<std::int64_t> mma_rows(OperandRole role, const OperandChoice& choice) {
  std::vector<std::int64_t> rows;
  for (const Shape& shape : shapes_of(choice, role))
    if (!shape.is_pair && !shape.is_ws) rows.push_back(role == OperandRole::a ? shape.extents.m : shape.extents.n);
  std::ranges::sort(rows, std::greater<>());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace swz
