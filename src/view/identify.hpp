// View of a dump: what `swz identify` says.
#pragma once

#include <string>
#include <vector>

#include "identify/tile_identify.hpp"
#include "view/document.hpp"

namespace swz {

struct IdentifyReport {
  LogicalTile expected;
  std::string dump;      // "raw bytes of dump.bin, 4096 B at 0x0"
  Bytes address;         // of the dump's first byte
  TileIdentification found;
  std::vector<IndexRange> unowned;
  const Target* target = nullptr;
};

// JSON: exact, swizzle, major, order, base, layout, elements, matching, first_difference {coordinate, expected, found},
// hypothesis {name, text}, candidates [{swizzle, major, order, base, layout}], descriptors [words], then box [entries] of
// the TMA copies that make it, unowned [[first, last]] bytes of the dump, input, and
// fragment, null (identify_registers.hpp).
Document view_identify(const IdentifyReport& report);

}  // namespace swz
