// SPDX-License-Identifier: Apache-2.0
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
    throw Error(
        fmt::format("{} {} is not a multiple of {}: the {} atom of mode {} has {} elements of {}", direction, extent,
                    unit, to_string(values.major), values.swizzle->name, to_string(atom), values.dtype->name),
        fmt::format("take {} {}{}", direction, neighbours(extent, unit),
                    modes.empty() ? std::string() : ", or a mode that divides it: " + modes));
  };
  check("MN", values.mn, atom.mn);
  check("K", values.k, atom.k);
}

void check_fits(const SmemTileValues& values, Bytes size) {
  require_chunk_address(values.base, &*values.swizzle);
  const Bytes most = values.target->max_smem_per_cta, window = values.target->smem_window();
  if (size > most)
    throw Error(fmt::format("the tile takes {} B; a CTA has at most {} B ({} KiB) of shared memory", size.count,
                            most.count, most.count / 1024),
                "take a smaller tile");
  if (values.base.count > window.count - size.count)
    throw Error(fmt::format("a tile of {} B at {:#x} runs past {:#x}, the end of shared memory", size.count,
                            values.base.count, window.count),
                fmt::format("the last base address it fits at is {:#x}", window.count - size.count));
}

constexpr int base_offsets = 8;  // the field has 3 bits

void require_inside(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes, const Target* target) {
  require_chunk_address(base, &mode);
  const Bytes window = smem_window(target);
  const Bytes size = tile_bytes.value_or(pattern_shown(mode));
  if (size.count < 1 || size > window || base.count > window.count - size.count)
    throw Error(
        fmt::format("{} B at {:#x} run past {:#x}, the end of shared memory", size.count, base.count, window.count),
        "take a smaller base address or tile");
}

template <class Do>
void for_each_chunk(Bytes size, Do&& act) {
  for (std::int64_t offset = 0; offset < size.count; offset += chunk.count) act(Bytes{offset});
}

PhaseCount count_wrong(const SwizzleMode& mode, Bytes base, Bytes size) {
  PhaseCount count{Bytes{0}, size};
  for_each_chunk(size, [&](Bytes offset) {
    if (absolute_byte(mode, base, offset) != relative_byte(mode, base, offset)) count.wrong.count += chunk.count;
  });
  return count;
}

// The base offsets with which an MMA reads every chunk of one pattern where `place` put it. Both sides repeat after a
// pattern, so one pattern is enough.
template <class Place>
std::vector<int> agreeing(const SwizzleMode& mode, Bytes base, Place&& place) {
  std::vector<int> offsets;
  for (int base_offset = 0; base_offset < base_offsets; ++base_offset) {
    bool agrees = true;
    for_each_chunk(mode.pattern(), [&](Bytes offset) {
      agrees = agrees && mode.byte(base.count + offset.count, base_offset) == place(mode, base, offset).count;
    });
    if (agrees) offsets.push_back(base_offset);
  }
  return offsets;
}

}  // namespace

int element_bits(const DType& dtype, Packing packing) {
  if (packing == Packing::packed) return dtype.memory_bits;
  if (dtype.container_bits != 0) return dtype.container_bits;
  throw Error(fmt::format("{} does not lie in 8-bit slots", dtype.name),
              "kinds f8f6f4 and mxf8f6f4 read fp8, fp6 and fp4 in such slots");
}

const NarrowForm* narrow_form(const DType& dtype, Packing packing) {
  return find_narrow_form(dtype.name, dtype.container_bits == 8 && element_bits(dtype, packing) == 8);
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
        "a K-major atom of mode 128B_32B is not defined",
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
      atoms.push_back({fmt::format("{}_{}", direction_name(major), mode.atom_name), major, &mode});
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
      form_(narrow_form(*values.dtype, values.packing)),
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
  const TileCoordinate in_atom{row % atom_.mn, k % atom_.k};
  return Bytes{row / atom_.mn * mn_atom_stride_.count + k / atom_.k * k_atom_stride_.count +
               in_atom.line(major()) * swizzle().span.count + in_atom.along(major()) * element_bits_ / 8};
}

Bytes SmemTile::byte(std::int64_t row, std::int64_t k) const {
  return Bytes{byte_swizzle_(base().count + linear_offset(row, k).count)};
}

Bits SmemTile::bit(std::int64_t row, std::int64_t k) const {
  const std::int64_t below_byte = TileCoordinate{row, k}.along(major()) * element_bits_ % 8;
  return value_bit(form_, Bits{byte(row, k).count * 8 + below_byte});
}

std::optional<TileCoordinate> SmemTile::at(Bytes address) const {
  if (address.count < 0) return std::nullopt;
  const std::int64_t offset = byte_swizzle_(address.count) - base().count;
  if (offset < 0 || offset >= bytes().count) return std::nullopt;
  const std::int64_t mn_atom = offset / mn_atom_stride_.count % atoms().mn;
  const std::int64_t k_atom = offset / k_atom_stride_.count % atoms().k;
  const std::int64_t line = offset % swizzle().atom().count / swizzle().span.count;
  const std::int64_t element = offset % swizzle().span.count * 8 / element_bits_;
  const TileCoordinate in_atom = TileCoordinate::of(major(), line, element);
  return TileCoordinate{mn_atom * atom_.mn + in_atom.row, k_atom * atom_.k + in_atom.k};
}

ComposedLayout SmemTile::layout() const {
  const ComposedLayout one = swz::atom(major(), swizzle(), dtype(), packing());
  const IntTuple stacking =
      order() == StackingOrder::mn_first ? std::vector<IntTuple>{1, 2} : std::vector<IntTuple>{2, 1};
  return one.with(tile_to_shape(one.layout(), std::vector<IntTuple>{values_.mn, values_.k}, stacking));
}

Phase phase(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes, const Target* target) {
  require_inside(mode, base, tile_bytes, target);
  Phase out;
  out.mode = &mode;
  out.base = base;
  out.bytes = Bytes{base.count % mode.pattern().count};
  out.below = Bytes{base.count - out.bytes.count};
  out.above = out.is_aligned() ? base : Bytes{out.below.count + mode.pattern().count};
  out.over_pattern = count_wrong(mode, base, mode.pattern());
  if (tile_bytes) out.over_tile = count_wrong(mode, base, *tile_bytes);
  out.absolute_base_offsets = agreeing(mode, base, absolute_byte);
  out.relative_base_offsets = agreeing(mode, base, relative_byte);
  out.documented_base_offset = static_cast<int>(base.count / bank_row.count % base_offsets);

  out.size = tile_bytes.value_or(mode.pattern());
  out.lowest = base;
  out.end = Bytes{base.count + out.size.count};
  for_each_chunk(out.size, [&](Bytes offset) {
    const Bytes lies_at = absolute_byte(mode, base, offset);
    const Bytes looked_for = relative_byte(mode, base, offset);
    out.lowest = std::min(out.lowest, lies_at);
    out.end = std::max(out.end, Bytes{lies_at.count + chunk.count});
    if (lies_at != looked_for && !out.first_wrong) out.first_wrong = {offset, lies_at, looked_for};
  });
  return out;
}

}  // namespace swz
