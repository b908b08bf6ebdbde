#include "smem/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/tiling.hpp"

namespace swz {

namespace {

// "96 or 104"
std::string neighbours(std::int64_t extent, std::int64_t unit) {
  const std::int64_t below = extent / unit * unit;
  if (below == 0) return fmt::format("{}", unit);
  return fmt::format("{} or {}", below, below + unit);
}

// "none (8x8) and 32B (8x16)": the modes whose atom divides the extents.
std::string fitting_modes(const SmemTileValues& values) {
  std::vector<std::string> names;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (mode.family == SwizzleFamily::chunk_32) continue;
    const TileExtents atom = atom_extents(values.major, mode, *values.dtype, values.packing);
    if (values.mn % atom.mn == 0 && values.k % atom.k == 0)
      names.push_back(fmt::format("{} ({})", mode.name, to_string(atom)));
  }
  return join_and(names);
}

void check_divides(const SmemTileValues& values, TileExtents atom) {
  const auto check = [&](std::string_view direction, std::int64_t extent, std::int64_t unit) {
    if (extent % unit == 0) return;
    const std::string modes = fitting_modes(values);
    throw Error(fmt::format("{} {} is not a multiple of {}: the {} atom of mode {} has {} elements of {}",
                            direction, extent, unit, to_string(values.major), values.swizzle->name, to_string(atom),
                            values.dtype->name),
                fmt::format("take {} {}{}", direction, neighbours(extent, unit),
                            modes.empty() ? std::string() : ", or a mode that divides it: " + modes));
  };
  check("MN", values.mn, atom.mn);
  check("K", values.k, atom.k);
}

void check_fits(const SmemTileValues& values, Bytes size) {
  require_chunk_address(values.base, &*values.swizzle);
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

ComposedLayout atom(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing) {
  if (major == Major::K && mode.family == SwizzleFamily::chunk_32)
    throw Error(
        "nobody defines a K-major atom of mode 128B_32B",
        "MN-major: MN_SW128_32B. K-major is disputed: PTX table 54 allows all swizzle modes, table 55 and CUTLASS "
        "have the MN-major atom only");
  const int bits = element_bits(dtype, packing);
  const std::int64_t line_bits = mode.span.count * 8;
  if (line_bits % bits != 0)
    throw Error(fmt::format("a line of {} bits does not hold whole elements of {}", line_bits, dtype.name),
                "use another element type");
  const FlatMode across{mode.lines, line_bits / bits}, along{line_bits / bits, 1};
  const Layout elements(major == Major::K ? std::vector{across, along} : std::vector{along, across});
  return ComposedLayout::smem_ptr(mode.byte_swizzle(), bits, elements);
}

TileExtents atom_extents(Major major, const SwizzleMode& mode, const DType& dtype, Packing packing) {
  const IntTuple shape = atom(major, mode, dtype, packing).layout().shape();
  return {product(swz::mode(shape, 0)), product(swz::mode(shape, 1))};
}

std::vector<NamedAtom> named_atoms() {
  std::vector<NamedAtom> atoms;
  for (const Major major : {Major::K, Major::MN}) {
    for (const SwizzleMode& mode : swizzle_modes()) {
      std::string suffix = "INTER";
      if (mode.family == SwizzleFamily::chunk_16) suffix = fmt::format("SW{}", mode.span.count);
      if (mode.family == SwizzleFamily::chunk_32) suffix = fmt::format("SW{}_32B", mode.span.count);
      atoms.push_back({(major == Major::K ? "K_" : "MN_") + suffix, major, &mode});
    }
  }
  return atoms;
}

const NamedAtom* find_atom(const std::vector<NamedAtom>& atoms, std::string_view name) {
  if (const auto colon = name.rfind("::"); colon != std::string_view::npos) name.remove_prefix(colon + 2);
  if (name.starts_with("Layout_") && name.ends_with("_Atom")) name = name.substr(7, name.size() - 12);
  const auto found = std::ranges::find(atoms, name, &NamedAtom::name);
  return found == atoms.end() ? nullptr : &*found;
}

void require_chunk_address(Bytes base, const SwizzleMode* mode) {
  if (base.count >= 0 && base.is_multiple_of(chunk)) return;
  throw Error(fmt::format("the base address {:#x} is not a multiple of 16 B", base.count),
              "descriptors count 16-byte chunks" +
                  (mode ? fmt::format("; mode {} repeats every {} B", mode->name, mode->pattern().count) : ""));
}

SmemTile::SmemTile(const SmemTileValues& values)
    : values_(values),
      element_bits_(swz::element_bits(*values.dtype, values.packing)),
      byte_swizzle_(values.swizzle->byte_swizzle()),
      atom_(atom_extents(values.major, *values.swizzle, *values.dtype, values.packing)) {
  if (values.mn < 1 || values.k < 1)
    throw Error(fmt::format("a tile of {} elements is empty", to_string(extents())), "both extents are 1 or more");
  check_divides(values, atom_);
  check_fits(values, Bits{checked_mul(checked_mul(values.mn, values.k), element_bits_)}.in_bytes());

  const Bytes next = values.swizzle->atom();
  mn_atom_stride_ = values.order == StackingOrder::mn_first ? next : Bytes{next.count * atoms().k};
  k_atom_stride_ = values.order == StackingOrder::k_first ? next : Bytes{next.count * atoms().mn};
}

Bytes SmemTile::linear_offset(std::int64_t row, std::int64_t k) const {
  const std::int64_t row_in_atom = row % atom_.mn;
  const std::int64_t k_in_atom = k % atom_.k;
  const std::int64_t line = major() == Major::K ? row_in_atom : k_in_atom;
  const std::int64_t element = major() == Major::K ? k_in_atom : row_in_atom;
  return Bytes{row / atom_.mn * mn_atom_stride_.count + k / atom_.k * k_atom_stride_.count +
               line * swizzle().span.count + element * element_bits_ / 8};
}

Bytes SmemTile::byte(std::int64_t row, std::int64_t k) const {
  return Bytes{byte_swizzle_(base().count + linear_offset(row, k).count)};
}

std::vector<std::int64_t> SmemTile::byte_map() const {
  // The linear offset is a sum of one part for the row and one for k.
  std::vector<std::int64_t> along_k;
  for (std::int64_t k = 0; k < values_.k; ++k) along_k.push_back(linear_offset(0, k).count);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(values_.mn * values_.k));
  auto out = bytes.begin();
  for (std::int64_t row = 0; row < values_.mn; ++row) {
    const std::int64_t start = base().count + linear_offset(row, 0).count;
    out = std::transform(along_k.begin(), along_k.end(), out,
                         [&](std::int64_t offset) { return byte_swizzle_(start + offset); });
  }
  return bytes;
}

std::optional<TileCoordinate> SmemTile::at(Bytes address) const {
  if (address.count < 0) return std::nullopt;
  const std::int64_t offset = byte_swizzle_(address.count) - base().count;
  if (offset < 0 || offset >= bytes().count) return std::nullopt;
  const std::int64_t atom_bytes = swizzle().atom().count;
  const std::int64_t index = offset / atom_bytes;
  const std::int64_t fast = order() == StackingOrder::mn_first ? atoms().mn : atoms().k;
  const std::int64_t mn_atom = order() == StackingOrder::mn_first ? index % fast : index / fast;
  const std::int64_t k_atom = order() == StackingOrder::mn_first ? index / fast : index % fast;
  const std::int64_t line = offset % atom_bytes / swizzle().span.count;
  const std::int64_t element = offset % swizzle().span.count * 8 / element_bits_;
  const TileCoordinate in_atom =
      major() == Major::K ? TileCoordinate{line, element} : TileCoordinate{element, line};
  return TileCoordinate{mn_atom * atom_.mn + in_atom.row, k_atom * atom_.k + in_atom.k};
}

ComposedLayout SmemTile::layout() const {
  const ComposedLayout one = swz::atom(major(), swizzle(), dtype(), packing());
  const IntTuple stacking =
      order() == StackingOrder::mn_first ? std::vector<IntTuple>{1, 2} : std::vector<IntTuple>{2, 1};
  return one.with(tile_to_shape(one.layout(), std::vector<IntTuple>{values_.mn, values_.k}, stacking));
}

}  // namespace swz
