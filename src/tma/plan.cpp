#include "tma/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr std::int64_t most_entries = 256;  // of one dimension of a box
constexpr std::int64_t padded_box = 128;    // entries of dimension 0, of the ALIGN16B types

// One loop of the nest that a tile is in shared memory.
struct Loop {
  bool is_contiguous = false;  // steps along the major
  std::int64_t step = 1;       // elements of the map, or lines
  std::int64_t count = 1;
  Bytes smem_step;
};

// What a plan is made from. Lengths along the major are in elements of the map.
struct Nest {
  std::int64_t width = 0;  // of one line of the swizzle's span
  Bytes span;
  std::int64_t operand_width = 0, operand_lines = 0;
  Major major = Major::K;
  std::vector<Loop> loops;  // after the line itself, fastest first

  Major direction(bool is_contiguous) const { return is_contiguous == (major == Major::K) ? Major::K : Major::MN; }
  std::int64_t operand_extent(const Loop& loop) const { return loop.is_contiguous ? operand_width : operand_lines; }
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

bool is_hopper(const Target& target) { return target.descriptor == SmemDescriptorKind::wgmma; }

std::int64_t map_elements(const TensorMapDataTypeRow& type, const SmemTile& tile, std::int64_t elements) {
  return checked_mul(elements, tile.element_bits()) / type.smem_bits;
}

// A piece of a loop that is copied by itself begins at a multiple of 128 B.
bool is_aligned(const Loop& loop, std::int64_t entries) {
  return Bytes{loop.smem_step.count * entries}.is_multiple_of(tma_smem_alignment);
}

bool can_fold(const Nest& nest, const Loop& loop, std::int64_t step) {
  return nest.operand_extent(loop) % step == 0;
}

// The most iterations that boxes of equal size cover with so many dimensions.
std::optional<Cover> best_cover(const Nest& nest, const Loop& loop, int dims) {
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
    if (dims < 2 || !can_fold(nest, loop, loop.step * first)) continue;
    for (std::int64_t second = std::min(loop.count / first, most_entries); second > 1; --second)
      consider({first, second, 2});
  }
  return best;
}

Nest nest_of(const SmemTile& tile, const GmemOperand& operand, const TensorMapDataTypeRow& type) {
  const bool is_k = tile.major() == Major::K;
  const TileExtents extents = tile.extents();
  const Bytes span = tile.swizzle().span;
  Nest nest;
  nest.span = span;
  nest.major = tile.major();
  nest.width = span.count * 8 / type.smem_bits;
  nest.operand_width = map_elements(type, tile, is_k ? operand.extents.k : operand.extents.mn);
  nest.operand_lines = is_k ? operand.extents.mn : operand.extents.k;

  const std::int64_t lines = is_k ? extents.mn : extents.k, atom_lines = tile.swizzle().lines;
  const std::int64_t columns = map_elements(type, tile, is_k ? extents.k : extents.mn) / nest.width;
  const bool is_lines_first = is_k == (tile.order() == StackingOrder::mn_first);
  const auto bytes = [&](std::int64_t lines_before) { return Bytes{lines_before * span.count}; };
  if (is_lines_first || columns == 1) {
    nest.loops = {{false, 1, lines, bytes(1)}, {true, nest.width, columns, bytes(lines)}};
  } else {
    nest.loops = {{false, 1, atom_lines, bytes(1)},
                  {true, nest.width, columns, bytes(atom_lines)},
                  {false, atom_lines, lines / atom_lines, bytes(atom_lines * columns)}};
  }
  while (nest.loops.size() > 1 && nest.loops.back().count == 1) nest.loops.pop_back();
  return nest;
}

std::string limit_by_rank(const Nest& nest, const Loop& loop, int max_rank, std::int64_t copies) {
  return fmt::format(
      "after {} B shared memory goes on {} atoms along {}, for which a map of rank {} has no "
      "dimension: {} copies",
      loop.smem_step.count, loop.count, nest.direction(loop.is_contiguous) == Major::K ? "K" : "MN", max_rank,
      copies);
}

