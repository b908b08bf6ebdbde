#include "tma/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

// The operand as a nest steps through it, in entries of the map and in lines.
struct Surface {
  std::int64_t width = 0, lines = 0;
  std::int64_t extent(const Loop& loop) const { return loop.is_contiguous ? width : lines; }
  // At the edge of a dimension that does not divide it a box would go on in the next line instead of being filled.
  bool can_fold(const Loop& loop, std::int64_t step) const { return extent(loop) % step == 0; }
};

// How many iterations of a loop the box takes, and in how many dimensions.
struct Cover {
  std::int64_t first = 1, second = 1;  // entries of its one or two dimensions
  int dims = 1;
  std::int64_t entries() const { return first * second; }
};

struct BoxDim {
  bool is_contiguous = false;
  std::int64_t step = 1, box = 1;
};

// A piece of a loop that is copied by itself begins at a multiple of 128 B.
bool is_aligned(const Loop& loop, std::int64_t entries) {
  return Bytes{loop.smem_step.count * entries}.is_multiple_of(tma_smem_alignment);
}

// The most iterations that boxes of equal size cover with so many dimensions.
std::optional<Cover> best_cover(const Surface& operand, const Loop& loop, int dims) {
  std::optional<Cover> best;
  const auto consider = [&](const Cover& cover) {
    if (loop.count % cover.entries() != 0) return;
    if (cover.entries() != loop.count && !is_aligned(loop, cover.entries())) return;
    if (!best || cover.entries() > best->entries()) best = cover;
  };
  for (std::int64_t first = std::min(loop.count, most_entries); first >= 1; --first) {
    if (best && best->entries() == loop.count) break;
    if (loop.count % first != 0) continue;
    consider({first, 1, 1});
    if (dims < 2 || !operand.can_fold(loop, loop.step * first)) continue;
    for (std::int64_t second = std::min(loop.count / first, most_entries); second > 1; --second)
      consider({first, second, 2});
  }
  return best;
}

// What keeps a loop out of the box: the nest, the operand and how far the box has come.
struct Fold {
  const Nest& nest;
  const Surface& operand;
  int max_rank = 2;
  int spare = 0;                  // dimensions that are kept free
  std::vector<BoxDim> dims = {};  // of the map
  Bytes box;                      // allocated by a box of these dimensions
  std::vector<Loop> copied = {};  // the loops that are left to single copies
  std::string limit = {};

  std::int64_t copies() const {
    std::int64_t count = 1;
    for (const Loop& loop : copied) count *= loop.count;
    return count;
  }
  std::string_view along(const Loop& loop) const { return direction_name(nest.direction(loop.is_contiguous)); }
  int dims_left() const { return max_rank - spare - static_cast<int>(dims.size()); }

  std::string limit_of(const Loop& loop) const {
    if (loop.smem_step != box)
      return fmt::format("steps along {} lie {} B apart in shared memory, a box continues after {} B", along(loop),
                         loop.smem_step.count, box.count);
    if (dims_left() == 0)
      return fmt::format(
          "after {} B shared memory continues with {} steps along {}, for which a map of rank {} has no dimension",
          box.count, loop.count, along(loop), max_rank);
    return fmt::format(
        "the operand's extent along {}, {}, is not a multiple of {}: at its edge a folded map would read "
        "on in the next line",
        along(loop), operand.extent(loop), loop.step);
  }

  // Takes as much of the loop into the box as goes. Whether that is all of it.
  bool take(const Loop& loop) {
    std::optional<Cover> cover;
    if (loop.smem_step == box && operand.can_fold(loop, loop.step) && dims_left() > 0)
      cover = best_cover(operand, loop, dims_left());
    if (!cover) {
      limit = limit_of(loop);
      copied.push_back(loop);
      return false;
    }
    dims.push_back({loop.is_contiguous, loop.step, cover->first});
    if (cover->dims == 2) dims.push_back({loop.is_contiguous, loop.step * cover->first, cover->second});
    box = Bytes{box.count * cover->entries()};
    if (cover->entries() == loop.count) return true;
    limit = fmt::format("{} entries along {} are more than the 256 of a dimension of a box; equal boxes take {}",
                        loop.count, along(loop), cover->entries());
    copied.push_back({loop.is_contiguous, loop.step * cover->entries(), loop.count / cover->entries(), box});
    return false;
  }

