// swz tma plan: the copies by which TMA makes a tile, or any layout.
#include "base/error.hpp"
#include "operand_request.hpp"
#include "view/tma.hpp"

namespace swz {
namespace {

struct Request {
  OperandRequest placed;
  std::optional<TileExtents> operand;  // none: the tile itself
  std::optional<SmemAddress> stride;   // none: without a gap
  int rank = 0;                        // 0: 2, or as many as it takes
};

Options options_of(Request& r) {
  return operand_options(r.placed) +
         Options{option("--operand", "MNxK", r.operand, "extents of the operand in global memory")
                     .in("elements")
                     .by_default_note("the tile's"),
                 option("--stride", "BYTES", r.stride, "bytes from one line of the operand to the next")
                     .in("bytes")
                     .by_default_note("no gap"),
                 number("--rank", "N", r.rank, 2, 5, "highest rank of the map")
                     .by_default_note("2, or the lowest that suffices")};
}

SmemDestination destination_of(const PlacedOperand& placed, const OperandRequest& r) {
  if (placed.tile) return *placed.tile;
  return {placed.layout, dtype_of(r), r.tile.packing(), placed.placement.major(), placed.base};
}

GmemOperand operand_of(const Request& r, const SmemDestination& to, const Target& target) {
  GmemOperand operand = packed_operand(to, target, r.operand.value_or(to.extents()));
  if (r.stride) operand.line_stride = r.stride->bytes;
  return operand;
}

std::variant<TilePlan, Finding> first_plan(const Request& request, const SmemDestination& to,
                                           const GmemOperand& operand, const Target& target) {
  std::variant<TilePlan, Finding> plan = plan_tile(to, operand, target, request.rank == 0 ? 2 : request.rank);
  for (int rank = 3; request.rank == 0 && rank <= tensor_map_max_rank && plan.index() == 1; ++rank)
    if (auto higher = plan_tile(to, operand, target, rank); higher.index() == 0) plan = std::move(higher);
  return plan;
}

Answer answer(const Request& r, const Context& context) {
  const Target& target = context.target();
  PlacedOperand placed = placed_operand(r.placed, target);
  const SmemDestination to = destination_of(placed, r.placed);
  const GmemOperand operand = operand_of(r, to, target);
  TilePlanReport report{std::move(placed),      to.dtype, operand, first_plan(r, to, operand, target), {},
                        mma_reading(to, target)};
  if (const auto* first = std::get_if<TilePlan>(&report.first)) {
    TilePlan folded = std::get<TilePlan>(plan_tile(to, operand, target, tensor_map_max_rank));
    if (folded.copies.size() < first->copies.size()) report.folded = std::move(folded);
  }
  return {view_tile_plan(report), std::holds_alternative<Finding>(report.first) ? 1 : 0, !report.mma.is_read()};
}

}  // namespace

Command tma_plan_command() {
  return {
      .name = "tma plan",
      .summary = "the TMA copies that fill a tile; exit 1 when there are none",
      .details = R"(Shows the tensor map and the copies that fill a tile or any layout: the box, the
coordinate and the SMEM offset of each copy, how many bytes of global memory one
line of a box requests, and why fewer copies are not enough. If a map of higher
rank, which folds the operand into more dimensions, takes fewer copies, it is
shown as well.

For a layout it also shows whether an MMA reads the result by descriptor, and if
not, the box that an MMA would read.

Coordinates are those of a tile that begins at element (0, 0) of the operand.)",
      .examples = {{"swz tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", "16 copies, or 1"},
                   {"swz tma plan --dtype bf16 --tile 128x64 --operand 8192x4096", "a tile of a larger operand"},
                   {"swz tma plan --dtype bf16 --layout '(8,32):(32,1)'", "one box, but not what an MMA reads"}},
      .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
