// SPDX-License-Identifier: Apache-2.0
// View of a dump: what `swz identify` answers.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "identify/content_search.hpp"
#include "view/document/document.hpp"

namespace swz {

// What the elements are assumed to contain.
Json content_json(const TileContent& content, const LogicalTile& tile);

struct IdentifyReport {
  LogicalTile expected;
  std::string dump;  // "raw bytes of dump.bin, 4096 B at 0x0"
  Bytes address;     // of the dump's first byte
  TileIdentification found;
  std::vector<IndexRange> unowned;
  const Target* target = nullptr;
  std::optional<TileContent> content;       // none if it was given by --expect
  std::vector<TileAnswer> also;             // other contents that explain the dump as well
  std::vector<std::int64_t> in_place = {};  // of a tile that is not exact: the chunks of the dump (chunks_in_place)
};

// The tile that is compared with: what the writer meant, otherwise the nearest.
inline std::optional<SmemTile> compared_tile(const TileIdentification& found) {
  return found.mistake ? std::optional(found.mistake->meant) : found.tile;
}

// JSON: exact, swizzle, major, order, base, layout, elements, matching, first_difference {coordinate, expected, found},
// hypothesis {name, text}, candidates [{swizzle, major, order, base, layout}], descriptors [words], then box [entries]
// of the TMA copies that make it, unowned [[first, last]] bytes of the dump, input, fragment, null
// (identify_registers.hpp), contents {as, formula, text, values}, and also [{contents, swizzle, major, order, base,
// layout}].
Document view_identify(const IdentifyReport& report);

// Adds "matching", the second line: "stale: 3072 of 4096 elements in place".
template <class Found>
Field verdict_line(const Found& found) {
  const std::string standing = found.is_exact  ? "exact"
                               : found.mistake ? std::string(found.mistake->name)
                                               : "not explained";
  return {"matching", "verdict", found.matching,
          fmt::format("{}: {} of {} elements in place", standing, found.matching, found.elements),
          found.is_exact ? Tone::good : Tone::bad};
}

}  // namespace swz
