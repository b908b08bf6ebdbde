// SPDX-License-Identifier: Apache-2.0
// choose_swizzle against CUTLASS's ss_smem_selector (sm_90a) and sm100_smem_selector (sm_100a).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "arch/dtype.hpp"
#include "arch/target.hpp"
#include "selectors.hpp"
#include "smem/choose.hpp"

namespace swz {

TEST_CASE("the mode that swz chooses is CUTLASS's") {
  std::map<std::string, int> tiles, modes, unreadable;
  for (const CuteChoice& c : cute_choices()) {
    CAPTURE(fmt::format("{} {}{} {} {}x{}", c.target, c.dtype, c.in_slots ? " in slots" : "",
                        c.is_mn_major ? "MN-major" : "K-major", c.mn, c.k));
    const SmemTileValues shape{c.dtype, c.in_slots ? Packing::slots : Packing::packed,
                               c.is_mn_major ? Major::MN : Major::K, c.mn, c.k};
    const SwizzleChoice mine = choose_swizzle(shape, require_target(c.target));
    CHECK(std::string(mine.mode->name) == std::string(c.swizzle));
    ++tiles[c.target];
    ++modes[c.swizzle];
    if (mine.unreadable) ++unreadable[std::string(mine.unreadable->rule)];
  }
  for (const auto& [target, count] : tiles) MESSAGE(target << ": " << count << " tiles");
  using Counts = std::map<std::string, int>;
  CHECK(tiles == Counts{{"sm_100a", 11 * 2 * 32}, {"sm_90a", 7 * 2 * 32}});
  // Of 32 extents in chunks of 16 B, 4 have 128B, 4 have 64B and 8 have 32B; of 32 in pairs of chunks (tf32) twice
  // as many, and none is without.
  CHECK(modes == Counts{{"128B", 32 * 4 + 3 * 8},
                        {"64B", 32 * 4 + 3 * 8},
                        {"32B", 32 * 8 + 3 * 16},
                        {"none", 32 * 16},
                        {"128B_32B", 32}});
  // CUTLASS chooses for what no instruction reads, too. There swz goes by the fit, and says so.
  CHECK(unreadable == Counts{{"wgmma-mn-16-bit", 5 * 32}, {"packed-fp4-k-major", 32}});
}

}  // namespace swz