std::string limit_by_edge(const Nest& nest, const Loop& loop, std::int64_t copies) {
  return fmt::format(
      "the operand's extent along {}, {}, is not a multiple of {}: at its edge a folded map would read "
      "on in the next line: {} copies",
      nest.direction(loop.is_contiguous) == Major::K ? "K" : "MN", nest.operand_extent(loop), loop.step, copies);
}

std::string limit_by_entries(const Nest& nest, const Loop& loop, const Cover& cover, std::int64_t copies) {
  return fmt::format(
      "{} entries along {} are more than the 256 of a dimension of a box; equal boxes take {}: {} copies",
      loop.count, nest.direction(loop.is_contiguous) == Major::K ? "K" : "MN", cover.entries(), copies);
}

// The dimensions of the box after dimension 0, and the loops that are left to single copies.
struct Fold {
  std::vector<BoxDim> dims;
  std::vector<Loop> copied;
  std::string limit;
};

Fold fold(const Nest& nest, int max_rank) {
  Fold out;
  bool is_open = true;
  std::int64_t copies = 1;
  for (const Loop& loop : nest.loops) copies *= loop.count;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const Loop& loop = nest.loops[i];
    if (!is_open) {
      out.copied.push_back(loop);
      continue;
    }
    const int dims_left = max_rank - 1 - static_cast<int>(out.dims.size());
    std::optional<Cover> cover;
    if (dims_left > 0 && can_fold(nest, loop, loop.step)) cover = best_cover(nest, loop, dims_left);
    if (!cover) {
      is_open = false;
      out.limit = dims_left > 0 ? limit_by_edge(nest, loop, copies) : limit_by_rank(nest, loop, max_rank, copies);
      out.copied.push_back(loop);
      continue;
    }
    out.dims.push_back({loop.is_contiguous, loop.step, cover->first});
    if (cover->dims == 2) out.dims.push_back({loop.is_contiguous, loop.step * cover->first, cover->second});
    copies /= cover->entries();
    if (cover->entries() == loop.count) continue;
    is_open = false;
    out.limit = limit_by_entries(nest, loop, *cover, copies);
    out.copied.push_back({loop.is_contiguous, loop.step * cover->entries(), loop.count / cover->entries(),
                          Bytes{loop.smem_step.count * cover->entries()}});
  }
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

