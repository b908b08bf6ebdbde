// SPDX-License-Identifier: Apache-2.0
#include "tma/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

// How many iterations of a loop the box covers: the entries of its one or two dimensions.
struct Cover {
  std::int64_t first = 1, second = 1;
  std::int64_t entries() const { return first * second; }
};

// A box that takes in loops one by one: the nest, the operand, and how far the box has grown.
struct Fold {
  const Nest& nest;
  TileExtents operand;  // in entries of the map along the major, in lines across it
  int max_rank = 2;
  int spare = 0;                         // dimensions that are kept free
  std::vector<PlanDimension> dims = {};  // of the map
  Bytes box;                             // bytes that a box of these dimensions allocates
  std::vector<Loop> copied = {};         // the loops that are done by single copies
  std::string limit = {};

  std::int64_t copies() const {
    std::int64_t count = 1;
    for (const Loop& loop : copied) count *= loop.count;
    return count;
  }
  int dims_left() const { return max_rank - spare - static_cast<int>(dims.size()); }
  // At the edge of a dimension that it does not divide, a box would continue in the next line instead of being filled.
  bool can_fold(const Loop& loop, std::int64_t step) const { return operand.along(loop.direction) % step == 0; }

  // The largest number of iterations that boxes of equal size cover with the remaining dimensions.
  std::optional<Cover> best_cover(const Loop& loop) const {
    std::optional<Cover> best;
    const auto consider = [&](const Cover& cover) {
      if (loop.count % cover.entries() != 0) return;
      // A piece of a loop that is copied separately begins at a multiple of 128 B.
      const Bytes size{loop.smem_step.count * cover.entries()};
      if (cover.entries() != loop.count && !size.is_multiple_of(tma_smem_alignment)) return;
      if (!best || cover.entries() > best->entries()) best = cover;
    };
    for (std::int64_t first = std::min(loop.count, most_entries); first >= 1; --first) {
      if (best && best->entries() == loop.count) break;
      if (loop.count % first != 0) continue;
      consider({first, 1});
      if (dims_left() < 2 || !can_fold(loop, loop.step * first)) continue;
      for (std::int64_t second = std::min(loop.count / first, most_entries); second > 1; --second)
        consider({first, second});
    }
    return best;
  }

  std::string limit_of(const Loop& loop) const {
    const std::string_view along = direction_name(loop.direction);
    if (loop.smem_step != box)
      return fmt::format("steps along {} lie {} B apart in shared memory, a box continues after {} B", along,
                         loop.smem_step.count, box.count);
    if (dims_left() == 0)
      return fmt::format(
          "after {} B shared memory continues with {} steps along {}, for which a map of rank {} has no dimension",
          box.count, loop.count, along, max_rank);
    return fmt::format(
        "the operand's extent along {}, {}, is not a multiple of {}: at its edge a folded map would read "
        "on in the next line",
        along, operand.along(loop.direction), loop.step);
  }

  // Takes as much of the loop into the box as possible; returns whether that is all of it.
  bool take(const Loop& loop) {
    std::optional<Cover> cover;
    if (loop.smem_step == box && can_fold(loop, loop.step) && dims_left() > 0) cover = best_cover(loop);
    if (!cover) {
      limit = limit_of(loop);
      copied.push_back(loop);
      return false;
    }
    dims.push_back({loop.direction, loop.step, cover->first});
    if (cover->second > 1) dims.push_back({loop.direction, loop.step * cover->first, cover->second});
    box = Bytes{box.count * cover->entries()};
    if (cover->entries() == loop.count) return true;
    limit = fmt::format("{} entries along {} are more than the 256 of a dimension of a box; equal boxes take {}",
                        loop.count, direction_name(loop.direction), cover->entries());
    copied.push_back({loop.direction, loop.step * cover->entries(), loop.count / cover->entries(), box});
    return false;
  }

  // Whether some copy begins at a line that no dimension counts.
  bool lacks_lines() const {
    std::int64_t least = 0;
    for (const PlanDimension& dim : dims)
      if (dim.direction != nest.major && (least == 0 || dim.step < least)) least = dim.step;
    return std::ranges::any_of(copied, [&](const Loop& loop) {
      return loop.direction != nest.major && (least == 0 || loop.step % least != 0);
    });
  }
};

Fold fold(const Nest& nest, TileExtents operand, int max_rank, int spare = 0) {
  Fold out{nest, operand, max_rank, spare, {{nest.major, 1, nest.width}}, nest.pitch()};
  bool is_open = true;
  for (const Loop& loop : nest.loops) {
    if (is_open) is_open = out.take(loop);
    else out.copied.push_back(loop);
  }
  if (!out.limit.empty()) out.limit += fmt::format(": {} copies", out.copies());
  if (!out.lacks_lines()) return out;
  // Adds a dimension of single lines, at which copies can begin.
  if (spare == 0 && out.dims_left() == 0) return fold(nest, operand, max_rank, 1);
  out.dims.push_back({other_major(nest.major), 1, 1});
  return out;
}

