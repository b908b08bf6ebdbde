// How many wavefronts an access takes under a hypothesis.
//
//   ld.shared.b64, lanes l and l^1 at one address, packed:  the warp pairs, 32 lanes ask for 32 words: 1 wavefront
//   under no-pairing:                                       two groups of 16 lanes, 16 words each:      2
//
// Written lane by lane, without smem/wavefront: under Hypothesis::none the two must agree (tested).
#pragma once

#include "probe/hypothesis.hpp"
#include "smem/access.hpp"

namespace swz {

int wavefronts_under(Hypothesis hypothesis, const AccessPattern& pattern);

}  // namespace swz
