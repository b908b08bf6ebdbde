#include "placed.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

PlacedOperand placed(SmemTile tile) {
  return {fmt::format("mode {}", tile.swizzle().name), tile.layout(), tile.base(), Placement(tile), tile};
}

// A single word that is no mode; one with more to it may be a layout.
[[noreturn]] void throw_unknown_mode(const std::string& text) {
  std::vector<std::string> names;
  for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  const std::string modes = join_and(names);
  names.emplace_back("linear");
  const std::string guess = did_you_mean(text, names);
  throw Error(fmt::format("{} is neither a swizzle mode nor 'linear' nor a layout", swz::quoted(text)),
              fmt::format("{}{}swizzle modes: {}", guess, guess.empty() ? "" : " ", modes), {}, ErrorKind::usage);
}

void refuse_both(const CLI::App& app) {
  for (const char* option : {"--tile", "--swizzle", "--order"})
    if (app.count(option) != 0)
      throw Error(fmt::format("{} says what --layout says already", option), "leave one of them out", {},
                  ErrorKind::usage);
}

}  // namespace

void add_operand_options(CLI::App& app, OperandOptions& options) {
  add_tile_options(app, options.tile);
  app.add_option("--layout", options.layout, "any layout of rank 2 instead of a tile")->type_name("LAYOUT");
}

PlacedOperand placed_operand(const CLI::App& app, OperandOptions& options, const Common& common) {
  if (options.layout.empty()) return placed(tile_of(options.tile, target_of(common)));
  refuse_both(app);
  const ComposedLayout layout = parse_layout(options.layout);
  if (layout.has_pointer() && app.count("--dtype") == 0)
    options.tile.dtype = fmt::format("u{}", layout.element_bits());
  const int bits =
      element_bits(require_dtype(options.tile.dtype), options.tile.slots ? Packing::slots : Packing::packed);
  std::optional<Major> major;
  if (app.count("--major") != 0) major = parse_major(options.tile.major);
  const Bytes base = parse_base(options.tile.base);
  return {options.layout, layout, base, Placement(layout, bits, base, major)};
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

PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const TileOptions& options) {
  const Placement& p = first.placement;
  if (text == "linear" || text == "rows") return placed_layout("linear", linear_layout(p), first);
  if (const SwizzleMode* mode = find_swizzle_mode(text)) {
    return placed(SmemTile({.dtype = options.dtype,
                            .packing = options.slots ? Packing::slots : Packing::packed,
                            .major = p.major(),
                            .mn = p.extents().mn,
                            .k = p.extents().k,
                            .swizzle = mode->name,
                            .order = require_stacking_order(options.order),
                            .base = first.base}));
  }
  if (text.find_first_of("(<:") == std::string::npos) throw_unknown_mode(text);
  return placed_layout(text, parse_layout(text), first);
}

}  // namespace swz
