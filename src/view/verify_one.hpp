// What the hardware did with one thing: the Documents of `swz verify tile` and `swz verify desc`.
//
//   bf16 128x64 K-major, mode 128B, mn-first, at 0x400, via tma
//   confirmed  every one of 8192 elements reached the MMA: 1 TMA copy (rank 3), 8 words
#pragma once

#include "probe/suite.hpp"
#include "probe/tile_probe.hpp"
#include "view/document.hpp"

namespace swz {

// With the figure of the tile when elements came from elsewhere.
Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen);

// The map of what was seen, as swz map shows it.
Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen);

}  // namespace swz
