// One case to explain, as explain.cpp hands it to the tables of mistakes of the word (explain_word.cpp) and of the
// placement (explain_placement.cpp). Example and source: explain.hpp.
#pragma once

#include <optional>
#include <vector>

#include "descriptor/explain.hpp"

namespace swz {

struct ExplainCase {
  const SmemDescriptor& word;
  const OperandMap& map;
  const StoredOperand& stored;
  TileCoordinate block;
  std::vector<std::int64_t> read;  // places of the map
  OperandPlaces wanted;            // the places of the block
  std::vector<RightWord> rights;
};

// The places of the block whose first element is `block`.
std::vector<std::int64_t> block_of(const std::vector<std::int64_t>& places, TileExtents of, TileCoordinate block,
                                   TileExtents extents);

std::vector<Explanation> mistakes_of_word(const ExplainCase& c);
std::vector<Explanation> mistakes_of_placement(const ExplainCase& c);
void append_word_mistakes(std::vector<MistakeSummary>& out);
void append_placement_mistakes(std::vector<MistakeSummary>& out);
std::optional<RightWord> nearest_right_word(const ExplainCase& c);

}  // namespace swz
