// SPDX-License-Identifier: Apache-2.0
// The scale factors of the operand that a story follows: those of one MMA's rows, from global memory through a stage of
// shared memory and tcgen05.cp to tensor memory.
//
//   e2m1 A 128x256, mxf4nvf4, m128n128k64: one ue4m3 for 16 k, 16 factors of each row; D in columns 0-127, so the factors
//   of A begin at column 128
//     element (37, 84)    factor 5 of row 37: copy 1, lanes 5, 37, 69, 101, column 133, byte 1; MMA 1 names it by sf_id 0
//
// Invariants (tested): every place is that of ScaleWay, and leads back to the factor of the element.
// Source: tmem/scale_way.hpp. Not measured.
#pragma once

#include <optional>
#include <string>

#include "story/story.hpp"
#include "tmem/scale_way.hpp"

namespace swz {

// Neither way nor reason: the MMA takes no scale factors.
struct StoryFactors {
  std::optional<ScaleWay> way;
  std::string type;     // "ue8m0"
  std::string why_not;  // what keeps them from being followed
};
// Those of a block of rows.
StoryFactors story_factors(const Story& story, std::int64_t m_block);

// Whether each k step has an instruction descriptor of its own, by the ids of its scale factors. Not if one was given.
bool has_instruction_of_step(const Story& story);
// The instruction descriptor of the MMAs of a k step; nothing if the reader has none.
std::optional<InstructionDescriptor> story_instruction(const Story& story, std::int64_t k_step);

// The factor of an element, and its first k in the tile.
struct StoryFactor {
  ScaleCoordinate at;  // a row of the CTA, and the number of the factor, from those of the way
  std::int64_t first_k = 0;
  ScaleWay::Stop stop;
  std::optional<ScaleCoordinate> back;  // the factor to which the lane, column and byte lead back
};
StoryFactor story_factor(const Story& story, const ScaleWay& way, const StoryWay& element);

}  // namespace swz
