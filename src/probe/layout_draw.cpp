// SPDX-License-Identifier: Apache-2.0
// The layouts that the probe of layouts uses: see layout_probe.hpp.
#include <fmt/format.h>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "probe/layout_probe.hpp"

namespace swz {

namespace {

constexpr std::int64_t most_elements = 8192;
constexpr Bytes most_bytes{32 * 1024};

class Drawing {
 public:
  Drawing(const DType& dtype, Random& random) : dtype_(dtype), random_(random) {}

  ComposedLayout layout() {
    switch (random_.below(6)) {
      case 3: return lines(true);
      case 4: return swizzled();
      case 5: return nested();
      default: return canonical();
    }
  }

 private:
  Major major() { return random_.one_in(2) ? Major::K : Major::MN; }
  std::int64_t in_chunk() const { return chunk.count * 8 / dtype_.memory_bits; }

  ComposedLayout canonical() {
    const SwizzleMode& mode = require_swizzle_mode(random_.of(std::array{"none", "32B", "64B", "128B"}));
    const Major along = major();
    const TileExtents atom = atom_extents(along, mode, dtype_, Packing::packed);
    return SmemTile({.dtype = dtype_,
                     .major = along,
                     .mn = atom.mn * (1 + random_.below(8)),
                     .k = atom.k * (1 + random_.below(4)),
                     .swizzle = mode,
                     .order = random_.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first})
        .layout();
  }

  // Lines of whole chunks or of any length, with or without a gap after each.
  Layout lines(bool is_padded) {
    const bool is_k_major = major() == Major::K;
    const std::int64_t count = 8 * (1 + random_.below(16));
    const std::int64_t length = random_.one_in(6) ? 1 + random_.below(80) : in_chunk() * (1 + random_.below(16));
    const std::int64_t gap = !is_padded ? 0 : random_.one_in(3) ? random_.below(9) : in_chunk() * random_.below(4);
    const std::int64_t pitch = length + gap;
    return is_k_major ? Layout(std::vector<IntTuple>{count, length}, std::vector<IntTuple>{pitch, 1})
                      : Layout(std::vector<IntTuple>{length, count}, std::vector<IntTuple>{1, pitch});
  }

  // A swizzle on bytes or on elements. The bits that it reads are above those that it writes, rarely below.
  ComposedLayout swizzled() {
    const int bits = static_cast<int>(1 + random_.below(4));
    const int shift = static_cast<int>(bits + random_.below(3));
    const int base = static_cast<int>(random_.one_in(3) ? random_.below(4) : 4);
    const Layout plain = lines(random_.one_in(4));
    if (random_.one_in(2)) return ComposedLayout::smem_ptr(Swizzle(bits, base, shift), dtype_.memory_bits, plain);
    return {Swizzle(bits, base, random_.one_in(4) ? -shift : shift), 0, plain};
  }

  // Two modes of up to three leaves each: strides without gaps in any order, one stride with a gap, or one stride of 0.
  ComposedLayout nested() {
    constexpr std::array<std::int64_t, 6> extents{2, 4, 8, 8, 16, 3};
    const std::int64_t rows = 1 + random_.below(3), all = rows + 1 + random_.below(3);
    std::vector<std::int64_t> extent, stride(static_cast<std::size_t>(all));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < stride.size(); ++i) {
      extent.push_back(random_.of(extents));
      order.push_back(i);
    }
    random_.shuffle(order);
    const std::size_t odd = static_cast<std::size_t>(random_.below(4 * all));  // rarely one of the modes
    std::int64_t next = 1;
    for (const std::size_t i : order) {
      const bool is_broadcast = i == odd && extent[i] == 2;
      stride[i] = is_broadcast ? 0 : next;
      if (!is_broadcast) next = next * extent[i] + (i == odd ? in_chunk() : 0);
    }
    const auto text = [&](const std::vector<std::int64_t>& of) {
      const auto middle = of.begin() + rows;
      return fmt::format("(({}),({}))", fmt::join(of.begin(), middle, ","), fmt::join(middle, of.end(), ","));
    };
    return parse_layout(fmt::format("{}:{}", text(extent), text(stride)));
  }

  const DType& dtype_;
  Random& random_;
};

// An operand of f16, e4m3, f32 or tf32.
LayoutOperand draw_operand(const Target& target, Random& random) {
  for (;;) {
    const DType& dtype = require_dtype(random.of(std::array{"f16", "f16", "e4m3", "e4m3", "f32", "tf32"}));
    const Bytes base{1024 * (2 + random.below(12)) + (random.one_in(8) ? 16 * random.below(64) : 0)};
    try {
      const ComposedLayout layout = Drawing(dtype, random).layout();
      if (layout.size() > most_elements) continue;
      const Placement placement(layout, dtype.memory_bits, base);
      if (placement.end().count - placement.begin().count > most_bytes.count ||
          placement.end() > target.smem_window() || placement.begin() < target.reserved_smem)
        continue;
      return {.layout = layout, .target = &target, .dtype = &dtype, .major = placement.major(), .base = base};
    } catch (const Error&) {
      // If there is no such atom, or the swizzle splits elements, another one is drawn.
    }
  }
}

}  // namespace

std::vector<LayoutProbePlan> draw_layout(const Target& target, Random& random) {
  const LayoutOperand operand = draw_operand(target, random);
  std::vector<Access> accesses = accesses_on(target);
  for (Access& access : accesses)
    if (access.order != WalkOrder::matrices)
      access.order = random.of(std::array{WalkOrder::rows, WalkOrder::columns, WalkOrder::gmem});
  std::vector<LayoutProbePlan> out;
  for (const LayoutQuestion& question : layout_questions(operand, accesses))
    out.insert(out.end(), question.plans.begin(), question.plans.end());
  return out;
}

}  // namespace swz
