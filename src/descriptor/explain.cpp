#include "descriptor/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "descriptor/explain_case.hpp"
#include "smem/placement.hpp"

namespace swz {

namespace {

using Places = std::vector<std::int64_t>;

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
    throw Error(fmt::format("the block of {} at row {}, k {} does not lie in {}", to_string(map.extents),
                            block->row, block->k, to_string(stored)),
                fmt::format("the last one begins at row {}, k {}", stored.extents.mn - map.extents.mn,
                            stored.extents.k - map.extents.k));
}

// The places of the block whose first element is `block`.
Places block_of(const Places& places, TileExtents of, TileCoordinate block, TileExtents extents) {
  Places out;
  out.reserve(static_cast<std::size_t>(extents.mn * extents.k));
  for (std::int64_t row = 0; row < extents.mn; ++row) {
    const auto first = places.begin() + ((block.row + row) * of.k + block.k);
    out.insert(out.end(), first, first + extents.k);
  }
  return out;
}

// ---- the block

struct Choice {
  TileCoordinate block;
  std::string why;
};

TileCoordinate on_grid(TileCoordinate at, TileExtents block) {
  return {at.row / block.mn * block.mn, at.k / block.k * block.k};
}

// The block that the word is for. The start address shows it even when the swizzle or the base offset is wrong; the
// first address, which comes after the XOR, does not.
Choice choose(const SmemDescriptor& word, const Places& read, const OperandMap& map, const StoredOperand& stored) {
  const std::string first = fmt::format("the first address, {:#x}", read.front() / 8);
  const std::string start = fmt::format("the start address, {:#x}", word.start_address().count);
  std::vector<Choice> choices;
  if (const auto at = stored.at_linear(word.start_address().count * 8)) {
    const TileCoordinate block = on_grid(*at, map.extents);
    const bool is_first = stored.place(at->row, at->k) == read.front();
    if (block != *at) choices.push_back({block, start + ", points into it"});
    else choices.push_back({block, is_first ? "its first element lies at " + first : start + ", points to it"});
  }
  if (const auto at = stored.at(read.front()))
    choices.push_back({on_grid(*at, map.extents), first + ", lies in it"});
  choices.push_back({{0, 0}, "no other block begins at " + first});
  std::erase_if(choices, [&](const Choice& choice) { return !lies_in(choice.block, map.extents, stored.extents); });
  for (const Choice& choice : choices)
    if (read == block_of(stored.places, stored.extents, choice.block, map.extents)) return choice;
  return choices.front();
}

// ---- the mistakes of a placement: what the word would read right if the elements lay otherwise

// Other places of the block, and what it means if the word reads those.
struct Alternative {
  Places places;
  Advice advice;
};

Places linear_block(const ExplainCase& c) {
  return block_of(c.stored.linear, c.stored.extents, c.block, c.wanted.extents);
}

// The linear places of the block, each sent through a function of its byte address.
template <class Move>
Places moved_bytes(const ExplainCase& c, Move&& move) {
  Places places = linear_block(c);
  for (std::int64_t& place : places) place = move(place / 8) * 8 + place % 8;
  return places;
}

std::vector<Alternative> other_block(const ExplainCase& c) {
  const auto at = c.stored.at(c.read.front());
  const TileExtents extents = c.wanted.extents;
  if (!at || at->row + extents.mn > c.stored.extents.mn || at->k + extents.k > c.stored.extents.k) return {};
  return {{block_of(c.stored.places, c.stored.extents, *at, extents),
           {fmt::format("the word reads another block: the one that begins at row {}, k {}", at->row, at->k),
            fmt::format("the start address of the block at row {}, k {} differs by its step", c.block.row,
                        c.block.k)}}};
}

// The block in a tile that differs from the stored one; empty when there is no such tile.
std::vector<Alternative> of_tile(const SmemTileValues& values, const ExplainCase& c, Advice advice) {
  try {
    const Placement placement{SmemTile(values)};
    return {{block_of(placement.bits(), c.stored.extents, c.block, c.wanted.extents), std::move(advice)}};
  } catch (const Error&) {
    return {};
  }
}

std::vector<Alternative> other_order(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  SmemTileValues values = c.stored.tile->values();
  const std::string_view own = to_string(values.order);
  values.order = values.order == StackingOrder::mn_first ? StackingOrder::k_first : StackingOrder::mn_first;
  const std::string_view other = to_string(values.order);
  return of_tile(values, c,
                 {fmt::format("the word is for atoms stacked {}; the tile has them {}", other, own),
                  fmt::format("--order {}, or the strides of {}", other, own)});
}

std::vector<Alternative> other_tile_major(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  SmemTileValues values = c.stored.tile->values();
  const std::string_view own = to_string(values.major);
  values.major = values.major == Major::K ? Major::MN : Major::K;
  return of_tile(
      values, c,
      {fmt::format("the word is for a tile that is {}; this one is {}", to_string(values.major), own),
       fmt::format("--major {} for the tile, or a word for {}", values.major == Major::K ? "k" : "mn", own)});
}

std::vector<Alternative> other_tile_mode(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  std::vector<Alternative> out;
  const SwizzleMode& own = c.stored.tile->swizzle();
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (&mode == &own) continue;
    SmemTileValues values = c.stored.tile->values();
    values.swizzle = mode;
    std::ranges::move(
        of_tile(values, c,
                {fmt::format("the word is for a tile of mode {}; this one has mode {}", mode.name, own.name),
                 fmt::format("write the tile with mode {}, or take the word for mode {}", mode.name, own.name)}),
        std::back_inserter(out));
  }
  return out;
}

