// swz tma plan: the copies by which TMA makes a tile.
#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "tile_options.hpp"
#include "view/tile_plan.hpp"

namespace swz {
namespace {

struct Request {
  TileOptions tile;
  std::string operand;  // "4096x4096"; empty: the tile itself
  std::string stride;   // bytes; empty: without a gap
  int rank = 2;
};

GmemOperand operand_of(const Request& request, const SmemTile& tile, const Target& target) {
  GmemOperand operand = packed_operand(
      tile, target, request.operand.empty() ? tile.extents() : parse_extents(request.operand, "an operand"));
  if (!request.stride.empty()) operand.line_stride = parse_base(request.stride);
  return operand;
}

}  // namespace

Action define_tma_plan(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tile_options(app, request->tile);
  app.add_option("--operand", request->operand, "extents of the operand in global memory (default: the tile's)")
      ->type_name("MNxK");
  app.add_option("--stride", request->stride, "bytes from one line of the operand to the next (default: no gap)")
      ->type_name("BYTES");
  app.add_option("--rank", request->rank, "the highest rank of the map (default: 2)")->check(CLI::Range(2, 5));
  return [request, &common] {
    const Target& target = target_of(common);
    const SmemTile tile = tile_of(request->tile, target);
    TilePlanReport report{&tile, operand_of(*request, tile, target), PlanRefusal{}, std::nullopt};
    report.first = plan_tile(tile, report.operand, target, request->rank);
    if (const auto* first = std::get_if<TilePlan>(&report.first)) {
      TilePlan folded = std::get<TilePlan>(plan_tile(tile, report.operand, target, tensor_map_max_rank));
      if (folded.copies.size() < first->copies.size()) report.folded = std::move(folded);
    }
    return Outcome{view_tile_plan(report), std::holds_alternative<PlanRefusal>(report.first) ? 1 : 0};
  };
}

}  // namespace swz
