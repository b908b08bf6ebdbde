// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "descriptor/layout_descriptor.hpp"
#include "tma/placement.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

constexpr std::int64_t chunk_bits = chunk.count * 8;

// A loop in elements of the layout.
struct Leaf {
  Major direction = Major::K;
  std::int64_t step = 1, count = 1, stride = 0;
};

std::vector<Leaf> leaves_of(const SmemDestination& to) {
  std::vector<Leaf> leaves;
  for (const Major direction : {Major::MN, Major::K}) {
    std::int64_t step = 1;
    const Layout along = mode(to.layout.layout(), direction == Major::MN ? 0 : 1);
    for (const FlatMode& m : along.modes()) {
      if (m.extent > 1) leaves.push_back({direction, step, m.extent, m.stride});
      step *= m.extent;
    }
  }
  std::ranges::stable_sort(leaves, {}, &Leaf::stride);
  return leaves;
}

// Joins loops that are neighbours in both memories.
std::vector<Leaf> merged(const std::vector<Leaf>& leaves) {
  std::vector<Leaf> out;
  for (const Leaf& leaf : leaves) {
    const bool goes_on = !out.empty() && out.back().direction == leaf.direction &&
                         leaf.step == out.back().step * out.back().count &&
                         leaf.stride == out.back().stride * out.back().count;
    if (goes_on) out.back().count *= leaf.count;
    else out.push_back(leaf);
  }
  return out;
}

// The reason why leaves overlap, if they do. They are in the order of their strides; `covered` is set to the number of
// elements from the first to the last one.
std::optional<Finding> overlap_of(const std::vector<Leaf>& leaves, std::int64_t& covered) {
  covered = 1;
  for (const Leaf& leaf : leaves) {
    if (leaf.stride < 0)
      return lint("ascending", fmt::format("the layout has the stride {}", leaf.stride),
                  "a box goes through shared memory from its address upwards");
    if (leaf.stride == 0)
      return lint("own-place", fmt::format("{} elements of the layout lie in one place", leaf.count),
                  "a copy writes each element to a place of its own; leave the mode of stride 0 out");
    if (leaf.stride < covered)
      return lint("own-place",
                  fmt::format("steps of {} elements begin inside of what faster modes cover, {} elements", leaf.stride,
                              covered),
                  "the rows of a box follow each other, none begins inside of another");
    covered = checked_add(covered, checked_mul(leaf.stride, leaf.count - 1));
  }
  return std::nullopt;
}

const TensorMapSwizzleRow* find_swizzle(const std::optional<Swizzle>& on_bytes) {
  if (!on_bytes) return nullptr;
  for (const TensorMapSwizzleRow& row : tensor_map_swizzles()) {
    if (row.flips_halves || row.bits != on_bytes->bits()) continue;
    if (row.bits == 0 || (row.base == on_bytes->base() && row.shift == on_bytes->shift())) return &row;
  }
  return nullptr;
}

// The number of chunks in one row of a box: the largest that divides the run of the layout.
std::int64_t row_chunks(std::int64_t chunks_in_run, const TensorMapDataTypeRow& type,
                        const TensorMapSwizzleRow& swizzle) {
  const std::int64_t most =
      swizzle.bits != 0 ? swizzle.span.count / chunk.count : most_entries * type.smem_bits / chunk_bits;
  std::int64_t chunks = std::min(chunks_in_run, type.is_padded() ? padded_box * type.smem_bits / chunk_bits : most);
  while (chunks_in_run % chunks != 0) --chunks;
  return chunks;
}

void require_inside(const SmemDestination& to, std::int64_t covered, const Target* target) {
  const Bytes window = smem_window(target);
  const std::int64_t end =
      checked_add(to.base.count, checked_mul(checked_add(to.layout.offset(), covered), to.element_bits()) / 8);
  if (to.layout.offset() < 0 || end > window.count)
    throw Error(fmt::format("the layout reaches from {:#x} to {:#x}; shared memory ends at {:#x}", to.base.count, end,
                            window.count),
                "take a smaller layout");
}

}  // namespace

SmemDestination::SmemDestination(const SmemTile& tile)
    : SmemDestination(tile.layout(), tile.dtype(), tile.packing(), tile.major(), tile.base()) {}

