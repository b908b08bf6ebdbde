// SPDX-License-Identifier: Apache-2.0
// The panels of the picture of a story, one for each stage. One hue for each k step through all of them; groups of 8 rows
// are dark and light in turn; the followed element is framed in each.
//
//   bf16 A 128x128 in mode 128B, element (37, 84): square (32-39, k5) of the tile, chunk "37,80" at line 0x5280 of shared
//   memory, word +0x4020 of k step 5, row 37 in the lanes of warp 1
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/story/story.hpp"

namespace swz {

struct StoryPicture {
  static constexpr std::int64_t group_rows = 8, hues = 8;

  const Story& story;
  StoryElement element;
  std::string result;  // where the result of the followed element lies

  const StoryWay& way() const { return element.way; }
  std::int64_t k_step(std::int64_t k) const { return k / story.step.k; }
  std::string k_text(std::int64_t step) const { return "k " + range_text(step * story.step.k, story.step.k); }
  static Tint tint_of(std::int64_t k_step, std::int64_t row) {
    return {static_cast<int>(k_step % hues), static_cast<int>(row / group_rows % 2) * 2};
  }
  // Whether some element is read from another place than written.
  bool is_broken() const {
    return std::ranges::any_of(story.breaks, [](const StoryBreak& found) { return found.wrong > 0; });
  }
};

// ---- in tile_panels.cpp
Grid global_panel(const StoryPicture& p);  // 1: the operand, not to scale
Grid tile_panel(const StoryPicture& p);    // 2: the tile with its boxes and k steps

// ---- in shared_panels.cpp
Grid shared_panel(const StoryPicture& p);  // 3: the lines of shared memory as they are written
Grid read_panel(const StoryPicture& p);    // and as the MMAs read them

// ---- in result_panels.cpp
Grid word_panel(const StoryPicture& p);  // 4: the words, or the addresses of ldmatrix
// The fields in which the word of the followed MMA differs from the one that reads the tile. Nothing if none does.
std::optional<Grid> mistake_panel(const StoryPicture& p);
Grid register_panel(const StoryPicture& p);  // 5: the operand in the registers of the thread that has the element
Grid factor_panel(const StoryPicture& p);    // the scale factors of the followed row, beside the way
Grid result_panel(const StoryPicture& p);    // the last one: where the result lies

}  // namespace swz
