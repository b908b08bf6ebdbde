// SPDX-License-Identifier: Apache-2.0
// The probe of a tile, end to end, against a simulated GPU.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "probe/suite.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

std::vector<ProbePlan> drawn(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<ProbePlan> plans;
  for (int i = 0; i < count; ++i) {
    const TileProbePlan plan = draw_tile(random);
    require_plan(plan);
    plans.emplace_back(plan);
  }
  return plans;
}

std::int64_t confirmed(const std::vector<ProbePlan>& plans, Hypothesis hypothesis) {
  const std::vector<PartReport> reports = run_suite({{"tile", plans}}, simulated_observer(hypothesis), hypothesis, {});
  REQUIRE(reports[0].cases == static_cast<std::int64_t>(plans.size()));
  return reports[0].confirmed;
}

std::string message_of(const SmemTileValues& tile, TileWay way) {
  try {
    require_plan({SmemTile(tile), way});
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_SUITE("probe") {
  TEST_CASE("tile probe: simulated hardware confirms drawn tiles, through TMA and without") {
    const std::vector<ProbePlan> plans = drawn(is_sanitized ? 4 : 24, 7);
    bool has_tma = false, has_store = false, has_mn = false;
    for (const ProbePlan& plan : plans) {
      const auto& tile = std::get<TileProbePlan>(plan);
      (tile.way == TileWay::tma ? has_tma : has_store) = true;
      has_mn = has_mn || tile.tile.major() == Major::MN;
    }
    if (!is_sanitized) {  // the few that it draws need not have all
      CHECK(has_tma);
      CHECK(has_store);
      CHECK(has_mn);
    }
    CHECK(confirmed(plans, Hypothesis::none) == static_cast<std::int64_t>(plans.size()));
  }

  TEST_CASE("tile probe: wrong words, wrong places, a wrong identity and a wrong fragment are caught") {
    std::vector<ProbePlan> plans;
    for (const TileWay way : {TileWay::store, TileWay::tma})
      plans.emplace_back(TileProbePlan{SmemTile({.dtype = "bf16", .mn = 64, .k = 64, .base = Bytes{0x480}}), way});
    CHECK(confirmed(plans, Hypothesis::none) == 2);
    CHECK(confirmed(plans, Hypothesis::strides_swapped) == 0);
    CHECK(confirmed(plans, Hypothesis::wrong_identity) == 0);
    CHECK(confirmed(plans, Hypothesis::wrong_fragment) == 0);
    // TMA places by itself, whatever the model says.
    CHECK(confirmed(plans, Hypothesis::relative_xor) == 1);
    CHECK(confirmed(plans, Hypothesis::mask_off_by_one) == 1);
  }

  TEST_CASE("tile probe: what cannot be asked is refused with the way out") {
    const SmemTileValues tile{.dtype = "bf16", .mn = 128, .k = 64, .base = Bytes{0x400}};
    CHECK(message_of(tile, TileWay::tma).empty());
    SmemTileValues low = tile;
    low.base = Bytes{0};
    CHECK(message_of(low, TileWay::store) == "a tile of 16384 B at 0x0 does not lie between 0x400 and 0x37000");
    SmemTileValues odd = tile;
    odd.base = Bytes{0x410};
    CHECK(message_of(odd, TileWay::store).empty());
    CHECK(message_of(odd, TileWay::tma) == "TMA writes to multiples of 128 B only, the tile begins at 0x410");
    SmemTileValues mn_major = tile;
    mn_major.dtype = "e4m3";
    mn_major.major = Major::MN;
    mn_major.k = 128;
    CHECK_FALSE(message_of(mn_major, TileWay::store).empty());
  }

  TEST_CASE("tile probe: JSON round trip") {
    for (const ProbePlan& plan : drawn(50, 3)) CHECK(to_json(probe_plan(to_json(plan))) == to_json(plan));
  }
}