SmemDestination::SmemDestination(ComposedLayout layout_, const DType& dtype_, Packing packing_, Major major_,
                                 Bytes base_)
    : layout(std::move(layout_)), dtype(&dtype_), packing(packing_), major(major_), base(base_) {
  if (rank(layout.layout()) != 2)
    throw Error(fmt::format("an operand has two modes, (MN,K); the layout has {}", rank(layout.layout())),
                "for example (64,64):(64,1)");
  if (layout.has_pointer() && layout.element_bits() != element_bits())
    throw Error(fmt::format("the layout is one of {}-bit elements, {} has {} bits", layout.element_bits(), dtype->name,
                            element_bits()),
                "take the type that the layout was made for");
}

TileExtents SmemDestination::extents() const {
  return {mode(layout.layout(), 0).size(), mode(layout.layout(), 1).size()};
}

std::variant<Nest, Finding> nest_of(const SmemDestination& to, const TensorMapDataTypeRow& type, const Target* target) {
  const int bits = to.element_bits();
  std::vector<Leaf> leaves = leaves_of(to);
  std::int64_t covered = 0;
  if (const auto overlap = overlap_of(leaves, covered)) return *overlap;
  require_inside(to, covered, target);
  leaves = merged(leaves);

  Nest nest;
  nest.major = to.major;
  nest.swizzle = find_swizzle(byte_form(to.layout, bits));
  if (nest.swizzle == nullptr)
    return lint("swizzle", fmt::format("no tensor map swizzles as {} does", to_string(to.layout.swizzle())),
                "on bytes Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3> are swizzle 32B, 64B and 128B");
  const Bytes pattern = nest.swizzle->pattern();
  if (!to.layout.has_pointer() && nest.swizzle->bits != 0 && !to.base.is_multiple_of(pattern))
    return lint("phase",
                fmt::format("the layout swizzles offsets from the base {:#x}, TMA swizzles addresses; {:#x} is not "
                            "a multiple of {}",
                            to.base.count, to.base.count, pattern.count),
                fmt::format("begin at a multiple of {} B, or write the layout with smem_ptr", pattern.count));

  const bool has_run =
      !leaves.empty() && leaves[0].direction == to.major && leaves[0].step == 1 && leaves[0].stride == 1;
  const std::int64_t run_bits = (has_run ? leaves[0].count : 1) * bits;
  if (run_bits % chunk_bits != 0) {
    const std::string_view along = direction_name(to.major), across = direction_name(other_major(to.major));
    return lint("inner-16",
                fmt::format("{} is contiguous in global memory, but only {} of its bits are contiguous in shared "
                            "memory; a row of a box is a multiple of 16 B",
                            along, run_bits),
                fmt::format("TMA does not transpose: the stride-1 mode of the layout has to run along {}, or {} be "
                            "contiguous in global memory",
                            along, across));
  }
  const std::int64_t chunks = row_chunks(run_bits / chunk_bits, type, *nest.swizzle);
  nest.row = Bytes{chunks * chunk.count};
  nest.width = chunks * chunk_bits / type.smem_bits;
  if (run_bits > chunks * chunk_bits)
    nest.loops.push_back({to.major, nest.width, run_bits / (chunks * chunk_bits), nest.row});

  for (std::size_t i = has_run ? 1 : 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    if (leaf.stride * bits % chunk_bits != 0)
      return lint("smem-128",
                  fmt::format("{} of {} lie {} bits apart in shared memory, not a multiple of 16 B", leaf.count,
                              direction_name(leaf.direction), leaf.stride * bits),
                  "rows of a box begin at multiples of 16 B, copies at multiples of 128 B");
    const std::int64_t step = leaf.direction == to.major ? leaf.step * bits / type.smem_bits : leaf.step;
    nest.loops.push_back({leaf.direction, step, leaf.count, Bytes{leaf.stride * bits / 8}});
  }
  if (to.layout.offset() * bits % 8 != 0)
    return lint("smem-128", fmt::format("the layout begins {} elements after the base", to.layout.offset()),
                "copies begin at multiples of 128 B");
  nest.begin = Bytes{to.layout.offset() * bits / 8};
  return nest;
}

}  // namespace swz
