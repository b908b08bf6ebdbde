// SPDX-License-Identifier: Apache-2.0
#include "descriptor/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/mistake.hpp"
#include "base/error.hpp"
#include "smem/placement.hpp"

namespace swz {

namespace {

using Places = std::vector<std::int64_t>;

// The first element at a place, row by row. None if there is no element at the place.
std::optional<TileCoordinate> find_place(const Places& places, std::int64_t place, TileExtents extents) {
  const auto found = std::ranges::find(places, place);
  if (found == places.end()) return std::nullopt;
  const std::int64_t i = found - places.begin();
  return TileCoordinate{i / extents.k, i % extents.k};
}

bool lies_in(TileCoordinate block, TileExtents extents, TileExtents of) {
  return block.row >= 0 && block.k >= 0 && block.row <= of.mn - extents.mn && block.k <= of.k - extents.k;
}

void require_comparable(const OperandMap& map, const StoredOperand& stored, std::optional<TileCoordinate> block) {
  if (map.element_bits != stored.element_bits)
    throw Error(fmt::format("the operand has elements of {} bits, {} has {}", map.element_bits, to_string(stored),
                            stored.element_bits),
                "give both the same --dtype");
  if (!lies_in({0, 0}, map.extents, stored.extents))
    throw Error(fmt::format("an operand of {} is larger than {}", to_string(map.extents), to_string(stored)),
                "--mma with at most its rows and K");
  if (block && !lies_in(*block, map.extents, stored.extents))
    throw Error(fmt::format("the block of {} at row {}, k {} does not lie in {}", to_string(map.extents), block->row,
                            block->k, to_string(stored)),
                fmt::format("the last one begins at row {}, k {}", stored.extents.mn - map.extents.mn,
                            stored.extents.k - map.extents.k));
}

// The places of the block whose first element is `block`, out of the places of the whole stored operand.
Places block_of(const ExplainCase& c, const Places& places, TileCoordinate block) {
  const TileExtents extents = c.map.extents;
  Places out;
  out.reserve(static_cast<std::size_t>(extents.mn * extents.k));
  for (std::int64_t row = 0; row < extents.mn; ++row) {
    const auto first = places.begin() + ((block.row + row) * c.stored.extents.k + block.k);
    out.insert(out.end(), first, first + extents.k);
  }
  return out;
}

// ---- the block

struct Choice {
  TileCoordinate block;
  std::string why;
};

// Chooses the block that the word is for. The start address shows it even if the swizzle or the base offset is wrong;
// the first address, which comes after the XOR, does not.
Choice choose(const ExplainCase& c) {
  const TileExtents extents = c.map.extents;
  const std::int64_t first_place = c.map.places.front(), start_address = c.word.start_address().count;
  const std::string first = fmt::format("the first address, {:#x}", first_place / 8);
  const std::string start = fmt::format("the start address, {:#x}", start_address);
  const auto on_grid = [&](TileCoordinate at) {
    return TileCoordinate{at.row / extents.mn * extents.mn, at.k / extents.k * extents.k};
  };
  std::vector<Choice> choices;
  if (const auto at = find_place(c.stored.linear, start_address * 8, c.stored.extents)) {
    const bool is_first = c.stored.place(at->row, at->k) == first_place;
    choices.push_back({on_grid(*at), on_grid(*at) != *at ? start + ", points into it"
                                     : is_first          ? "its first element lies at " + first
                                                         : start + ", points to it"});
  }
  if (const auto at = c.stored.at(first_place)) choices.push_back({on_grid(*at), first + ", lies in it"});
  choices.push_back({{0, 0}, "no other block begins at " + first});
  std::erase_if(choices, [&](const Choice& choice) { return !lies_in(choice.block, extents, c.stored.extents); });
  for (const Choice& choice : choices)
    if (c.map.places == block_of(c, c.stored.places, choice.block)) return choice;
  return choices.front();
}

// ---- the mistakes of a placement: what the word would read correctly if the elements were stored differently

// The advice for a mistake that explains every element; empty if it does not.
using Told = std::vector<Advice>;

Told if_read(const ExplainCase& c, const Places& places, Advice advice) {
  if (places != c.map.places) return {};
  return {std::move(advice)};
}

// The word is right if it is read with the other major.
Told wrong_major(const ExplainCase& c) {
  OperandMap read_so = c.wanted;
  read_so.major = other_major(c.wanted.major);
  if (read_so.major == Major::K && c.word.swizzle()->family == SwizzleFamily::chunk_32) return {};
  if (!reads(c.word, read_so)) return {};
  return {
      {fmt::format("read {} the word gives this block; it was read {}", to_string(read_so.major),
                   to_string(c.wanted.major)),
       fmt::format("--major {}; in the instruction: the transpose bit of this operand", major_word(read_so.major))}};
}

Told other_block(const ExplainCase& c) {
  const auto at = c.stored.at(c.map.places.front());
  if (!at || !lies_in(*at, c.map.extents, c.stored.extents)) return {};
  return if_read(
      c, block_of(c, c.stored.places, *at),
      {fmt::format("the word reads another block: the one that begins at row {}, k {}", at->row, at->k),
       fmt::format("the start address of the block at row {}, k {} differs by its step", c.block.row, c.block.k)});
}

// Compares with the block in a tile that differs from the stored one. `change` changes the tile and returns the advice.
Told if_tile(const ExplainCase& c, const auto& change) {
  if (!c.stored.tile) return {};
  SmemTileValues values = c.stored.tile->values();
  Advice advice = change(values);
  try {
    return if_read(c, block_of(c, Placement(SmemTile(values)).bits(), c.block), std::move(advice));
  } catch (const Error&) {
    return {};  // there is no such tile
  }
}

Told other_order(const ExplainCase& c) {
  return if_tile(c, [](SmemTileValues& values) -> Advice {
    const std::string_view own = to_string(values.order);
    values.order = other_order(values.order);
    return {fmt::format("the word is for atoms stacked {}; the tile has them {}", to_string(values.order), own),
            fmt::format("--order {}, or the strides of {}", to_string(values.order), own)};
  });
}

Told other_tile_major(const ExplainCase& c) {
  return if_tile(c, [](SmemTileValues& values) -> Advice {
    const std::string_view own = to_string(values.major);
    values.major = other_major(values.major);
    return {fmt::format("the word is for a tile that is {}; this one is {}", to_string(values.major), own),
            fmt::format("--major {} for the tile, or a word for {}", major_word(values.major), own)};
  });
}

Told other_tile_mode(const ExplainCase& c) {
  Told out;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (c.stored.tile && &c.stored.tile->swizzle() == &mode) continue;
    for (Advice& advice : if_tile(c, [&](SmemTileValues& values) -> Advice {
           const std::string_view own = values.swizzle->name;
           values.swizzle = mode;
           return {fmt::format("the word is for a tile of mode {}; this one has mode {}", mode.name, own),
                   fmt::format("write the tile with mode {}, or take the word for mode {}", mode.name, own)};
         }))
      out.push_back(std::move(advice));
  }
  return out;
}

// The linear places of the block, after `move` on each of them.
Places moved(const ExplainCase& c, const auto& move) {
  Places places = block_of(c, c.stored.linear, c.block);
  for (std::int64_t& place : places) place = move(place);
  return places;
}

bool begins_below_base(const ExplainCase& c) {
  return std::ranges::min(block_of(c, c.stored.linear, c.block)) < c.stored.base.count * 8;
}

Told relative_swizzle(const ExplainCase& c) {
  const Swizzle& swizzle = c.stored.layout.swizzle();
  if (!c.stored.layout.has_pointer() || swizzle.is_identity() || begins_below_base(c)) return {};
  const std::int64_t base = c.stored.base.count;
  return if_read(
      c, moved(c, [&](std::int64_t place) { return (base + swizzle(place / 8 - base)) * 8 + place % 8; }),
      {fmt::format("the word is for a tile whose pattern is counted from its own beginning, {:#x}; the hardware "
                   "counts absolute addresses",
                   base),
       fmt::format("a tile that TMA wrote needs base offset 0; 'swz phase --swizzle {} --base {:#x}' shows more",
                   c.word.swizzle()->name, base)});
}

// The word's XOR over the same linear addresses.
Told swizzle_of_word(const ExplainCase& c) {
  const SwizzleMode& mode = *c.word.swizzle();
  const std::string_view own = c.stored.layout.swizzle().is_identity() ? "lie unswizzled" : "have another swizzle";
  return if_read(c, moved(c, [&](std::int64_t place) { return mode.bit(place); }),
                 {mode.bits == 0 ? "the word has no swizzle, and without one the elements would lie where it reads"
                                 : fmt::format("the elements {}; with mode {} they would lie where the word reads", own,
                                               mode.name),
                  fmt::format("write the elements with {} on byte addresses, or give the word their mode",
                              to_string(mode.byte_swizzle()))});
}

// The numbers of a swizzle on bytes are used on element indices, or the reverse.
Told element_unit_swizzle(const ExplainCase& c) {
  const std::int64_t bits = c.wanted.element_bits, base = c.stored.base.count * 8;
  const Swizzle& swizzle = c.stored.layout.swizzle();
  if (!c.stored.layout.has_pointer())
    return if_read(c, moved(c, [&](std::int64_t place) { return swizzle(place / 8) * 8 + place % 8; }),
                   {fmt::format("{} acts on the indices of {}-bit elements here; on bytes it is what the word reads",
                                to_string(swizzle), bits),
                    fmt::format("write {} o smem_ptr[{}b](unset) o {}", to_string(swizzle), bits,
                                to_string(c.stored.layout.layout()))});
  if (begins_below_base(c)) return {};
  return if_read(
      c, moved(c, [&](std::int64_t place) { return base + swizzle((place - base) / bits) * bits; }),
      {fmt::format("{} acts on bytes; the word is for elements whose indices went through it", to_string(swizzle)),
       "the hardware swizzles bytes: no index swizzle with these numbers"});
}

constexpr struct {
  std::string_view name;
  Told (*tell)(const ExplainCase&);
} placement_mistakes[] = {
    {"major", wrong_major},
    {"other-block", other_block},
    {"stacking-order", other_order},
    {"tile-major", other_tile_major},
    {mistake::other_mode, other_tile_mode},
    {mistake::relative_swizzle, relative_swizzle},
    {"other-swizzle", swizzle_of_word},
    {mistake::element_unit_swizzle, element_unit_swizzle},
};

}  // namespace