// The step of the next dimension along the same direction; none if this one covers the rest of the operand.
std::optional<std::int64_t> next_step(const std::vector<PlanDimension>& dims, const PlanDimension& dim) {
  std::optional<std::int64_t> next;
  for (const PlanDimension& other : dims)
    if (other.direction == dim.direction && other.step > dim.step && (!next || other.step < *next)) next = other.step;
  return next;
}

TensorMap map_of(const Fold& folded, const GmemOperand& operand, const TensorMapDataTypeRow& type) {
  TensorMap map{.data_type = type.value,
                .rank = static_cast<int>(folded.dims.size()),
                .global_address = operand.address,
                .swizzle = folded.nest.swizzle->value};
  for (std::size_t i = 0; i < folded.dims.size(); ++i) {
    const PlanDimension& dim = folded.dims[i];
    const std::int64_t extent = folded.operand.along(dim.direction);
    map.dims[i] = static_cast<std::uint64_t>(next_step(folded.dims, dim).value_or(extent) / dim.step);
    map.box[i] = static_cast<std::uint64_t>(dim.box);
    if (i == 0) continue;
    const std::int64_t stride = dim.direction == folded.nest.major ? dim.step * type.gmem_bits / 8
                                                                   : checked_mul(dim.step, operand.line_stride.count);
    map.strides[i - 1] = static_cast<std::uint64_t>(stride);
  }
  return map;
}

// `first` is where the tile begins, in entries and lines.
std::vector<TileCopy> copies_of(const Fold& folded, TileExtents first) {
  std::vector<TileCopy> copies;
  copies.reserve(static_cast<std::size_t>(folded.copies()));
  for (std::int64_t n = 0; n < folded.copies(); ++n) {
    TileExtents begin = first;  // entries and lines before the copy
    TileCopy copy{.smem_offset = folded.nest.begin};
    std::int64_t rest = n;
    for (const Loop& loop : folded.copied) {
      const std::int64_t i = rest % loop.count;
      rest /= loop.count;
      (loop.direction == Major::K ? begin.k : begin.mn) += i * loop.step;
      copy.smem_offset.count += i * loop.smem_step.count;
    }
    for (std::size_t i = 0; i < folded.dims.size(); ++i) {
      const PlanDimension& dim = folded.dims[i];
      const std::int64_t position = begin.along(dim.direction);
      copy.coordinate[i] = position % next_step(folded.dims, dim).value_or(INT64_MAX) / dim.step;
    }
    copies.push_back(copy);
  }
  return copies;
}

std::optional<Finding> operand_refusal(const SmemDestination& to, const GmemOperand& operand,
                                       const TensorMapDataTypeRow& type) {
  if (operand.extents.mn < 1 || operand.extents.k < 1 || operand.line_stride.count < 0)
    return lint("operand",
                fmt::format("an operand of {} elements with lines {} B apart", to_string(operand.extents),
                            operand.line_stride.count),
                "extents are 1 or more, the stride is not negative");
  const std::int64_t length = operand.extents.along(to.major);
  if (checked_mul(length, to.element_bits()) % type.smem_bits != 0)
    return lint("operand",
                fmt::format("{} elements of {} are not a whole number of {}", length, to.dtype->name, type.name),
                fmt::format("take a multiple of {}", type.smem_bits / to.element_bits()));
  return std::nullopt;
}

std::optional<Finding> padding_refusal(const Nest& nest, const TensorMapDataTypeRow& type, const Target& target,
                                       const GmemOperand& operand) {
  // If the target lacks the type, that is the better reason.
  if (!type.is_padded() || target.descriptor == SmemDescriptorKind::wgmma) return std::nullopt;
  if (const std::int64_t first = operand.tile_at.along(nest.major); first % padded_box != 0)
    return lint("padded-128",
                fmt::format("a copy of {} begins at a multiple of {} values of dimension 0; the tile begins at {}",
                            type.name, padded_box, first),
                fmt::format("take halves of a multiple of {} {}", padded_box,
                            nest.major == Major::K ? "k" : "rows, or a K-major operand"));
  if (nest.width == padded_box) return std::nullopt;
  return lint("padded-128",
              fmt::format("a box of {} is {} values wide, 128 B; {} B are contiguous in shared memory", type.name,
                          padded_box, nest.row.count),
              "take mode 128B");
}

constexpr std::string_view smem_alignment_rule = "smem-128";

// The refusal of copies that would begin at a wrong address.
std::optional<Finding> alignment_refusal(const SmemDestination& to, const Fold& folded) {
  const Bytes begin{to.base.count + folded.nest.begin.count};
  if (auto refusal = smem_base_refusal(begin)) return refusal;
  for (const Loop& loop : folded.copied)
    if (!loop.smem_step.is_multiple_of(tma_smem_alignment))
      return lint(smem_alignment_rule,
                  fmt::format("copies would begin {} B apart, and a tensor copy writes to multiples of 128 B",
                              loop.smem_step.count),
                  folded.limit);
  return std::nullopt;
}

// The extents in entries of the map along the major, and in lines across it.
TileExtents in_entries(const SmemDestination& to, TileExtents extents, const TensorMapDataTypeRow& type) {
  (to.major == Major::K ? extents.k : extents.mn) =
      checked_mul(extents.along(to.major), to.element_bits()) / type.smem_bits;
  return extents;
}

