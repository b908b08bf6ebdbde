// swz swizzle find: the smallest swizzle that makes given accesses conflict free.
#include "view/swizzle_find.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"
#include "placed.hpp"

namespace swz {
namespace {

struct Request {
  TileOptions tile;
  std::string layout;
  std::vector<std::string> reads, writes;
};

struct Operand {
  std::string name;
  FindRequest find;
};

Operand operand_of(const CLI::App& app, Request& request) {
  if (request.layout.empty()) {
    const TileShape shape = tile_shape_of(request.tile);
    const TileExtents e = shape.extents;
    const int bits = element_bits(*shape.dtype, shape.packing);
    const Layout layout = linear_layout(e, shape.major);
    return {fmt::format("{} {} {}, line after line: {}", shape.dtype->name, to_string(e), to_string(shape.major),
                        to_string(layout)),
            {layout, bits, shape.major, {}}};
  }
  if (app.count("--tile") != 0)
    throw Error("--tile says what --layout says already", "leave one of them out", {}, ErrorKind::usage);
  const ComposedLayout layout = parse_layout(request.layout);
  if (!layout.swizzle().is_identity())
    throw Error("the layout has a swizzle already",
                fmt::format("give it without: --layout '{}'", to_string(layout.layout())), {}, ErrorKind::usage);
  if (layout.offset() != 0)
    throw Error("the layout has an offset", "addresses are counted from the beginning of the operand", {},
                ErrorKind::usage);
  if (layout.has_pointer() && app.count("--dtype") == 0)
    request.tile.dtype = fmt::format("u{}", layout.element_bits());
  const DType& dtype = require_dtype(request.tile.dtype);
  const int bits = element_bits(dtype, request.tile.slots ? Packing::slots : Packing::packed);
  if (layout.has_pointer() && layout.element_bits() != bits)
    throw Error(
        fmt::format("the layout is of {}-bit elements, {} has {} bits", layout.element_bits(), dtype.name, bits),
        "leave --dtype out", {}, ErrorKind::usage);
  std::optional<Major> major;
  if (app.count("--major") != 0) major = parse_major(request.tile.major);
  return {fmt::format("{} {}", dtype.name, to_string(layout.layout())), {layout.layout(), bits, major, {}}};
}

bool is_read(const Access& access) {
  const AccessOp op = access.instruction != nullptr ? access.instruction->op : access.op;
  return op == AccessOp::load || op == AccessOp::ldmatrix;
}

void add_accesses(const std::vector<std::string>& texts, bool reads, Operand& operand,
                  std::vector<std::string>& kinds) {
  for (const std::string& text : texts) {
    const std::vector<Access> accesses = parse_accesses(text);
    for (const Access& access : accesses) {
      // A name for several accesses has both.
      if (accesses.size() == 1 && is_read(access) != reads)
        throw Error(fmt::format("{} {}", swz::quoted(text), reads ? "writes shared memory" : "reads shared memory"),
                    fmt::format("{} {}", reads ? "--writes" : "--reads", swz::quoted(text)), {}, ErrorKind::usage);
      operand.find.accesses.push_back(access);
      kinds.emplace_back(is_read(access) ? "reads" : "writes");
    }
  }
}

}  // namespace

Action define_swizzle_find(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tile_shape_options(app, request->tile);
  app.add_option("--layout", request->layout, "any layout of rank 2 without a swizzle, instead of a tile")
      ->type_name("LAYOUT");
  for (auto [name, list] : {std::pair{"--reads", &request->reads}, std::pair{"--writes", &request->writes}})
    app.add_option(name, *list, "an access that must be conflict free, as swz banks names it; can be repeated")
        ->type_name("ACCESS")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return [request, &common, &app] {
    Operand operand = operand_of(app, *request);
    std::vector<std::string> kinds;
    add_accesses(request->reads, true, operand, kinds);
    add_accesses(request->writes, false, operand, kinds);
    if (operand.find.accesses.empty())
      throw Error("no access given", "for example --reads ldmatrix.x4 --writes 'st.shared.b128 rows'", {},
                  ErrorKind::usage);
    require_within(limits::accesses, static_cast<std::int64_t>(operand.find.accesses.size()));
    const SwizzleFindReport report{operand.name, kinds, find_swizzle(operand.find), &target_of(common)};
    // The words of 32 lanes are more than a terminal shows at a glance.
    const std::size_t figure_lines = common.format == "json" ? 0 : common.format == "text" ? 8 : 32;
    return Outcome{view_swizzle_find(report, figure_lines), report.find.is_found() ? 0 : 1};
  };
}

}  // namespace swz