std::optional<TileCoordinate> StoredOperand::at(std::int64_t place) const { return find_place(places, place, extents); }

StoredOperand stored_operand(const SmemTile& tile) {
  StoredOperand out = stored_operand(tile.layout(), tile.element_bits(), tile.base());
  out.tile = tile;
  return out;
}

StoredOperand stored_operand(const ComposedLayout& layout, int element_bits, Bytes base) {
  require_chunk_address(base);
  const Placement placed(layout, element_bits, base);
  const Placement linear(ComposedLayout(Swizzle(), layout.offset(), layout.layout()), element_bits, base);
  return {placed.extents(), element_bits, base, placed.bits(), linear.bits(), layout, {}};
}

std::string to_string(const StoredOperand& operand) {
  if (!operand.tile) return fmt::format("{} at {:#x}", to_string(operand.layout), operand.base.count);
  const SmemTile& tile = *operand.tile;
  return fmt::format("{} {} {}, mode {}, {}, at {:#x}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()), tile.base().count);
}

std::vector<std::string_view> mistake_names() {
  std::vector<std::string_view> names = word_mistake_names();
  for (const auto& mistake : placement_mistakes) names.push_back(mistake.name);
  return names;
}

Comparison compare(const SmemDescriptor& word, const OperandMap& map, const StoredOperand& stored,
                   std::optional<TileCoordinate> block) {
  require_comparable(map, stored, block);
  ExplainCase c{word, map, stored, {}, map};
  const Choice choice = block ? Choice{*block, "given"} : choose(c);
  c.block = choice.block;
  c.wanted.places = block_of(c, stored.places, c.block);

  Comparison out{choice.block, choice.why, {}, 0, {}, {}, {}};
  for (std::size_t i = 0; i < map.places.size(); ++i) out.differs.push_back(map.places[i] != c.wanted.places[i]);
  out.differing = std::ranges::count(out.differs, true);
  if (out.is_same()) return out;

  const std::int64_t i = std::ranges::find(out.differs, true) - out.differs.begin();
  const TileCoordinate first{i / map.extents.k, i % map.extents.k};
  out.first = {first, map.byte(first.row, first.k), c.wanted.byte(first.row, first.k),
               stored.at(map.place(first.row, first.k))};
  explain_word(c, out);
  for (const auto& mistake : placement_mistakes)
    for (const Advice& advice : mistake.tell(c))
      out.explanations.push_back({lint(mistake.name, advice.message, advice.hint), std::nullopt});
  return out;
}

}  // namespace swz
