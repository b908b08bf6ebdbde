#include "tma/mma_reading.hpp"

#include <fmt/format.h>

#include "descriptor/layout_descriptor.hpp"
#include "descriptor/layout_reason.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

// Where such a tile exists, is read, and is not there already.
void append_readable(MmaReading& out, const SmemDestination& to, const Target& target, const SwizzleMode& mode,
                     StackingOrder order) {
  if (!out.instead.empty() && &out.instead[0].tile.swizzle() == &mode) return;
  if (!is_legal({&target, to.dtype, to.packing, to.major, &mode})) return;
  const TileExtents extents = to.extents(), atom = atom_extents(to.major, mode, *to.dtype, to.packing);
  if (extents.mn % atom.mn != 0 || extents.k % atom.k != 0 || extents.k % dense_mma_k(to.element_bits()) != 0)
    return;
  const SmemTile tile({.dtype = *to.dtype,
                       .packing = to.packing,
                       .major = to.major,
                       .mn = extents.mn,
                       .k = extents.k,
                       .swizzle = mode,
                       .order = order});
  auto plan = plan_tile(tile, packed_operand(tile, target, extents), target, 2);
  if (auto* copies = std::get_if<TilePlan>(&plan)) out.instead.push_back({tile, std::move(*copies)});
}

}  // namespace

MmaReading mma_reading(const SmemDestination& to, const Target& target) {
  MmaReading out;
  out.target = &target;
  if (target.descriptor == SmemDescriptorKind::none) {
    out.reason = fmt::format("no instruction of {} takes a shared-memory descriptor", target.name);
    out.hint = "ldmatrix reads any rows of 16 B; swz banks says how fast";
    return out;
  }
  // Words count from a base where the pattern of the mode begins; elsewhere they have a base offset (swz desc).
  LayoutDescriptors answer = layout_descriptors(
      {.layout = to.layout, .target = &target, .dtype = to.dtype, .packing = to.packing, .major = to.major});
  if (answer.descriptors) {
    out.mode = answer.mode;
    out.descriptors = std::move(answer.descriptors);
    return out;
  }
  out.reason = std::move(answer.reason);
  out.hint = std::move(answer.hint);
  const SwizzleMode* stated = stated_mode(to.layout, to.element_bits());
  append_readable(out, to, target, stated != nullptr ? *stated : require_swizzle_mode("none"),
                  StackingOrder::mn_first);
  if (answer.nearest)
    append_readable(out, to, target, answer.nearest->tile.swizzle(), answer.nearest->tile.order());
  return out;
}

}  // namespace swz