std::vector<Alternative> relative_swizzle(const ExplainCase& c) {
  const Swizzle& swizzle = c.stored.layout.swizzle();
  if (!c.stored.layout.has_pointer() || swizzle.is_identity()) return {};
  const std::int64_t base = c.stored.base.count;
  if (std::ranges::any_of(linear_block(c), [&](std::int64_t place) { return place / 8 < base; })) return {};
  return {
      {moved_bytes(c, [&](std::int64_t byte) { return base + swizzle(byte - base); }),
       {fmt::format("the word is for a tile whose pattern is counted from its own beginning, {:#x}; the hardware "
                    "counts absolute addresses",
                    base),
        fmt::format("a tile that TMA wrote needs base offset 0; 'swz phase --swizzle {} --base {:#x}' says more",
                    c.word.swizzle()->name, base)}}};
}

// Another XOR, that of the word, over the same linear addresses.
std::vector<Alternative> swizzle_of_word(const ExplainCase& c) {
  const SwizzleMode& mode = *c.word.swizzle();
  const std::string_view own = c.stored.layout.swizzle().is_identity() ? "lie unswizzled" : "have another swizzle";
  const std::string message =
      mode.bits == 0
          ? "the word has no swizzle, and without one the elements would lie where it reads"
          : fmt::format("the elements {}; with mode {} they would lie where the word reads", own, mode.name);
  return {{moved_bytes(c, [&](std::int64_t byte) { return mode.byte(byte); }),
           {message, fmt::format("write the elements with {} on byte addresses, or give the word their mode",
                                 to_string(mode.byte_swizzle()))}}};
}

// The numbers of a swizzle on bytes used on element indices, or the other way round.
std::vector<Alternative> element_unit_swizzle(const ExplainCase& c) {
  const std::int64_t bits = c.wanted.element_bits;
  const std::int64_t base = c.stored.base.count;
  const Swizzle& swizzle = c.stored.layout.swizzle();
  if (c.stored.layout.has_pointer()) {
    Places places = linear_block(c);
    for (std::int64_t& place : places) {
      if (place / 8 < base) return {};
      place = base * 8 + swizzle((place - base * 8) / bits) * bits;
    }
    return {{places,
             {fmt::format("{} acts on bytes; the word is for elements whose indices went through it",
                          to_string(swizzle)),
              "the hardware swizzles bytes: no index swizzle with these numbers"}}};
  }
  return {{moved_bytes(c, [&](std::int64_t byte) { return swizzle(byte); }),
           {fmt::format("{} acts on the indices of {}-bit elements here; on bytes it is what the word reads",
                        to_string(swizzle), bits),
            fmt::format("write {} o smem_ptr[{}b](unset) o {}", to_string(swizzle), bits,
                        to_string(c.stored.layout.layout()))}}};
}

