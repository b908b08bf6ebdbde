// swz verify tile: one layout, end to end, on the GPU.
#include "hardware_request.hpp"
#include "probe/tile_probe.hpp"
#include "tile_request.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  TileRequest tile;
  TileWay via = TileWay::tma;
  HardwareRequest hardware;
};

Options options_of(Request& r) {
  return tile_options(r.tile, "0x400") +
         Options{one_of<TileWay>("--via", "WAY", r.via, {{"tma", TileWay::tma}, {"store", TileWay::store}},
                                 "how the elements come to shared memory")
                     .by_default("tma")} +
         hardware_options(r.hardware);
}

Answer answer(const Request& r, const Context& context) {
  const TileProbePlan plan{tile_of(r.tile, sm_90a()).values(), r.via};
  require_plan(plan);
  const SuiteFor suite = [&](const Target&) { return Suite{{"tile", {plan}}}; };
  if (std::optional<Answer> found = without_hardware(suite, r.hardware, context)) return *found;
  const VerifyAnswer seen = ask_hardware(suite, r.hardware, context, true);
  return {view_verified_tile(plan, seen.report, seen.seen.front().seen), seen.report.is_confirmed() ? 0 : 1};
}

}  // namespace

Command verify_tile_command() {
  return {
      .name = "verify tile",
      .summary = "one layout, end to end on the GPU; exit 1 when it differs",
      .details = R"(Puts a tile into shared memory, by the TMA boxes that swz plans or by the
addresses of swz place, lets wgmma read it by the words of swz desc, and checks
that every element is where it should be. Needs an sm_90 GPU.

On a mismatch a figure shows the elements that came from elsewhere.)",
      .examples = {{"swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B", "through TMA"},
                   {"swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store", "without"}},
      .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
