// SPDX-License-Identifier: Apache-2.0
// The breaks of a story: where one stage does not give what the next one takes.
//
//   copies of mode 64B, words of mode 128B
//     shared-to-mma, other-mode: the copies write mode 64B, the MMAs read mode 128B; 6144 of 8192 elements
//   a barrier that expects 16384 of 32768 B
//     copy-to-barrier, expect-bytes: the barrier waits for 16384 B, the copies bring 32768 B
//
// The names are those of arch/mistake.hpp where the mistake is one of them.
#pragma once

#include <vector>

#include "story/story.hpp"

namespace swz {

std::vector<StoryBreak> story_breaks(const Story& story);

}  // namespace swz
