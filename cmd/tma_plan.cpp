// swz tma plan: the copies by which TMA makes a tile, or any layout.
#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "placed.hpp"
#include "view/tile_plan.hpp"

namespace swz {
namespace {

struct Request {
  OperandOptions placed;
  std::string operand;  // "4096x4096"; empty: the tile itself
  std::string stride;   // bytes; empty: without a gap
  int rank = 0;         // 0: 2, or as many as it takes
};

SmemDestination destination_of(const PlacedOperand& placed, const TileOptions& options) {
  if (placed.tile) return *placed.tile;
  return {placed.layout, require_dtype(options.dtype), options.slots ? Packing::slots : Packing::packed,
          placed.placement.major(), placed.base};
}

GmemOperand operand_of(const Request& request, const SmemDestination& to, const Target& target) {
  GmemOperand operand = packed_operand(
      to, target, request.operand.empty() ? to.extents() : parse_extents(request.operand, "an operand"));
  if (!request.stride.empty()) operand.line_stride = parse_base(request.stride);
  return operand;
}

std::variant<TilePlan, Finding> first_plan(const Request& request, const SmemDestination& to,
                                           const GmemOperand& operand, const Target& target) {
  std::variant<TilePlan, Finding> plan = plan_tile(to, operand, target, request.rank == 0 ? 2 : request.rank);
  for (int rank = 3; request.rank == 0 && rank <= tensor_map_max_rank && plan.index() == 1; ++rank)
    if (auto higher = plan_tile(to, operand, target, rank); higher.index() == 0) plan = std::move(higher);
  return plan;
}

}  // namespace

Action define_tma_plan(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_operand_options(app, request->placed);
  app.add_option("--operand", request->operand, "extents of the operand in global memory (default: the tile's)")
      ->type_name("MNxK");
  app.add_option("--stride", request->stride, "bytes from one line of the operand to the next (default: no gap)")
      ->type_name("BYTES");
  app.add_option("--rank", request->rank, "the highest rank of the map (default: 2, more where it takes more)")
      ->check(CLI::Range(2, 5));
  return [request, &common, &app] {
    const Target& target = target_of(common);
    PlacedOperand placed = placed_operand(app, request->placed, common);
    const SmemDestination to = destination_of(placed, request->placed.tile);
    const GmemOperand operand = operand_of(*request, to, target);
    TilePlanReport report{std::move(placed),      to.dtype, operand, first_plan(*request, to, operand, target), {},
                          mma_reading(to, target)};
    if (const auto* first = std::get_if<TilePlan>(&report.first)) {
      TilePlan folded = std::get<TilePlan>(plan_tile(to, operand, target, tensor_map_max_rank));
      if (folded.copies.size() < first->copies.size()) report.folded = std::move(folded);
    }
    const bool is_picture = common.format != "text" && common.format != "json";
    return Outcome{view_tile_plan(report, {is_picture, is_picture}),
                   std::holds_alternative<Finding>(report.first) ? 1 : 0, !report.mma.is_read()};
  };
}

}  // namespace swz