// ---- what an MMA reads

// Adds the tile if it exists, is readable, and is not there already.
void append_readable(MmaReading& out, const SmemDestination& to, const Target& target, const SwizzleMode& mode,
                     StackingOrder order) {
  if (!out.instead.empty() && &out.instead[0].tile.swizzle() == &mode) return;
  if (!is_legal({&target, to.dtype, to.packing, to.major, &mode})) return;
  const TileExtents extents = to.extents(), atom = atom_extents(to.major, mode, *to.dtype, to.packing);
  if (extents.mn % atom.mn != 0 || extents.k % atom.k != 0 || extents.k % dense_mma_k(to.element_bits()) != 0) return;
  const SmemTile tile({*to.dtype, to.packing, to.major, extents.mn, extents.k, mode, order, Bytes{0}});
  auto plan = plan_tile(tile, packed_operand(tile, target, extents), target, 2);
  if (auto* copies = std::get_if<TilePlan>(&plan)) out.instead.push_back({tile, std::move(*copies)});
}

}  // namespace

TensorMapDataType tensor_map_type(const SmemDestination& to, const Target& target) {
  using enum TensorMapDataType;
  if (to.dtype->tensor_map_type.empty())
    return to.element_bits() == 16 ? uint16 : to.element_bits() > 64 ? uint64 : uint8;
  const TensorMapDataType type = require_tensor_map_data_type(to.dtype->tensor_map_type);
  if (type != u4_align8) return type;
  if (to.packing == Packing::slots) return u4_align16;
  return target.descriptor == SmemDescriptorKind::wgmma ? uint8 : u4_align8;
}

GmemOperand packed_operand(const SmemDestination& to, const Target& target, TileExtents extents) {
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(to, target));
  const std::int64_t in_smem = checked_mul(extents.along(to.major), to.element_bits());
  const std::int64_t bits = checked_mul(in_smem, type.gmem_bits) / type.smem_bits;
  return {extents, Bits{bits}.in_bytes()};
}

std::variant<TilePlan, Finding> plan_tile(const SmemDestination& to, const GmemOperand& operand, const Target& target,
                                          int max_rank) {
  if (max_rank < 2 || max_rank > tensor_map_max_rank)
    throw Error(fmt::format("a plan of rank {} is not possible", max_rank), "ranks are 2 to 5");
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(to, target));
  if (const auto refusal = operand_refusal(to, operand, type)) return *refusal;
  const std::variant<Nest, Finding> answer = nest_of(to, type, &target);
  if (const auto* refusal = std::get_if<Finding>(&answer)) return *refusal;
  const Nest& nest = std::get<Nest>(answer);
  if (const auto refusal = padding_refusal(nest, type, target, operand)) return *refusal;
  const Fold folded = fold(nest, in_entries(to, operand.extents, type), max_rank);
  if (const auto refusal = alignment_refusal(to, folded)) return *refusal;

  TilePlan plan;
  plan.map = map_of(folded, operand, type);
  const std::vector<TensorMapViolation> refused = violations(plan.map, target);
  if (!refused.empty()) return refused[0];

  plan.dimensions = folded.dims;
  plan.copies = copies_of(folded, in_entries(to, operand.tile_at, type));
  plan.request = Bytes{nest.width * type.gmem_bits / 8};
  plan.limit = folded.limit;
  return plan;
}

std::optional<Finding> smem_base_refusal(Bytes base) {
  if (base.count >= 0 && base.is_multiple_of(tma_smem_alignment)) return std::nullopt;
  return lint(smem_alignment_rule, fmt::format("the base address {:#x} is not a multiple of 128", base.count),
              "a tensor copy writes to multiples of 128 B");
}

Bytes TilePlan::smem_bytes() const { return Bytes{counted_box_bytes(map).count * std::ssize(copies)}; }

Bytes TilePlan::expect_bytes() const {
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  return Bytes{smem_bytes().count * type.gmem_bits / type.smem_bits};
}

MmaReading mma_reading(const SmemDestination& to, const Target& target) {
  if (target.descriptor == SmemDescriptorKind::none) {
    MmaReading out{{}, &target};
    out.reason = fmt::format("no instruction of {} takes a shared-memory descriptor", target.name);
    out.hint = "ldmatrix reads any rows of 16 B; swz banks shows how fast";
    return out;
  }
  // Words count from a base at which the pattern of the mode begins. Elsewhere they need a base offset (swz desc).
  MmaReading out{
      layout_descriptors(
          {.layout = to.layout, .target = &target, .dtype = to.dtype, .packing = to.packing, .major = to.major}),
      &target};
  if (out.is_read()) return out;
  const SwizzleMode* stated = stated_mode(to.layout, to.element_bits());
  append_readable(out, to, target, stated != nullptr ? *stated : require_swizzle_mode("none"), StackingOrder::mn_first);
  if (out.nearest) append_readable(out, to, target, out.nearest->tile.swizzle(), out.nearest->tile.order());
  return out;
}

}  // namespace swz