TensorMap map_of(const Nest& nest, const GmemOperand& operand, const TensorMapDataTypeRow& type,
                 TensorMapSwizzle swizzle, const std::vector<BoxDim>& dims) {
  TensorMap map{.data_type = type.value,
                .rank = static_cast<int>(dims.size()),
                .global_address = operand.address,
                .swizzle = swizzle};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const BoxDim& dim = dims[i];
    const std::int64_t extent = dim.is_contiguous ? nest.operand_width : nest.operand_lines;
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

std::vector<TileCopy> copies_of(const std::vector<BoxDim>& dims, const std::vector<Loop>& copied) {
  std::int64_t count = 1;
  for (const Loop& loop : copied) count *= loop.count;
  std::vector<TileCopy> copies;
  copies.reserve(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n, element = 0, line = 0, offset = 0;
    for (const Loop& loop : copied) {
      const std::int64_t i = rest % loop.count;
      rest /= loop.count;
      (loop.is_contiguous ? element : line) += i * loop.step;
      offset += i * loop.smem_step.count;
    }
    copies.push_back({coordinate_of(dims, element, line), Bytes{offset}});
  }
  return copies;
}

std::optional<PlanRefusal> refusal_of(const SmemTile& tile, const GmemOperand& operand,
                                      const TensorMapDataTypeRow& type, const Target& target) {
  if (!tile.base().is_multiple_of(tma_smem_alignment))
    return PlanRefusal{"smem-128",
                       fmt::format("the base address {:#x} is not a multiple of 128", tile.base().count),
                       "a tensor copy writes to multiples of 128 B"};
  if (!tile.swizzle().tma_code)
    return PlanRefusal{"swizzle", fmt::format("no tensor map has mode {}", tile.swizzle().name), ""};
  if (operand.extents.mn < 1 || operand.extents.k < 1 || operand.line_stride.count < 0)
    return PlanRefusal{"operand",
                       fmt::format("an operand of {} elements with lines {} B apart", to_string(operand.extents),
                                   operand.line_stride.count),
                       "extents are 1 or more, the stride is not negative"};
  if (type.is_padded() && !is_hopper(target) && tile.swizzle().span.count * 8 != padded_box * type.smem_bits)
    return PlanRefusal{"padded-128",
                       fmt::format("a box of {} is {} values wide, 128 B; a line of mode {} has {} B", type.name,
                                   padded_box, tile.swizzle().name, tile.swizzle().span.count),
                       "take mode 128B"};
  const std::int64_t length = tile.major() == Major::K ? operand.extents.k : operand.extents.mn;
  if (checked_mul(length, tile.element_bits()) % type.smem_bits != 0)
    return PlanRefusal{
        "operand", fmt::format("{} elements of {} are no whole number of {}", length, tile.dtype().name, type.name),
        fmt::format("take a multiple of {}", type.smem_bits / tile.element_bits())};
  return std::nullopt;
}

}  // namespace

TensorMapDataType tensor_map_type(const SmemTile& tile, const Target& target) {
  using enum TensorMapDataType;
  const DType& dtype = tile.dtype();
  if (dtype.tensor_map_type.empty())
    return tile.element_bits() == 16 ? uint16 : tile.element_bits() > 64 ? uint64 : uint8;
  const TensorMapDataType type = require_tensor_map_data_type(dtype.tensor_map_type);
  if (type != u4_align8) return type;
  if (tile.packing() == Packing::slots) return u4_align16;
  return is_hopper(target) ? uint8 : u4_align8;
}

GmemOperand packed_operand(const SmemTile& tile, const Target& target, TileExtents extents) {
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(tile, target));
  const std::int64_t length = tile.major() == Major::K ? extents.k : extents.mn;
  const std::int64_t bits = checked_mul(checked_mul(length, tile.element_bits()), type.gmem_bits) / type.smem_bits;
  return {extents, Bits{bits}.in_bytes()};
}

std::variant<TilePlan, PlanRefusal> plan_tile(const SmemTile& tile, const GmemOperand& operand,
                                              const Target& target, int max_rank) {
  if (max_rank < 2 || max_rank > tensor_map_max_rank)
    throw Error(fmt::format("a plan of rank {} is not possible", max_rank), "ranks are 2 to 5");
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(tile, target));
  if (const std::optional<PlanRefusal> refusal = refusal_of(tile, operand, type, target)) return *refusal;
  const Nest nest = nest_of(tile, operand, type);
  const Fold folded = fold(nest, max_rank);

  std::vector<BoxDim> dims{{true, 1, nest.width}};
  dims.insert(dims.end(), folded.dims.begin(), folded.dims.end());
  TilePlan plan;
  plan.map = map_of(nest, operand, type, TensorMapSwizzle{*tile.swizzle().tma_code}, dims);
  const std::vector<TensorMapViolation> refused = violations(plan.map, target);
  if (!refused.empty()) return PlanRefusal{refused[0].rule, refused[0].advice.message, refused[0].advice.fix};

  for (const BoxDim& dim : dims) plan.dimensions.push_back({nest.direction(dim.is_contiguous), dim.step});
  plan.copies = copies_of(dims, folded.copied);
  plan.request = Bytes{nest.width * type.gmem_bits / 8};
  plan.limit = folded.limit;
  return plan;
}

}  // namespace swz