  // Whether some copy begins at a line that no dimension counts.
  bool lacks_lines() const {
    std::int64_t least = 0;
    for (const BoxDim& dim : dims)
      if (!dim.is_contiguous && (least == 0 || dim.step < least)) least = dim.step;
    for (const Loop& loop : copied)
      if (!loop.is_contiguous && (least == 0 || loop.step % least != 0)) return true;
    return false;
  }
};

Fold fold(const Nest& nest, const Surface& operand, int max_rank, int spare = 0) {
  Fold out{nest, operand, max_rank, spare, {{true, 1, nest.width}}, nest.pitch()};
  bool is_open = true;
  for (const Loop& loop : nest.loops) {
    if (is_open) is_open = out.take(loop);
    else out.copied.push_back(loop);
  }
  if (!out.limit.empty()) out.limit += fmt::format(": {} copies", out.copies());
  if (!out.lacks_lines()) return out;
  // A dimension of single lines, to begin copies at.
  if (spare == 0 && out.dims_left() == 0) return fold(nest, operand, max_rank, 1);
  out.dims.push_back({false, 1, 1});
  return out;
}

// The step of the next dimension along the same direction; none: this one holds the rest of the operand.
std::optional<std::int64_t> next_step(const std::vector<BoxDim>& dims, const BoxDim& dim) {
  std::optional<std::int64_t> next;
  for (const BoxDim& other : dims)
    if (other.is_contiguous == dim.is_contiguous && other.step > dim.step && (!next || other.step < *next))
      next = other.step;
  return next;
}

TensorMap map_of(const Surface& surface, const GmemOperand& operand, const TensorMapDataTypeRow& type,
                 TensorMapSwizzle swizzle, const std::vector<BoxDim>& dims) {
  TensorMap map{.data_type = type.value,
                .rank = static_cast<int>(dims.size()),
                .global_address = operand.address,
                .swizzle = swizzle};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const BoxDim& dim = dims[i];
    const std::int64_t extent = dim.is_contiguous ? surface.width : surface.lines;
    map.dims[i] = static_cast<std::uint64_t>(next_step(dims, dim).value_or(extent) / dim.step);
    map.box[i] = static_cast<std::uint64_t>(dim.box);
    if (i == 0) continue;
    const std::int64_t stride =
        dim.is_contiguous ? dim.step * type.gmem_bits / 8 : checked_mul(dim.step, operand.line_stride.count);
    map.strides[i - 1] = static_cast<std::uint64_t>(stride);
  }
  return map;
}

TensorCoordinate coordinate_of(const std::vector<BoxDim>& dims, std::int64_t element, std::int64_t line) {
  TensorCoordinate out = {};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t position = dims[i].is_contiguous ? element : line;
    const std::optional<std::int64_t> next = next_step(dims, dims[i]);
    out[i] = (next ? position % *next : position) / dims[i].step;
  }
  return out;
}

