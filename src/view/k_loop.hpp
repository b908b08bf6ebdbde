// View of a k loop: what `swz decode` and `swz map` say of several words.
#pragma once

#include <vector>

#include "descriptor/k_loop.hpp"
#include "view/document.hpp"

namespace swz {

// {words, advances, blocks, reversed, readings, mistakes, other_rows} (docs/json.md)
Json k_loop_json(const std::vector<SmemDescriptor>& words, const KLoop& loop);

// The same as text: what the words are, or the mistakes with the advance that is right. Nothing where swz knows
// nothing to say.
void add_k_loop_text(Document& d, const std::vector<SmemDescriptor>& words, const KLoop& loop);

}  // namespace swz
