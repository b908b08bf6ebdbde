#include "operand_request.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/evaluate.hpp"
#include "expr/value.hpp"

namespace swz {
namespace {

PlacedOperand placed(SmemTile tile) {
  return {fmt::format("mode {}", tile.swizzle().name), tile.layout(), tile.base(), Placement(tile), tile};
}

// A single word that is no mode; one with more to it may be a layout.
[[noreturn]] void throw_unknown_mode(const std::string& text) {
  Words names;
  for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  const std::string modes = join_and(names);
  names.emplace_back("linear");
  throw usage_error(fmt::format("{} is neither a swizzle mode nor 'linear' nor a layout", swz::quoted(text)),
                    did_you_mean(text, names, "swizzle modes: " + modes));
}

}  // namespace

void read_value(const std::string& text, LayoutText& to) { to = {text, parse_layout(text)}; }

void read_value(const std::string& text, Layout& to) { to = as_layout(evaluate(text).value); }

void read_value(const std::string& text, AccessText& to) { to = {text, parse_accesses(text)}; }

Options operand_options(OperandRequest& operand) {
  return tile_options(operand.tile) +
         Options{
             option("--layout", "LAYOUT", operand.layout, "any layout of rank 2 instead of a tile")
                 .excluding({"--tile", "--swizzle", "--order"}, "a layout has its own extents, swizzle and order")};
}

const DType& dtype_of(const OperandRequest& operand) {
  if (operand.layout && operand.layout->layout.has_pointer() && !operand.tile.has_dtype)
    return require_dtype(fmt::format("u{}", operand.layout->layout.element_bits()));
  return *operand.tile.dtype;
}

int element_bits(const OperandRequest& operand) { return element_bits(dtype_of(operand), operand.tile.packing()); }

std::optional<Major> major_of(const TileRequest& tile) {
  return tile.has_major ? std::optional(tile.major) : std::nullopt;
}

PlacedOperand placed_operand(const OperandRequest& operand, const Target& target) {
  if (!operand.layout) return placed(tile_of(operand.tile, target));
  const auto& [text, layout] = *operand.layout;
  const Bytes base = operand.tile.base.bytes;
  return {text, layout, base, Placement(layout, element_bits(operand), base, major_of(operand.tile))};
}

PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, const PlacedOperand& first) {
  const Placement& p = first.placement;
  PlacedOperand other{name, layout, first.base, Placement(layout, p.element_bits(), first.base, p.major())};
  if (other.placement.extents() != p.extents())
    throw Error(fmt::format("{} has {} elements, what it stands beside has {}", name,
                            to_string(other.placement.extents()), to_string(p.extents())),
                "operands that are compared have the same extents");
  return other;
}

Layout linear_layout(TileExtents extents, Major major, std::int64_t padding) {
  const bool k_major = major == Major::K;
  return {std::vector<IntTuple>{extents.mn, extents.k},
          std::vector<IntTuple>{k_major ? extents.k + padding : std::int64_t{1},
                                k_major ? std::int64_t{1} : extents.mn + padding}};
}

PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const TileRequest& tile) {
  const Placement& p = first.placement;
  if (text == "linear" || text == "rows") return placed_layout("linear", linear_layout(p), first);
  if (const SwizzleMode* mode = find_swizzle_mode(text)) {
    const bool has_type_of_pointer = first.layout.has_pointer() && !first.tile && !tile.has_dtype;
    return placed(
        SmemTile({.dtype = has_type_of_pointer ? require_dtype(fmt::format("u{}", p.element_bits())) : *tile.dtype,
                  .packing = tile.packing(),
                  .major = p.major(),
                  .mn = p.extents().mn,
                  .k = p.extents().k,
                  .swizzle = *mode,
                  .order = tile.order,
                  .base = first.base}));
  }
  if (text.find_first_of("(<:") == std::string::npos) throw_unknown_mode(text);
  return placed_layout(text, parse_layout(text), first);
}

}  // namespace swz
