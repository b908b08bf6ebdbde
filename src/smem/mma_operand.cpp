#include "smem/mma_operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

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
  std::vector<Shape> shapes;
  for (const MmaKindRow* kind : kinds_reading(choice))
    for (const MmaShape& row : mma_shapes())
      for (const int m : row.m)
        for (int n = n_step; n <= largest_n; n += n_step)
          if (fits(row, {.kind = kind->kind, .m = m, .n = n, .transposed_8bit_b = is_transposed_8bit}))
            shapes.push_back({{m, n, kind->k_dense}, row.group == "cta_group::2", row.is_ws()});
  std::stable_partition(shapes.begin(), shapes.end(), [](const Shape& shape) { return !shape.is_pair; });
  return shapes;
}

bool is_wgmma(const OperandChoice& choice) { return choice.target->descriptor == SmemDescriptorKind::wgmma; }

std::vector<Shape> shapes_of(const OperandChoice& choice, OperandRole role) {
  return is_wgmma(choice) ? wgmma_shapes(choice) : tcgen05_shapes(choice, role);
}

// Of equals the first.
const Shape& nearest(const std::vector<Shape>& shapes, const MmaExtents& wanted) {
  return *std::ranges::min_element(shapes, {}, [&](const Shape& s) { return distance(s.extents, wanted); });
}

void require_divisible(char dimension, std::int64_t extent, std::int64_t step, const MmaExtents& mma) {
  if (extent % step == 0) return;
  const std::int64_t below = extent / step * step, above = below + step;
  throw Error(
      fmt::format("{} = {} of the tile is not a multiple of the {} of {}", dimension, extent, step, to_string(mma)),
      below == 0 ? fmt::format("the smallest is {} = {}", dimension, above)
                 : fmt::format("take {} = {} or {}, or an MMA that divides it", dimension, below, above));
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

MmaTiling::MmaTiling(const MmaExtents& tile, const MmaExtents& mma) : tile_(tile), mma_(mma) {
  require_divisible('M', tile.m, mma.m, mma);
  require_divisible('N', tile.n, mma.n, mma);
  require_divisible('K', tile.k, mma.k, mma);
}

}  // namespace swz
