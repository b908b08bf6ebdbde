// SPDX-License-Identifier: Apache-2.0
// The text of --highlight: which cells of a picture are marked.
//
//   parse_highlight("lanes 0-3; rows 0,2-4", {{"rows", 16}, {"lanes", 32}})
//     lanes 0 to 3, in rows 0, 2, 3 and 4
//
// Both ends of a range are included. Singular and plural are the same, and so are upper and lower case.
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "view/document/highlight.hpp"

namespace swz {

// Throws Error, whose span is the place in `text`, for a kind that is not one of `kinds`, for text that is not a number,
// and for a number that the kind does not have.
Highlight parse_highlight(std::string_view text, const std::vector<HighlightKind>& kinds);

// The same; `kinds` makes the kinds only if there is a text, because counting them can be more work than the answer.
template <std::invocable Kinds>
Highlight parse_highlight(std::string_view text, Kinds kinds) {
  return text.empty() ? Highlight() : parse_highlight(text, kinds());
}

}  // namespace swz
