#include "descriptor/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "descriptor/explain_case.hpp"

namespace swz {

namespace {

using Places = std::vector<std::int64_t>;

bool lies_in(TileCoordinate block, TileExtents extents, TileExtents of) {
  return block.row >= 0 && block.k >= 0 && block.row <= of.mn - extents.mn && block.k <= of.k - extents.k;
}

void check(const OperandMap& map, const StoredOperand& stored, std::optional<TileCoordinate> block) {
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

std::int64_t count_differing(const Places& read, const Places& wanted) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < read.size(); ++i) count += read[i] != wanted[i];
  return count;
}

struct Choice {
  TileCoordinate block;
  std::string why;
};

TileCoordinate on_grid(TileCoordinate at, TileExtents block) {
  return {at.row / block.mn * block.mn, at.k / block.k * block.k};
}

// The block that the word is for. The start address speaks for it even when the swizzle or the base offset is
// wrong; the first address, which lies behind the XOR, does not.
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

}  // namespace

std::vector<std::int64_t> block_of(const Places& places, TileExtents of, TileCoordinate block,
                                   TileExtents extents) {
  Places out;
  out.reserve(static_cast<std::size_t>(extents.mn * extents.k));
  for (std::int64_t row = 0; row < extents.mn; ++row) {
    const auto first = places.begin() + ((block.row + row) * of.k + block.k);
    out.insert(out.end(), first, first + extents.k);
  }
  return out;
}

std::vector<MistakeSummary> mistakes() {
  std::vector<MistakeSummary> out;
  append_word_mistakes(out);
  append_placement_mistakes(out);
  return out;
}

Comparison compare(const SmemDescriptor& word, const OperandMap& map, const StoredOperand& stored,
                   std::optional<TileCoordinate> block) {
  check(map, stored, block);
  ExplainCase c{word, map, stored, {}, places_of(map), {map.extents, map.element_bits, map.major, {}}, {}};
  const Choice choice = block ? Choice{*block, "given"} : choose(word, c.read, map, stored);
  c.block = choice.block;
  c.wanted.places = block_of(stored.places, stored.extents, c.block, map.extents);

  Comparison out{choice.block, choice.why, {}, count_differing(c.read, c.wanted.places), {}, {}, {}};
  out.differs.reserve(c.read.size());
  for (std::size_t i = 0; i < c.read.size(); ++i) out.differs.push_back(c.read[i] != c.wanted.places[i]);
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
