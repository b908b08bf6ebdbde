// SPDX-License-Identifier: Apache-2.0
// View of a story: what `swz story` answers. As text it is ten lines, as JSON every stage with its inverse, as a picture
// the stages side by side, one hue for each k step through all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "story/factors.hpp"
#include "story/story.hpp"
#include "view/document/document.hpp"

namespace swz {

struct StoryAnswer {
  Story story;
  TileCoordinate followed;  // the element whose way is shown
};

// The element that is followed, with its scale factor if the MMA takes some.
struct StoryElement {
  StoryWay way;
  StoryFactors factors;  // of its block of rows
  std::optional<StoryFactor> factor;
  std::optional<InstructionDescriptor> instruction;  // of the MMA that reads it
};
StoryElement story_element(const StoryAnswer& answer);

// JSON: see docs/json.md.
Document view_story(const StoryAnswer& answer);

// "the copies write mode 64B, the MMAs read mode 128B: …", or what there is to say if nothing breaks.
std::string story_headline(const Story& story);

// "A" or "B"
inline std::string_view operand_letter(const Story& story) { return story.ask.role == OperandRole::a ? "A" : "B"; }
// The direction in which its lines are contiguous in global memory: "K", "M" of A, "N" of B.
inline std::string_view contiguous_letter(const Story& story) {
  if (story.tile().major() == Major::K) return "K";
  return story.ask.role == OperandRole::a ? "M" : "N";
}

inline std::string_view row_word(const Story& story) { return row_word(story.ask.role); }
inline std::string_view rows_word(const Story& story) { return rows_word(story.ask.role); }

// "A[165][20]": an element of the tile, by its place in the operand.
std::string element_name(const Story& story, TileCoordinate at);

// Whether a pair of CTAs has the operand, of which the tile is one half.
inline bool is_pair(const Story& story) { return story.ask.filter.cta_group == 2; }
// The form of elements that have gaps in shared memory; null if the tile has none.
inline const NarrowForm* form_with_gaps(const Story& story) {
  const NarrowForm* form = story.tile().form();
  return form != nullptr && form->has_gaps ? form : nullptr;
}

// "instruction descriptor 0x08a00000", and of which k step if each has its own. The element has one.
std::string instruction_text(const Story& story, const StoryElement& element);

// "factor 5 of row 37: byte 0x2c of its stage, lanes 5, 37, 69, 101, column 133, byte 1, sf_id 0"
std::string factor_text(const StoryFactor& factor);

// "one read of 8 rows x 16 B: 8 groups of 4 banks, 1 wavefront (8 without the swizzle)"
std::string story_banks(const Story& story);

// "a box is at most as wide as a line of mode 128B: 128 B = 64 k", of several.
std::string box_reason(const Story& story);

// "stacked k-first it takes 2 boxes of 64x64", if the atoms stacked in the other order take fewer copies; otherwise empty.
std::string fewer_boxes_text(const Story& story);

// `way` is the sentence about the element that is followed.
Figure story_figure(const StoryAnswer& answer, const std::string& way);

}  // namespace swz
