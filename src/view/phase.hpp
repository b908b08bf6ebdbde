// View of the phase of a tile: what `swz phase` says.
#pragma once

#include <optional>

#include "smem/phase.hpp"
#include "smem/tile.hpp"
#include "view/document.hpp"

namespace swz {

// JSON: swizzle, base, pattern_bytes, phase_bytes, phase_lines, aligned, below, above, pattern, tile, first_wrong,
// base_offsets, lowest, highest, notes (docs/json.md). tile: that of the phase, when one was given.
Document view_phase(const Phase& phase, const std::optional<SmemTile>& tile);

}  // namespace swz
