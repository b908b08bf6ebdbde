// swz verify tile: one layout, end to end, on the GPU.
#include <memory>

#include "command.hpp"
#include "probe/tile_probe.hpp"
#include "tile_options.hpp"
#include "verify_options.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  TileOptions tile;
  std::string via = "tma";
  HardwareOptions hardware;
};

TileProbePlan plan_of(const Request& request) {
  const SmemTile tile = tile_of(request.tile, require_target("sm_90a"));
  TileProbePlan plan{tile.values(), request.via == "tma" ? TileWay::tma : TileWay::store};
  require_plan(plan);
  return plan;
}

}  // namespace

Action define_verify_tile(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  request->tile.base = "0x400";
  add_tile_options(app, request->tile);
  app.add_option("--via", request->via, "how the elements come to shared memory (default: tma)")
      ->check(CLI::IsMember(std::vector<std::string>{"tma", "store"}));
  add_hardware_options(app, request->hardware);
  return [request, &common] {
    const TileProbePlan plan = plan_of(*request);
    const SuiteFor suite = [&](const Target&) { return Suite{{"tile", {plan}}}; };
    if (std::optional<Outcome> outcome = without_hardware(suite, request->hardware, common)) return *outcome;
    const VerifyAnswer answer = ask_hardware(suite, request->hardware, common, true);
    return Outcome{view_verified_tile(plan, answer.report, answer.seen.front().seen),
                   answer.report.is_confirmed() ? 0 : 1};
  };
}

}  // namespace swz
