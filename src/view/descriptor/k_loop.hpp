// SPDX-License-Identifier: Apache-2.0
// A k loop as `swz decode` and `swz map` show it, in text and in JSON.
#pragma once

#include <string>
#include <vector>

#include "descriptor/k_loop.hpp"
#include "view/document/document.hpp"

namespace swz {

// [{rule, message, hint, word}]; word is null if it is not the word that is wrong.
Json explanations_json(const std::vector<Explanation>& explanations);

// A k loop as JSON: {words, advances, blocks, reversed, readings, mistakes, other_rows} (docs/json.md).
Json k_loop_json(const std::vector<SmemDescriptor>& words, const KLoop& loop);
// The loop in a sentence: "advance +32 B is right", "the start advances by 256 B per step where 32 B is right".
std::string loop_verdict(const std::vector<SmemDescriptor>& words, const KLoop& loop);

// Adds the same as text: what the words are, or the mistakes with the advance that is right.
// has_figure: the right advance is beside the bits of the words, and the hint of a mistake only in the whole text.
void add_k_loop_text(Document& d, const std::vector<SmemDescriptor>& words, const KLoop& loop, bool has_figure = false);

}  // namespace swz
