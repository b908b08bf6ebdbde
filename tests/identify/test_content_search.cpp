// SPDX-License-Identifier: Apache-2.0
// What a dump holds, unsaid: the numbers that people store come back as what they are, in every mode, major and type.
//
// The dumps are written by the tables of smem and by numbers of this file's own, so that the search is held against what was
// stored, not against its own guesses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "base/random.hpp"
#include "fragment/all_fragments.hpp"
#include "identify/content_search.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

// What someone stores: a number for each element.
struct Stored {
  const char* name;
  bool as_values;
  std::function<double(std::int64_t i, std::int64_t row, std::int64_t k)> number;
};
const std::vector<Stored> stored{
    {"i", true, [](auto i, auto, auto) { return i; }},
    {"bits i", false, [](auto i, auto, auto) { return i; }},
    {"3 + i", true, [](auto i, auto, auto) { return 3 + i; }},
    {"2 i", true, [](auto i, auto, auto) { return 2 * i; }},
    {"i / 2", true, [](auto i, auto, auto) { return static_cast<double>(i) / 2; }},
    {"i - 100", true, [](auto i, auto, auto) { return i - 100; }},
    {"i modulo 100", true, [](auto i, auto, auto) { return i % 100; }},
    {"i modulo 256", true, [](auto i, auto, auto) { return i % 256; }},
    {"row", true, [](auto, auto row, auto) { return row; }},
    {"k", true, [](auto, auto, auto k) { return k; }},
    {"1000 row + k", true, [](auto, auto row, auto k) { return 1000 * row + k; }},
    {"100 row + k", true, [](auto, auto row, auto k) { return 100 * row + k; }},
    {"row + k", true, [](auto, auto row, auto k) { return row + k; }},
    {"256 row + k as bits", false, [](auto, auto row, auto k) { return 256 * row + k; }},
    {"row as bits", false, [](auto, auto row, auto) { return row; }},
    {"k as bits", false, [](auto, auto, auto k) { return k; }},
};

std::optional<LogicalTile> tile_of(const Stored& what, const ElementType& type, TileExtents extents) {
  LogicalTile tile = iota_tile(type, extents);
  const std::uint64_t mask = type.value_bits() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.value_bits()) - 1;
  for (std::int64_t i = 0; i < tile.elements(); ++i) {
    const double number = what.number(i, i / extents.k, i % extents.k);
    if (what.as_values && find_float_format(type.dtype->name) == nullptr) return std::nullopt;
    const auto value =
        what.as_values ? number_bits(*type.dtype, number) : std::optional(static_cast<std::uint64_t>(number) & mask);
    if (!value) return std::nullopt;
    tile.values[static_cast<std::size_t>(i)] = *value;
  }
  return tile;
}

using Dump = std::vector<std::byte>;

Dump dump_of(const SmemTile& tile, const LogicalTile& values, std::int64_t size, Random& random) {
  Dump dump(static_cast<std::size_t>(size));
  if (random.one_in(2))
    for (std::byte& b : dump) b = static_cast<std::byte>(random() & 0xff);
  for (std::int64_t row = 0; row < values.extents.mn; ++row)
    for (std::int64_t k = 0; k < values.extents.k; ++k)
      put_bits(dump, tile.bit(row, k).count, values.type.value_bits(), values.value({row, k}));
  return dump;
}

bool same_function(const SmemTile& a, const SmemTile& b) {
  for (std::int64_t row = 0; row < a.extents().mn; ++row)
    for (std::int64_t k = 0; k < a.extents().k; ++k)
      if (a.bit(row, k) != b.bit(row, k)) return false;
  return true;
}

// Whether the tile is the answer, or among what the data leave.
bool is_among(const TileIdentification& found, const SmemTile& tile) {
  if (same_function(*found.tile, tile) || found.is_cut) return true;
  return std::ranges::any_of(found.candidates,
                             [&](const SmemTile& candidate) { return same_function(candidate, tile); });
}

TEST_CASE(
    "contents: what is stored as numbers is found in every mode, major, type and tile, exact and without a "
    "mistake") {
  Random random(28);
  Sweep every{5};
  std::map<std::string, int> asked, not_found;
  for (const DType& dtype : dtypes())
    for (const Packing packing : {Packing::packed, Packing::slots}) {
      if (packing == Packing::slots && (dtype.container_bits == 0 || dtype.container_bits == dtype.memory_bits))
        continue;
      if (dtype.memory_bits > 64) continue;
      for (const SwizzleMode& mode : swizzle_modes())
        for (const Major major : {Major::K, Major::MN})
          for (const Stored& what : stored) {
            if (!every.takes() || (major == Major::K && mode.family == SwizzleFamily::chunk_32)) continue;
            const TileExtents atom = atom_extents(major, mode, dtype, packing);
            const TileExtents extents{atom.mn * (1 + random.below(std::max<std::int64_t>(1, 64 / atom.mn))),
                                      atom.k * (1 + random.below(std::max<std::int64_t>(1, 64 / atom.k)))};
            const ElementType type{dtype, packing};
            const auto values = tile_of(what, type, extents);
            if (!values) continue;
            const std::int64_t base = 1024 * random.below(2) + 128 * random.below(3),
                               bytes = extents.mn * extents.k * type.slot_bits() / 8;
            const SmemTile tile({.dtype = dtype,
                                 .packing = packing,
                                 .major = major,
                                 .mn = extents.mn,
                                 .k = extents.k,
                                 .swizzle = mode,
                                 .order = random.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first,
                                 .base = Bytes{base}});
            const Dump bytes_of_dump = dump_of(tile, *values, base + bytes + 256, random);
            const SharedDump dump(bytes_of_dump, Bytes{0}, 1);
            const auto answers = identify_contents({{&dump, NumberMeaning::bits}}, type, extents);
            const TileIdentification& found = answers.front().found;
            const std::string name = fmt::format("{} of {}", what.name, dtype.name);
            CAPTURE(name);
            CAPTURE(to_string(extents));
            CAPTURE(mode.name);
            CAPTURE(to_string(major));
            ++asked[name];
            if (found.mistake)
              FAIL_CHECK("a mistake in right data: ", found.mistake->name, ": ", found.mistake->text, " ",
                         content_text(answers[0].content, *values));
            const bool has_it = std::ranges::any_of(answers, [&](const TileAnswer& answer) {
              return answer.found.is_exact && answer.expected.values == values->values && is_among(answer.found, tile);
            });
            // What a narrow type rounds throughout does not show its start and step.
            const bool shows_its_numbers =
                dtype.memory_bits >= 16 || !what.as_values || what.name == std::string_view("i");
            // i is what is believed first: 16 or 64 values, the same in all rows, are i of another tile as well.
            const TileContent& content = answers[0].content;
            const bool is_i = type.value_bits() < 8 && found.is_exact && content.start == 0 && content.k_step == 1 &&
                              content.is_arange(extents.k);
            if (!has_it && !found.is_cut && shows_its_numbers && !is_i)
              ++not_found[fmt::format("{}{}", name, found.is_exact ? " (another)" : "")];
          }
    }
  for (const auto& [name, count] : not_found) FAIL_CHECK(name, ": ", count, " of ", asked[name]);
  CHECK(asked.size() > 100);
}

}  // namespace
}  // namespace swz
