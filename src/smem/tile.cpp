#include "smem/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/tiling.hpp"
#include "smem/atom.hpp"

namespace swz {

namespace {

// The type as an MMA counts its elements in this packing.
DType slot_type(const DType& dtype, Packing packing) {
  DType slot = dtype;
  slot.memory_bits = element_bits(dtype, packing);
  return slot;
}

// "96 or 104"
std::string neighbours(std::int64_t extent, std::int64_t unit) {
  const std::int64_t below = extent / unit * unit;
  if (below == 0) return fmt::format("{}", unit);
  return fmt::format("{} or {}", below, below + unit);
}

// "none (8x8) and 32B (8x16)": the modes whose atom divides the extents.
std::string fitting_modes(const SmemTileValues& values, const DType& dtype) {
  std::vector<std::string> names;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (mode.family == SwizzleFamily::chunk_32) continue;
    const TileExtents atom = atom_extents(values.major, mode, dtype, values.packing);
    if (values.mn % atom.mn == 0 && values.k % atom.k == 0)
      names.push_back(fmt::format("{} ({})", mode.name, to_string(atom)));
  }
  return join_and(names);
}

void check_divides(const SmemTileValues& values, const SwizzleMode& mode, const DType& dtype, TileExtents atom) {
  const auto check = [&](std::string_view direction, std::int64_t extent, std::int64_t unit) {
    if (extent % unit == 0) return;
    const std::string modes = fitting_modes(values, dtype);
    throw Error(
        fmt::format("{} {} is not a multiple of {}: the {} atom of mode {} has {} elements of {}", direction,
                    extent, unit, to_string(values.major), mode.name, to_string(atom), dtype.name),
        fmt::format("take {} {}{}", direction, neighbours(extent, unit),
                    modes.empty() ? std::string() : ", or a mode that divides it: " + modes));
  };
  check("MN", values.mn, atom.mn);
  check("K", values.k, atom.k);
}

void check_fits(const SmemTileValues& values, const SwizzleMode& mode, Bytes size) {
  if (values.base.count < 0 || !values.base.is_multiple_of(chunk))
    throw Error(fmt::format("the base address {:#x} is not a multiple of 16 B", values.base.count),
                fmt::format("descriptors count 16-byte chunks; mode {} repeats every {} B", mode.name,
                            mode.pattern().count));
  const Bytes most = largest_smem_per_cta();
  if (size > most)
    throw Error(fmt::format("the tile takes {} B; a CTA has at most {} B (227 KiB) of shared memory", size.count,
                            most.count),
                "take a smaller tile");
  const Bytes window = largest_smem_window();
  if (values.base.count > window.count - size.count)
    throw Error(fmt::format("a tile of {} B at {:#x} runs past {:#x}, the end of shared memory", size.count,
                            values.base.count, window.count),
                fmt::format("the last base address it fits at is {:#x}", window.count - size.count));
}

}  // namespace

int element_bits(const DType& dtype, Packing packing) {
  if (packing == Packing::packed) return dtype.memory_bits;
  if (dtype.container_bits != 0) return dtype.container_bits;
  throw Error(fmt::format("{} does not lie in 8-bit slots", dtype.name),
              "kinds f8f6f4 and mxf8f6f4 read fp8, fp6 and fp4 so");
}

StackingOrder require_stacking_order(std::string_view name) {
  for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
    if (name == to_string(order)) return order;
  throw Error(fmt::format("{} is not a stacking order", quoted(name)), "orders: mn-first and k-first");
}

std::string to_string(const TileExtents& extents) { return fmt::format("{}x{}", extents.mn, extents.k); }

TileExtents atom_extents(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing) {
  const IntTuple shape = atom(major, mode, slot_type(dtype, packing)).layout().shape();
  return {product(swz::mode(shape, 0)), product(swz::mode(shape, 1))};
}

SmemTile::SmemTile(const SmemTileValues& values)
    : dtype_(&require_dtype(values.dtype)),
      packing_(values.packing),
      element_bits_(swz::element_bits(*dtype_, packing_)),
      major_(values.major),
      swizzle_(&require_swizzle_mode(values.swizzle)),
      byte_swizzle_(swizzle_->byte_swizzle()),
      extents_{values.mn, values.k},
      atom_(atom_extents(major_, *swizzle_, *dtype_, packing_)),
      order_(values.order),
      base_(values.base) {
  if (values.mn < 1 || values.k < 1)
    throw Error(fmt::format("a tile of {} elements is empty", to_string(extents_)), "both extents are 1 or more");
  check_divides(values, *swizzle_, *dtype_, atom_);
  const std::int64_t bits = checked_mul(checked_mul(values.mn, values.k), element_bits_);
  check_fits(values, *swizzle_, Bits{bits}.in_bytes());

  const Bytes next = swizzle_->atom();
  mn_atom_stride_ = order_ == StackingOrder::mn_first ? next : Bytes{next.count * atoms().k};
  k_atom_stride_ = order_ == StackingOrder::k_first ? next : Bytes{next.count * atoms().mn};
}

