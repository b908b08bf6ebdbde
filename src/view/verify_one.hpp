// What the hardware did with one thing: the Documents of `swz verify tile`, `swz verify desc` and `swz verify
// layout`.
//
//   bf16 128x64 K-major, mode 128B, mn-first, at 0x400, via tma
//   confirmed  every one of 8192 elements reached the MMA by 1 TMA copy of rank 3 and 8 words
#pragma once

#include "probe/suite.hpp"
#include "probe/tile_probe.hpp"
#include "view/document.hpp"

namespace swz {

// With the figure of the tile when elements came from elsewhere.
Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen);

// The map of what was seen, as swz map shows it.
Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen);

// A row for each way that was asked, with its elements and wavefronts; then the ways that cannot be asked, with the
// reason. With a figure of the first way by which elements lie elsewhere.
Document view_verified_layout(const LayoutOperand& operand, std::span<const LayoutQuestion> questions,
                              const VerifyReport& report, std::span<const RecordedCase> seen);

}  // namespace swz