std::vector<TileCopy> copies_of(const Fold& folded) {
  std::vector<TileCopy> copies;
  copies.reserve(static_cast<std::size_t>(folded.copies()));
  for (std::int64_t n = 0; n < folded.copies(); ++n) {
    std::int64_t rest = n, element = 0, line = 0, offset = folded.nest.begin.count;
    for (const Loop& loop : folded.copied) {
      const std::int64_t i = rest % loop.count;
      rest /= loop.count;
      (loop.is_contiguous ? element : line) += i * loop.step;
      offset += i * loop.smem_step.count;
    }
    copies.push_back({coordinate_of(folded.dims, element, line), Bytes{offset}});
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
  const std::int64_t length = to.major == Major::K ? operand.extents.k : operand.extents.mn;
  if (checked_mul(length, to.element_bits()) % type.smem_bits != 0)
    return lint("operand",
                fmt::format("{} elements of {} are not a whole number of {}", length, to.dtype->name, type.name),
                fmt::format("take a multiple of {}", type.smem_bits / to.element_bits()));
  return std::nullopt;
}

std::optional<Finding> padding_refusal(const Nest& nest, const TensorMapDataTypeRow& type, const Target& target) {
  // A target without the type is the better reason.
  if (!type.is_padded() || nest.width == padded_box || target.descriptor == SmemDescriptorKind::wgmma)
    return std::nullopt;
  return lint("padded-128",
              fmt::format("a box of {} is {} values wide, 128 B; {} B are contiguous in shared memory", type.name,
                          padded_box, nest.row.count),
              "take mode 128B");
}

// Where the copies begin.
std::optional<Finding> alignment_refusal(const SmemDestination& to, const Fold& folded) {
  constexpr std::string_view rule = "smem-128";
  const Bytes begin{to.base.count + folded.nest.begin.count};
  if (begin.count < 0 || !begin.is_multiple_of(tma_smem_alignment))
    return lint(rule, fmt::format("the base address {:#x} is not a multiple of 128", begin.count),
                "a tensor copy writes to multiples of 128 B");
  for (const Loop& loop : folded.copied)
    if (!loop.smem_step.is_multiple_of(tma_smem_alignment))
      return lint(rule,
                  fmt::format("copies would begin {} B apart, and a tensor copy writes to multiples of 128 B",
                              loop.smem_step.count),
                  folded.limit);
  return std::nullopt;
}

Surface surface_of(const SmemDestination& to, const GmemOperand& operand, const TensorMapDataTypeRow& type) {
  const bool is_k = to.major == Major::K;
  const std::int64_t length = is_k ? operand.extents.k : operand.extents.mn;
  return {checked_mul(length, to.element_bits()) / type.smem_bits, is_k ? operand.extents.mn : operand.extents.k};
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
  const std::int64_t length = to.major == Major::K ? extents.k : extents.mn;
  const std::int64_t bits = checked_mul(checked_mul(length, to.element_bits()), type.gmem_bits) / type.smem_bits;
  return {extents, Bits{bits}.in_bytes()};
}

std::variant<TilePlan, Finding> plan_tile(const SmemDestination& to, const GmemOperand& operand,
                                          const Target& target, int max_rank) {
  if (max_rank < 2 || max_rank > tensor_map_max_rank)
    throw Error(fmt::format("a plan of rank {} is not possible", max_rank), "ranks are 2 to 5");
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(to, target));
  if (const auto refusal = operand_refusal(to, operand, type)) return *refusal;
  const std::variant<Nest, Finding> answer = nest_of(to, type);
  if (const auto* refusal = std::get_if<Finding>(&answer)) return *refusal;
  const Nest& nest = std::get<Nest>(answer);
  if (const auto refusal = padding_refusal(nest, type, target)) return *refusal;
  const Surface surface = surface_of(to, operand, type);
  const Fold folded = fold(nest, surface, max_rank);
  if (const auto refusal = alignment_refusal(to, folded)) return *refusal;

  TilePlan plan;
  plan.map = map_of(surface, operand, type, nest.swizzle->value, folded.dims);
  const std::vector<TensorMapViolation> refused = violations(plan.map, target);
  if (!refused.empty()) return refused[0];

  for (const BoxDim& dim : folded.dims) plan.dimensions.push_back({nest.direction(dim.is_contiguous), dim.step});
  plan.copies = copies_of(folded);
  plan.request = Bytes{nest.width * type.gmem_bits / 8};
  plan.limit = folded.limit;
  return plan;
}

}  // namespace swz