SmemTileValues SmemTile::values() const {
  return {.dtype = dtype_->name,
          .packing = packing_,
          .major = major_,
          .mn = extents_.mn,
          .k = extents_.k,
          .swizzle = swizzle_->name,
          .order = order_,
          .base = base_};
}

Bytes SmemTile::linear_offset(std::int64_t row, std::int64_t k) const {
  const std::int64_t row_in_atom = row % atom_.mn;
  const std::int64_t k_in_atom = k % atom_.k;
  const std::int64_t line = major_ == Major::K ? row_in_atom : k_in_atom;
  const std::int64_t element = major_ == Major::K ? k_in_atom : row_in_atom;
  return Bytes{row / atom_.mn * mn_atom_stride_.count + k / atom_.k * k_atom_stride_.count +
               line * swizzle_->span.count + element * element_bits_ / 8};
}

Bytes SmemTile::byte(std::int64_t row, std::int64_t k) const {
  return Bytes{byte_swizzle_(base_.count + linear_offset(row, k).count)};
}

std::vector<std::int64_t> SmemTile::byte_map() const {
  // The linear offset is a sum of one part for the row and one for k.
  std::vector<std::int64_t> along_k;
  for (std::int64_t k = 0; k < extents_.k; ++k) along_k.push_back(linear_offset(0, k).count);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(extents_.mn * extents_.k));
  auto out = bytes.begin();
  for (std::int64_t row = 0; row < extents_.mn; ++row) {
    const std::int64_t start = base_.count + linear_offset(row, 0).count;
    out = std::transform(along_k.begin(), along_k.end(), out,
                         [&](std::int64_t offset) { return byte_swizzle_(start + offset); });
  }
  return bytes;
}

std::optional<TileCoordinate> SmemTile::at(Bytes address) const {
  if (address.count < 0) return std::nullopt;
  const std::int64_t offset = byte_swizzle_(address.count) - base_.count;
  if (offset < 0 || offset >= bytes().count) return std::nullopt;
  const std::int64_t atom_bytes = swizzle_->atom().count;
  const std::int64_t index = offset / atom_bytes;
  const std::int64_t fast = order_ == StackingOrder::mn_first ? atoms().mn : atoms().k;
  const std::int64_t mn_atom = order_ == StackingOrder::mn_first ? index % fast : index / fast;
  const std::int64_t k_atom = order_ == StackingOrder::mn_first ? index / fast : index % fast;
  const std::int64_t line = offset % atom_bytes / swizzle_->span.count;
  const std::int64_t element = offset % swizzle_->span.count * 8 / element_bits_;
  const TileCoordinate in_atom = major_ == Major::K ? TileCoordinate{line, element} : TileCoordinate{element, line};
  return TileCoordinate{mn_atom * atom_.mn + in_atom.row, k_atom * atom_.k + in_atom.k};
}

std::vector<Chunk> SmemTile::chunks() const {
  const std::int64_t elements = chunk.count * 8 / element_bits_;
  const std::int64_t lines = major_ == Major::K ? extents_.mn : extents_.k;
  const std::int64_t length = major_ == Major::K ? extents_.k : extents_.mn;
  std::vector<Chunk> chunks;
  chunks.reserve(static_cast<std::size_t>(lines * length / elements));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < length; i += elements) {
      const TileCoordinate c = major_ == Major::K ? TileCoordinate{line, i} : TileCoordinate{i, line};
      const Bytes address = byte(c.row, c.k);
      chunks.push_back({c.row, c.k, address, static_cast<int>(address.count % bank_row.count / 4)});
    }
  }
  return chunks;
}

ComposedLayout SmemTile::layout() const {
  const ComposedLayout one = swz::atom(major_, *swizzle_, slot_type(*dtype_, packing_));
  const IntTuple order =
      order_ == StackingOrder::mn_first ? std::vector<IntTuple>{1, 2} : std::vector<IntTuple>{2, 1};
  return one.with(tile_to_shape(one.layout(), std::vector<IntTuple>{extents_.mn, extents_.k}, order));
}

}  // namespace swz
