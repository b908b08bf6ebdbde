// The panels of view/place: an operand as its coordinates are, and as shared memory holds it.
#pragma once

#include <cstdint>
#include <vector>

#include "view/place.hpp"

namespace swz {

// How a chunk looks, whatever the options say; it is added to the tip of its place.
struct ChunkLook {
  std::string text;
  Tint tint = {};
  Mark mark = Mark::none;
  std::string tip = {};
};

// What the panels of one figure share: numbers and colours come from the first operand.
struct PlaceScene {
  const PlaceOptions* options = nullptr;
  const Placement* first = nullptr;
  std::int64_t group_lines = 8;       // lines of a core matrix
  std::vector<bool> selected = {};    // a flag for each element, row by row; empty: nothing is highlighted
  std::vector<ChunkLook> looks = {};  // of every chunk of the first operand; empty: as the options say
};

// Cells of one panel.
std::int64_t logical_squares(const PlaceScene& scene, const Placement& placement);
std::int64_t smem_squares(const PlaceScene& scene, const Placement& placement);

// colliding: of the operand's chunks, as Reading has it; may be empty.
Grid logical_grid(const PlaceScene& scene, const PlacedOperand& operand, const std::vector<bool>& colliding);
// The lines from the first byte of the operand to its last. Where several elements share bytes it shows the first.
Grid smem_grid(const PlaceScene& scene, const PlacedOperand& operand, const std::vector<bool>& colliding);

// Elements that lie where an earlier one does.
std::int64_t shared_elements(const Placement& placement);

std::vector<LegendEntry> place_legend(const PlaceScene& scene, const PlacedOperand& operand);

}  // namespace swz
