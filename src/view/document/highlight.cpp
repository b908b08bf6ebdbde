// SPDX-License-Identifier: Apache-2.0
#include "view/document/highlight.hpp"

namespace swz {

bool Highlight::contains_any(std::string_view plural, std::int64_t first, std::int64_t count) const {
  bool named = false;
  for (const Range& range : ranges_) {
    if (range.plural != plural) continue;
    if (first <= range.last && first + count > range.first) return true;
    named = true;
  }
  return !named;
}

}  // namespace swz