struct PlacementMistake {
  std::string_view name;
  std::vector<Alternative> (*alternatives)(const ExplainCase&);
};

constexpr PlacementMistake placement_mistakes[] = {
    {"other-block", other_block},
    {"stacking-order", other_order},
    {"tile-major", other_tile_major},
    {"tile-mode", other_tile_mode},
    {"tile-relative-swizzle", relative_swizzle},
    {"other-swizzle", swizzle_of_word},
    {"element-unit-swizzle", element_unit_swizzle},
};

constexpr std::string_view wrong_major = "major";

// The same word, read with the other major.
std::optional<Explanation> mistake_of_major(const ExplainCase& c) {
  const Major other = c.wanted.major == Major::K ? Major::MN : Major::K;
  if (other == Major::K && c.word.swizzle()->family == SwizzleFamily::chunk_32) return std::nullopt;
  OperandPlaces read_so = c.wanted;
  read_so.major = other;
  if (!reads(c.word, read_so)) return std::nullopt;
  return Explanation{lint(wrong_major,
                          fmt::format("read {} the word gives this block; it was read {}", to_string(other),
                                      to_string(c.wanted.major)),
                          fmt::format("--major {}; in the instruction: the transpose bit of this operand",
                                      other == Major::K ? "k" : "mn")),
                     std::nullopt};
}

std::vector<Explanation> mistakes_of_placement(const ExplainCase& c) {
  std::vector<Explanation> out;
  if (const auto major = mistake_of_major(c)) out.push_back(*major);
  for (const PlacementMistake& mistake : placement_mistakes) {
    for (const Alternative& alternative : mistake.alternatives(c))
      if (alternative.places == c.read)
        out.push_back({lint(mistake.name, alternative.advice.message, alternative.advice.hint), std::nullopt});
  }
  return out;
}

}  // namespace

std::optional<TileCoordinate> StoredOperand::at(std::int64_t place) const {
  return find_place(places, place, extents);
}

std::optional<TileCoordinate> StoredOperand::at_linear(std::int64_t place) const {
  return find_place(linear, place, extents);
}

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
  std::vector<std::string_view> names;
  append_word_mistakes(names);
  names.push_back(wrong_major);
  for (const PlacementMistake& mistake : placement_mistakes) names.push_back(mistake.name);
  return names;
}

Comparison compare(const SmemDescriptor& word, const OperandMap& map, const StoredOperand& stored,
                   std::optional<TileCoordinate> block) {
  require_comparable(map, stored, block);
  ExplainCase c{word, map, stored, {}, places_of(map), {map.extents, map.element_bits, map.major, {}}, {}};
  const Choice choice = block ? Choice{*block, "given"} : choose(word, c.read, map, stored);
  c.block = choice.block;
  c.wanted.places = block_of(stored.places, stored.extents, c.block, map.extents);

  Comparison out{choice.block, choice.why, {}, 0, {}, {}, {}};
  out.differs.reserve(c.read.size());
  for (std::size_t i = 0; i < c.read.size(); ++i) out.differs.push_back(c.read[i] != c.wanted.places[i]);
  out.differing = std::ranges::count(out.differs, true);
  if (out.is_same()) return out;

  const std::int64_t i = std::ranges::find(out.differs, true) - out.differs.begin();
  const std::int64_t read = c.read[static_cast<std::size_t>(i)];
  out.first = {{i / map.extents.k, i % map.extents.k},
               read / 8,
               c.wanted.places[static_cast<std::size_t>(i)] / 8,
               stored.at(read)};
  c.rights = right_words(c.wanted, word);
  out.explanations = mistakes_of_word(c);
  for (Explanation& explanation : mistakes_of_placement(c)) out.explanations.push_back(std::move(explanation));
  out.right = nearest_right_word(c);
  return out;
}

}  // namespace swz
